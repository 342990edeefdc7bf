"""Circuits, under the name that users import: see `hologram_web_tools/circuit`."""

from .extras import missing

try:
    from hologram_web_tools.circuit import *  # noqa: F403
    from hologram_web_tools.circuit import __all__ as __all__
except ModuleNotFoundError as error:
    raise missing("circuit", error) from None
