"""Lazy arrays: expressions that fuse into kernels when a value is needed."""
