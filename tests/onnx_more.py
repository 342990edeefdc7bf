"""Nodes of ONNX that are several collectives one after another, with arrays between them, and those whose operands are
arranged first: axes that lie elsewhere, places of elements, masks."""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any

import numpy as np

from .onnx_node import Array, Node, listed, need

__all__ = ["MORE"]

Row = Callable[[Node], str]


def _lines(*lines: str) -> str:
    return "\n    ".join(filter(None, lines))


def _moved(n: Node, source: str, shape: tuple[int, ...], order: list[int], ty: str = "", to: str = "") -> str:
    """The transpose of an array; where it goes to is made, unless it is named."""
    to = to or n.temporary(prod(shape), ty)
    return f"transpose.{ty or n.ty} [{to}], [{source}], {listed(shape)}, {listed(order)}"


# Maps


def _constant(n: Node, value: Any, ty: Any = None) -> str:
    """An array of the result's shape with this in each element."""
    return n.array(np.full(n.wanted[0].shape, value, ty or n.wanted[0].dtype))


def _spread(n: Node, number: int, lines: list[str]) -> str:
    """The name of an operand in the result's shape; what makes it goes before the other lines."""
    shape = n.wanted[0].shape
    if n[number].shape == shape:
        return f"x{number}"
    made, places = n.temporary(prod(shape), n.of(n[number])), np.arange(n[number].size).reshape(n[number].shape)
    held = n.array(np.broadcast_to(places, shape).astype(np.int32).ravel())
    sizes = f"1, {n[number].size}, 1, {prod(shape)}"
    lines.append(f"gather.{n.of(n[number])} [{made}], [x{number}], [{held}], {sizes}")
    return made


def _chain(operation: str, mean: bool = False) -> Row:
    def row(n: Node) -> str:
        lines: list[str] = []
        count, last = n.wanted[0].size, _spread(n, 0, lines)
        if len(n.inputs) == 1:
            lines.append(f"copy.{n.ty} [y0], [{last}], {count}")
        for i in range(1, len(n.inputs)):
            other = _spread(n, i, lines)
            lines.append(f"parallel_map_binary.{operation}.{n.ty} [y0], [{last}], [{other}], {count}")
            last = "y0"
        if mean:
            lines.append(f"parallel_map_binary.div.{n.ty} [y0], [y0], [{_constant(n, len(n.inputs))}], {count}")
        return _lines(*lines)

    return row


def _two(operation: str) -> Row:
    def row(n: Node) -> str:
        need(n[0].dtype == n[1].dtype, "operands of two types")
        need(operation != "pow" or n[0].dtype.kind == "f", "powers of integers")
        return _chain(operation)(n)

    return row


def _with(operation: str, value: Any) -> Row:
    return lambda n: f"parallel_map_binary.{operation}.{n.ty} [y0], [x0], [{_constant(n, value)}], {n[0].size}"


def _mod(n: Node) -> str:
    need(n.attribute("fmod", 0) or n[0].dtype.kind == "u", "the sign of the divisor")
    return _two("rem")(n)


def _clip(n: Node) -> str:
    lines, last = [], "x0"
    for number, operation in ((1, "max"), (2, "min")):
        if n.get(number) is not None:
            lines.append(
                f"parallel_map_binary.{operation}.{n.ty} [y0], [{last}], [{_constant(n, n[number])}], {n[0].size}"
            )
            last = "y0"
    return _lines(*lines) or f"copy.{n.ty} [y0], [x0], {n[0].size}"


# Reductions of some axes


def _axes(n: Node) -> list[int]:
    given = n.get(1) if n.get(1) is not None else n.attribute("axes")
    given = [] if given is None else [int(axis) % n[0].ndim for axis in given]
    need(given or not n.attribute("noop_with_empty_axes", 0), "nothing is reduced")
    return given or list(range(n[0].ndim))


