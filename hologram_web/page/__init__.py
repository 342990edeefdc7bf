"""The TypeScript runtime in a page, a worker or Node, as Python under Pyodide reaches it."""
