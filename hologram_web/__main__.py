"""`python -m hologram_web` is the command line `hologram-web`."""

import sys

from .extras import tools

__all__ = ["main"]


def main() -> None:
    """Runs the command line. Ends with 2 for input that is wrong."""
    try:
        run = tools("cli").main
    except ModuleNotFoundError as error:
        sys.exit(f"hologram-web: {error}")
    run()


if __name__ == "__main__":
    main()
