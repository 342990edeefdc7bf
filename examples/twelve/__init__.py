"""Twelve kernels as one writes them on the first day, from docs/kernels.md alone: for every device, page and file."""
