"""`kernel[n]`: a launch that is called. Arguments of the same shapes and types are checked once."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from contextlib import suppress
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

from ..backends.device import Device
from ..errors import HologramError
from ..runtime import arrays
from ..runtime.executor import Buffer
from .lanes import Asked, check
from .launch import device_for, spread

if TYPE_CHECKING:
    from ..backends.prepared import Prepared
    from ..frontends.python.translate import Translation
    from .kernel import Kernel

__all__ = ["BoundKernel"]

_SEEN = 256  # signatures that a kernel keeps
_ROWS, _OWNED = 1, 4  # bits of `flags.num` of NumPy's arrays: row by row, and in memory of their own


class Fit:
    """Arguments of a signature that the checks of `launch.py` let pass: what Buffers and NumPy's arrays at their places
    have to be, for these checks to be right again. `lengths` are those of axes that the program takes.
    """

    def __init__(self, translation: Translation, args: Sequence[Any]) -> None:
        places = {name: place for place, name in enumerate(translation.params)}
        self._count = len(args)
        self.lengths = {name: args[places[array]].shape[axis] for name, (array, axis) in translation.hidden.items()}
        self._scalars = [place for place in range(len(args)) if place not in translation.arrays]
        here = [place for place in translation.arrays if type(args[place]) is Buffer]
        self._buffers = [(place, args[place].dtype, args[place].shape) for place in here]
        lent = [place for place in translation.arrays if place not in here]
        self._arrays = [(place, type(args[place]), _layout(args[place]), args[place].nbytes) for place in lent]
        written = [places[name] for name in translation.written]
        self._written = [place for place in lent if place in written]
        self._changed = written
        # Arrays that may be the same memory, and those of them that may be so in part.
        self._pairs = [pair for pair in combinations(lent, 2) if pair[0] in written or pair[1] in written]
        self._views = [pair for pair in self._pairs if not all(args[place].flags.owndata for place in pair)]

    def launched(self, prepared: Prepared, args: Sequence[Any]) -> bool:
        """Launches, if the arguments have the signature."""
        if len(args) != self._count:
            return False
        values, executor = list(args), None
        for place, dtype, shape in self._buffers:
            value = args[place]
            if type(value) is not Buffer or value.dtype != dtype or value.shape != shape:
                return False
            if value.executor is not executor:
                if executor is not None or value.executor.device is not prepared.device:
                    return False
                executor = value.executor
            if value._node is not None and place in self._changed:
                value.changes()
            values[place] = value.handle
        for place in self._scalars:
            if type(args[place]) is Buffer:
                return False
        if self._arrays:
            return self._fit(args) and self._copied(prepared, args, values)
        prepared(values)
        return True

    def _fit(self, args: Sequence[Any]) -> bool:
        """Whether the arrays have the signature, and are memories apart."""
        for place, kind, layout, _ in self._arrays:
            if type(args[place]) is not kind or _layout(args[place]) != layout:
                return False
        for one, other in self._pairs:
            if args[one] is args[other]:
                return False
        return not any(arrays.numpy().may_share_memory(args[one], args[other]) for one, other in self._views)

    def _copied(self, prepared: Prepared, args: Sequence[Any], values: list[Any]) -> bool:
        """Launches on copies of the arrays."""
        device, handles = prepared.device, []
        try:
            for place, _, _, size in self._arrays:
                values[place] = handle = device.borrow_buffer(size)
                handles.append(handle)
                device.copy_to_buffer(handle, args[place])
            prepared(values)
            device.collect({values[place]: args[place] for place in self._written})
        finally:
            for handle in handles:
                device.return_buffer(handle)
        return True


def _layout(array: Any) -> tuple[Any, ...]:
    flags = array.flags.num
    return array.dtype, array.shape, flags, None if flags & _ROWS else array.strides


def _signature(translation: Translation, args: Sequence[Any]) -> tuple[Any, ...] | None:
    """What the checks of arguments depend on, but for where arrays are; None if they are to be made each time."""
    found: list[Any] = [None] * len(args)
    if len(args) != len(translation.params):
        return None
    names = list(translation.params)
    for place in translation.arrays:
        value = args[place]
        if type(value) is Buffer:
            found[place] = value.dtype, value.shape
        elif type(value) is getattr(arrays.numpy(), "ndarray", None):
            found[place] = _layout(value)
            if names[place] in translation.written and not found[place][2] & _ROWS:
                return None
        else:
            return None
    return tuple(found)


class BoundKernel:
    """A kernel with its number of lanes, to be called with the arguments: `Kernel.__getitem__`."""

    __slots__ = ("_asked", "_kernel", "_known", "_last", "_names", "_spreads")

    def __init__(self, kernel: Kernel, asked: Asked) -> None:
        self._kernel, self._asked, self._names = kernel, asked, tuple(kernel.params)
        self._spreads = getattr(kernel.params, "written", kernel.params) != kernel.params
        # Signatures with what devices keep for them; that of the last launch.
        self._known: dict[Fit, weakref.ref[Prepared]] = {}
        self._last: tuple[Fit, weakref.ref[Prepared]] | None = None

    def __call__(self, *args: Any, **named: Any) -> None:
        try:
            if self._kernel.constants:
                kernel, args, rest = self._kernel.resolved(args, named)
                kernel._on_lanes(self._asked)(*args, **rest)
                return
            if self._spreads:
                args, named = spread(self._kernel.params, args, named)  # type: ignore[assignment]
            if named or len(args) < len(self._names):
                asked, given = self._asked.parted(self._names, named)
                if asked is not self._asked:
                    return self._kernel._on_lanes(asked)(*args, **given)
                args, named = self._in_order(args, named)
            last = self._last
            if last is not None and not named:
                fit, found = last
                prepared = found()
                if prepared is not None and fit.launched(prepared, args):
                    return
            self._anew(args, named)
        except HologramError as error:
            error.__traceback__ = None  # as `outermost` does, in fewer steps
            raise

    def _in_order(self, args: tuple[Any, ...], named: dict[str, Any]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """All arguments by their places, if they are there, and no others."""
        given, rest = {**self._kernel._definition.defaults, **named}, self._names[len(args) :]
        if all(name in given for name in rest) and all(name in rest for name in named):
            return (*args, *[given[name] for name in rest]), {}
        return args, named

    def _anew(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> None:
        """A launch of another signature than that of the last one."""
        kernel = self._kernel._chosen(args, named)
        translation = kernel._translation.fitting(prod(self._asked.config.block))
        key = None if named or translation.prints else _signature(translation, args)
        fit = None if key is None else translation.seen.get(key)
        if fit is not None:
            found = self._known.get(fit)
            prepared = None if found is None else found()
            if found is not None and prepared is not None and fit.launched(prepared, args):
                self._last = fit, found
                return
            check(translation, self._asked, {self._names[place]: args[place].shape for place in translation.arrays})
            prepared = self._prepared(kernel, translation, fit, args)
            if prepared is not None and fit.launched(prepared, args):
                return
        with suppress(StopIteration):  # it never suspends
            kernel._launch(self._asked, args, named, True).send(None)
        if key is not None and fit is None:
            if len(translation.seen) >= _SEEN:
                translation.seen.clear()  # at once, as other threads launch, too
            translation.seen[key] = fit = Fit(translation, args)
            self._prepared(kernel, translation, fit, args)

    def _prepared(self, kernel: Kernel, translation: Translation, fit: Fit, args: tuple[Any, ...]) -> Prepared | None:
        """What the device keeps for launches of a signature. None for a device that keeps nothing."""
        device = device_for(kernel._device, args)
        if not isinstance(device, Device):
            return None
        prepared = device.prepare(translation.program, self._asked.config, self._names, fit.lengths)
        if self._kernel.told_by_arrays:
            if len(self._known) >= _SEEN:
                self._known.clear()
            found = self._known[fit] = weakref.ref(prepared)
            self._last = fit, found
        return prepared
