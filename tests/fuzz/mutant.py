"""What a seeded bug is, and devices that have one.

A mutant replaces a piece of the source text of one function while it is applied. A function that does not hold the text
(once) is a LookupError: the code has moved on, and the mutant has to follow.
"""

from __future__ import annotations
import __future__

import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from types import CodeType
from typing import Any

from hologram_web.backends.wasm import WasmBackend
from hologram_web.backends.webgpu import WebGpuBackend
from hologram_web_tools.cpu import CpuBackend

from .devices import LIMITS

__all__ = ["Mutant", "broken_device", "sound_device"]


@dataclass(frozen=True)
class Mutant:
    """A bug: in the source of the function `place` ("module:qualified name"), `new` stands for `old`.

    `device` is the one that has the bug then. Filetests whose id starts with `shown_by` show it.
    Programs of `profile` find it; without one, those that find most. What is in `tests.` is named with that.
    """

    name: str
    place: str
    old: str
    new: str
    device: str = "cpu"
    shown_by: str = ""
    profile: str = ""

    def _function(self) -> Any:
        module, _, path = self.place.partition(":")
        found: Any = import_module(
            module if module.startswith(("tests.", "hologram_web_tools.")) else f"hologram_web.{module}"
        )
        for part in path.split("."):
            found = inspect.getattr_static(found, part)
        found = getattr(found, "__func__", getattr(found, "func", found))  # of a static method, a cached property
        return inspect.unwrap(found)

    def code(self) -> CodeType:
        """The changed function. Raises LookupError if the text to change is not there (once)."""
        function = self._function()
        source = textwrap.dedent(inspect.getsource(function))
        if source.count(self.old) != 1:
            raise LookupError(f"mutant {self.name!r}: {self.place} holds {source.count(self.old)} times {self.old!r}")
        lines = source.replace(self.old, self.new).split("\n")
        while lines[0].lstrip().startswith("@"):
            lines.pop(0)
        if lines[0].startswith(" "):  # a text in it starts at the margin
            lines.insert(0, "if True:")
        flags = __future__.annotations.compiler_flag
        names: dict[str, Any] = {}
        exec(compile("\n".join(lines), self.place, "exec", flags), function.__globals__, names)
        code: CodeType = names[function.__name__].__code__
        return code

    def apply(self) -> Callable[[], None]:
        """Lets the bug in; what it returns takes it out."""
        function = self._function()
        old, function.__code__ = function.__code__, _changed(self)

        def undo() -> None:
            function.__code__ = old

        return undo

    @contextmanager
    def applied(self) -> Iterator[None]:
        undo = self.apply()
        try:
            yield
        finally:
            undo()


@cache
def _changed(mutant: Mutant) -> CodeType:
    return mutant.code()


def sound_device(name: str) -> Any:
    """A device as it is; faults come at once. `wgsl` is webgpu, `wasm4` wasm in packets of 4 lanes, `wasm1` without."""
    if name == "wgsl":
        device = WebGpuBackend(check="sync", limits=LIMITS)
        assert device.traits  # found out without bugs
        return device
    if name == "cpu":
        return CpuBackend(limits=LIMITS)
    return WasmBackend(limits=LIMITS, cache=False, packets=int(name.removeprefix("wasm") or 0) or None)


def broken_device(mutant: Mutant) -> Any:
    """A device with a bug, while it runs a program. Raises LookupError."""
    device = sound_device(mutant.device)
    run = device.execute_program_with_params
    _changed(mutant)  # if it does not apply, then now

    def run_broken(program: Any, params: Any) -> None:
        WebGpuBackend.forget_kernels()
        with mutant.applied():
            run(program, params)
        WebGpuBackend.forget_kernels()

    device.execute_program_with_params = run_broken
    return device
