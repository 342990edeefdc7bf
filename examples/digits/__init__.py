"""A classifier of digits: drawn, trained with hg.nn, and exported for JavaScript; also in a page, without NumPy."""
