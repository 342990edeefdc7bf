"""Circuits, under the name that users import: see `frontends/circuit`."""

from .frontends.circuit import *  # noqa: F403
from .frontends.circuit import __all__ as __all__
