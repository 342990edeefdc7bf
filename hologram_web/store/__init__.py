"""What is kept: hashing, caches in memory, on disk and in a page's IndexedDB, and the forms of what is in them."""
