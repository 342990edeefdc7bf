"""`kernel.check[n](x, y)`: a launch on the reference that looks for what devices cannot see."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hologram_web.backends import DEVICES
from hologram_web.errors import outermost
from hologram_web.kernels.lanes import Asked, asked, inferred
from hologram_web.kernels.launch import shapes

if TYPE_CHECKING:
    from hologram_web.kernels.kernel import Kernel

    from ..cpu import CpuBackend

__all__ = ["CheckedLaunch"]


class CheckedLaunch:
    """`kernel.check[n](x, y)` launches on the reference, and raises ExecutionError for what other devices cannot see.

    DataRace: two lanes at one element, one of them writing, with nothing that orders them. Uninitialized: shared memory
    is read that no lane of the block wrote. DivergentBarrier, and OutOfBounds of every axis. Notes are the lines of
    both lanes. Arrays and Buffers are changed as by any launch. `kernel.check(x, y)` infers the lanes.
    """

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel.checking("axis")

    @cached_property
    def _device(self) -> CpuBackend:
        DEVICES["cpu"]  # says what is missing
        from ..cpu import CpuBackend

        return CpuBackend(check_races=True, check_shared=True)

    def __getitem__(self, lanes: Any) -> Callable[..., None]:
        """Raises what a launch does."""
        launch = asked(lanes)
        return outermost(lambda *args, **named: self._launch(*launch.parted(self._kernel.params, named), args))

    @outermost
    def __call__(self, *args: Any, **named: Any) -> None:
        kernel, taken, rest = self._kernel.resolved(args, named)
        translation = kernel._chosen(taken, rest)._translation
        self._launch(Asked(inferred(translation, shapes(translation, taken, rest))), named, args)

    def _launch(self, launch: Asked, named: Mapping[str, Any], args: tuple[Any, ...]) -> None:
        with suppress(StopIteration):  # it never suspends
            self._kernel._launch(launch, args, named, True, self._device).send(None)
