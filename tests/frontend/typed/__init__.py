"""Code of a user whose editor checks types: `mypy --strict` and pyright take it (../test_typing.py)."""
