"""What pages can do without: circuits, kernel JSON, the standard library, the reference device, the optimizer of
programs, stepping, texts that people read, the command line. A distribution of its own, which
native installs of hologram_web have.
"""
