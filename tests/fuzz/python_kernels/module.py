"""The kernel of a text: of the text itself, or of a module with classes and constants, as it is in a file."""

from __future__ import annotations

import linecache
import sys
from types import ModuleType

from hologram_web import Kernel, kernel_from_source

__all__ = ["kernel_of"]


def kernel_of(text: str, constants: dict[str, str]) -> Kernel:
    """Translates. What has records or constants of the launch is executed as a module, from which Python's own classes
    and the text of functions come. Raises TranslateError."""
    if "\nclass " not in text and not constants:
        return kernel_from_source(text)
    name = "<fuzz>"
    module = sys.modules[name] = ModuleType(name)
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    exec(compile(text, name, "exec"), module.__dict__)
    kernel = next(value for value in module.__dict__.values() if hasattr(value, "specialize"))
    if constants:
        kernel = kernel.specialize(**{key: eval(written, module.__dict__) for key, written in constants.items()})
    assert isinstance(kernel, Kernel)
    return kernel
