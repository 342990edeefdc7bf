"""Discrete Fourier transforms of any length.

Passes of mixed radix in T. Stockham's order, in which each pass reads elements side by side and puts them where the
next one wants them; where a length has a prime factor that is no radix, as a convolution of a length that has none (L.
Bluestein's way). Between passes real and imaginary parts lie apart, so that lanes side by side read and write vectors.
"""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from dataclasses import replace
from math import cos as cosine
from math import pi, prod
from math import sin as sine

from ..isa.types import Type
from .language import (
    Constant,
    Elements,
    T,
    U,
    W,
    f32,
    global_id,
    i32,
    registers,
    select,
    static_range,
    u32,
    u64,
)
from .norms import wide
from .operation import MOST, TensorOperation, at_least, at_most, part

__all__ = ["OPERATIONS", "radices"]

_BLOCK = 256  # lanes of a block: of those with 64 proofs of bounds took as long as what they are for
_RADICES = (4, 2, 3, 5, 7, 11, 13)
# Of as many elements passes of 16 pay, whose kernels know all sizes: 65,536 took 0.67 ms natively in four of them and
# 1.01 in eight of 4, but machine code is made for each (0.9 s from its text, and 0.4).
_MANY = 1 << 14
_SMALL = (1, 3, 5, 7, 9, 15)  # times powers of two: lengths of convolutions


def _turn(t, n, unit, TERMS):
    """Cosine and sine of t / n of a turn, by their series at an angle of at most an eighth."""
    octant, rest = u32(0), u32(t)
    for _ in static_range(3):
        twice = rest + rest
        beyond = twice >= u32(n)
        octant = octant + octant + select(beyond, u32(1), u32(0))
        rest = twice - select(beyond, u32(n), u32(0))
    rest = select(octant & 1 == 1, u32(n) - rest, rest)
    angle = unit * i32(rest) / (unit * n) * (pi / 4)
    square, x, y = angle * angle, unit, unit
    for k in static_range(TERMS, 0, -1):
        x = 1 - square * (1 / (2 * k * (2 * k - 1))) * x
        y = 1 - square * (1 / (2 * k * (2 * k + 1))) * y
    y = y * angle
    turned = (octant + 1) & 2 == 2
    across, up = select(turned, y, x), select(turned, x, y)
    return select((octant + 2) & 4 == 4, -across, across), select(octant >= 4, -up, up)


def _turns(turns: Elements[W], n: i32, count: i32, W: Constant[type], TERMS: Constant[int]):
    """The first `count` turns of n, real parts and then imaginary ones; of a second row of lanes, all turns of `count`
    behind them."""
    i, row = global_id(0), global_id(1)
    of = n
    if row > 0:
        of = count
    x, y = _turn(i, of, W(1), TERMS)
    turns[row * (2 * count) + i] = x
    turns[row * (2 * count) + i + count] = -y


