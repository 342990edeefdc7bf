"""Reductions in the canonical order of isa.md section 3."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from ..isa.ops import IDENTITIES, reduce_type
from .language import (
    Callable,
    Constant,
    Elements,
    T,
    U,
    barrier,
    global_id,
    i32,
    local_id,
    registers,
    select,
    shared,
    static_range,
)  # fmt: skip
from .operation import TensorOperation, at_least, at_most, ceildiv, function, part

__all__ = ["OPERATIONS"]

# Lanes of a block that each reduce a block of elements by themselves. On SwiftShader 4 Mi of F32 take 16 ms of the
# processor so, and took 137 with 32 lanes for a block of elements, which meet at six barriers. Types of more than 32
# bits, which GPUs compute in several steps, would be too much code.
_ALONE = 32
# Loads of a lane that are on their way at once, on GPUs: the sum of 128 Mi took an H200 0.84 ms with one, 0.15 with
# eight (3.6 TB/s), and 0.63 with lanes alone.
_AHEAD = 8
_ROWS = 8  # blocks of elements that a block of lanes reduces, if shared memory holds as many
_BLOCK = 2048  # elements of one of them
# Of wide integers, whose sums have no order: llvmpipe ends loops after 65,535 rounds of a lane, MUL of I4096 has 2,100.
_WIDE_BLOCK = 256
_PASSES = 4  # 2048 ** 4 elements are more than a memory has; of wide integers 256 ** 4 are


def _reduce(dst: Elements[T], src_array: Elements[T], count: i32, T: Constant[type], F: Constant[Callable]):
    dst[0] = F(src_array[0], count)


def _reduce_blocks(
    dst: Elements[U],
    src_array: Elements[T],
    count: i32,
    blocks: i32,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    F: Constant[Callable],
    IDENTITY: Constant[float],
    ROWS: Constant[int],
    SIZE: Constant[int],
    AHEAD: Constant[int],
):
    """32 lanes reduce a block of elements, one orbit each, AHEAD rounds of loads before they are combined."""
    found = registers(max(AHEAD, 1), W)
    partial = shared(W, (ROWS, 32))
    row, orbit, block = local_id(1), local_id(0), global_id(1)
    total = W(IDENTITY)
    first = block * SIZE
    here = min(count - first, SIZE) if block < blocks else 0
    done = 0
    if AHEAD:
        for some in range(max(here, 0) // (32 * AHEAD)):
            for i in static_range(AHEAD):
                found[i] = W(src_array[first + orbit + some * (32 * AHEAD) + 32 * i])
            for i in static_range(AHEAD):
                total = F(total, found[i])
        done = max(here, 0) // (32 * AHEAD) * (32 * AHEAD)
    for i in range(done + orbit, here, 32):
        total = F(total, W(src_array[first + i]))
    partial[row, orbit] = total
    barrier()
    for half in static_range(5):
        stride = 16 >> half
        if orbit < stride:
            partial[row, orbit] = F(partial[row, orbit], partial[row, orbit + stride])
        barrier()
    if orbit == 0 and block < blocks:
        dst[block] = U(partial[row, 0])


def _reduce_alone(
    dst: Elements[U],
    src_array: Elements[T],
    count: i32,
    blocks: i32,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    F: Constant[Callable],
    IDENTITY: Constant[float],
    SIZE: Constant[int],
):
    """A lane reduces a block of elements, with its 32 orbits in registers, so that no lane waits for another. Places
    are cut where the array ends, so that its size is all that a proof needs."""
    block = global_id(0)
    totals, found = registers(32, W), registers(32, W)
    first = block * SIZE
    here = max(min(count - first, SIZE), 0) if block < blocks else 0
    rounds = here // 32
    for orbit in static_range(32):
        totals[orbit] = W(IDENTITY)
    round = i32(0)
    while round < rounds:
        place = min(first + round * 32, max(count - 32, 0))
        for orbit in static_range(32):
            found[orbit] = W(src_array[place + orbit])
        for orbit in static_range(32):
            totals[orbit] = F(totals[orbit], found[orbit])
        round += 1
    last = max(count - 1, 0)
    for start in range(rounds * 32, here, 32):  # one at most
        place = min(first + start, last)
        for orbit in static_range(31):
            found[orbit] = F(totals[orbit], W(src_array[min(place + orbit, last)]))
            totals[orbit] = select(start + orbit < here, found[orbit], totals[orbit])
    if block < blocks:
        for half in static_range(5):
            for orbit in static_range(16 >> half):
                totals[orbit] = F(totals[orbit], totals[orbit + (16 >> half)])
        dst[block] = U(totals[0])


def _launches(o, traits):
    """On a device that runs one lane after another nothing is faster than one lane, which reads memory. Elsewhere, and
    where the elements are computed, the results of all blocks are reduced again until there is one; between the passes
    nothing is rounded."""
    ty, combine = o.ty, o.operation.value
    if not traits.together and not o.computes("src_array"):
        return [part(o, _reduce, (1,), (1,), scalars={"count": o.count}, T=ty, F=function(f"reduce_{combine}"))]
    wide = reduce_type(ty)
    size = _WIDE_BLOCK if ty.is_wide else _BLOCK
    rows = min(_ROWS, traits.shared // (32 * wide.size_bytes))
    alone = traits.together and not traits.gpu and wide.size_bytes == 4

    def launch(source, count, target, blocks, times, most=0):
        if alone:
            shape, constants = ((ceildiv(blocks, _ALONE) * _ALONE,), (_ALONE,)), {}
        else:
            shape = (32, ceildiv(blocks, rows) * rows), (32, rows)
            constants = {"ROWS": rows, "AHEAD": _AHEAD if traits.gpu else 0}
        return part(
            o,
            _reduce_alone if alone else _reduce_blocks,
            *shape,
            buffers={"dst": target, "src_array": source},
            temporaries={} if target == "dst" else {target: (wide, most)},
            times=times,
            scalars={"count": count, "blocks": blocks},
            T=ty if source == "src_array" else wide,
            U=ty if target == "dst" else wide,
            W=wide,
            F=function(combine),
            IDENTITY=IDENTITIES[combine](wide),
            SIZE=size,
            **constants,
        )

    count, source, goes_on = o.count, "src_array", 1  # 1 if this pass is needed, else 0
    found = []
    for number in range(_PASSES):
        blocks = at_least(ceildiv(o.count, size ** (number + 1)), 1)
        more = at_most(blocks - 1, 1)
        found.append(launch(source, count, "dst", 1, goes_on - more))
        if number < _PASSES - 1:
            most = at_least(ceildiv(o.most.get("src_array", o.count), size ** (number + 1)), 1)
            found.append(launch(source, count, f"partial{number}", blocks, more, most))
        count, source, goes_on = blocks, f"partial{number}", more
    return [launch for launch in found if not isinstance(launch.times, int) or launch.times]


OPERATIONS = (TensorOperation("ParallelReduce", lambda o: {"src_array": o.count, "dst": 1}, _launches),)
