"""Tests compile what they run: only machine code of modules, by their bytes, is taken from the cache."""

import os

os.environ.setdefault("HOLOGRAM_WEB_CACHE", "modules")
