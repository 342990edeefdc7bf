"""Products over any axes of two arrays, as a batch of matrix products."""

# mypy: ignore-errors

from __future__ import annotations

from math import prod

from .arrange import _steps, read_as
from .matmul import _product, candidates, tuning_key
from .norms import wide
from .operation import TensorOperation, product, summable, too_many

__all__ = ["OPERATIONS"]


def _axes(o):
    """Which axes of a and b are of the batch, free, and contracted."""
    several = [[pair[side] for pair in pairs] for side in (0, 1) for pairs in (o.batch_dims, o.contract_dims)]
    batch_a, inner_a, batch_b, inner_b = several
    free_a = [axis for axis in range(len(o.shape_a)) if axis not in (*batch_a, *inner_a)]
    free_b = [axis for axis in range(len(o.shape_b)) if axis not in (*batch_b, *inner_b)]
    return batch_a, free_a, inner_a, batch_b, free_b, inner_b


def _contract_wrong(o):
    for side, (name, shape) in enumerate((("a", o.shape_a), ("b", o.shape_b))):
        if (wrong := too_many(f"{name}'s shape", shape)) is not None:
            return wrong
        axes = [pair[side] for pair in (*o.batch_dims, *o.contract_dims)]
        for axis in axes:
            if not 0 <= axis < len(shape):
                return f"{name} has {len(shape)} axes, and no axis {axis}"
            if axes.count(axis) > 1:
                return f"axis {axis} of {name} is named more than once"
    for one, other in (*o.batch_dims, *o.contract_dims):
        if o.shape_a[one] != o.shape_b[other]:
            return f"axis {one} of a has {o.shape_a[one]} elements, and axis {other} of b {o.shape_b[other]}"
    return None


def _contract_sizes(o):
    """Lengths of the batch, of what is free in a and in b, and of what is contracted."""
    batch, free_a, inner, _, free_b, _ = _axes(o)
    of_a, of_b = o.shape_a.__getitem__, o.shape_b.__getitem__
    return prod(map(of_a, batch)), prod(map(of_a, free_a)), prod(map(of_b, free_b)), prod(map(of_a, inner))


def _step(shape, axes):
    """How far elements are apart along axes that are one, in this order; None where they are not."""
    steps, found, size = _steps(shape), 0, 1
    for axis in reversed([axis for axis in axes if shape[axis] != 1]):
        if size == 1:
            found = steps[axis]
        elif steps[axis] != found * size:
            return None
        size *= shape[axis]
    return found


def _lies(shape, *groups):
    """How far elements are apart along each group of axes, if a product takes them from there: neighbours of a matrix
    are so in memory. None if not."""
    steps = [_step(shape, axes) for axes in groups]
    long = [step for step, axes in zip(steps[1:], groups[1:], strict=True) if prod(shape[axis] for axis in axes) > 1]
    return None if None in steps or (long and 1 not in long) else steps


def _sides(o):
    """Of each operand its name, shape, axes in the order of a product, whether it lies so, whether it is transposed
    then, and how far elements are apart where it lies evenly otherwise."""
    batch_a, free_a, inner_a, batch_b, free_b, inner_b = _axes(o)
    for name, shape, straight, transposed, groups in (
        ("a", o.shape_a, batch_a + free_a + inner_a, batch_a + inner_a + free_a, (batch_a, free_a, inner_a)),
        ("b", o.shape_b, batch_b + inner_b + free_b, batch_b + free_b + inner_b, (batch_b, inner_b, free_b)),
    ):
        in_order = list(range(len(shape)))
        in_place = in_order in (straight, transposed) or 0 in shape
        lies = None if in_place else _lies(shape, *groups)
        turned = straight != in_order == transposed if lies is None else lies[2] > 1
        yield name, shape, straight, in_place, turned, lies


def _schedules(o, traits):
    """Those of the product that it is."""
    batch, m, n, k = _contract_sizes(o)
    ty, turned = wide(o.ty), [turned for *_, turned, _ in _sides(o)]
    return tuning_key(o.ty, ty, m, n, k, *turned, batch), candidates(m, n, k, ty, traits)


def _contract(o, traits):
    """A batch of products. An operand whose axes do not lie as in one, or in its transposed, is read with steps of its
    own where its rows, columns and matrices each lie evenly, and else copied in order before."""
    batch, m, n, k = _contract_sizes(o)
    found, buffers, turned, steps = [], {"c": "output"}, {}, {}
    for name, shape, straight, in_place, turned[name], lies in _sides(o):
        if in_place:
            continue
        if lies is not None:
            names = ("a_batch", "a_row", "a_step") if name == "a" else ("b_batch", "b_step", "b_column")
            steps |= dict(zip(names, lies, strict=True))
            continue
        buffers[name] = f"{name}_in_order"
        apart = _steps(shape)
        axes = [shape[axis] for axis in straight], [apart[axis] for axis in straight]
        memory, given = {buffers[name]: (o.ty, prod(shape))}, {"input": name, "output": buffers[name]}
        why = f"a copy of {name}, whose axes lie as in no product: they are read as {straight}"
        found.append(read_as(o, traits, *axes, buffers=given, temporaries=memory, why=why))
    return found + _product(o, traits, o.ty, m, n, k, turned["a"], turned["b"], batch, buffers=buffers, steps=steps)


def _contracted(np, o, a, b):
    batch_a, free_a, inner_a, batch_b, free_b, inner_b = _axes(o)
    batch, m, n, k = _contract_sizes(o)
    a, b = (summable(np, o.ty, each).reshape(shape) for each, shape in ((a, o.shape_a), (b, o.shape_b)))
    left = a.transpose(batch_a + free_a + inner_a).reshape(batch, m, k)
    return product(np, left, b.transpose(batch_b + inner_b + free_b).reshape(batch, k, n))


OPERATIONS = (
    TensorOperation(
        "TensorContract",
        lambda o: {
            "a": prod(o.shape_a),
            "b": prod(o.shape_b),
            "output": prod(_contract_sizes(o)[:3]),
        },
        _contract,
        _contracted,
        _contract_wrong,
        epilogue="",
        schedules=_schedules,
    ),
)
