"""`python -m hologram_web` is the command line `hologram-web`."""

from .cli import main

if __name__ == "__main__":
    main()
