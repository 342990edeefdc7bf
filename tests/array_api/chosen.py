"""The namespace that the suite tests, on the device that the command was asked for."""

from __future__ import annotations

import os

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.array import creation

__all__ = ["xp"]

creation._default = hg.Executor(os.environ["ARRAY_API_DEVICE"])