def _contracted(n: Node, to: str, a: str, factor: float, squares: bool = False) -> str:
    """Sums over the axes, of squares or times a factor, as a product with itself or with an array of that factor."""
    axes, shape = _axes(n), n[0].shape
    left = [axis for axis in range(n[0].ndim) if axis not in axes]
    if squares:
        pairs, both = ([f"{axis}:{axis}" for axis in some] for some in (axes, left))
        return (
            f"tensor_contract.{n.ty} [{to}], [{a}], [{a}], {listed(shape)}, {listed(shape)}, {listed(pairs)}, "
            f"batch_dims={listed(both)}"
        )
    ones = n.array(np.full([shape[axis] for axis in axes], factor, n.wanted[0].dtype))
    pairs = [f"{axis}:{i}" for i, axis in enumerate(axes)]
    lengths = listed(shape[axis] for axis in axes)
    return f"tensor_contract.{n.ty} [{to}], [{a}], [{ones}], {listed(shape)}, {lengths}, {listed(pairs)}"


def _summed(before: str = "", after: str = "", mean: bool = False, squares: bool = False) -> Row:
    def row(n: Node) -> str:
        need(n.ty in ("f16", "f32", "f64"), "sums of integers along axes")
        factor = 1 / prod(n[0].shape[axis] for axis in _axes(n)) if mean else 1.0
        source = n.temporary(n[0].size) if before else "x0"
        return _lines(
            before and f"parallel_map.{before}.{n.ty} [{source}], [x0], {n[0].size}",
            _contracted(n, "y0", source, factor, squares),
            after and f"parallel_map.{after}.{n.ty} [y0], [y0], {n.wanted[0].size}",
        )

    return row


def _extreme(least: bool) -> Row:
    """The greatest along axes, which go to the end, is that of windows of a row."""

    def row(n: Node) -> str:
        axes, shape = _axes(n), n[0].shape
        need(n.ty in ("f16", "f32", "f64"), "extremes of integers along axes")
        need(n[0].size, "extremes of nothing")
        order = [axis for axis in range(n[0].ndim) if axis not in axes] + axes
        count, length = n[0].size, prod(shape[axis] for axis in axes)
        moved = n.temporary(count)
        return _lines(
            _moved(n, "x0", shape, order, to=moved),
            f"parallel_map.neg.{n.ty} [{moved}], [{moved}], {count}" if least else "",
            f"max_pool2d.{n.ty} [y0], [{moved}], 1, 1, {count // length}, {length}, 1, {length}, stride=(1, {length})",
            f"parallel_map.neg.{n.ty} [y0], [y0], {n.wanted[0].size}" if least else "",
        )

    return row


def _last(mnemonic: str) -> Row:
    """The last of equals is the first of the axis backwards."""

    def row(n: Node) -> str:
        n.wanted[0] = n.wanted[0].astype(np.int32)  # ONNX has I64 here, ours is I32
        outer, length, inner = n.axis(0)
        sizes, source, more = f"{outer}, {length}, inner={inner}", "x0", []
        first = ""
        if n.attribute("select_last_index", 0):
            source, ty = n.temporary(n[0].size, n.of(n[0])), n.of(n[0])
            shape = listed((outer, length, inner))
            ends = f"{listed((0, length - 1, 0))}, {listed((outer, -length - 1, inner))}, (1, -1, 1)"
            first = f"slice.{ty} [{source}], [x0], {shape}, {ends}"
            more = [f"parallel_map_binary.sub.i32 [y0], [{_constant(n, length - 1)}], [y0], {n.wanted[0].size}"]
        return _lines(first, f"{mnemonic}.{n.of(n[0])} [y0], [{source}], {sizes}", *more)

    return row


# Norms along axes that are not the last ones


