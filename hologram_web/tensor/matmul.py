"""Matrix products. The sum of an element runs over k in increasing order, whatever the schedule."""

# mypy: ignore-errors
# To Python i32 is a value and no type: kernels are parsed and never executed.

from __future__ import annotations

from functools import partial

from ..isa.types import Type
from .budgets import ROWS, UNBOUNDED, rows_of, size_class, tile_of
from .language import (
    Callable,
    Constant,
    Elements,
    T,
    U,
    W,
    block_id,
    global_id,
    i32,
    local_id,
    registers,
    static_range,
)  # fmt: skip
from .norms import wide
from .operation import TensorOperation, ceildiv, flag, function, part, product, summable
from .panels import (
    AS_IT_LIES,
    AS_IT_LIES_HERE,
    SOME,
    STRIP,
    _gemm_panels,
    _mad,
    _panels,
    _same,
    _scaled,
    _strips,
    just_before,
    width_of,
)
from .thin import SPANS, TOGETHER, _gemm_thin

__all__ = ["OPERATIONS", "candidates", "choose", "tunable", "tuning_key"]


def _gemm_plain(
    c: Elements[T],
    a: Elements[U],
    b: Elements[U],
    bias: Elements[T],
    n: i32,
    k: i32,
    a_row: i32,
    a_step: i32,
    a_batch: i32,
    b_step: i32,
    b_column: i32,
    b_batch: i32,
    c_batch: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    BATCHED: Constant[bool],
    BETA: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
):
    """One lane for each element of c."""
    column, row = global_id(0), global_id(1)
    left, right, at = row * a_row, column * b_column, row * n + column
    if BATCHED:
        batch = global_id(2)
        left, right, at = left + batch * a_batch, right + batch * b_batch, at + batch * c_batch
    total = W(0)
    for p in range(k):
        total = _mad(W(a[left + p * a_step]), W(b[right + p * b_step]), total)
    total = _scaled(total, alpha, beta, c, at, BETA)
    if BIAS:
        total = total + W(bias[column])
    c[at] = EPILOGUE(T(total))


