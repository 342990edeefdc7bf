"""Tests compile what they run: only machine code of modules, by their bytes, is taken from the cache."""

import os
import sys
from pathlib import Path

os.environ.setdefault("HOLOGRAM_WEB_CACHE", "modules")
# tools/setup.py puts Node beside Python where the system has none, or an old one.
os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
