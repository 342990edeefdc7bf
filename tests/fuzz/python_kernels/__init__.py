"""Random kernels in Python on every device, against the same text executed by Python itself."""
