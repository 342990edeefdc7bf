"""Kernels as the plain Python functions they are: every lane a thread, numbers NumPy scalars, `hg` a stand-in.

What a kernel computes on a device is compared with this. Nothing of the frontend is used but the names of types.
"""

from __future__ import annotations

import threading
from math import floor
from types import FunctionType, ModuleType
from typing import Any

import numpy as np

import hologram_web as hg

_DTYPES = {ty: ty.numpy.type for ty in hg.Type if not ty.is_wide and ty is not hg.bf16}


class _Barrier:
    """Lets lanes go on when all that have not ended are there."""

    def __init__(self, lanes):
        self.lanes, self.waiting, self.round, self.condition = lanes, 0, 0, threading.Condition()

    def wait(self):
        with self.condition:
            self.waiting += 1
            mine = self.round
            self._check()
            self.condition.wait_for(lambda: self.round != mine, timeout=60)

    def leave(self):
        with self.condition:
            self.lanes -= 1
            self._check()

    def _check(self):
        if self.waiting == self.lanes:
            self.waiting, self.round = 0, self.round + 1
            self.condition.notify_all()


class _Lane(threading.local):
    local: Any
    block: Any
    state: Any


class PlainHg(ModuleType):
    """What a kernel sees as `hg`."""

    def __init__(self, block, grid):
        super().__init__("plain")
        self._lane, self._block, self._grid = _Lane(), block, grid
        self._lock = threading.Lock()
        self._shared: dict[Any, Any] = {}
        for ty, dtype in _DTYPES.items():
            setattr(self, str(ty), _Cast(dtype))
        for name, operation in _ATOMICS.items():
            setattr(self, f"atomic_{name}", self._atomic(operation))

    def local_id(self, axis=0):
        return np.int32(self._lane.local[axis])

    def block_id(self, axis=0):
        return np.int32(self._lane.block[axis])

    def block_dim(self, axis=0):
        return np.int32(self._block[axis])

    def grid_dim(self, axis=0):
        return np.int32(self._grid[axis])

    def global_id(self, axis=0):
        return np.int32(self._lane.block[axis] * self._block[axis] + self._lane.local[axis])

    def barrier(self):
        self._lane.state.barrier.wait()

    def shared(self, ty, shape):
        """One array a block for each call of a lane, in the order of the calls."""
        state = self._lane.state
        with self._lock:
            number = self._lane.shared = getattr(self._lane, "shared", -1) + 1
            return state.shared.setdefault(number, np.zeros(shape, ty.dtype))

    @staticmethod
    def local(ty, shape):
        """An array of the lane. Kernels of tests ask for it outside of loops: there it would be the same one again."""
        return np.zeros(shape, ty.dtype)

    def _atomic(self, operation):
        def atomic(array, index, *values):
            with self._lock:
                old = array[index]
                array[index] = operation(old, *(array.dtype.type(value) for value in values))
                return old

        return atomic

    @staticmethod
    def select(condition, a, b):
        return a if condition else b

    @staticmethod
    def bitcast(cast, value):
        return np.asarray(value).view(cast.dtype)[()]

    @staticmethod
    def fma(a, b, c):
        return type(a)(np.float64(a) * np.float64(b) + np.float64(c))  # exact for what tests use

    @staticmethod
    def rotl(x, k):
        bits = x.dtype.itemsize * 8
        number = int(x) % (1 << bits)
        k = int(k) % bits
        return np.asarray(((number << k) | (number >> (bits - k))) % (1 << bits), f"u{bits // 8}").view(x.dtype)[()]

    @staticmethod
    def popcount(x):
        return np.int32((int(x) % (1 << (8 * x.dtype.itemsize))).bit_count())

    @staticmethod
    def clz(x):
        bits = 8 * x.dtype.itemsize
        return np.int32(bits - (int(x) % (1 << bits)).bit_length())

    @staticmethod
    def ctz(x):
        bits, number = 8 * x.dtype.itemsize, int(x)
        return np.int32((number & -number).bit_length() - 1 if number else bits)

    sqrt, floor, ceil, trunc = np.sqrt, np.floor, np.ceil, np.trunc
    sign = np.sign

    @staticmethod
    def rsqrt(x):
        return type(x)(1) / np.sqrt(x)

    @staticmethod
    def rcp(x):
        return type(x)(1) / x

    @staticmethod
    def clamp(x, low, high):
        return min(max(x, low), high)

    @staticmethod
    def relu(x):
        return x if x > 0 else type(x)(0)

    @staticmethod
    def lerp(a, b, t):
        return a + (b - a) * t


class _Cast:
    """hg.u32(x): wraps integers, truncates and saturates floats."""

    def __init__(self, dtype):
        self.dtype = dtype

    def __call__(self, value):
        if issubclass(self.dtype, np.integer):
            if isinstance(value, (float, np.floating)):
                info = np.iinfo(self.dtype)
                value = (
                    0 if np.isnan(value) else max(info.min, min(info.max, int(max(min(value, 2.0**70), -(2.0**70)))))
                )
            return np.asarray(int(value) % (1 << (8 * np.dtype(self.dtype).itemsize)), np.uint64).astype(self.dtype)[()]
        return self.dtype(value)


_ATOMICS = {
    "add": lambda old, value: old + value,
    "min": min,
    "max": max,
    "and": lambda old, value: old & value,
    "or": lambda old, value: old | value,
    "xor": lambda old, value: old ^ value,
    "exch": lambda old, value: value,
    "cas": lambda old, compare, value: value if old == compare else old,
}


def _round(x):
    return np.rint(x) if isinstance(x, (float, np.floating)) else x


class _State:
    def __init__(self, lanes):
        self.barrier, self.shared = _Barrier(lanes), {}


def run(fn, lanes, block, *args, helpers=()):
    """Runs a function for every lane; lanes of a block at a time, blocks one after the other."""
    lanes, block = ((*shape, 1, 1)[:3] for shape in (lanes, block))
    grid = tuple(-(-count // size) for count, size in zip(lanes, block, strict=True))
    plain = PlainHg(block, grid)
    names = dict(fn.__globals__) | {"hg": plain, "round": _round}
    for helper in (getattr(each, "inlined", each) for each in helpers):
        names[helper.__name__] = FunctionType(
            helper.__code__, names, argdefs=helper.__defaults__, closure=helper.__closure__
        )
    body = FunctionType(fn.__code__, names, argdefs=fn.__defaults__, closure=fn.__closure__)
    failures = []
    for number in range(floor(grid[0] * grid[1] * grid[2])):
        at = (number % grid[0], number // grid[0] % grid[1], number // (grid[0] * grid[1]))
        on = [
            (x, y, z)
            for z in range(block[2])
            for y in range(block[1])
            for x in range(block[0])
            if all(b * size + i < count for b, size, i, count in zip(at, block, (x, y, z), lanes, strict=True))
        ]
        state = _State(len(on))

        def lane(place, at=at, state=state):
            plain._lane.local, plain._lane.block, plain._lane.state = place, at, state
            try:
                with np.errstate(all="ignore"):
                    body(*args)
            except BaseException as error:  # shown by the test
                failures.append(error)
            finally:
                state.barrier.leave()

        if "barrier" in fn.__code__.co_names:
            threads = [threading.Thread(target=lane, args=(place,)) for place in on]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        else:
            for place in on:
                plain._lane.__dict__.pop("shared", None)
                lane(place)
    if failures:
        raise failures[0]
