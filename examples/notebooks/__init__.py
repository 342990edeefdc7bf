"""Notebooks for newcomers, and the site that shows them without a server: JupyterLite, and a page of PyScript."""

from __future__ import annotations

from pathlib import Path

__all__ = ["HERE", "NOTEBOOKS"]

HERE = Path(__file__).parent
NOTEBOOKS = tuple(sorted(HERE.glob("*.ipynb")))
