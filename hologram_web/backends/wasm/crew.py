"""Threads that share the blocks of a launch: wasm/crew.wat, and those who run it.

A worker is in WebAssembly all the time, where it sleeps until there is a launch and then takes blocks: Python's lock
has no part in that. It comes out to be given kernels, and to end.
"""

from __future__ import annotations

import os
import sys
import threading
from functools import cache
from pathlib import Path
from struct import Struct
from typing import Any

import wasmtime

from ...targets.wasm import ARGUMENTS
from .arena import Arena, FastCall

__all__ = ["Crew", "processors", "store_of"]

_WORDS, _SLOT = 192, 64  # bytes of the crew's words, and of a slot: crew.wat says what lies there
_CALLS, _END, _ENDING, _FAILED, _NEXT = 1, 2, 9, 10, 16  # in words
_KNOWN, _TAKEN = 3, 6
_LAUNCH = Struct("<9i")  # from `end` to `failed`
_SCRATCH = 4 * 32 * 8  # accumulators of a canonical reduction: 4 levels of 32
_STATUS = slice(ARGUMENTS["kind"], ARGUMENTS["grid"]), slice(ARGUMENTS["need"], ARGUMENTS["values"])
_PART = 2e-6  # seconds that a part takes at least: to take one costs a hundredth of that
_MOST = 8


def processors() -> int:
    """Those that this process may use; at most 8, as memory is as fast for few."""
    found = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(found, _MOST)


@cache
def _text() -> str:
    package = Path(__file__).resolve().parents[2]
    packaged = package / "_wasm"  # in a wheel; in a checkout it lies at the top
    return ((packaged if packaged.is_dir() else package.parent / "wasm") / "crew.wat").read_text(encoding="utf-8")


def store_of(engine: wasmtime.Engine) -> wasmtime.Store:
    """A store for any number of kernels: wasmtime's own limit is 10,000 instances, and none is given back before the
    store is."""
    store = wasmtime.Store(engine)
    store.set_limits(instances=sys.maxsize)
    return store


class _Instance:
    """Of crew.wat, in a store."""

    def __init__(self, store: wasmtime.Store, module: wasmtime.Module, memory: Any, look: wasmtime.Func) -> None:
        given: dict[str | None, Any] = {"memory": memory, "look": look}
        exports = wasmtime.Instance(store, module, [given[each.name] for each in module.imports]).exports(store)
        self._store, self._exports = store, exports
        table = exports["kernels"]
        assert isinstance(table, wasmtime.Table)
        self._table = table

    def call(self, name: str, count: int) -> FastCall:
        """An export, of so many parameters."""
        return FastCall(self._store, self.function(name), count)

    def function(self, name: str) -> wasmtime.Func:
        found = self._exports[name]
        assert isinstance(found, wasmtime.Func)
        return found

    def put(self, number: int, kernel: wasmtime.Func) -> None:
        """A kernel into its place in the table."""
        size = self._table.size(self._store)
        if number >= size:
            self._table.grow(self._store, size, None)
        self._table.set(self._store, number, kernel)