def _pass(
    target: Elements[T],
    source: Elements[U],
    turns: Elements[W],
    n: i32,
    step: i32,
    apart: i32,
    count: i32,
    turn: i32,
    factor: W,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    RADIX: Constant[int],
    PARTS: Constant[int],
    HALVES: Constant[tuple],
    ORDER: Constant[tuple],
    COS: Constant[tuple],
    SIN: Constant[tuple],
    FIRST: Constant[bool],
    READ: Constant[str],
    WRITE: Constant[str],
    SWAP: Constant[bool],
):
    """RADIX elements n / RADIX apart become as many that lie `step` apart: of `step` transforms side by side. The
    inverse is the transform with real and imaginary parts exchanged, at both ends. One in PARTS of the elements is
    loaded at a time, and others are stored: so that registers hold few of them."""
    q, p, row = global_id(0), global_id(1), global_id(2)
    if FIRST:
        q, p = 0, global_id(0)
    i = q + step * p
    at = row * (2 * n) + i
    a, b = registers(RADIX, W), registers(RADIX, W)
    for some in static_range(PARTS + RADIX // PARTS):
        for j in static_range(some, RADIX * (some < PARTS), PARTS):
            if READ == "apart":
                a[j] = source[at + apart * j]
                b[j] = source[at + apart * j + n]
            if READ == "real":
                a[j] = W(source[at - row * n + apart * j])
            if READ == "complex":
                a[j] = W(source[at + i + 2 * apart * j])
                b[j] = W(source[at + i + 2 * apart * j + 1])
            if READ == "half":
                place = i + apart * j
                known = row * (n // 2 + 1) + min(place, n - place)
                a[j] = W(source[2 * known])
                b[j] = select(place > n - place, -W(source[2 * known + 1]), W(source[2 * known + 1]))
            if SWAP and READ != "apart":
                x = a[j]
                a[j] = b[j]
                b[j] = x
        if some == PARTS and RADIX % 2 == 1 and RADIX > 1:
            for j in static_range(1, (RADIX + 1) // 2):
                u, v = a[RADIX - j], b[RADIX - j]
                a[RADIX - j], b[RADIX - j] = a[j] - u, b[j] - v
                a[j], b[j] = a[j] + u, b[j] + v
            c, d = registers(RADIX, W), registers(RADIX, W)
            for k in static_range(1, (RADIX + 1) // 2):
                x, y, u, v = a[0], b[0], W(0), W(0)
                for j in static_range(1, (RADIX + 1) // 2):
                    x += W(COS[j * k % RADIX]) * a[j]
                    y += W(COS[j * k % RADIX]) * b[j]
                    u += W(SIN[j * k % RADIX]) * b[RADIX - j]
                    v += W(SIN[j * k % RADIX]) * a[RADIX - j]
                c[k], d[k], c[RADIX - k], d[RADIX - k] = x + u, y - v, x - u, y + v
            for j in static_range(1, (RADIX + 1) // 2):
                a[0] += a[j]
                b[0] += b[j]
            for k in static_range(1, RADIX):
                a[k], b[k] = c[k], d[k]
        if some == PARTS and FIRST and WRITE == "apart":
            # Lanes side by side have turns side by side, of which powers are faster made than found.
            e, f = registers(RADIX, W), registers(RADIX, W)
            e[1] = turns[i]
            f[1] = turns[i + count]
            for k in static_range(2, RADIX):
                e[k] = e[k // 2] * e[k - k // 2] - f[k // 2] * f[k - k // 2]
                f[k] = e[k // 2] * f[k - k // 2] + f[k // 2] * e[k - k // 2]
        for h in static_range(len(HALVES[some])):
            x = a[HALVES[some][h][0]] - a[HALVES[some][h][1]]
            y = b[HALVES[some][h][0]] - b[HALVES[some][h][1]]
            a[HALVES[some][h][0]] += a[HALVES[some][h][1]]
            b[HALVES[some][h][0]] += b[HALVES[some][h][1]]
            if HALVES[some][h][2] == 0:
                a[HALVES[some][h][1]] = x
                b[HALVES[some][h][1]] = y
            elif HALVES[some][h][2] * 4 == RADIX:
                a[HALVES[some][h][1]] = y
                b[HALVES[some][h][1]] = -x
            else:
                c, d = W(COS[HALVES[some][h][2]]), W(SIN[HALVES[some][h][2]])
                a[HALVES[some][h][1]] = x * c + y * d
                b[HALVES[some][h][1]] = y * c - x * d
        if some == PARTS:
            at += step * (RADIX - 1) * p
        for j in static_range(PARTS * (some - PARTS) * (some >= PARTS), PARTS * (some - PARTS + 1) * (some >= PARTS)):
            x, y = a[j], b[j]
            if ORDER[j] > 0 and WRITE == "apart":
                if FIRST:
                    u, v = e[ORDER[j]], f[ORDER[j]]
                else:
                    u = turns[2 * count + turn * p * ORDER[j]]
                    v = turns[3 * count + turn * p * ORDER[j]]
                x = a[j] * u - b[j] * v
                y = a[j] * v + b[j] * u
            if WRITE == "apart":
                target[at + step * ORDER[j]] = x
                target[at + step * ORDER[j] + n] = y
            else:
                i = q + step * (RADIX * p) + step * ORDER[j]
                real, imaginary = x * factor, y * factor
                if SWAP:
                    real, imaginary = y * factor, x * factor
                if WRITE == "real":
                    target[row * n + i] = T(real)
                if WRITE == "complex":
                    target[2 * (row * n + i)] = T(real)
                    target[2 * (row * n + i) + 1] = T(imaginary)
                if WRITE == "half" and i <= n // 2:
                    target[2 * (row * (n // 2 + 1) + i)] = T(real)
                    target[2 * (row * (n // 2 + 1) + i) + 1] = T(imaginary)


def radices(n, most=4):
    """The radices of the passes for n, of powers of two at most `most`; None if n has another prime factor. Two powers
    come first, which keep vectors whole, and the other ones last: 229,376 elements took 0.9 of the time that they took
    with the factor of 7 behind all."""
    powers, others = [], []
    for radix in (16, 8, *_RADICES):
        while n % radix == 0 and (radix <= most or radix % 2):
            (others if radix % 2 else powers).append(radix)
            n //= radix
    return (powers[:2] + others + powers[2:] or [1]) if n == 1 else None


def _quarter(target: Elements[W], source: Elements[W], turns: Elements[W], n: i32, step: i32, W: Constant[type]):
    """A pass of radix 4 for a length that the host computes: a power of 4, and so is `step`."""
    i, row = global_id(0), global_id(1)
    a, b = registers(4, W), registers(4, W)
    place = row * (2 * n) + i
    for j in static_range(4):
        a[j] = source[place]
        b[j] = source[place + n]
        place += n // 4
    for j in static_range(2):
        a[j], a[j + 2] = a[j] + a[j + 2], a[j] - a[j + 2]
        b[j], b[j + 2] = b[j] + b[j + 2], b[j] - b[j + 2]
    x, y, u, v = a[0] - a[1], b[0] - b[1], a[2] - b[3], b[2] + a[3]
    a[0], b[0], a[1], b[1] = a[0] + a[1], b[0] + b[1], a[2] + b[3], b[2] - a[3]
    a[2], b[2], a[3], b[3] = x, y, u, v
    turn = i & -step  # without the place in its transform: each is `step` long
    place = row * (2 * n) + i + 3 * turn
    for k in static_range(4):
        x, y = a[k], b[k]
        if k > 0:
            x, y = x * turns[k * turn] - y * turns[k * turn + n], x * turns[k * turn + n] + y * turns[k * turn]
        target[place] = x
        target[place + n] = y
        place += step


def _chirp(chirp: Elements[W], n: i32, size: i32, W: Constant[type], TERMS: Constant[int], SHORT: Constant[bool]):
    """Turns by squares, as a convolution takes them: also from its end. Of SHORT ones, which have at most 2**22, a
    quotient of F32 is off by two at most: integers of 64 bits took twice as long (1.8 ms, and 0.9)."""
    j, t = global_id(0), 0
    if SHORT:
        t = j * j - 2 * n * i32(f32(j) * f32(j) / f32(2 * n))
        t += select(t < 0, 4 * n, 0)
        t -= select(t >= 4 * n, 4 * n, 0)
        t -= select(t >= 2 * n, 2 * n, 0)
    elif j < n:
        t = i32(u64(j) * u64(j) % u64(2 * n))
    x, y = _turn(t, 2 * n, W(1), TERMS)
    x, y = select(j < n, x, W(0)), select(j < n, y, W(0))
    chirp[j] = x
    chirp[size + j] = y
    if j > 0:
        chirp[size - j] = x
        chirp[2 * size - j] = y


def _chirped(
    target: Elements[W],
    input: Elements[T],
    chirp: Elements[W],
    n: i32,
    size: i32,
    T: Constant[type],
    W: Constant[type],
    READ: Constant[str],
    SWAP: Constant[bool],
):
    """The elements, turned back by their squares; zeros fill them up."""
    i, row = global_id(0), global_id(1)
    x, y = W(0), W(0)
    if i < n:
        a, b = W(0), W(0)
        if READ == "real":
            a = W(input[row * n + i])
        if READ == "complex":
            a, b = W(input[2 * (row * n + i)]), W(input[2 * (row * n + i) + 1])
        if READ == "half":
            place = row * (n // 2 + 1) + min(i, n - i)
            a, b = W(input[2 * place]), W(input[2 * place + 1])
            b = select(i > n - i, -b, b)
        if SWAP:
            a, b = b, a
        c, d = chirp[i], chirp[size + i]
        x, y = a * c + b * d, b * c - a * d
    target[row * (2 * size) + i] = x
    target[row * (2 * size) + size + i] = y


def _multiplied(target: Elements[W], source: Elements[W], by: Elements[W], size: i32, W: Constant[type]):
    """Products, with real and imaginary parts exchanged: what is done to them next is the inverse."""
    i, row = global_id(0), global_id(1)
    a, b = source[row * (2 * size) + i], source[row * (2 * size) + size + i]
    c, d = by[i], by[size + i]
    target[row * (2 * size) + i] = a * d + b * c
    target[row * (2 * size) + size + i] = a * c - b * d


def _shared(
    target: Elements[W],
    source: Elements[W],
    by: Elements[W],
    n: i32,
    size: i32,
    W: Constant[type],
    INVERSE: Constant[bool],
):
    """Products, each a size-th of it, and of the inverse an n-th of that, with parts exchanged."""
    i, row = global_id(0), global_id(1)
    a, b = source[row * (2 * size) + i], source[row * (2 * size) + size + i]
    c, d = by[i] / W(size), by[size + i] / W(size)
    if INVERSE:
        c, d = c / W(n), d / W(n)
    target[row * (2 * size) + i] = a * d + b * c
    target[row * (2 * size) + size + i] = a * c - b * d


def _turned_back(
    output: Elements[T],
    source: Elements[W],
    chirp: Elements[W],
    n: i32,
    size: i32,
    count: i32,
    factor: W,
    T: Constant[type],
    W: Constant[type],
    WRITE: Constant[str],
    SWAP: Constant[bool],
):
    i, row = global_id(0), global_id(1)
    a, b = source[row * (2 * size) + size + i] * factor, source[row * (2 * size) + i] * factor
    c, d = chirp[i], chirp[size + i]
    x, y = a * c + b * d, b * c - a * d
    if SWAP:
        x, y = y, x
    if WRITE == "real":
        output[row * n + i] = T(x)
    else:
        output[2 * (row * count + i)] = T(x)
        output[2 * (row * count + i) + 1] = T(y)


def _terms(o):
    """Terms of series after the first one, of which the next is below half a unit in the last place."""
    return 8 if o.ty is Type.F64 else 5


def _table(o, n, name, count, rows, most=None):
    """The launch that makes so many turns of n, and in a second row all turns of that number."""
    size = 2 * rows * (count if most is None else most)
    return [
        part(o, _turns, (count, rows), (_BLOCK,), buffers={"turns": name}, temporaries={name: (wide(o.ty), size)},
             scalars={"n": n, "count": count}, W=wide(o.ty), TERMS=_terms(o))
    ]  # fmt: skip


def _butterfly(radix):
    """What kernels have as numbers. Powers of two are halved stage by stage and lie by reversed bits at the end: the
    first two stages of those that are loaded together, the others of those that are stored together."""
    stages = radix.bit_length() - 1 if radix % 2 == 0 else 0
    order = [0]
    for _ in range(stages):
        order = [2 * place for place in order] + [2 * place + 1 for place in order]
    parts = max(radix >> 2, 1) if stages else 1
    halves = [[] for _ in range(parts + radix // parts)]
    for stage in range(stages):
        half = radix >> stage + 1
        for i in range(radix):
            if not i & half:
                part = i % parts if stage < 2 else parts + i // parts
                halves[part].append((i, i + half, (i << stage) % radix))
    angles = [2 * pi * j / radix for j in range(radix)]
    return {
        "PARTS": parts,
        "HALVES": tuple(map(tuple, halves)),
        "ORDER": tuple(order if stages else range(radix)),
        "COS": tuple(map(cosine, angles)),
        "SIN": tuple(map(sine, angles)),
    }


def _schedule(traits, n, rows):
    """The radices for n, and whether kernels know all sizes: where lanes run one after another, and are many."""
    known = not traits.together and n * (rows if isinstance(rows, int) else 1) >= _MANY
    return radices(n, 16 if known else 4), known


def _passes(o, schedule, rows, source, target, between, read="apart", write="apart", swap=False, factor=1.0):
    """The launches of a transform, from one buffer to another by way of those `between`, of which the first one is not
    the source."""
    (found_radices, known), found, step = schedule, [], 1
    n = m = prod(found_radices)
    count = n // found_radices[0]
    for number, radix in enumerate(found_radices):
        m //= radix
        first, last = number == 0, number == len(found_radices) - 1
        into = target if last else between[number % 2]
        block = min(step, _BLOCK if known or last else 16)  # one for most passes, of which then are fewer kernels
        lanes = (m, 1, rows) if first else (step, m, rows)
        reads, writes = read if first else "apart", write if last else "apart"
        sizes = {"n": n, "step": step, "apart": step * m, "count": count, "turn": step // found_radices[0]}
        found.append(
            part(
                o, _pass, lanes, (_BLOCK,) if first else (block, _BLOCK // block),
                buffers={"source": source, "target": into, "turns": "turns" if count > 1 else source},
                scalars={"factor": factor, **({} if known else sizes)}, fresh=(into,),
                T=wide(o.ty) if writes == "apart" else o.ty, U=wide(o.ty) if reads == "apart" else o.ty,
                W=wide(o.ty), RADIX=radix, **_butterfly(radix), FIRST=first, READ=reads, WRITE=writes, SWAP=swap,
                **(sizes if known else {}),
            )
        )  # fmt: skip
        source, step = into, step * radix
    return found


def _convolution_size(n, traits):
    """A length for a convolution of n elements, of those that have passes the one whose passes do least."""
    sizes = (odd << max(4, (-(-(2 * n - 1) // odd) - 1).bit_length()) for odd in _SMALL)
    return min(sizes, key=lambda size: size * len(_schedule(traits, size, 1)[0]))


def _power(n):
    """The power of 4 that is the length of a convolution of n elements, of a number that the host computes, and which
    of the powers from 4**3 on are below it, as 1 or 0; for those beyond 4**14 no device has memory."""
    reach = at_least(2 * n - 2, 0)
    below = [at_most(reach // 4**k, 1) for k in range(3, 15)]
    size = 64
    for k, more in enumerate(below, 3):
        size = more * (3 * 4**k) + size
    return size, below


_ANY = "a convolution of the next power of 4, from 64 on, as the length is not known"
_PRIME = "a convolution of a longer length, as a prime factor is above 13"


def _of_any_length(o, read, write):
    """The launches for a length that the host computes: as a convolution of the next power of 4, whose passes are as
    many as it has. The last one's result is always in the first of two buffers, so what they begin with is in the one
    or in the other."""
    n, ty, working = o.n, o.ty, wide(o.ty)
    size, below = _power(n)
    odd = 1
    for number, more in enumerate(below):
        odd = odd + more if number % 2 else odd - more
    rows = o.batch * at_most(n, 1)
    most, many = size, size * rows
    if o.late:
        most = _power(o.most["input"])[0]
        many = most * o.batch if isinstance(o.batch, int) else o.most["input"] * 72
    given = {"n": n, "size": size, "count": n // 2 + 1 if write == "half" else n, "factor": 1.0}
    memory = dict.fromkeys(("one", "other", "third"), (working, 2 * many))
    memory |= dict.fromkeys(("chirp", "filter", "filter_other"), (working, 2 * most))

    def begun(into, kernel, lanes, name, buffers, **constants):
        """A launch that writes to the first of two buffers, or to the second."""
        return [
            part(o, kernel, lanes, (64,), buffers={**buffers, name: target}, times=times, scalars=given, W=working,
                 **constants)
            for target, times in zip(into, (1 - odd, odd), strict=True)
        ]  # fmt: skip

    def passes(into, rows):
        """What is in one of the two becomes its transform in the first."""
        return [
            part(o, _quarter, (size // 4, rows), (64,), times=1 if j < 3 else below[j - 3], W=working,
                 buffers={"source": into[(j + 1) % 2], "target": into[j % 2], "turns": "turns"},
                 scalars={"n": size, "step": size // 4 ** (j + 1)})
            for j in range(len(below) + 2, -1, -1)
        ]  # fmt: skip

    filters, sides, back = ("filter", "filter_other"), ("one", "other"), ("third", "other")
    found = [
        *_table(o, size, "turns", size, 1, most),
        part(o, _chirp, (size // 2 + 1,), (64,), scalars=given, W=working, TERMS=_terms(o), SHORT=False, why=_ANY),
        *begun(filters, _chirp, (size // 2 + 1,), "chirp", {}, TERMS=_terms(o), SHORT=False),
        *passes(filters, 1),
        *begun(sides, _chirped, (size, rows), "target", {}, T=ty, READ=read, SWAP=o.inverse),
        *passes(sides, rows),
        *begun(back, _shared, (size, rows), "target", {"source": "one", "by": "filter"}, INVERSE=o.inverse),
        *passes(back, rows),
        part(o, _turned_back, (given["count"], rows), (64,), buffers={"source": "third"}, scalars=given, T=ty,
             W=working, WRITE=write, SWAP=o.inverse),
    ]  # fmt: skip
    return _with(found, memory)


def _launches(o, traits):
    n, ty, working = o.n, o.ty, wide(o.ty)
    half = "half" if o.real else "complex"
    read, write = (half, "real" if o.real else "complex") if o.inverse else ("real" if o.real else "complex", half)
    if not isinstance(n, int):
        return _of_any_length(o, read, write)
    if n == 0:
        return []
    factor = 1.0 / n if o.inverse else 1.0
    schedule = _schedule(traits, n, o.batch)
    if schedule[0] is not None:
        passes = len(schedule[0])
        # What an even number of passes writes may be in between, too: less memory is touched. Not what is computed on.
        plain = write == "complex" and ty is working and (o.fusion is None or "output" not in o.fusion.written)
        between = ("one", "output" if passes % 2 == 0 and plain else "other")
        found = _passes(o, schedule, o.batch, "input", "output", between, read, write, o.inverse, factor)
        memory = {name: (working, 2 * n * o.batch) for name in between[: passes - 1] if name != "output"}
        return _with((_table(o, n, "turns", n // schedule[0][0], 2) if passes > 1 else []) + found, memory)
    size = _convolution_size(n, traits)
    once, each = _schedule(traits, size, 1), _schedule(traits, size, o.batch)
    once = once if once[0][0] == each[0][0] else each  # both have the same turns
    scalars = {"n": n, "size": size, "count": n // 2 + 1 if write == "half" else n, "factor": factor / size}
    sides = dict.fromkeys(("one", "other"), (working, 2 * size * at_least(o.batch, 1)))
    filters = {name: (working, 2 * size) for name in ("chirp", "filter")}
    end, free = ("one", "other")[:: -1 if len(each[0]) % 2 else 1]  # where passes from "one" end, and the other one
    chirped = part(o, _chirped, (size, o.batch), (64,), buffers={"target": "one"}, scalars=scalars, T=ty, W=working,
                   READ=read, SWAP=o.inverse)  # fmt: skip
    multiplied = part(o, _multiplied, (size, o.batch), (64,), scalars=scalars, W=working,
                      buffers={"source": end, "by": "filter", "target": free})  # fmt: skip
    back = part(o, _turned_back, (scalars["count"], o.batch), (64,), buffers={"source": "other"}, scalars=scalars,
                T=ty, W=working, WRITE=write, SWAP=o.inverse)  # fmt: skip
    found = [
        *_table(o, size, "turns", size // each[0][0], 2),
        part(o, _chirp, (size // 2 + 1,), (_BLOCK,), scalars=scalars, W=working, TERMS=_terms(o), why=_PRIME,
             SHORT=n <= 1 << 22),
        *_passes(o, once, 1, "chirp", "filter", ("one", "other")),
        chirped,
        *_passes(o, each, o.batch, "one", end, ("other", "one")),
        multiplied,
        *_passes(o, each, o.batch, free, "other", (end, free)),
        back,
    ]  # fmt: skip
    return _with(found, sides | filters)


def _with(launches, memory):
    """The launches, with temporaries that are there from the first one on."""
    sizes = {name: count * ty.size_bytes for name, (ty, count) in memory.items()}
    return [replace(launches[0], temporaries={**launches[0].temporaries, **sizes}), *launches[1:]]


def _half(n):
    """How many elements of a transform of n real ones are told: the others are their conjugates."""
    return at_most(n, 1) * (n // 2 + 1)


def _extents(o):
    sides = (o.n, 2 * _half(o.n)) if o.real else (2 * o.n, 2 * o.n)
    read, written = sides[::-1] if o.inverse else sides
    return {"input": o.batch * read, "output": o.batch * written}


def _too_long(o):
    if isinstance(o.n, int) and o.n > MOST // 2:
        return f"n is {o.n:,}: the places of 2 n numbers have to fit i32"
    return None


def _reference(np, o, input):
    if not o.n * o.batch:
        return np.zeros(0)
    if o.real and not o.inverse:
        return np.fft.rfft(input.reshape(o.batch, o.n), axis=1).view(np.float64)
    given = input.reshape(o.batch, -1).view(np.complex128)
    if o.real:
        return np.fft.irfft(given, o.n, axis=1)
    return np.ascontiguousarray((np.fft.ifft if o.inverse else np.fft.fft)(given, axis=1)).view(np.float64)


OPERATIONS = (TensorOperation("FFT", _extents, _launches, _reference, _too_long, epilogue=""),)