def _gemm_rows(
    c: Elements[T],
    a: Elements[U],
    b: Elements[U],
    bias: Elements[T],
    m: i32,
    n: i32,
    k: i32,
    a_row: i32,
    a_step: i32,
    a_batch: i32,
    b_step: i32,
    b_column: i32,
    b_batch: i32,
    c_batch: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    BATCHED: Constant[bool],
    BETA: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    ROWS: Constant[int],
    COLUMNS: Constant[int],
    TURNED: Constant[bool],
    STEP: Constant[int],
    STEPS: Constant[int],
    SWAPPED: Constant[bool],
):
    """Four lanes make ROWS x (4 * COLUMNS) elements from the matrices as they lie: a packet reads neighbours of a row
    of b, if that is not TURNED, and a line of the cache before it goes on to the next one. STEP is a's, or 0. SWAPPED
    it makes the transposed of c, of which a and b are the factors' transposed, each in the other's place."""
    left, top = block_id(0) * (4 * COLUMNS) + local_id(0), block_id(1) * ROWS
    right, step, apart, rest, ahead = left, b_step, i32(1), i32(0), a_step
    if STEP:
        ahead = STEP
    if TURNED:
        right, step, apart = left * b_column, 1, b_column
    result = i32(0)
    rows, sums, y = registers(ROWS, i32), registers((ROWS, COLUMNS), W), registers(COLUMNS, W)
    for i in static_range(ROWS):
        rows[i] = min(top + i, m - 1) * a_row
        if BATCHED:
            rows[i] += block_id(2) * a_batch
    if BATCHED:
        right, result = right + block_id(2) * b_batch, result + block_id(2) * c_batch
    if block_id(0) * (4 * COLUMNS) + 4 * COLUMNS <= n:
        for some in range(k // STEPS):
            for more in static_range(STEPS):
                for j in static_range(COLUMNS):
                    y[j] = W(b[right + some * STEPS * step + more * step + 4 * j * apart])
                for i in static_range(ROWS):
                    x = W(a[rows[i] + some * STEPS * ahead + more * ahead])
                    for j in static_range(COLUMNS):
                        sums[i, j] += x * y[j]
        rest = k // STEPS * STEPS
    for p in range(rest, k):
        for j in static_range(COLUMNS):
            if left + 4 * j < n:
                y[j] = W(b[right + p * step + 4 * j * apart])
                for i in static_range(ROWS):
                    sums[i, j] += W(a[rows[i] + p * ahead]) * y[j]
    for i in static_range(ROWS):
        if top + i < m:
            for j in static_range(COLUMNS):
                row, column, width = top + i, left + 4 * j, n
                if left + 4 * j < n:
                    if SWAPPED:
                        row, column, width = column, row, m
                    at = result + row * width + column
                    total = _scaled(sums[i, j], alpha, beta, c, at, BETA)
                    if BIAS:
                        total = total + W(bias[column])
                    c[at] = EPILOGUE(T(total))


def _gemm_tiles(
    c: Elements[T],
    a: Elements[U],
    b: Elements[U],
    bias: Elements[T],
    m: i32,
    n: i32,
    k: i32,
    a_row: i32,
    a_step: i32,
    a_batch: i32,
    b_step: i32,
    b_column: i32,
    b_batch: i32,
    c_batch: i32,
    alpha: W,
    beta: W,
    T: Constant[type],
    U: Constant[type],
    W: Constant[type],
    BATCHED: Constant[bool],
    BETA: Constant[bool],
    BIAS: Constant[bool],
    EPILOGUE: Constant[Callable],
    ROWS: Constant[int],
    COLUMNS: Constant[int],
    ACROSS: Constant[int],
    STEPS: Constant[int],
    REST: Constant[bool],
):
    """A lane makes ROWS x COLUMNS elements in registers, its columns ACROSS apart: lanes side by side read elements
    side by side. Lanes beyond the last row and column make those again, and store nothing. A round does STEPS of k;
    what is left of k is the REST.

    A loop with its condition first: SwiftShader took 1.5 times as long for what `range` becomes. What it reads comes
    first in a round: sums are in memory between one part of the code and the next, and each load ends such a part."""
    top, left = global_id(1) * ROWS, block_id(0) * (ACROSS * COLUMNS) + local_id(0)
    rows, columns = registers(ROWS, i32), registers(COLUMNS, i32)
    for i in static_range(ROWS):
        rows[i] = min(top + i, m - 1) * a_row
        if BATCHED:
            rows[i] += global_id(2) * a_batch
    for j in static_range(COLUMNS):
        columns[j] = min(left + ACROSS * j, n - 1) * b_column
        if BATCHED:
            columns[j] += global_id(2) * b_batch
    sums, x, y = registers((ROWS, COLUMNS), W), registers((STEPS, ROWS), W), registers((STEPS, COLUMNS), W)
    some, rounds = i32(0), k // STEPS
    while some < rounds:
        for step in static_range(STEPS):
            for j in static_range(COLUMNS):
                y[step, j] = W(b[columns[j] + (some * STEPS + step) * b_step])
            for i in static_range(ROWS):
                x[step, i] = W(a[rows[i] + (some * STEPS + step) * a_step])
        for step in static_range(STEPS):
            for i in static_range(ROWS):
                for j in static_range(COLUMNS):
                    sums[i, j] += x[step, i] * y[step, j]
        some += 1
    if REST:
        p = rounds * STEPS
        while p < k:
            for j in static_range(COLUMNS):
                y[0, j] = W(b[columns[j] + p * b_step])
            for i in static_range(ROWS):
                x[0, i] = W(a[rows[i] + p * a_step])
                for j in static_range(COLUMNS):
                    sums[i, j] += x[0, i] * y[0, j]
            p += 1
    for i in static_range(ROWS):
        if top + i < m:
            for j in static_range(COLUMNS):
                row, column = top + i, left + ACROSS * j
                if column < n:
                    at = row * n + column
                    if BATCHED:
                        at += global_id(2) * c_batch
                    total = _scaled(sums[i, j], alpha, beta, c, at, BETA)
                    if BIAS:
                        total = total + W(bias[column])
                    c[at] = EPILOGUE(T(total))


TILE = {"ROWS": 8, "COLUMNS": 8, "ACROSS": 8}  # of a lane; blocks have as many lanes along each axis
SMALL_TILE = {"ROWS": 2, "COLUMNS": 2, "ACROSS": 8}  # of matrices that have few of those
NARROW = {"ROWS": 4, "COLUMNS": 8, "ACROSS": 4}  # of matrices that have many rows, and few columns
MANY = 64  # rows, which are lanes enough
# Of one row, and of one column, whose blocks have so many rows of lanes. A row of 1,024 by 1,024 x 1,024 took
# SwiftShader 16 ms with a column and a step a lane, 7 with four steps, 3.5 with four columns, too; with k split over
# four lanes, which exact sums may not have, 4.8. A GPU, which waits for loads, has more lanes.
ROW = {"ROWS": 1, "COLUMNS": 4, "ACROSS": 32, "DOWN": 1, "STEPS": 4}
COLUMN = {"ROWS": 4, "COLUMNS": 1, "ACROSS": 1, "DOWN": 64, "STEPS": 4}
ONE = {"ROWS": 1, "COLUMNS": 1, "STEPS": 8}
# Elements of a result that make too few large tiles for a GPU: 512 x 512 took an H200 0.10 ms with them, and 0.06 with
# small ones.
FEW_TILES = 1 << 18
# Of k in a round with tiles: 512 x 512 took SwiftShader 140 ms of the processor with one, 126 with two, 130 with four.
STEPS = 2


SUMS = 12  # vectors of them, if rows are not packed
FEW = 4  # rows for which packing b is not worth it
THIN = 8, 4  # columns of a lane that makes one row or two: 12 and 6 took V8 as long and a fifth longer, in more code
SMALL = 1 << 13  # elements of a matrix b that stays in the first cache as it lies, and costs less so than launches
LOW = 16  # rows for which that is so: 32 x 32 by 4096 rows took V8 0.39 ms, and 0.21 in panels
# Columns of a result made so, transposed: 1,024 x 1,024 by 1, 4 and 7 columns took V8 0.47, 0.66 and 1.33 ms, and
# in panels 2.8, but for 8 0.83. wasmtime took a tenth less for one, and a fifth longer for four. Of lines 4 KB apart no
# more than eight stay in the first cache.
SLIM, SLIM_HERE = 7, 2
REGISTERS, LANES = 96, 256  # of a lane with tiles; of a block, which every adapter runs
# What `explain` says of a lane for each element, and of rows that may be fewer.
WIDE, TIMED = "{} is not computed in 32 bits", "that was faster when timed"
UNTOLD = "{} at a time, also where there are fewer: their number is not known"
FOR_FEW = "the first matrix in strips, also for {} columns and fewer: their number is not known"
TEXTS = {"plain": _gemm_plain, "rows": _gemm_rows, "panels": _gemm_panels, "tiles": _gemm_tiles}


def candidates(m, n, k, ty, traits):
    """Schedules that may be timed: texts by their names, with constants that registers and blocks have room for. What
    is chosen without that is the first."""
    name = {text: name for name, text in TEXTS.items()}
    found = [(name[text], tuple(constants.items())) for text, constants, _ in choose(m, n, k, ty, traits)]
    if traits.together and ty.size_bytes == 4:
        for rows, columns, across in ((4, 4, 8), (8, 4, 8), (4, 8, 8), (4, 4, 16), (8, 8, 16), (2, 2, 16), (8, 8, 8)):
            if rows * columns + rows + 2 * columns <= REGISTERS and across * across <= LANES:
                found.append(("tiles", (("ROWS", rows), ("COLUMNS", columns), ("ACROSS", across))))
    elif not traits.together and 4 <= ty.size_bytes <= 8:
        for rows in (1, 2, 3, 4, 5, 6):
            if rows <= max(m, 1):
                columns = SUMS * 4 // ty.size_bytes // rows
                found.append(("rows", (("ROWS", rows), ("COLUMNS", columns))))
        found += [("panels", tuple(_of_panels(tile, n, traits).items())) for tile in ROWS.values()]
    return list(dict.fromkeys([*found, ("plain", ())]))


def tuning_key(held, ty, m, n, k, trans_a, trans_b, batch):
    """What products have in common that one schedule is best for; None where sizes are not known."""
    if size_class(batch) is None or (found := size_class(m, n, k)) is None:
        return None
    how = f"{'t' if trans_a else 'n'}{'t' if trans_b else 'n'}{'' if batch == 1 else ' batch'}"
    return f"product {held} {ty} {found} {how}"


def tunable(o, traits):
    """The key of a product, and its candidates."""
    ty, sizes, batch = wide(o.ty), (o.m, o.n, o.k), o.values.get("batch", 1)
    return tuning_key(o.ty, ty, *sizes, o.trans_a, o.trans_b, batch), candidates(*sizes, ty, traits)


def _as_it_lies(traits):
    return AS_IT_LIES_HERE if traits.native else AS_IT_LIES


def _of_panels(tile, n, traits):
    """Constants of panels: whether the other factor is packed for n columns, and steps of a round."""
    packed = not isinstance(n, int) or n > _as_it_lies(traits)
    return {"TALL": tile[0], "STEPS": tile[1], "PACKED": packed}


def _of_rows(rows, ty):
    columns = THIN[rows - 1] if rows <= len(THIN) else SUMS // rows
    return {"ROWS": rows, "COLUMNS": columns * 4 // ty.size_bytes}


def choose(m, n, k, ty, traits, key=None, late=False):
    """Schedules of products that are computed in a type, with how often each is launched, which sizes say that are not
    known: which text, and its constants. What was tuned under the key is one. Of `late` sizes one has memory."""
    if (tuned := dict(traits.tuned).get(key)) is not None:
        return [(TEXTS[tuned[0]], dict(tuned[1]), 1)]
    # GPUs compute F64 in integers: products side by side are too much code. Tiles of wide integers are too large.
    if traits.together and ty.size_bytes == 4:
        tiles = flag(m - 15) * flag(n - 31)
        # Below, few lanes would do all, most of it beyond the last row or column.
        small = (1 - tiles) * flag(m - 1) * flag(n - 1)
        # Of rows with few columns four lanes make all: each element is read for fewer lanes.
        narrow = flag(m - (MANY - 1)) * flag(32 - n) * flag(n - 1)
        if isinstance(n, int) and not 1 < n < 32:
            narrow = 0
        side = NARROW | ({"COLUMNS": ceildiv(n, 4)} if isinstance(n, int) else {})
        if traits.gpu:
            quick = tiles * flag(FEW_TILES + 1 - m * n)
            tiles, small = tiles - quick, small + quick
        tight = 0 if isinstance(n, int) else narrow * flag(17 - n)
        found = [(_gemm_tiles, TILE, tiles), (_gemm_tiles, NARROW | {"COLUMNS": 4}, tight)]
        found += [(_gemm_tiles, side, narrow - tight), (_gemm_tiles, SMALL_TILE, small - narrow)]
        of_gpu = ONE if traits.gpu else {}
        found.append((_gemm_tiles, ROW | of_gpu, flag(2 - m)))
        found.append((_gemm_tiles, COLUMN | of_gpu, flag(m - 1) * flag(2 - n)))
    elif not traits.together and 4 <= ty.size_bytes <= 8:
        small = flag(SMALL + 1 - k * n) * flag(LOW + 1 - m)
        few = flag(flag(FEW + 1 - m) + small) * flag(n - 15)  # for whole tiles at least
        if isinstance(m, int):
            found = [(_gemm_rows, _of_rows(min(max(m, 1), rows_of(traits)), ty), few)]
        else:
            found, more = [], few
            for i in range(1, FEW):
                found.append((_gemm_rows, _of_rows(i, ty), more * flag(i + 1 - m)))
                more = few * flag(m - i)
            found.append((_gemm_rows, _of_rows(FEW, ty), more))
        # Few columns of many rows are the same, transposed: the first factor is not packed either.
        most = SLIM_HERE if traits.native else SLIM
        slim = flag(most + 1 - n) * flag(m - 15)  # few has 16 columns and more
        rows = min(max(n, 1) if isinstance(n, int) else most, FEW)
        found.append((_gemm_rows, _of_rows(rows, ty) | {"SWAPPED": True, "COLUMNS": 2}, slim))
        most = _as_it_lies(traits)
        of_columns = [(n, 1)] if isinstance(n, int) or late else [(1, flag(most + 1 - n)), (n, flag(n - most))]
        for columns, some in of_columns:
            found.append((_gemm_panels, _of_panels(tile_of(traits), columns, traits), (1 - few - slim) * some))
    else:
        found = [(_gemm_plain, {}, 1)]
    return [each for each in found if not isinstance(each[2], int) or each[2]]


def _in_strips(o, left, memory, tall, sizes, packing, turned):
    """The launch that packs the left factor: of rows that lie side by side strips are panels of so many columns."""
    (k, below, batch), scalars = sizes, packing["scalars"]
    packing = packing | {"temporaries": memory}
    if turned and tall == 8:
        scalars = scalars | {
            "n": scalars["m"],
            "b_step": scalars["a_step"],
            "b_batch": scalars["a_batch"],
            "many": below,
        }
        packing |= {"scalars": scalars, "buffers": {"b": left, "panels": "strips"}}
        batched = not isinstance(batch, int) or batch != 1
        return part(
            o, _panels, (ceildiv(k, SOME) * 4, batch), (4,), BATCHED=batched, TURNED=False, WIDTH=tall, **packing
        )
    given = {"buffers": {"a": left}, "TALL": tall, "STEP": int(not turned)}
    return part(o, _strips, (k, below, batch), (64,), **given, **packing)


def _product(
    o, traits, ty, m, n, k, trans_a, trans_b, batch=1, strides=(), buffers=None, alpha=1, beta=0, often=1, steps=None
):
    """Launches for `batch` products of m x k and k x n matrices of `o.ty`, to elements of a type. `buffers` are the
    operands that are not a, b and c; all is done `often` times, 1 or 0. `steps` are scalars of operands that lie in
    another way: neighbours in a row, or in a column of what is transposed, are neighbours in memory."""
    inner, buffers = wide(o.ty), buffers or {}
    batched = not isinstance(batch, int) or batch != 1
    a_batch, b_batch, c_batch = strides or (m * k, k * n, m * n)
    scalars = {
        "m": m, "n": n, "k": k,
        "a_row": 1 if trans_a else k, "a_step": m if trans_a else 1, "a_batch": a_batch,
        "b_step": 1 if trans_b else n, "b_column": k if trans_b else 1, "b_batch": b_batch,
        "c_batch": c_batch, "alpha": alpha, "beta": beta,
    } | (steps or {})  # fmt: skip
    common = {"BATCHED": batched, "W": inner}
    final = {
        "T": ty,
        "BETA": not isinstance(beta, (int, float)) or beta != 0,
        "BIAS": o.values.get("bias") is not None,
        "EPILOGUE": _same if o.values.get("activation") is None else function(o.activation.value),
    }
    if "bias" not in o.values:
        buffers = {"bias": buffers.get("c", "c"), **buffers}
    found = []
    key = tuning_key(o.ty, inner, m, n, k, trans_a, trans_b, batch)
    for kernel, constants, needed in choose(m, n, k, inner, traits, key, o.late or o.ty != inner):
        times, why = needed * often, ""
        if kernel is _gemm_panels and o.late and strides:
            kernel, why = _gemm_plain, f"a lane for each element, as with strides {UNBOUNDED}"
        elif kernel is _gemm_plain:
            tuned = key in dict(traits.tuned)
            because = TIMED if tuned else WIDE.format(inner)
            why = f"a lane for each element, as {because}"
        lanes, block, own, numbers = (n, m, batch), (16, 16), buffers, scalars
        of_elements = {"U": o.ty}
        if kernel is _gemm_tiles:
            across = constants["ACROSS"]
            constants = {"STEPS": STEPS, "DOWN": max(across, 64 // across), **constants}
            constants["REST"] = not isinstance(k, int) or k % constants["STEPS"] != 0
            lanes = ceildiv(n, across * constants["COLUMNS"]) * across, ceildiv(m, constants["ROWS"]), batch
            block = across, constants.pop("DOWN")
            # What a size that is known may make narrower than that of others.
            late = across == NARROW["ACROSS"] and not isinstance(n, int)
            why = UNTOLD.format(f"{across * constants['COLUMNS']} columns") if late else ""
        elif kernel is _gemm_rows and constants["ROWS"] == 1 and not (trans_b or constants.get("SWAPPED")):
            kernel, constants = _gemm_thin, {"SPAN": SPANS[isinstance(n, int) and n >= 2 * SPANS[1]], "STEPS": TOGETHER}
            lanes, block = (ceildiv(n, constants["SPAN"]) * 4, m, batch), (4,)
        elif kernel is _gemm_rows:
            across, swapped = 4 * constants["COLUMNS"], constants.get("SWAPPED", False)
            down, along, turned, straight = (n, m, not trans_a, trans_b) if swapped else (m, n, trans_b, not trans_a)
            lanes, block = (ceildiv(along, across) * 4, ceildiv(down, constants["ROWS"]), batch), (4,)
            constants = constants | {"TURNED": bool(turned), "STEP": int(straight), "STEPS": STEPS, "SWAPPED": swapped}
            if swapped:
                numbers = scalars | {"m": n, "n": m, "a_row": scalars["b_column"], "a_step": scalars["b_step"]}
                numbers |= {"b_step": scalars["a_step"], "b_column": scalars["a_row"]}
                numbers |= {"a_batch": scalars["b_batch"], "b_batch": scalars["a_batch"]}
                own = {**buffers, "a": buffers.get("b", "b"), "b": buffers.get("a", "a")}
        elif kernel is _gemm_panels and not (traits.native or o.late):
            left, right = buffers.get("a", "a"), buffers.get("b", "b")
            packed = {"PACKED": constants["PACKED"] or o.ty != inner, "STEP": int(not trans_a)}
            given = {
                "times": times,
                "buffers": buffers,
                "TURNED": bool(trans_b),
                **final,
                "BIAS": int(final["BIAS"]),
                "W": inner,
            }
            found += just_before(o, (m, n, k), batch, scalars, constants | packed, left, right, o.ty, **given)
            continue
        elif kernel is _gemm_panels:
            width, tall = width_of(inner), constants["TALL"]
            panels = ceildiv(n, width)
            below, scalars["many"] = ceildiv(m, tall), panels
            lanes, block = (panels * 4, ceildiv(m, tall * STRIP), batch), (4,)
            packing = {"scalars": scalars, "U": o.ty, "W": inner, "times": times}
            # There are fewer columns than a panel has beside those of b, and b has a column if it has rows.
            right = buffers.get("b", "b")
            size = o.most[right] * width if o.late else panels * width * k * batch * times
            memory = {"panels": (inner, size)}
            given = {"buffers": {"b": right}, "temporaries": memory, "TURNED": bool(trans_b), "WIDTH": width, **packing}
            found.append(part(o, _panels, (ceildiv(k, SOME) * 4, batch), (4,), BATCHED=batched, **given))
            scalars["below"], left = below, buffers.get("a", "a")
            packed = constants.get("PACKED", True) or o.ty != inner  # which would be converted for each panel
            if not isinstance(n, int) and o.ty == inner and o.late:  # else there is a schedule for few columns
                why = FOR_FEW.format(_as_it_lies(traits))
            if packed:
                size = o.most[left] * tall if o.late else below * tall * k * batch * times
                found.append(_in_strips(o, left, {"strips": (inner, size)}, tall, (k, below, batch), packing, trans_a))
                left, of_elements = "strips", {"U": inner}
            own = {**buffers, "strips": left}
            rest, edge = (not isinstance(size, int) or size % by for size, by in ((k, constants["STEPS"]), (n, width)))
            constants = constants | {
                "WIDTH": width,
                "PACKED": packed,
                "STEP": int(not trans_a),
                "REST": rest != 0,
                "EDGE": edge != 0,
            }
        constants = constants | common | final | of_elements
        given = {"buffers": own, "times": times, "scalars": numbers, "why": why}
        found.append(part(o, kernel, lanes, block, fast=True, **given, **constants))
    return found


def _gemm_like(ty=None):
    """Launches of what has GEMM's operands; its result is of that type, or of its elements'."""

    def launches(o, traits):
        batch, strides = o.values.get("batch", 1), o.values.get("strides", ())
        sizes = o.m, o.n, o.k, o.trans_a, o.trans_b, batch, strides
        steps = dict(o.values.get("steps", ()))  # of arrays that are parts of others
        return _product(o, traits, ty or o.ty, *sizes, alpha=o.alpha, beta=o.beta, steps=steps)

    return launches


def _extents(o):
    """Of a batch from the first element of the first matrix to the last of the last."""
    batch, strides = o.values.get("batch", 1), o.values.get("strides", ())
    bias = {} if o.bias is None else {"bias": o.n}
    sizes = {"a": o.m * o.k, "b": o.k * o.n, "c": o.m * o.n}
    found = {
        name: flag(batch) * flag(size) * ((batch - 1) * stride + size)
        for (name, size), stride in zip(sizes.items(), strides or sizes.values(), strict=True)
    }
    return {"a": found["a"], "b": found["b"], **bias, "c": found["c"]}


def _strides_wrong(o):
    if o.strides and (len(o.strides) != 3 or min(o.strides) < 0):
        return f"strides are those of a, b and c, in elements, and not negative: not {tuple(o.strides)}"
    return None


def _by_numpy(np, o, a, b, c, bias=None):
    ty, batch = o.ty, o.values.get("batch", 1)
    strides = o.values.get("strides") or (o.m * o.k, o.k * o.n, o.m * o.n)
    found = np.ma.array(c, mask=True)  # what lies between matrices stays

    number = partial(summable, np, ty)
    a, b = number(a), number(b)
    for i in range(batch):
        from_a, from_b, from_c = (i * stride for stride in strides)
        left, right = a[from_a : from_a + o.m * o.k], b[from_b : from_b + o.k * o.n]
        left = left.reshape(o.k, o.m).T if o.trans_a else left.reshape(o.m, o.k)
        right = right.reshape(o.n, o.k).T if o.trans_b else right.reshape(o.k, o.n)
        total = number(o.alpha) * product(np, left, right)
        into = slice(from_c, from_c + o.m * o.n)
        if o.beta:
            total = total + number(o.beta) * number(c[into]).reshape(o.m, o.n)
        if bias is not None:
            total = total + number(bias)
        found[into] = total.ravel().astype(found.dtype, copy=False)
    return found


OPERATIONS = (
    TensorOperation("GEMM", _extents, _gemm_like(), schedules=tunable),
    TensorOperation(
        "BatchedGEMM", _extents, _gemm_like(), _by_numpy, _strides_wrong, updated=("c",), schedules=tunable
    ),
    TensorOperation("MixedPrecisionGEMM", _extents, _gemm_like(Type.F32), _by_numpy, updated=("c",), schedules=tunable),
)