class _Worker:
    """A thread, with its slot and memory."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self.slot = arena.allocate(_SLOT)
        self.words = arena.block(self.slot, _SLOT).bytes.cast("i")
        self.memory = [0, 0, arena.allocate(_SCRATCH)]  # of arguments, of a block's lanes, for reductions
        self._sizes = [0, 0, _SCRATCH]
        self.words[2] = self.memory[2]

    def room(self, *sizes: int) -> None:
        """Has so much memory for arguments, and for the lanes of a block."""
        for place, size in enumerate(sizes):
            if size > self._sizes[place]:
                if self._sizes[place]:
                    self.arena.free(self.memory[place])
                    self._sizes[place] = 0
                self.words[place] = self.memory[place] = self.arena.allocate(size)
                self._sizes[place] = size
        self.block = self.arena.block(self.memory[0], self._sizes[0]).bytes
        self.block[: ARGUMENTS["at"]] = bytes(ARGUMENTS["at"])

    def free(self) -> None:
        for address, size in zip((self.slot, *self.memory), (_SLOT, *self._sizes), strict=True):
            if size:
                self.arena.free(address)


class Crew:
    """`count` threads beside the one that launches, which has `store` and is the only one that calls these methods.
    Threads start when they are needed first."""

    def __init__(
        self, engine: wasmtime.Engine, store: wasmtime.Store, arena: Arena, poll: wasmtime.Func, count: int
    ) -> None:
        self._engine, self._arena = engine, arena
        self._module = wasmtime.Module(engine, _text())
        self._at = arena.allocate(_WORDS)
        self._raw = arena.block(self._at, _WORDS).bytes
        self._words = self._raw.cast("i")
        self._workers = [_Worker(arena) for _ in range(count)]
        self._parts = 2 + (count + 1).bit_length()
        self._kernels: list[wasmtime.Module] = []
        self._given = 0  # kernels that the workers were called out for
        self._threads: list[threading.Thread] = []
        self._closed = False
        self._errors: list[BaseException] = []  # that ended kernels of workers in this launch
        own = _Instance(store, self._module, arena.memory, poll)
        self._put, self._lead, self._join = own.put, own.call("lead", 2), own.call("join", 1)
        # It calls workers while the lead is in a kernel.
        self._bell_store = wasmtime.Store(engine)
        self._wake = self._instance(self._bell_store).call("wake", 2)

    def _instance(self, store: wasmtime.Store) -> _Instance:
        nothing = wasmtime.Func(store, wasmtime.FuncType([], []), lambda: None)
        return _Instance(store, self._module, self._arena.memory, nothing)

    def enter(self, module: wasmtime.Module, kernel: wasmtime.Func) -> int:
        """The number of a kernel, of the store that launches."""
        number = len(self._kernels)
        self._put(number, kernel)
        self._kernels.append(module)
        return number

    def lead(
        self, kernel: int, arguments: memoryview, at: int, work: tuple[int, int], blocks: int, pace: float, wake: bool
    ) -> bool:
        """Runs a launch with all who are there. `arguments` is its block, which lies at `at`; `work` are address and
        size of the memory for its lanes; `pace` are seconds a block. Says whether others were woken. Raises a trap."""
        for worker in self._workers:
            worker.room(len(arguments), work[1])
        self._errors.clear()
        least = min(max(int(_PART / pace), 1), blocks) if pace else 1
        _LAUNCH.pack_into(self._raw, 8, blocks, least, self._parts, kernel, at, len(arguments), work[0], 0, 0)
        self._helped = wake
        if wake:
            self.give(kernel)
        try:
            self._run(len(self._workers) if wake else 0)
        except (wasmtime.Trap, wasmtime.WasmtimeError):
            self._words[_ENDING], self._words[_NEXT] = 1, blocks
            self._join(self._at)
            raise
        if self._errors:
            raise self._errors[0]
        if self._words[_FAILED]:
            self._tell(arguments)
        return self._helped

    def _run(self, wake: int) -> None:
        """Runs the launch that is written, and wakes so many workers."""
        self._lead(self._at, wake)

    def _tell(self, arguments: memoryview) -> None:
        """Has the status words tell the fault of the first lane that has one, as on one thread; that it was told to end
        goes before."""
        lane = ARGUMENTS["lane"] // 4
        blocks = [arguments, *(worker.block for worker in self._workers)]
        failed = [block for block in blocks if block[: ARGUMENTS["at"]] != bytes(ARGUMENTS["at"])]
        first = min(failed, key=lambda block: block[: ARGUMENTS["grid"]].cast("i")[lane])
        if first is not arguments:
            for part in _STATUS:
                arguments[part] = first[part]

    def give(self, kernel: int) -> None:
        """Lets the workers have a kernel, if they have not, and starts them, if they do not run."""
        if not self._threads:
            self._threads = [
                threading.Thread(target=self._work, args=(worker,), name=f"hologram_web-{number}", daemon=True)
                for number, worker in enumerate(self._workers, 1)
            ]
            self._given = len(self._kernels)
            for thread in self._threads:
                thread.start()
        elif kernel >= self._given:
            self._given = len(self._kernels)
            self._call_out()

    def help(self, kernel: int) -> None:
        """Wakes workers for the launch that runs."""
        self._helped = True
        self.give(kernel)
        self._wake(self._at, len(self._workers))

    def _call_out(self) -> None:
        self._words[_CALLS] += 1
        self._wake(self._at, len(self._workers))

    def _work(self, worker: _Worker) -> None:
        """What a thread does."""
        store = store_of(self._engine)
        own = self._instance(store)
        poll, work, leave = own.function("poll"), own.call("work", 2), own.call("leave", 1)
        given: dict[str | None, Any] = {"memory": self._arena.memory, "poll": poll}
        known = 0
        while not self._closed:
            for module in self._kernels[known : self._given]:
                instance = wasmtime.Instance(store, module, [given[each.name] for each in module.imports])
                kernel = instance.exports(store)["kernel"]
                assert isinstance(kernel, wasmtime.Func)
                own.put(known, kernel)
                known += 1
            worker.words[_KNOWN] = known
            try:
                work(self._at, worker.slot)
            except (wasmtime.Trap, wasmtime.WasmtimeError) as error:  # of a kernel
                self._errors.append(error)
                self._words[_NEXT] = self._words[_END]
                leave(self._at)

    @property
    def taken(self) -> list[int]:
        """How often each of the workers took part."""
        return [worker.words[_TAKEN] for worker in self._workers]

    def close(self) -> None:
        """Ends the threads."""
        self._closed = True
        if self._threads:
            self._call_out()

    def free(self) -> None:
        """Ends the threads, and gives the memory back."""
        self.close()
        for thread in self._threads:
            thread.join()
        for worker in self._workers:
            worker.free()
        self._arena.free(self._at)
