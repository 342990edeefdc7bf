"""The second distribution, hologram-web-tools: native installs have it, pages ask for it by the extra `tools`."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from .errors import BackendUnavailable

__all__ = ["TOOLS", "has", "installed", "missing", "page_of", "tools"]

TOOLS = "hologram_web_tools"
_HOW = "pip install 'hologram-web[tools]', in a page await micropip.install('hologram-web[tools]')"


def missing(name: str, error: ModuleNotFoundError) -> ModuleNotFoundError:
    """The error to raise for a module of the tools that could not be imported: it says which extra has it."""
    if error.name != TOOLS:
        return error
    text = f"{TOOLS}.{name} is in hologram-web-tools, which is not installed: {_HOW}"
    return ModuleNotFoundError(text, name=TOOLS)


def tools(name: str) -> Any:
    """A module of the tools. Raises ModuleNotFoundError, which says what to install."""
    try:
        return import_module(f"{TOOLS}.{name}")
    except ModuleNotFoundError as error:
        raise missing(name, error) from None


def installed() -> bool:
    """Whether the tools are here."""
    return has("", TOOLS)


def page_of(value: Any) -> str | None:
    """What a notebook shows of a value; None without the tools, or where it cannot be read without waiting."""
    try:
        found: str | None = tools("notebook").html_of(value) if installed() else None
    except BackendUnavailable:
        return None
    return found


def has(room: str, package: str = __package__) -> bool:
    """Whether a room is here: in a page, arrays are a wheel of their own."""
    try:
        import_module(f"{package}.{room}".rstrip("."))
    except ModuleNotFoundError:
        return False
    return True