def _lp(n: Node) -> str:
    need(n.attribute("p", 2) == 2, "sums of absolute values")
    axis = n.attribute("axis", -1) % n[0].ndim
    order = [*(i for i in range(n[0].ndim) if i != axis), axis]
    shape, length = n[0].shape, n[0].shape[axis]
    moved, back = n.temporary(n[0].size), np.argsort(order)
    gamma = n.array(np.full(length, length**-0.5, n.wanted[0].dtype))
    return _lines(
        _moved(n, "x0", shape, order, to=moved),
        f"rms_norm.{n.ty} [{moved}], [{moved}], [{gamma}], {n[0].size // length}, {length}, eps=1e-30",
        _moved(n, moved, tuple(shape[i] for i in order), list(back), to="y0"),
    )


def _mean_variance(n: Node) -> str:
    axes = [int(axis) for axis in n.attribute("axes", [0, 2, 3])]
    order = [*(i for i in range(n[0].ndim) if i not in axes), *axes]
    shape, length = n[0].shape, prod(n[0].shape[axis] for axis in axes)
    moved, back = n.temporary(n[0].size), np.argsort(order)
    gamma, beta = (n.array(np.full(length, value, n.wanted[0].dtype)) for value in (1, 0))
    return _lines(
        _moved(n, "x0", shape, order, to=moved),
        f"layer_norm.{n.ty} [{moved}], [{moved}], [{gamma}], [{beta}], {n[0].size // length}, {length}, eps=0.0",
        _moved(n, moved, tuple(shape[i] for i in order), list(back), to="y0"),
    )


# Products


def _matmul(n: Node) -> str:
    """Products of matrices that lie behind each other: one instruction where each has its own, or one is for all."""
    a, b = n[0], n[1]
    left, right = (a[None] if a.ndim == 1 else a), (b[:, None] if b.ndim == 1 else b)
    m, k, columns = *left.shape[-2:], right.shape[-1]
    batch = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    count, strides = prod(batch), []
    for each in (left, right):
        need(prod(each.shape[:-2]) in (1, count), "matrices repeated by turns")
        strides.append(0 if prod(each.shape[:-2]) != count else prod(each.shape[-2:]))
    sizes = f"{count}, {m}, {columns}, {k}, strides={listed((*strides, m * columns))}"
    return f"batched_gemm.{n.ty} [y0], [x0], [x1], {sizes}"


def _matmul_integer(n: Node) -> str:
    need(n[0].ndim == 2 and n[1].ndim == 2, "more than two dimensions")
    n.wanted[0] = n.wanted[0].astype(np.float32)  # ONNX has I32 here, ours is F32
    (m, k), columns = n[0].shape, n[1].shape[1]
    one = n.array(np.ones(1, np.float32))
    zeros = "".join(
        f", {name}=[{n.array(n[i].astype(np.int32))}]"
        for i, name in ((2, "a_zero"), (3, "b_zero"))
        if n.get(i) is not None
    )
    return (
        f"quantized_gemm.{n.of(n[0])} [y0], [x0], [x1], {m}, {columns}, {k}, [{one}], [{one}]{zeros}, b_ty={n.of(n[1])}"
    )


def _einsum(n: Node) -> str:
    """Axes of both operands that stay are those of the batch, others of both are contracted. One operand has another
    of ones beside it."""
    terms, _, result = n.attribute("equation").replace(" ", "").partition("->")
    left, _, right = terms.partition(",")
    need("." not in terms and all(len(set(each)) == len(each) for each in (left, right)), "diagonals")
    name, shape = "x1", n.get(1).shape if len(n.inputs) > 1 else ()  # type: ignore[union-attr]
    if len(n.inputs) == 1:
        right = "".join(axis for axis in left if axis not in result)
        shape = tuple(n[0].shape[left.index(axis)] for axis in right)
        name = n.array(np.ones(shape or 1, n[0].dtype))
    batch = [axis for axis in left if axis in right and axis in result]
    inner = [axis for axis in left if axis in right and axis not in result]
    need(all(axis in result or axis in inner for axis in left + right), "sums of one operand")
    made = [*batch, *(a for a in left if a in result and a not in batch), *(a for a in right if a not in batch + inner)]
    lengths = dict(zip(left + right, n[0].shape + shape, strict=True))
    pairs = [[f"{left.index(axis)}:{right.index(axis)}" for axis in axes] for axes in (inner, batch)]
    to = "y0" if made == list(result) else n.temporary(n.wanted[0].size)
    product = (
        f"tensor_contract.{n.ty} [{to}], [x0], [{name}], {listed(n[0].shape)}, {listed(shape)}, {listed(pairs[0])}, "
        f"batch_dims={listed(pairs[1])}"
    )
    order = [made.index(axis) for axis in result]
    back = "" if to == "y0" else _moved(n, to, tuple(lengths[axis] for axis in made), order, to="y0")
    return _lines(product, back)


