"""The tensor library: collectives as kernels of our own language. One file for each family of operations."""
