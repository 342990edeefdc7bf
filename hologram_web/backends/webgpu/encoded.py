"""Launches in an encoder of the caller's, who submits it."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from ...errors import LaunchError
from .gpu import SLOT, Flight, Gpu
from .recorder import Host, Recorder, scratch_of
from .work import ARGUMENT_BYTES, SLOTS, Command, Launched, Span, Work

__all__ = ["Encoded"]

_NOT_YET = (
    "launches in an encoder have not run: nothing can be read, nor what they use be written, before it is submitted; "
    "give them Buffers (NumPy arrays are copied there and back), on a device without check='sync'"
)


class Encoded(Recorder):
    """What `Executor.encode` gives: it records launches, and `done` tells how they went when the caller has submitted.

    Until then no memory that they use serves anybody else, freed or not. Launches are not divided.
    """

    def __init__(self, gpu: Gpu, encoder: Any, host: Host) -> None:
        self._encoder = encoder
        self._lent: dict[int, Any] = {}
        self._scratches: list[Any] = []
        self._flight: Flight | None = None
        super().__init__(gpu, False, host)

    def _lend(self, *buffers: Any) -> None:
        for buffer in buffers:
            if id(buffer) not in self._lent:
                self._lent[id(buffer)] = buffer
                self.gpu.lend(buffer)

    # Recording

    def launch(self, work: Work, number: int) -> None:
        dispatches = list(work.dispatches(len(self._launched)))
        size = len(work.arguments) * len(dispatches)
        if len(self._launched) == SLOTS or self._used_arguments + size > ARGUMENT_BYTES:
            raise LaunchError(f"an encoder takes {len(self._launched)} launches like these: use another one for more")
        self._launched.append(Launched(work, number, None))
        self._waiting += dispatches
        self._used_arguments += size
        self._touched |= work.group.buffers
        self._lend(*(buffer for buffer, _, _ in work.group.bound))

    def replay(self, span: Span) -> NoReturn:
        raise LaunchError("a recording is replayed by itself, not in an encoder")

    def add(self, command: Command) -> None:
        super().add(command)
        self._lend(*(arg for arg in command[1] if not isinstance(arg, int)))

    def scratch(self, size: int, blocks: int) -> tuple[tuple[Any, int, int], int]:
        at_once, whole = scratch_of(size, blocks)
        self._scratches.append(self.gpu.take(whole, self.gpu.STORAGE)[0])
        return (self._scratches[-1], 0, whole), at_once

    def submit(self) -> NoReturn:
        raise LaunchError(_NOT_YET)

    def _fetch(self, buffer: Any, first: int, size: int, out: NDArray[np.uint8], skip: int) -> NoReturn:
        raise LaunchError(_NOT_YET)

    # The end

    def finish(self) -> None:
        """Writes all that was recorded into the encoder."""
        with self.gpu.guard():
            self._encode(self._encoder, self._waiting)
            self._waiting = []
            if self._launched:
                size = len(self._launched) * SLOT
                self._flight = Flight(self.gpu, size)
                self._encoder.copy_buffer_to_buffer(self._status, 0, self._flight.staging, 0, size)

    def done(self) -> None:
        """Waits until the GPU has done what the caller submitted, raises the first fault, and gives the memory back.

        Raises BackendUnavailable if the device was lost. Once is enough.
        """
        with self.host._lock:
            flight, self._flight = self._flight, None
            if flight is None:
                self.close()
                return
            try:
                flight.wait(self._stop(self._launched, self.host._deadline()))
                with flight.bytes() as mapped:
                    words = np.frombuffer(mapped, np.uint8).copy().view(np.uint32).reshape(-1, SLOT // 4)
            finally:
                self.close()
        for number in np.flatnonzero(words[:, 0]).tolist():
            launched = self._launched[number]
            raise launched.work.teller.failed(words[number].copy(), launched.number)

    def close(self) -> None:
        lent, self._lent = self._lent, {}
        scratches, self._scratches = self._scratches, []
        if self._status is not None:
            super().close()
            if self.generation == self.gpu.generation and not self.gpu.lost:
                for buffer in scratches:
                    self.gpu.give(buffer, self.gpu.STORAGE)
            self._status = None
        for buffer in lent.values():
            self.gpu.unlend(buffer)
