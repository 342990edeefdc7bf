"""The namespace that the suite tests, on the device that the command was asked for."""

from __future__ import annotations

import os

import hologram_web as hg
from hologram_web.array import creation
from hologram_web.array_api import of_version

__all__ = ["xp"]

xp = of_version(os.environ["ARRAY_API_TESTS_VERSION"])
creation._default = hg.Executor(os.environ["ARRAY_API_DEVICE"], math=os.environ["ARRAY_API_MATH"])
