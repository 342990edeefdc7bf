"""Frontends: what makes programs from something people write."""