# Transforms


def _dft(n: Node) -> str:
    axis = int(n[2].ravel()[0]) if n.get(2) is not None else n.attribute("axis", 1)
    need(n.get(1) is None, "a length of its own")
    inverse, half, shape = bool(n.attribute("inverse", 0)), bool(n.attribute("onesided", 0)), n[0].shape
    axis %= n[0].ndim
    order = [*(i for i in range(n[0].ndim - 1) if i != axis), axis, n[0].ndim - 1]
    moved, count = n.temporary(n[0].size), n[0].size
    lines = [_moved(n, "x0", shape, order, to=moved)]
    if shape[-1] == 1 and not half:  # real numbers as complex ones
        wide = n.temporary(2 * count)
        lines.append(f"pad.{n.ty} [{wide}], [{moved}], ({count}, 1), (0, 0), (0, 1)")
        moved = wide
    out = n.wanted[0].shape
    length = out[axis] if inverse else shape[axis]
    found = n.temporary(n.wanted[0].size)
    batch = prod(shape[:-1]) // shape[axis]
    flags = f"inverse={str(inverse).lower()}, real={str(half).lower()}"
    lines.append(f"fft.{n.ty} [{found}], [{moved}], {length}, batch={batch}, {flags}")
    lines.append(_moved(n, found, tuple(out[i] for i in order), list(np.argsort(order)), to="y0"))
    return _lines(*lines)


# Attention


