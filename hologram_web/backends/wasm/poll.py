"""`env.poll` natively: a look at signals, the clock and `cancel`, in the thread that runs the kernel."""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable, Iterator

import wasmtime

__all__ = ["CANCELLED", "TIME_IS_UP", "Poll"]

CANCELLED, TIME_IS_UP = 1, 2  # answers that end the kernel
# Between two looks: a tenth of a second is soon enough for people, and whoever else runs Python, whose lock a look has
# to wait for (5 ms), slows a kernel down by a tenth.
_SECONDS = 0.05
_LEAST, _MOST = 1 << 10, 1 << 30  # ticks
_GROWTH = 8.0


class Poll:
    """The function that kernels import. `error` is what a signal's handler raised during the last launch, if it did.

    Python runs the handlers of signals where it goes on with its own code, so it is by the look that Ctrl-C gets
    through. The look is a generator, not a function: KeyboardInterrupt comes before the first statement of a function,
    where nothing catches it, but in a generator that goes on at a `yield` inside of `try`, it comes there.
    """

    def __init__(self, store: wasmtime.Store, stopped: Callable[[], bool]) -> None:
        from wasmtime import _ffi as ffi

        self._stopped = stopped
        self._answer = memoryview(bytearray(4)).cast("i")
        self._deadline: float | None = None
        self._ticks = self._looked = 0.0
        self._late: Callable[[], None] | None = None
        self.error: BaseException | None = None
        self._looks = self._look_forever()
        next(self._looks)
        # wasmtime passes four arguments, which nobody needs, and takes NULL, which is None, for "no trap".
        self._callback = ctypes.CFUNCTYPE(ctypes.c_void_p)(self._looks.__next__)
        raw = ffi.wasmtime_func_t()
        address = ctypes.cast(ffi.dll.wasmtime_func_new_unchecked, ctypes.c_void_p).value
        make = ctypes.CFUNCTYPE(None, *(ctypes.c_void_p,) * 6)(address or 0)
        ty = wasmtime.FuncType([], [])
        callback = ctypes.cast(self._callback, ctypes.c_void_p)
        make(ctypes.cast(store._context(), ctypes.c_void_p), ty.ptr(), callback, None, None, ctypes.byref(raw))
        self.function = wasmtime.Func._from_raw(raw)

    def start(
        self, answer: memoryview, deadline: float | None, ticks: int, late: Callable[[], None] | None = None
    ) -> float:
        """Before a kernel runs: where its answers go, how many ticks it has until it asks, and what is to be done then.
        Gives the time."""
        self._answer, self._deadline, self._ticks, self.error, self._late = answer, deadline, ticks, None, late
        self._looked = now = time.monotonic()
        return now

    def _look_forever(self) -> Iterator[None]:
        while True:
            try:
                while True:
                    yield
                    self._answer[0] = self._look()
            except GeneratorExit:
                return
            except BaseException as error:  # whatever a handler raises: the launch raises it when the kernel has ended
                self._answer[0], self.error = CANCELLED, error

    def _look(self) -> int:
        """The answer. It gives ticks for about `_SECONDS`, from how long those took that are used up."""
        now = time.monotonic()
        if self._late is not None:
            late, self._late = self._late, None
            late()
        if self._stopped():
            return CANCELLED
        if self._deadline is not None and now > self._deadline:
            return TIME_IS_UP
        wanted = _SECONDS if self._deadline is None else min(_SECONDS, self._deadline - now)
        growth = min(wanted / max(now - self._looked, 1e-9), _GROWTH)
        self._ticks, self._looked = min(max(self._ticks * growth, _LEAST), _MOST), now
        return -int(self._ticks)
