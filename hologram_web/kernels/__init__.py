"""Kernels: what a Python function became, to look at, to step through and to launch."""
