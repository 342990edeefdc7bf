"""Launches by way of an artifact: the program is compiled into a file, read back, and run from its code alone."""

from __future__ import annotations

from hologram_web.backends import Limits

from ..artifact.holo_device import HoloDevice

__all__ = ["FiledBackend"]


class FiledBackend(HoloDevice):
    """The WebAssembly of a file, run by the second reader of artifacts that the tests have."""

    name = "file"

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__()
        self.limits = limits or Limits()
