"""What attention is made of: positions turned into angles, the cache of keys and values, and attention itself."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from dataclasses import replace

from ..isa.types import Type
from .budgets import UNBOUNDED, choices, size_class, timed
from .language import (
    Constant,
    Elements,
    T,
    W,
    barrier,
    block_id,
    cos,
    exp,
    global_id,
    i32,
    local_id,
    registers,
    select,
    shared,
    sin,
    sqrt,
    static_range,
)  # fmt: skip
from .matmul import _product
from .norms import wide
from .operation import TensorOperation, beyond, ceildiv, flag, part

__all__ = ["OPERATIONS"]

_INFINITY = float("inf")
_MANY = 32  # dimensions that are worth the time in which a shader of large tiles compiles
_KNOWN = 512  # dimensions that are a constant of kernels: those of more would be much code
_CHECKED = f"head_dim is not known, or above {_KNOWN}, so more is checked"


def _rope(
    output: Elements[T],
    input: Elements[T],
    freqs: Elements[T],
    seq_len: i32,
    heads: i32,
    head_dim: i32,
    T: Constant[type],
    W: Constant[type],
    INTERLEAVED: Constant[bool],
):
    """One lane for each pair, which it turns by its angle; the last element of an odd number stays as it is."""
    j, head, row = global_id(0), global_id(1), global_id(2)
    half = head_dim // 2
    first = (row * heads + head) * head_dim
    if j < half:
        one, other = first + j, first + j + half
        if INTERLEAVED:
            one, other = first + 2 * j, first + 2 * j + 1
        angle = W(freqs[row % seq_len * half + j])
        x, y, across, up = W(input[one]), W(input[other]), cos(angle), sin(angle)
        output[one] = T(x * across - y * up)
        output[other] = T(y * across + x * up)
    else:
        output[first + head_dim - 1] = input[first + head_dim - 1]


def _turned(np, o, input, freqs):
    half = o.head_dim // 2
    found = input.reshape(o.batch, o.seq_len, o.heads, o.head_dim).copy()
    one, other = (
        (slice(0, 2 * half, 2), slice(1, 2 * half, 2)) if o.interleaved else (slice(half), slice(half, 2 * half))
    )
    x, y, angles = found[..., one].copy(), found[..., other].copy(), freqs.reshape(o.seq_len, 1, half)
    found[..., one] = x * np.cos(angles) - y * np.sin(angles)
    found[..., other] = y * np.cos(angles) + x * np.sin(angles)
    return found


def _cached(
    cache: Elements[T],
    new_kv: Elements[T],
    position: i32,
    head_dim: i32,
    max_len: i32,
    T: Constant[type],
    BEYOND: Constant[int],
):
    """A position beyond the cache is a fault."""
    i, row = global_id(0), global_id(1)
    place = (row * max_len + position) * head_dim + i
    cache[select(position < max_len, place, BEYOND)] = new_kv[row * head_dim + i]


def _put_in(np, o, new_kv, cache):
    if new_kv.size and o.position >= o.max_len:
        raise IndexError(f"position {o.position} of a cache of {o.max_len}")
    found = cache.reshape(o.batch, o.heads, o.max_len, o.head_dim).copy()
    if new_kv.size:
        found[:, :, o.position] = new_kv.reshape(o.batch, o.heads, o.head_dim)
    return found


def _packed(
    panels: Elements[W],
    query: Elements[T],
    seq_len: i32,
    head_dim: i32,
    blocks: i32,
    scale: W,
    T: Constant[type],
    W: Constant[type],
    SPAN: Constant[int],
    SCALED: Constant[bool],
):
    """SPAN queries of a block side by side, element after element, with the scale in them."""
    place, c, number = global_id(0), global_id(1), global_id(2)
    head, row = number // blocks, number % blocks * SPAN + place
    factor = scale
    if not SCALED:
        factor = 1 / sqrt(W(head_dim))
    found = W(0)
    if row < seq_len:
        found = W(query[(head * seq_len + row) * head_dim + c]) * factor
    panels[(number * head_dim + c) * SPAN + place] = found


def _attention(
    output: Elements[T],
    panels: Elements[W],
    key: Elements[T],
    value: Elements[T],
    mask: Elements[T],
    sums: Elements[W],
    seq_len: i32,
    kv_len: i32,
    head_dim: i32,
    blocks: i32,
    T: Constant[type],
    W: Constant[type],
    LANES: Constant[int],
    ROWS: Constant[int],
    SPAN: Constant[int],
    KEYS: Constant[int],
    DIM: Constant[int],
    TILE: Constant[int],
    STEPS: Constant[int],
    MORE: Constant[int],
    MASK: Constant[bool],
    CAUSAL: Constant[bool],
):
    """A lane has ROWS queries, a block LANES times as many, which go past the keys, KEYS at a time. What a lane knows
    of its queries, their greatest score and sums, is its own, so that no lane waits for another. Scores are products of
    TILE keys and the queries, results of the scores and TILE columns of values: tiles in registers both, of what lanes
    side by side have side by side, and what is the same for all of them. Bounds are such that a block proves them:
    what is kept of key j lies at j % KEYS, and places grow by rounds of a loop."""
    scores = shared(W, KEYS * SPAN)
    lane, block, head = local_id(0), block_id(0), block_id(1)
    dim = head_dim
    if DIM > 0:
        dim = DIM
    first = block * SPAN + lane
    panel = (head * blocks + block) * (dim * SPAN) + lane
    keys = head * (kv_len * dim)
    last = keys + (kv_len - 1) * dim
    greatest, total = registers(ROWS, W), registers(ROWS, W)
    base, shrink = registers(ROWS, W), registers(ROWS, W)
    places, dots = registers(TILE, i32), registers((TILE, ROWS), W)
    end = kv_len
    if CAUSAL:
        end = min(kv_len, (block + 1) * SPAN)
    for r in static_range(ROWS):
        greatest[r] = W(-_INFINITY)
    for c in range(dim):
        for r in static_range(ROWS):
            sums[panel + c * SPAN + r * LANES] = W(0)
    for start in range(0, end, KEYS):
        stop = min(start + KEYS, end)
        for r in static_range(ROWS):
            shrink[r] = greatest[r]
        for tile in range(start, stop, TILE):
            for i in static_range(TILE):
                places[i] = min(keys + tile * dim + i * dim, last)
                for r in static_range(ROWS):
                    dots[i, r] = W(0)
            for some in range(dim // STEPS):
                for step in static_range(STEPS):
                    for i in static_range(TILE):
                        x = W(key[places[i] + some * STEPS + step])
                        for r in static_range(ROWS):
                            dots[i, r] += x * panels[panel + some * (STEPS * SPAN) + (step * SPAN + r * LANES)]
            for c in range(dim // STEPS * STEPS, dim if STEPS > 1 else 0):
                for i in static_range(TILE):
                    x = W(key[places[i] + c])
                    for r in static_range(ROWS):
                        dots[i, r] += x * panels[panel + c * SPAN + r * LANES]
            kept = (tile & (KEYS - TILE)) * SPAN + lane
            for i in static_range(TILE):
                for r in static_range(ROWS):
                    score = dots[i, r]
                    if MASK:
                        score += W(mask[min(first + r * LANES, seq_len - 1) * kv_len + min(tile + i, kv_len - 1)])
                    seen = tile + i < end
                    if CAUSAL:
                        seen = seen and tile + i <= first + r * LANES
                    score = select(seen, score, W(-_INFINITY))
                    scores[kept + (i * SPAN + r * LANES)] = score
                    greatest[r] = max(greatest[r], score)
        for r in static_range(ROWS):
            # A query that has seen no key has no score to be the greatest.
            base[r] = select(greatest[r] == W(-_INFINITY), W(0), greatest[r])
            shrink[r] = exp(shrink[r] - base[r])
            total[r] = total[r] * shrink[r]
        for j in range(start, stop):
            kept = (j & (KEYS - 1)) * SPAN + lane
            for r in static_range(ROWS):
                weight = exp(scores[kept + r * LANES] - base[r])
                scores[kept + r * LANES] = weight
                total[r] += weight
        whole, rest = max(stop - start, 0) // MORE, (stop - start) & (MORE - 1)
        for some in range(dim // TILE):
            here = panel + some * (TILE * SPAN)
            for i in static_range(TILE):
                for r in static_range(ROWS):
                    dots[i, r] = sums[here + (i * SPAN + r * LANES)] * shrink[r]
            for more in range(whole):
                held = (more & (KEYS // MORE - 1)) * (MORE * SPAN) + lane
                row = keys + min(start + more * MORE, kv_len - MORE) * dim
                for step in static_range(MORE):
                    for i in static_range(TILE):
                        x = W(value[row + some * TILE + (step * dim + i)])
                        for r in static_range(ROWS):
                            dots[i, r] += x * scores[held + (step * SPAN + r * LANES)]
            for more in range(rest):
                held = ((whole * MORE + more) & (KEYS - 1)) * SPAN + lane
                row = keys + min(start + whole * MORE + more, kv_len - 1) * dim
                for i in static_range(TILE):
                    x = W(value[row + some * TILE + i])
                    for r in static_range(ROWS):
                        dots[i, r] += x * scores[held + r * LANES]
            for i in static_range(TILE):
                for r in static_range(ROWS):
                    sums[here + (i * SPAN + r * LANES)] = dots[i, r]
        for c in range(dim // TILE * TILE, dim):
            here = panel + c * SPAN
            for r in static_range(ROWS):
                dots[0, r] = sums[here + r * LANES] * shrink[r]
            for j in range(start, stop):
                x = W(value[keys + j * dim + c])
                for r in static_range(ROWS):
                    dots[0, r] += x * scores[(j & (KEYS - 1)) * SPAN + lane + r * LANES]
            for r in static_range(ROWS):
                sums[here + r * LANES] = dots[0, r]
    for r in static_range(ROWS):
        total[r] = select(total[r] == 0, W(0), 1 / total[r])
    for c in range(dim):
        for r in static_range(ROWS):
            if first + r * LANES < seq_len:
                found = sums[panel + c * SPAN + r * LANES] * total[r]
                output[(head * seq_len + first + r * LANES) * dim + c] = T(found)


def _weights(
    scores: Elements[W],
    factors: Elements[W],
    mask: Elements[T],
    seq_len: i32,
    kv_len: i32,
    head_dim: i32,
    scale: W,
    T: Constant[type],
    W: Constant[type],
    MASK: Constant[bool],
    CAUSAL: Constant[bool],
    SCALED: Constant[bool],
    ACROSS: Constant[int],
    LANES: Constant[int],
):
    """LANES lanes turn the scores of a query into powers, and find what makes their sum 1. Those of a key lie query
    after query, so that lanes side by side, of ACROSS queries, read numbers side by side."""
    partial = shared(W, (LANES, ACROSS))
    query, head, place, lane = global_id(0), block_id(2), local_id(0), local_id(1)
    column, factor = min(query, seq_len - 1), scale
    if not SCALED:
        factor = 1 / sqrt(W(head_dim))
    first, greatest, j = head * (kv_len * seq_len) + column, W(-_INFINITY), lane
    while j < kv_len:
        score = scores[first + j * seq_len] * factor
        if MASK:
            score += W(mask[column * kv_len + j])
        if CAUSAL:
            score = select(j <= column, score, W(-_INFINITY))
        if (MASK or CAUSAL) and query < seq_len:
            scores[first + j * seq_len] = score
        greatest = max(greatest, score)
        j += LANES
    if LANES > 1:
        partial[lane, place] = greatest
        barrier()
        for other in static_range(LANES):
            greatest = max(greatest, partial[other, place])
        barrier()
    # A query that has seen no key has no score to be the greatest.
    base = select(greatest == W(-_INFINITY), W(0), greatest)
    total, j = W(0), lane
    while j < kv_len:
        if query < seq_len:
            score = scores[first + j * seq_len]
            if not MASK and not CAUSAL:
                score = score * factor
            weight = exp(score - base)
            scores[first + j * seq_len] = weight
            total += weight
        j += LANES
    if LANES > 1:
        partial[lane, place] = total
        barrier()
        total = partial[0, place]
        for other in static_range(1, LANES):
            total += partial[other, place]
    if lane == 0 and query < seq_len:
        factors[head * seq_len + query] = select(total == 0, W(0), 1 / total)


def _weighted(
    output: Elements[T], factors: Elements[W], seq_len: i32, head_dim: i32, T: Constant[type], W: Constant[type]
):
    c, query, head = global_id(0), global_id(1), global_id(2)
    row = head * seq_len + query
    output[row * head_dim + c] = T(W(output[row * head_dim + c]) * factors[row])


# Bytes of scores that may be held at once. 64 heads of 2048 x 64 took an H200 166 ms without.
HELD = 1 << 26
HELD_BY_GPUS = 1 << 30
# Queries that a block turns into weights, and lanes for each: with one 8 heads of 512 x 64 took an H200 five times as
# long.
ALONE, TOGETHER = (64, 1), (32, 8)


def holds_scores(o, traits):
    """1 where all scores are held, which products of matrices make and read, else 0: on WebGPU, where tiles in one loop
    are worth it; and why it is 0, or would be. FlashAttention never does. 8 heads of 512 x 64 took SwiftShader 640 ms
    of the processor without."""
    for no, why in (
        (not traits.together, ""),
        ("block_size" in o.values, "FlashAttention holds none"),
        (o.ty is not Type.F32, "they are not f32"),
        (o.late, UNBOUNDED),
        (o.fusion is not None, "operands or results are computed with it"),
    ):
        if no:
            return 0, why
    large = flag(o.kv_len + 1 - _MANY) * flag(o.seq_len + 1 - _MANY) * flag(o.head_dim + 1 - _MANY)
    most = (HELD_BY_GPUS if traits.gpu else HELD) // 4
    why = f"lengths are below {_MANY}, or they would have more than {most * 4 >> 20} MiB"
    return large * flag(most + 1 - o.batch * o.heads * o.seq_len * o.kv_len), why


def _by_products(o, traits, often):
    """All is done `often` times."""
    heads, m, n, k = o.batch * o.heads, o.kv_len, o.seq_len, o.head_dim
    memory = {"scores": 4 * heads * m * n * often, "factors": 4 * heads * n * often}
    wide_block, lanes = TOGETHER if traits.gpu else ALONE
    buffers, how = {"a": "key", "b": "query", "c": "scores"}, {"batch": heads, "often": often}
    first, *more = _product(o, traits, o.ty, m, n, k, False, True, buffers=buffers, **how)
    scalars = {"seq_len": n, "kv_len": m, "head_dim": k, "scale": 1.0 if o.scale is None else o.scale}
    constants, buffers = {"T": o.ty, "W": wide(o.ty)}, {"a": "scores", "b": "value", "c": "output"}
    own = {"MASK": o.mask is not None, "CAUSAL": o.causal, "SCALED": o.scale is not None}
    return [
        replace(first, temporaries={**first.temporaries, **memory}),
        *more,
        part(o, _weights, (ceildiv(n, wide_block) * wide_block, lanes, heads), (wide_block, lanes), scalars=scalars,
             fast=True, times=often, ACROSS=wide_block, LANES=lanes, **own, **constants),
        *_product(o, traits, o.ty, n, k, m, True, False, buffers=buffers, **how),
        part(o, _weighted, (k, n, heads), (64,), scalars=scalars, times=often, **constants),
    ]  # fmt: skip


def choose(ty, traits, keys, dim):
    """The schedule: lanes of a block, queries of a lane, keys of a tile, and keys at a time, whose scores shared memory
    holds; STEPS elements of a product in a round, and MORE keys of the second one. `dim` is 0 where it is not known, or
    large. V8 has no registers for the sums of 4 keys and 3 queries: 64 of them and 128 keys took 0.18 ms, 0.10 with 2.

    A tile of 4 keys and 4 queries reads 8 numbers for 16 products: 8 heads of 512 x 64 took SwiftShader 690 ms of the
    processor so, and 1150 with 4 and 1. It is four times the code, which llvmpipe compiled for 18 s where that took 8,
    in rounds of four for 36, beside much other work; 8 and 8 took 540 ms, and SwiftShader compiled it for 10 s.
    What GPUs compute in integers is much code already."""
    lanes, rows, tile, steps = 4, 2, 4, 4
    if traits.together:
        lanes, rows, tile, steps = (64, 1, 1 if ty is Type.F64 else 4, 1)
        if dim >= _MANY and ty is not Type.F64:
            lanes, rows = 32, 4
    keys, rounds = _keys(ty, traits, keys, lanes, rows), {"STEPS": steps, "MORE": -(-steps // 2)}
    return {"LANES": lanes, "ROWS": rows, "SPAN": lanes * rows, "KEYS": keys, "TILE": tile, **rounds}


def _keys(ty, traits, keys, lanes, rows):
    """Keys whose scores shared memory holds."""
    most = max(4, min(keys, traits.shared // (lanes * rows * wide(ty).size_bytes), 64))
    return 1 << most.bit_length() - 1


def _schedules(o, traits):
    """Scores that are held, where they may be, and tiles of other sizes."""
    if not all(isinstance(each, int) for each in (o.batch, o.heads, o.seq_len, o.kv_len, o.head_dim)):
        return None, []
    held, _ = holds_scores(o, traits)
    default, most = choose(o.ty, traits, _keys_of(o), _dim_of(o)), _keys_of(o)
    shapes = ((64, 1, 4), (32, 2, 4), (32, 4, 4), (32, 1, 4)) if traits.together else ((4, 1, 4), (4, 2, 4), (4, 3, 4))
    found = [default]
    for lanes, rows, tile in shapes:
        keys = _keys(o.ty, traits, most, lanes, rows)
        found.append({**default, "LANES": lanes, "ROWS": rows, "SPAN": lanes * rows, "KEYS": keys, "TILE": tile})
    return _key(o), choices(*([("held", {})] if held else []), *(("tiles", each) for each in found))


def _key(o):
    found = size_class(o.batch * o.heads, o.seq_len, o.kv_len, o.head_dim)
    how = f"{'causal' if o.causal else 'all'}{'' if o.mask is None else ' mask'} {o.values.get('block_size', 0)}"
    return found and f"attention {o.ty} {found} {how}"


def _keys_of(o):
    return o.values.get("block_size", 64)


def _dim_of(o):
    """Of few dimensions as a number: then what a product adds to a place is known, and one proof for all of a tile."""
    return o.head_dim if isinstance(o.head_dim, int) and o.head_dim <= _KNOWN else 0


def _launches(o, traits):
    held, because = holds_scores(o, traits)
    found = timed(traits, _key(o))
    if found is not None and held and found[0] != "held":
        held, because = 0, "tiles were faster when they were timed"
    by_products = [] if isinstance(held, int) and not held else _by_products(o, traits, held)
    if isinstance(held, int) and held:
        return by_products
    ty, working = o.ty, wide(o.ty)
    dim = _dim_of(o)
    whys = f"scores are not held, as {because}" if because else "", _CHECKED if not dim else ""
    why = "; ".join(filter(None, whys))
    tiles = found is not None and found[0] == "tiles"
    chosen = found[1] if tiles else choose(ty, traits, _keys_of(o), dim)
    span = chosen["SPAN"]
    heads, blocks = o.batch * o.heads, ceildiv(o.seq_len, span)
    scalars = {"seq_len": o.seq_len, "kv_len": o.kv_len, "head_dim": o.head_dim, "blocks": blocks}
    scalars["scale"] = 1.0 if o.scale is None else o.scale
    count, times = span * heads * blocks * o.head_dim * (1 - held), 1 - held
    if o.late:  # blocks are full: of each query there is, at most span are packed
        count = o.most["query"] * span
    memory = {"panels": (working, count), "sums": (working, count)}
    return [
        *by_products,
        part(o, _packed, (span, o.head_dim, heads * blocks), (span,), temporaries=memory, scalars=scalars, T=ty,
             times=times, W=working, SPAN=span, SCALED=o.scale is not None),
        part(o, _attention, (chosen["LANES"] * blocks, heads), (chosen["LANES"],), scalars=scalars, fast=True, T=ty,
             times=times, why=why, W=working, MASK=o.mask is not None, CAUSAL=o.causal, DIM=dim, **chosen),
    ]  # fmt: skip


def _extents(o):
    heads = o.batch * o.heads
    keys = heads * o.kv_len * o.head_dim
    mask = {} if o.mask is None else {"mask": o.seq_len * o.kv_len}
    queries = heads * o.seq_len * o.head_dim
    return {"query": queries, "key": keys, "value": keys, **mask, "output": queries}


def _attended(np, o, query, key, value, mask=None):
    queries = query.reshape(o.batch, o.heads, o.seq_len, o.head_dim)
    keys, values = (x.reshape(o.batch, o.heads, o.kv_len, o.head_dim) for x in (key, value))
    scale = 1 / np.sqrt(max(o.head_dim, 1)) if o.scale is None else o.scale
    scores = queries @ keys.swapaxes(2, 3) * scale
    if mask is not None:
        scores = scores + mask.reshape(o.seq_len, o.kv_len)
    if o.causal:
        scores = np.where(np.tri(o.seq_len, o.kv_len, dtype=bool), scores, -np.inf)
    greatest = scores.max(axis=3, keepdims=True, initial=-np.inf)
    weights = np.exp(scores - np.where(greatest == -np.inf, 0, greatest))
    total = weights.sum(axis=3, keepdims=True)
    return weights / np.where(total == 0, 1, total) @ values


OPERATIONS = (
    *(
        TensorOperation(name, _extents, _launches, _attended, schedules=_schedules)
        for name in ("Attention", "FlashAttention")
    ),
    TensorOperation(
        "RoPE",
        lambda o: {
            "input": o.batch * o.seq_len * o.heads * o.head_dim,
            "freqs": o.seq_len * (o.head_dim // 2),
            "output": o.batch * o.seq_len * o.heads * o.head_dim,
        },
        lambda o, traits: [
            part(
                o,
                _rope,
                (ceildiv(o.head_dim, 2), o.heads, o.batch * o.seq_len),
                (64,),
                scalars={"seq_len": o.seq_len, "heads": o.heads, "head_dim": o.head_dim},
                T=o.ty,
                W=wide(o.ty),
                INTERLEAVED=o.interleaved,
            )
        ],
        _turned,
        epilogue="",
    ),
    TensorOperation(
        "KVCacheUpdate",
        lambda o: {
            "new_kv": o.batch * o.heads * o.head_dim,
            "cache": o.batch * o.heads * o.max_len * o.head_dim,
        },
        lambda o, traits: [
            part(
                o,
                _cached,
                (o.head_dim, o.batch * o.heads),
                (64,),
                scalars={"position": o.position, "head_dim": o.head_dim, "max_len": o.max_len},
                T=o.ty,
                BEYOND=beyond(o.ty),
            )
        ],
        _put_in,
        updated=("cache",),
        whole=False,
        apart="it writes some elements",
    ),
)
