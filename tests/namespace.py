"""The array API's namespace, for tests on one executor."""

from __future__ import annotations

from typing import Any

import hologram_web as hg
from hologram_web import array_api as xp

__all__ = ["NamespaceOn"]


class NamespaceOn:
    """The namespace with an executor for what is made of lists."""

    def __init__(self, ex: hg.Executor) -> None:
        self.ex = ex

    def __getattr__(self, name: str) -> Any:
        return getattr(xp, name)

    def asarray(self, obj: Any) -> Any:
        return xp.asarray(obj, device=self.ex)
