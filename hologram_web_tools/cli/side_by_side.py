"""One file on several devices, side by side: `hologram-web bench`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any

from hologram_web.errors import BackendUnavailable, LaunchError
from hologram_web.isa.types import Type
from hologram_web.plan.formula import Formula
from hologram_web.plan.plan import Port
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.runtime.executor import Executor

from ..browsers import device_named
from .arguments import named_results

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DeviceTimes", "bytes_of", "drawn", "side_by_side"]

_SEED = 7
_CLOSE = 1e-4  # of floats that are of one result: GPUs round functions in ways of their own (docs/contract.md)


def drawn(compiled: CompiledProgram, given: Mapping[str, Any], sizes: Mapping[str, int]) -> dict[str, Any]:
    """The arguments with drawn numbers for arrays that are read and not given, the same every time: floats from 0 to
    1, integers below 100; zeros for others. `sizes` are names in their shapes. Raises LaunchError where one is not
    known, or in no shape."""
    import numpy as np

    named = {name: None for port in compiled.ports for formula in port.shape for name in formula.names}
    if wrong := [name for name in sizes if name not in named]:
        raise LaunchError(
            f"--size {wrong[0]}: no array has a length {wrong[0]!r}: {', '.join(named) or 'none has a name'}"
        )
    random, found, known = np.random.default_rng(_SEED), dict(given), dict(sizes)
    for port in compiled.ports:
        shape = np.shape(given[port.name]) if port.name in given else ()
        for formula, length in zip(port.shape, shape, strict=False):
            known |= {name: length for name in formula.names if formula == Formula((name,))}
    for port in compiled.ports:
        if port.access is None or port.name in found:
            continue
        if unknown := [name for formula in port.shape for name in formula.names if name not in known]:
            raise LaunchError(f"{port} is not given, and {unknown[0]} is not known: --size {unknown[0]}=1000")
        shape = [formula.evaluate(known) for formula in port.shape]
        found[port.name] = _numbers(port, shape, random) if port.access.reads else np.zeros(shape, port.ty.numpy)
    return found


def _numbers(port: Port, shape: Sequence[int], random: Any) -> NDArray[Any]:
    if port.ty is Type.BF16 or port.ty.bits > 64:
        raise LaunchError(f"{port} is not given, and NumPy has no numbers of {port.ty} to draw: give a .npy file")
    if port.ty.is_integer:
        return random.integers(0, 100, shape).astype(port.ty.numpy)  # type: ignore[no-any-return]
    return random.random(shape).astype(port.ty.numpy)  # type: ignore[no-any-return]


@dataclass
class DeviceTimes:
    """Milliseconds on one device: the first run with compiling, later ones on its buffers, and from and to NumPy.

    `agrees` says how its results are beside those of the first device: "same bits", "close" or "differs".
    """

    device: str
    adapter: dict[str, Any] | None
    first: float
    buffers: list[float]
    arrays: list[float]
    agrees: str = "same bits"

    @property
    def told(self) -> str:
        """The device, with its adapter's name."""
        return device_named(self.device, self.adapter)

    @property
    def median(self) -> float:
        return median(self.buffers)


def bytes_of(compiled: CompiledProgram, arrays: Mapping[str, NDArray[Any]]) -> int:
    """How many bytes a run reads and writes at least: each array once for each of these."""
    ways = {port.name: port.access for port in compiled.ports if port.access is not None}
    return sum(array.nbytes * (ways[name].reads + ways[name].writes) for name, array in arrays.items())


def side_by_side(
    compiled: CompiledProgram,
    given: Mapping[str, Any],
    devices: Sequence[str],
    rounds: int,
    math: str,
    doing: Callable[[str], None] = lambda _: None,
    missing: dict[str, str] | None = None,
) -> tuple[list[DeviceTimes], int]:
    """What each device takes, in turns so that what disturbs one disturbs all, and the bytes of a run. `doing` is told
    what is done.

    Raises what the devices raise: one that is not here is an error, and none takes its place; or it is put into
    `missing`, with the reason.
    """
    with ExitStack() as stack:
        executors = []
        for name in devices:
            try:
                executors.append(stack.enter_context(Executor(name, math=math)))
            except BackendUnavailable as error:
                if missing is None:
                    raise
                missing[name] = error.reason
        found: list[DeviceTimes] = []
        places = []
        expected: dict[str, NDArray[Any]] = {}
        for ex in executors:
            doing(f"compiles for {ex.backend.selected}")
            start = perf_counter()
            results = named_results(compiled, compiled.run(ex, **given))
            first = _since(start)
            expected = expected or results
            found.append(DeviceTimes(ex.backend.selected, ex.backend.adapter, first, [], [], _agree(expected, results)))
            arrays = {**results, **{name: each for name, each in given.items() if name in _arrays(compiled)}}
            places.append({**given, **{name: ex.array(array) for name, array in arrays.items()}})
        for turn in range(rounds):
            doing(f"round {turn + 1} of {rounds}")
            for ex, here, times in zip(executors, places, found, strict=True):
                start = perf_counter()
                compiled.run(ex, **here)
                ex.sync()
                times.buffers.append(_since(start))
                start = perf_counter()
                compiled.run(ex, **given)
                times.arrays.append(_since(start))
        return found, bytes_of(compiled, arrays)


def _arrays(compiled: CompiledProgram) -> set[str]:
    return {port.name for port in compiled.ports if port.access is not None}


def _agree(expected: Mapping[str, NDArray[Any]], found: Mapping[str, NDArray[Any]]) -> str:
    import numpy as np

    if all(array.tobytes() == expected[name].tobytes() for name, array in found.items()):
        return "same bits"
    close = all(
        array.dtype.kind == "f" and np.allclose(array, expected[name], rtol=_CLOSE, atol=_CLOSE, equal_nan=True)
        for name, array in found.items()
    )
    return "close" if close else "differs"


def _since(start: float) -> float:
    return 1000 * (perf_counter() - start)
