"""The command line `hologram-web`; nothing else of the package needs click and rich."""

from __future__ import annotations

import sys

__all__ = ["main"]


def main() -> None:
    """Runs the command line. Ends with 2 for input that is wrong."""
    try:
        from .commands import commands
    except ModuleNotFoundError as error:
        if error.name not in ("click", "rich"):
            raise
        sys.exit(f"hologram-web needs {error.name}, which is not installed: pip install {error.name}")
    commands(prog_name="hologram-web")
