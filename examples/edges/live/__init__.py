"""The live page: the edges as an artifact in the browser, without Python, and with it on demand."""
