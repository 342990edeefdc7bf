"""Edges of a photograph: five programs in text form, run on every device and compared with SciPy pixel by pixel."""
