"""What runs programs for people: typed buffers, and BLAKE3, the identity of programs."""
