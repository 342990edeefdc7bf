"""Kernels in Python that compute in integers of more than 64 bits."""

# mypy: ignore-errors

from __future__ import annotations

import random

import numpy as np
import pytest

import hologram_web as hg

P = 0x30644E72E131A029B85045B68181585D97816A916871CA8D3C208C16D87CFD47  # of the field of BN254


@hg.function
def product(a: hg.u256, b: hg.u256) -> hg.u256:
    return hg.u256(hg.u512(a) * hg.u512(b) % P)


@hg.kernel
def powers(x: hg.Array[hg.u256], e: hg.Array[hg.u256], y: hg.Array[hg.u256]):
    i = hg.global_id()
    if i < len(y):
        result = hg.u256(1)
        base = x[i]
        rest = e[i]
        while rest != 0:
            if rest & 1 == 1:
                result = product(result, base)
            base = product(base, base)
            rest >>= 1
        y[i] = result


@hg.kernel
def mixed(x: hg.Array[hg.i128], y: hg.Array[hg.i128]):
    i = hg.global_id()
    total = hg.i128(0)
    for k in range(3):
        total = max(total, abs(x[i] // 7) - (x[i] % 1000) + k)
    y[i] = -total if x[i] < 0 else total ^ (1 << 100)


@pytest.mark.parametrize("name", ["cpu", "wasm"])
def test_modular_powers(name):
    source = random.Random(7)
    x, e = ([source.randrange(P) for _ in range(4)] for _ in range(2))
    device = hg.backends.DEVICES[name]()
    given = [np.frombuffer(hg.u256.pack(values), hg.u256.numpy) for values in (x, e)]
    y = np.zeros(4, hg.u256.numpy)
    powers.on(device)[4](*given, y)
    assert hg.u256.unpack(y.tobytes()) == [pow(a, b, P) for a, b in zip(x, e, strict=True)]


@pytest.mark.parametrize("name", ["cpu", "wasm", "webgpu"])
def test_signed_arithmetic(name):
    values = [0, 1, -1, 123456789012345678901234567890, -(1 << 127), (1 << 127) - 1, -98765432109876543210]

    def one(v):
        total = max(0, *(abs(v // 7) - v % 1000 + k for k in range(3)))
        return -total if v < 0 else total ^ (1 << 100)

    device = hg.backends.DEVICES[name]()
    y = np.zeros(len(values), hg.i128.numpy)
    mixed.on(device)[len(values)](np.frombuffer(hg.i128.pack(values), hg.i128.numpy), y)
    assert hg.i128.unpack(y.tobytes()) == [one(v) for v in values]


@hg.kernel
def affine(k: hg.u256, x: hg.Array[hg.u256], y: hg.Array[hg.u256], n: hg.i32, b: hg.i128 = -(2**100)):
    hg.parallel_map_binary(x, x, y, "mul", n)
    i = hg.global_id()
    if i < len(y):
        y[i] = y[i] * k + hg.u256(b) if k > 5 else y[i]


@pytest.mark.parametrize("name", ["cpu", "wasm"])
def test_scalars_are_kept_across_collectives(name):
    x = [3**70, 2**256 - 1, 5]
    given = np.frombuffer(hg.u256.pack(x), hg.u256.numpy)
    launch = affine.on(hg.backends.DEVICES[name]())[3]
    for k, more in ((2**255 + 1, {}), (5, {}), (7, {"b": 2**127 - 1})):
        y = np.zeros(3, hg.u256.numpy)
        launch(k, given, y, 3, **more)
        b = more.get("b", -(2**100))
        assert hg.u256.unpack(y.tobytes()) == [(v * v * k + b if k > 5 else v * v) % 2**256 for v in x]
    with pytest.raises(hg.LaunchError) as caught:
        launch(2**256, given, np.zeros(3, hg.u256.numpy), 3)
    assert str(caught.value) == "k is an integer of 257 bits; u256 is expected, 0 to 2**256 - 1"
