"""The page of a value as an anywidget."""

from __future__ import annotations

from functools import cache
from typing import Any

from .html import asset, html_of

__all__ = ["view"]


@cache
def _widget() -> Any:
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(
            f"{error.name} is not installed, which widgets need: pip install anywidget, or 'hologram-web[notebook]'",
            name=error.name,
        ) from None

    class View(anywidget.AnyWidget):
        """Shows a value; `view.value = other` shows another."""

        _esm = asset("view.js")
        html = traitlets.Unicode().tag(sync=True)

        def __init__(self, value: Any) -> None:
            super().__init__(html=html_of(value))
            self._value = value

        @property
        def value(self) -> Any:
            return self._value

        @value.setter
        def value(self, value: Any) -> None:
            self.html, self._value = html_of(value), value

        def refresh(self) -> None:
            """Reads the value again, which a kernel may have changed."""
            self.html = html_of(self._value)

    return View


def view(value: Any) -> Any:
    """A widget that shows an Array, a Buffer, a kernel, a plan or a timeline: its `value`, which may be set.

    Raises ModuleNotFoundError where anywidget is not installed.
    """
    return _widget()(value)