def _attention(n: Node) -> str:
    """Heads to their places, keys and values behind those of the past, each of them for several queries' heads."""
    need(not n.attribute("softcap", 0.0), "a soft cap")
    lines, sides = [], []
    flat = n[0].ndim == 3
    for i in range(3):
        source, shape = f"x{i}", n[i].shape
        if flat:
            heads = n.attribute("kv_num_heads" if i else "q_num_heads")
            shape = (shape[0], shape[1], heads, shape[2] // heads)
            source = n.temporary(n[i].size)
            lines.append(_moved(n, f"x{i}", shape, [0, 2, 1, 3], to=source))
            shape = (shape[0], heads, shape[1], shape[3])
        sides.append((source, shape))
    past = 0
    for i in (1, 2):
        if n.get(3 + i) is not None:
            (source, (batch, heads, length, dim)), before = sides[i], n[3 + i].shape[2]
            made = f"y{i}" if len(n.wanted) > i else n.temporary(batch * heads * (before + length) * dim)
            lines.append(f"concat.{n.ty} [{made}], [x{3 + i}], [{source}], {batch * heads}, {before}, {length}, {dim}")
            sides[i], past = (made, (batch, heads, before + length, dim)), before
    batch, heads, queries, dim = sides[0][1]
    keys = sides[1][1][2]
    if (own := sides[1][1][1]) != heads:
        of = n.array(np.repeat(np.arange(own, dtype=np.int32), heads // own))
        for i in (1, 2):
            source, shape = sides[i]
            made, inner = n.temporary(batch * heads * prod(shape[2:])), prod(shape[2:])
            lines.append(f"gather.{n.ty} [{made}], [{source}], [{of}], {batch}, {own}, {inner}, {heads}")
            sides[i] = made, (batch, heads, *shape[2:])
    most, out = max(dim, sides[2][1][3]), sides[2][1][3]
    for i, (source, shape) in enumerate(sides):  # zeros add nothing to products
        if shape[3] != most:
            made, rows = n.temporary(prod(shape[:3]) * most), prod(shape[:3])
            lines.append(f"pad.{n.ty} [{made}], [{source}], ({rows}, {shape[3]}), (0, 0), (0, {most - shape[3]})")
            sides[i] = made, (*shape[:3], most)
    scale = n.attribute("scale", dim**-0.5) or dim**-0.5
    mask, causal = n.get(3), bool(n.attribute("is_causal", 0))
    if mask is not None and mask.dtype == bool:
        mask = np.where(mask, 0, -np.inf).astype(n.wanted[0].dtype)
    if mask is not None and 1 < mask.shape[-1] < keys:  # of the first keys
        behind = [(0, 0)] * (mask.ndim - 1) + [(0, keys - mask.shape[-1])]
        mask = np.pad(mask, behind, constant_values=-np.inf)
    if (seen := _seen(n, queries, keys, past, causal)) is not None:
        hidden, causal = np.where(seen, 0, -np.inf).astype(n.wanted[0].dtype), False
        mask = hidden if mask is None else mask + hidden
    found = n.temporary(batch * heads * queries * most) if flat or out != most else "y0"
    more = f"causal={str(causal).lower()}, scale={scale}"
    lines += _attended(n, found, [name for name, _ in sides], (batch, heads, queries, keys, most), mask, more)
    if out != most:
        rows, made = batch * heads * queries, "y0" if not flat else n.temporary(batch * heads * queries * out)
        lines.append(f"slice.{n.ty} [{made}], [{found}], ({rows}, {most}), (0, 0), ({rows}, {out}), (1, 1)")
        found = made
    if flat:
        lines.append(_moved(n, found, (batch, heads, queries, out), [0, 2, 1, 3], to="y0"))
    return _lines(*lines)


def _seen(n: Node, queries: int, keys: int, past: int, causal: bool) -> Array | None:
    """Which keys a query looks at, beside the mask that is given: those before it, those of a window around it,
    those that are no padding. None where `causal` alone says it, or nothing does."""
    left, right, length = n.attribute("left_window_size", -1), n.attribute("right_window_size", -1), n.get(6)
    if left == right == -1 and length is None and not (causal and past):
        return None
    first = np.asarray(past) if length is None else length.reshape(-1, 1, 1, 1) - queries
    away = first + np.arange(queries)[:, None] - np.arange(keys)
    seen = (away >= 0 if causal else away == away) & ((left < 0) | (away <= left)) & ((right < 0) | (-away <= right))
    return seen if length is None else seen & (np.arange(keys) < length.reshape(-1, 1, 1, 1))


def _attended(n: Node, to: str, names: list[str], sizes: tuple[int, ...], mask: Array | None, more: str) -> list[str]:
    """One instruction, or one for each head where heads have masks of their own."""
    batch, heads, queries, keys, dim = sizes
    if mask is None or mask.ndim <= 2:
        held = "" if mask is None else f"mask=[{n.array(np.broadcast_to(mask, (queries, keys)).copy())}], "
        arrays = ", ".join(f"[{name}]" for name in (to, *names))
        return [f"attention.{n.ty} {arrays}, {batch}, {heads}, {queries}, {keys}, {dim}, {held}{more}"]
    each = np.broadcast_to(mask, (batch, heads, queries, keys)).copy()
    held, size, lines = n.array(each), n.wanted[0].dtype.itemsize, []
    for i in range(batch * heads):
        places = [
            f"[{name} + {i * rows * dim * size}]"
            for name, rows in zip((to, *names), (queries, queries, keys, keys), strict=True)
        ]
        place = f"mask=[{held} + {i * queries * keys * size}]"
        lines.append(f"attention.{n.ty} {', '.join(places)}, 1, 1, {queries}, {keys}, {dim}, {place}, {more}")
    return lines


# Arrangement


def _places(n: Node, to: str, source: str, size: int, places: Array) -> str:
    """The elements at these places of a flat array."""
    held = n.array(places.astype(np.int32).ravel())
    return f"gather.{n.ty} [{to}], [{source}], [{held}], 1, {size}, 1, {places.size}"


def _taken(arranged: Callable[[Node, Array], Array]) -> Row:
    """What NumPy arranges of the places of elements."""

    def row(n: Node) -> str:
        places = np.ascontiguousarray(arranged(n, np.arange(n[0].size).reshape(n[0].shape)))
        need(n[0].size, "an array without elements")
        return _places(n, "y0", "x0", n[0].size, places)

    return row


def _padded(n: Node) -> str:
    """A constant around by Pad, negative pads by Slice before; other modes by places."""
    mode, rank, shape = n.attribute("mode", "constant"), n[0].ndim, n[0].shape
    axes = range(rank) if n.get(3) is None else [int(axis) % rank for axis in n[3]]
    pads = np.zeros((2, rank), int)
    for i, axis in enumerate(axes):
        pads[:, axis] = n[1].reshape(2, -1)[:, i]
    if mode != "constant":
        return _taken(lambda n, places: np.pad(places, pads.T, mode=mode))(n)
    source, lines = "x0", []
    if pads.min(initial=0) < 0:
        less = np.maximum(-pads, 0)
        ends = [length - after for length, after in zip(shape, less[1], strict=True)]
        source = n.temporary(n[0].size)
        lines = [
            f"slice.{n.ty} [{source}], [x0], {listed(shape)}, {listed(less[0])}, {listed(ends)}, {listed([1] * rank)}"
        ]
        shape = tuple(end - start for start, end in zip(less[0], ends, strict=True))
        pads = np.maximum(pads, 0)
    value = 0 if n.get(2) is None else n[2].item()
    return _lines(
        *lines, f"pad.{n.ty} [y0], [{source}], {listed(shape)}, {', '.join(map(listed, pads))}, value={value}"
    )


def _split(n: Node) -> str:
    outer, length, inner = n.axis(0)
    start, lines, axis = 0, [], n.attribute("axis", 0) % n[0].ndim
    for i, part in enumerate(n.wanted):
        stop = start + part.shape[axis]
        ends = f"(0, {start}, 0), ({outer}, {stop}, {inner}), (1, 1, 1)"
        lines.append(f"slice.{n.ty} [y{i}], [x0], ({outer}, {length}, {inner}), {ends}")
        start = stop
    return _lines(*lines)


def _blocks(n: Node, deep: bool) -> str:
    """DepthToSpace and back: a transpose of six axes."""
    size = n.attribute("blocksize")
    batch, channels, height, width = n[0].shape
    if not deep:
        need(n.attribute("mode", "DCR") == "DCR", "another order of channels")
        shape = (batch, channels, height // size, size, width // size, size)
        return _moved(n, "x0", shape, [0, 3, 5, 1, 2, 4], to="y0")
    if n.attribute("mode", "DCR") == "DCR":
        shape, order = (batch, size, size, channels // size**2, height, width), [0, 3, 4, 1, 5, 2]
    else:
        shape, order = (batch, channels // size**2, size, size, height, width), [0, 1, 4, 2, 5, 3]
    return _moved(n, "x0", shape, order, to="y0")


def _elements(n: Node, places: Array) -> Array:
    """Where in `places` the elements are that GatherElements and ScatterElements name."""
    axis = n.attribute("axis", 0) % n[0].ndim
    at = list(np.indices(n[1].shape))
    at[axis] = n[1] % n[0].shape[axis]
    found: Array = places[tuple(at)]
    return found


def _gathered(n: Node) -> str:
    outer, length, inner = n.axis(0)
    axis = n.attribute("axis", 0) % n[0].ndim
    if len({(*each.shape[:axis], *each.shape[axis + 1 :]) for each in (n[0], n[1])}) > 1:
        return _taken(_elements)(n)  # of a part of the other axes
    n.inputs[1] = n[1].astype(np.int32)
    return f"gather_elements.{n.ty} [y0], [x0], [x1], {outer}, {length}, {inner}, {n[1].shape[axis]}"


def _pointed(n: Node, places: Array) -> Array:
    """The same for GatherND and ScatterND."""
    batch = n.attribute("batch_dims", 0)
    need(batch <= 1, "two axes of batches")
    each: Array = (
        np.stack([p[tuple(np.moveaxis(i, -1, 0))] for p, i in zip(places, n[1], strict=True)])
        if batch
        else (places[tuple(np.moveaxis(n[1], -1, 0))])
    )
    return each


def _scattered(where: Callable[[Node, Array], Array]) -> Row:
    def row(n: Node) -> str:
        how = n.attribute("reduction", "none")
        need(how in ("none", "add"), "products and extremes of what is written")
        places = where(n, np.arange(n[0].size).reshape(n[0].shape))
        sizes = f"1, {n[0].size}, 1, {places.size}"
        held = n.array(places.astype(np.int32).ravel())
        return _lines(
            f"copy.{n.ty} [y0], [x0], {n[0].size}",
            f"scatter.{n.ty} [y0], [x2], [{held}], {sizes}, accumulate={str(how == 'add').lower()}",
        )

    return row


def _copied(n: Node) -> str:
    return f"copy.{n.ty} [y0], [x0], {n[0].size}"


MORE: dict[str, Row] = {
    "Sum": _chain("add"), "Mean": _chain("add", mean=True), "Min": _chain("min"), "Max": _chain("max"),
    **{name: _two(name.lower()) for name in ("Add", "Sub", "Mul", "Div")},
    "Mod": _mod, "Pow": _two("pow"), "BitwiseAnd": _two("and"), "BitwiseOr": _two("or"), "BitwiseXor": _two("xor"),
    "BitwiseNot": lambda n: f"parallel_map.not.{n.ty} [y0], [x0], {n[0].size}",
    "And": _two("and"), "Or": _two("or"), "Xor": _two("xor"), "Not": _with("xor", 1), "Atan": _with("atan2", 1),
    "Clip": _clip,
    "ReduceSum": _summed(), "ReduceMean": _summed(mean=True), "ReduceSumSquare": _summed(squares=True),
    "ReduceL1": _summed("abs"), "ReduceL2": _summed(after="sqrt", squares=True), "ReduceLogSum": _summed(after="log"),
    "ReduceLogSumExp": _summed("exp", "log"), "ReduceMax": _extreme(False), "ReduceMin": _extreme(True),
    "ArgMin": _last("arg_min"), "ArgMax": _last("arg_max"),
    "LpNormalization": _lp, "MeanVarianceNormalization": _mean_variance,
    "MatMul": _matmul, "MatMulInteger": _matmul_integer, "Einsum": _einsum, "DFT": _dft, "Attention": _attention,
    "Pad": _padded, "Split": _split, "Tile": _taken(lambda n, places: np.tile(places, n[1])),
    "Expand": _taken(lambda n, places: places * np.ones(n.wanted[0].shape, int)),
    "DepthToSpace": lambda n: _blocks(n, True), "SpaceToDepth": lambda n: _blocks(n, False),
    "GatherElements": _gathered, "GatherND": _taken(_pointed),
    "ScatterElements": _scattered(_elements), "ScatterND": _scattered(_pointed),
    "Reshape": _copied, "Flatten": _copied, "Squeeze": _copied, "Unsqueeze": _copied,
}  # fmt: skip
