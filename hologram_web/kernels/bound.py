"""`kernel[n]`: a launch that is called. Arguments of the same shapes and types are checked once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..isa.launch import ExecutionParams, LaunchConfig
from ..runtime.executor import Buffer

if TYPE_CHECKING:
    from ..frontends.python.translate import Translation
    from .kernel import Kernel

__all__ = ["BoundKernel"]

_SEEN = 256  # signatures that a kernel keeps


class Fit:
    """Arguments of a signature that the checks of `launch.py` let pass: Buffers of one device and scalars. It says
    where each parameter of the program comes from: an argument by its place, or the length of an axis."""

    def __init__(self, translation: Translation, args: Sequence[Any]) -> None:
        places = {name: place for place, name in enumerate(translation.params)}
        self.params: dict[str, Any] = dict.fromkeys(param.name for param in translation.program.params)
        self.buffers: list[tuple[str, int]] = []
        self.scalars: list[tuple[str, int]] = []
        for name in self.params:
            if name in translation.hidden:
                array, axis = translation.hidden[name]
                self.params[name] = args[places[array]].shape[axis]
            elif isinstance(args[places[name]], Buffer):
                self.buffers.append((name, places[name]))
            else:
                self.scalars.append((name, places[name]))

    def values(self, args: Sequence[Any]) -> dict[str, Any]:
        """What the device gets, in the order of the program's parameters."""
        found = self.params.copy()
        for name, place in self.buffers:
            found[name] = args[place].handle
        for name, place in self.scalars:
            found[name] = args[place]
        return found

    def executor(self, args: Sequence[Any]) -> Any:
        """That of all Buffers; None if there are several."""
        found = args[self.buffers[0][1]].executor
        for _, place in self.buffers:
            if args[place].executor is not found:
                return None
        return found


class BoundKernel:
    """A kernel with its number of lanes, to be called with the arguments: `Kernel.__getitem__`."""

    __slots__ = ("_config", "_kernel")

    def __init__(self, kernel: Kernel, config: LaunchConfig) -> None:
        self._kernel, self._config = kernel, config

    def __call__(self, *args: Any, **named: Any) -> None:
        kernel = self._kernel
        translation = kernel._translated
        if named or translation is None:
            self._checked(args, named)
            return
        # All of the arguments that is looked at, but for where Buffers are, and scalars, which each launch converts.
        key = tuple([(value.dtype, value.shape) if type(value) is Buffer else None for value in args])
        fit = translation.seen.get(key)
        if fit is not None:
            executor = fit.executor(args)
            if executor is not None and kernel._device in (None, executor.device):
                params = ExecutionParams(self._config, fit.values(args))
                executor.device.execute_program_with_params(translation.program, params)
                return
        self._checked(args, named)
        arrays = translation.arrays
        if arrays and len(args) == len(translation.params) and all(type(args[place]) is Buffer for place in arrays):
            if len(translation.seen) >= _SEEN:
                translation.seen.clear()  # at once, as other threads launch, too
            translation.seen[key] = Fit(translation, args)

    def _checked(self, args: tuple[Any, ...], named: dict[str, Any]) -> None:
        try:
            self._kernel._launch(self._config, args, named, True).send(None)
        except StopIteration:  # it never suspends
            return
