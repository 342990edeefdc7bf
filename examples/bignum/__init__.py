"""Arithmetic in the field of the curve BN254 with integers of 256 bits: products, powers, sums of points."""
