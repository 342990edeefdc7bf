"""The playground: a page to write programs in, with Python, the compiler and all devices of the browser in it."""
