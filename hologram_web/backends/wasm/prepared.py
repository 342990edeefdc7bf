"""Launches of a kernel that is loaded: what they change is written into its argument block, and it is called.

What is left of a launch is to see that all is as it was: 5 us from Python (1,000 lanes, two scalars, three Buffers),
where the common way takes 13 and the call of the engine 1.1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from struct import Struct, error
from typing import TYPE_CHECKING, Any

from ...errors import ExecutionError, LaunchError
from ...isa.arguments import scalar_bits
from ...isa.cfg import END
from ...isa.launch import LaunchConfig
from ...isa.program import Param, Program
from ...isa.types import Type
from ...targets.wasm import ARGUMENTS
from ..prepared import Prepared
from ..protocol import stop_of_call

if TYPE_CHECKING:
    from .device import WasmBackend

__all__ = ["PreparedCall"]

_VALUES = ARGUMENTS["values"]
# What Struct makes the 8 bytes of a scalar of, and the class of the number; of other types it takes the bits.
_FORMATS: dict[Type, tuple[str, type]] = {
    Type.F32: ("f4x", float), Type.F64: ("d", float),
    Type.I8: ("b7x", int), Type.I16: ("h6x", int), Type.I32: ("i4x", int), Type.I64: ("q", int),
    Type.U8: ("B7x", int), Type.U16: ("H6x", int), Type.U32: ("I4x", int), Type.U64: ("Q", int),
}  # fmt: skip


class PreparedCall(Prepared):
    """It goes the common way while nothing is loaded, and where anything is not as it was: errors are told there."""

    device: WasmBackend

    def __init__(
        self, device: Any, program: Program, config: LaunchConfig, names: Sequence[str], fixed: Mapping[str, Any]
    ) -> None:
        super().__init__(device, program, config, names, fixed)
        self._ready = self._load()

    def __call__(self, values: Sequence[Any]) -> None:
        if self._ready and self._run(values):
            return
        self._ready = False
        super().__call__(values)
        with self.device._lock:
            self._ready = self._load()

    def _load(self) -> bool:
        """Takes what the launch before has loaded. False where there is no short way: for what was not launched yet,
        and for programs whose launches are more than one kernel on buffers and scalars."""
        device, config = self.device, self.config
        known = self._known = device._known(self.program)
        if not known.is_verified(device.atlas.bound) or known.extra or known.adds_resonance or config.promises:
            return False
        analysis = known.analysis
        if analysis.has_collectives or analysis.atlas_bases or analysis.graph.entry == END:
            return False
        loaded = device.loaded(analysis, config)
        params = known.program.params
        if loaded is None or loaded.made_for[:1] != (config,) or any(p.kind == "pool" or _wide(p) for p in params):
            return False
        self._loaded, self._head, self._made_for = loaded, loaded.head, loaded.made_for
        self._limits, self._math, self._work = device.limits, device.math, device._work
        self._bound = dict(device.atlas.bound)
        places, given = {name: place for place, name in enumerate(self.names)}, dict(analysis.given)
        slots, numbers = "", list[Any]()
        self._scalars: list[tuple[int, int, type | None, str, Type]] = []
        for name, ty in loaded.kernel.scalars:
            form, kind = _FORMATS.get(ty, ("Q", None)) if name in places else ("Q", None)
            if name in places:
                self._scalars.append((len(numbers), places[name], kind, name, ty))
            numbers.append(0 if name in places else scalar_bits(name, ty, self.fixed[name]))
            slots += form
        self._memories: list[tuple[int, int]] = []
        for base in loaded.kernel.bases:
            self._memories.append((len(numbers), places[given[base].name]))
            numbers += 0, 0
        self._numbers, self._layout = numbers, Struct(f"<{slots}{2 * len(self._memories)}I")
        # What the kernel does not use is looked at all the same.
        used = {name for name, _ in loaded.kernel.scalars} | {given[base].name for base in loaded.kernel.bases}
        unused = [param for param in self.program.params if param.name in places and param.name not in used]
        self._other_scalars = [(places[p.name], p.name, p.ty) for p in unused if p.kind == "scalar" and p.ty]
        self._other_memories = [places[p.name] for p in unused if p.kind == "buffer"]
        return True

    def _run(self, values: Sequence[Any]) -> bool:
        """Launches, if all is as it was and the arguments are right. Raises what a launch raises that runs."""
        device, loaded, known = self.device, self._loaded, self._known
        with device._lock:
            if (
                loaded.gone
                or device.limits is not self._limits
                or device.math is not self._math
                or device._work is not self._work
                or known.analysis is not loaded.analysis
                or not known.is_verified(device.atlas.bound)
                or not known.holds(self.program)
            ):
                return False
            device._call_stopped = stop_of_call()
            device._may_start()
            try:
                device._running = True  # before the block is written: a signal's handler may launch, too
                if not self._write(values):
                    return False
                if loaded.holds is not self._made_for:
                    loaded.head, loaded.made_for = self._head, self._made_for
                    loaded.begin(self.config.blocks)
                device.stats.launches += 1
                device.start(loaded, self.config, device._deadline())
            except ExecutionError as fault:
                raise known.as_written(fault) from None
            finally:
                device._running = False
        return True

    def _write(self, values: Sequence[Any]) -> bool:
        """Writes scalars and memories into the argument block. False if one of the values is wrong."""
        numbers, buffers = self._numbers.copy(), self.device._buffers
        try:
            for at, place, kind, name, ty in self._scalars:
                value = values[place]
                if type(value) is not kind:
                    bits = scalar_bits(name, ty, value)
                    value = bits if kind is None else ty.decode(bits)
                if value != value:
                    return False  # Struct would keep more bits of a NaN than the contract says
                numbers[at] = value
            for at, place in self._memories:
                numbers[at], numbers[at + 1], _ = buffers[values[place]]
            for place, name, ty in self._other_scalars:
                scalar_bits(name, ty, values[place])
            for place in self._other_memories:
                buffers[values[place]]
            self._layout.pack_into(self._loaded.block, _VALUES, *numbers)
        except (KeyError, TypeError, OverflowError, error, LaunchError):
            return False
        return True


def _wide(param: Param) -> bool:
    return param.kind == "scalar" and param.ty is not None and param.ty.is_wide
