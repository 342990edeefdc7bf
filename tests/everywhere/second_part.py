"""Kernels with the second part of the language, and what they leave, worked out here in plain Python."""

# mypy: ignore-errors

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple

import hologram_web as hg

from . import programs

__all__ = ["CASES"]


@hg.kernel
def together(x: hg.Array[hg.i32], sums: hg.Array[hg.i32], scans: hg.Array[hg.i32], turned: hg.Array[hg.i32]):
    """Block operations; the last block has few lanes."""
    i = hg.global_id()
    v = x[i]
    total = hg.block_sum(v)
    if hg.local_id() == 0:
        sums[hg.block_id()] = total
    scans[i] = hg.block_scan(v, "max") * 1000 + hg.block_scan(hg.i32(v > 3), exclusive=True)
    told = 0
    if hg.block_any(v > 8):
        told = hg.block_broadcast(v, 2)
    turned[i] = hg.shuffle_xor(v, 1) + hg.block_argmin(v) * 100 + told


class Span(NamedTuple):
    low: hg.f32
    high: hg.f32 = 4.0


@dataclass
class Particle:
    at: hg.vec2[hg.f32]
    hits: hg.i32


@dataclass(frozen=True)
class World:
    size: Span
    gain: hg.f32


def moved(p: Particle, world: World):
    x = p.at.x + world.gain
    if x > world.size.high:
        return Particle(hg.vec2(world.size.low, p.at.y), p.hits + 1)
    return replace(p, at=hg.vec2(x, -p.at.y))


@hg.kernel
def records(world: World, x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    first = Particle(x.load(2 * i, 2), 0)
    p = first
    for _ in range(3):
        p = moved(p, world)
    p.at.yx += p.at
    y.store(3 * i, hg.vec3(p.at, p.hits + 10 * (p == first)))


@hg.kernel
def waves(x: hg.Array[hg.complex64], c: hg.complex64, y: hg.Array[hg.complex64]):
    i = hg.global_id()
    z = x[i] * c + 2j
    tile = hg.shared(hg.complex64, 4)
    tile[hg.local_id()] = z**2 - z.conjugate()
    hg.barrier()
    y[i] = tile[3 - hg.local_id()] / (1 + 1j)
    y[i].imag += abs(z) if z.imag == 0 else 0


@hg.kernel
def draws(words: hg.Array[hg.u32, 2], small: hg.Array[hg.i32], part: hg.Array[hg.f32]):
    i = hg.global_id()
    words[i, 0], words[i, 1], words[i, 2], words[i, 3] = hg.random(0, i)
    small[i] = hg.random_integers(0, i, -3, 3)
    part[i] = hg.random_uniform(0, i)


def doubled(v):
    return v + v


def applied(of, v):
    return of(v)


@hg.kernel
def tiles(m: hg.Array[hg.i32, 3], odd: hg.Array[bool], out: hg.Array[hg.i32], WIDTH: hg.Constant[int] = 2,
          OF: hg.Constant[Callable] = doubled):  # fmt: skip
    """Rows, registers, constants, and functions as arguments."""
    i = hg.global_id()
    row = m[i, :, 1]
    kept = hg.registers((WIDTH, 2), hg.i32)
    for k in hg.static_range(WIDTH):
        kept[k, 0], kept[k, 1] = divmod(OF(row[k]), 3)
    odd[i] = kept[0, 0] % 2 == 1 or not odd[i]
    total = sum(kept[k, j] * (10 * k + j + 1) for k in hg.static_range(WIDTH) for j in hg.static_range(2))
    out[i] = total + applied(lambda v: v * i, row[0])


class Case(NamedTuple):
    """A launch: what is given, by name, and what is left in the arrays that are written."""

    kernel: hg.Kernel
    lanes: int
    block: int
    args: dict
    left: dict


def _together() -> Case:
    x = [5, 1, 9, 2, 7, 7, 0, 3, 4, 11, 6]
    sums, scans, turned = [], [], []
    for start in (0, 4, 8):
        block = x[start : start + 4]
        sums.append(sum(block))
        for k, own in enumerate(block):
            scans.append(max(block[: k + 1]) * 1000 + sum(v > 3 for v in block[:k]))
            other = block[k ^ 1] if k ^ 1 < len(block) else own
            turned.append(other + block.index(min(block)) * 100 + (block[2] if max(block) > 8 else 0))
    left = {"sums": sums, "scans": scans, "turned": turned}
    given = {name: array("i", [0] * len(values)) for name, values in left.items()}
    return Case(together, 11, 4, {"x": array("i", x), **given}, left)


def _records() -> Case:
    args = {"world": World(Span(0.5), 1.5), "x": array("f", [1, 2, 3, -1]), "y": array("f", [0] * 6)}
    # 2.5, 4, 0.5 with one hit; 4.5 is too far: 0.5, 2, 3.5 with one hit
    return Case(records, 2, 2, args, {"y": [2.5, 2.5, 1, 2.5, 2.5, 1]})


def _waves() -> Case:
    x, c = [1 + 1j, 2, -1j, 0.5 - 2j], 2 - 1j
    z = [v * c + 2j for v in x]
    squares = [v**2 - v.conjugate() for v in z]
    left = [v / (1 + 1j) + (1j * abs(own) if own.imag == 0 else 0) for v, own in zip(squares[::-1], z, strict=True)]
    given = memoryview(array("f", [part for v in x for part in (v.real, v.imag)])).cast("B").cast("f", (4, 2))
    y = memoryview(bytearray(32)).cast("f", (4, 2))
    return Case(waves, 4, 4, {"x": programs.complexes(given), "c": c, "y": programs.complexes(y)}, {"y": left})


def _draws() -> Case:
    """Philox4x32-10 of the key 0, by Random123 for the counter 0."""
    words = [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    args = {"words": memoryview(array("I", [0] * 4)).cast("B").cast("I", (1, 4)), "small": array("i", [0])}
    left = {"words": words, "small": [(words[0] * 6 >> 32) - 3], "part": [(words[0] >> 8) * 2.0**-24]}
    return Case(draws, 1, 1, {**args, "part": array("f", [0])}, left)


def _tiles() -> Case:
    m, odd = list(range(3, 15)), [1, 0]
    left = {"odd": [], "out": []}
    for i in range(2):
        rows = [m[(i * 3 + k) * 2 + 1] for k in range(3)]
        kept = [divmod(-v, 3) for v in rows]
        left["odd"].append(int(kept[0][0] % 2 == 1 or not odd[i]))
        left["out"].append(sum(kept[k][j] * (10 * k + j + 1) for k in range(3) for j in range(2)) + rows[0] * i)
    given = memoryview(array("i", m)).cast("B").cast("i", (2, 3, 2))
    args = {"m": given, "odd": memoryview(bytearray(odd)).cast("?"), "out": array("i", [0, 0])}
    return Case(tiles.specialize(WIDTH=3, OF=lambda v: -v), 2, 2, args, left)


CASES = {make.__name__[1:]: make for make in (_together, _records, _waves, _draws, _tiles)}
