"""The same work by us and by libraries of others, in pages of one browser."""
