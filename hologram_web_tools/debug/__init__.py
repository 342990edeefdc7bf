"""Stepping through kernels on the reference, and the debugger of Python in their lines."""
