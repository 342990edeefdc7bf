"""Element-wise chains and rows as a few nodes, from which every contender's text is made: no kernel is special.

A node is an operator of ONNX, its operands and its result: ("Mul", "x y", "a"). Operands are x and y, results before
it, and literals. What rows reduce, and what comes of it, is one number of each row; `scale` and `bias` are one of each
column. The last result is z. `twin` makes of a chain another one of as many operations of each kind, by a seed.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

__all__ = ["LANES", "NAMED", "Node", "kernel_text", "loop_text", "of_numexpr", "of_numpy", "operations", "twin"]

Array = NDArray[Any]
Node = tuple[str, str, str]
# Of the block that has a row: a line of the caches. With 64, whose packets take a quarter of every fourth line,
# softmax took 1.4 times as long and layer norm twice: caches fetch ahead what is read in order.
LANES = 16


class Operator(NamedTuple):
    """How it is written: in our kernels, in Numba's and GPU.js' loops, and for numexpr; and what it is in NumPy."""

    ours: str
    loop: str
    numexpr: str
    numpy: Callable[..., Any]
    kind: str = "plain"  # twins exchange what is of one kind; a kind of many operations stays what it is


OPERATORS = {
    "Add": Operator("{} + {}", "{} + {}", "({} + {})", np.add),
    "Sub": Operator("{} - {}", "{} - {}", "({} - {})", np.subtract),
    "Mul": Operator("{} * {}", "{} * {}", "({} * {})", np.multiply),
    "Max": Operator("max({}, {})", "max({}, {})", "where({0} > {1}, {0}, {1})", np.maximum, "choice"),
    "Min": Operator("min({}, {})", "min({}, {})", "where({0} < {1}, {0}, {1})", np.minimum, "choice"),
    "Relu": Operator(
        "hg.relu({})", "max({}, float32(0))", "where({0} > 0, {0}, 0)", lambda x: np.maximum(x, 0), "sign"
    ),
    "Abs": Operator("abs({})", "abs({})", "abs({})", np.abs, "sign"),
    "Div": Operator("{} / {}", "{} / {}", "({} / {})", np.divide, "Div"),
    "Sqrt": Operator("hg.sqrt({})", "sqrt({})", "sqrt({})", np.sqrt, "Sqrt"),
    "Exp": Operator("hg.exp({})", "exp({})", "exp({})", np.exp, "Exp"),
    "Tanh": Operator("hg.tanh({})", "tanh({})", "tanh({})", np.tanh, "Tanh"),
}
REDUCTIONS = {"ReduceSum": (np.add, "{} + {}"), "ReduceMax": (np.maximum, "max({}, {})")}

NAMED: dict[str, list[Node]] = {
    "add": [("Add", "x y", "z")],
    "fused8": [
        ("Mul", "x y", "a"), ("Add", "a x", "b"), ("Relu", "b", "c"), ("Mul", "c y", "d"),
        ("Sub", "d x", "e"), ("Mul", "e 0.5", "f"), ("Add", "f y", "g"), ("Max", "g x", "z"),
    ],
    "exp_chain": [("Mul", "x y", "a"), ("Add", "a x", "b"), ("Exp", "b", "z")],
    "tanh_sqrt": [
        ("Mul", "x y", "a"), ("Tanh", "a", "b"), ("Abs", "x", "c"), ("Add", "c 0.5", "d"), ("Sqrt", "d", "e"),
        ("Mul", "b e", "z"),
    ],
    "softmax": [
        ("ReduceMax", "x", "m"), ("Sub", "x m", "a"), ("Exp", "a", "e"), ("ReduceSum", "e", "s"), ("Div", "e s", "z"),
    ],
    "layer_norm": [
        ("ReduceSum", "x", "s"), ("Mul", "s 1/n", "m"), ("Sub", "x m", "d"), ("Mul", "d d", "q"),
        ("ReduceSum", "q", "t"), ("Mul", "t 1/n", "v"), ("Add", "v 0.00001", "w"), ("Sqrt", "w", "r"),
        ("Div", "d r", "u"), ("Mul", "u scale", "k"), ("Add", "k bias", "z"),
    ],
}  # fmt: skip
TWINS = ("add", "fused8", "fused8", "exp_chain", "tanh_sqrt")  # of the five chains of a seed
ROW_TWINS = ("softmax", "layer_norm")


def operations(nodes: Sequence[Node], of_row: int = 1) -> float:
    """Operations of an element; what is done once in a row of so many counts by its part."""
    rows = _rows(nodes)
    return sum(1 / of_row if result in rows and not op.startswith("Reduce") else 1 for op, _, result in nodes)


def _rows(nodes: Sequence[Node]) -> set[str]:
    """What is one number of a row: what is reduced, and what comes of such numbers and literals."""
    rows: set[str] = set()
    for op, operands, result in nodes:
        if op.startswith("Reduce") or (rows and all(name in rows or _literal(name) for name in operands.split())):
            rows.add(result)
    return rows


def _literal(name: str) -> bool:
    return name[0].isdigit()


def _value(name: str, columns: int) -> float:
    return 1 / columns if name == "1/n" else float(name)


def twin(nodes: Sequence[Node], chance: random.Random) -> list[Node]:
    """Another chain of the same cost: operators exchanged within their kinds, x and y, and other literals."""
    while (made := _other(nodes, chance)) == list(nodes):
        pass
    return made


def _other(nodes: Sequence[Node], chance: random.Random) -> list[Node]:
    kinds = {op: [other for other, row in OPERATORS.items() if row.kind == OPERATORS[op].kind] for op in OPERATORS}
    positive = {operands for op, operands, _ in nodes if op == "Sqrt"}  # what has a root stays as it is
    rows, made = _rows(nodes), []
    for op, operands, result in nodes:
        names = operands.split()
        if result not in rows and result not in positive:
            op = chance.choice(["Add", "Sub"] if rows and op in ("Add", "Sub") else [op] if rows else kinds[op])
            if not rows and set(names) != {"x", "y"}:
                names = [chance.choice("xy") if name in ("x", "y") and len(names) > 1 else name for name in names]
            if not rows and len(names) == 2:
                chance.shuffle(names)
        names = [str(round(chance.uniform(0.25, 0.75), 3)) if _literal(n) and n != "1/n" else n for n in names]
        made.append((op, " ".join(names), result))
    return made


def of_numpy(nodes: Sequence[Node], arrays: Mapping[str, Array], columns: int) -> Array:
    """What comes out, in the type of the arrays."""
    kind = arrays["x"].dtype.type
    values: dict[str, Any] = dict(arrays)
    for op, operands, result in nodes:
        given = [kind(_value(name, columns)) if _literal(name) else values[name] for name in operands.split()]
        if op in REDUCTIONS:
            values[result] = REDUCTIONS[op][0].reduce(given[0], axis=1, keepdims=True)
        else:
            values[result] = OPERATORS[op].numpy(*given)
    found: Array = values["z"]
    return found


def of_numexpr(nodes: Sequence[Node]) -> str:
    """The chain as one expression; literals are the variables c0, c1 ... in the order of `literals`."""
    values: dict[str, str] = {}
    for op, operands, result in nodes:
        names = [
            values.get(name, name if not _literal(name) else f"c{literals(nodes).index(name)}")
            for name in operands.split()
        ]
        values[result] = OPERATORS[op].numexpr.format(*names)
    return values["z"]


def literals(nodes: Sequence[Node]) -> list[str]:
    return list(dict.fromkeys(name for _, operands, _ in nodes for name in operands.split() if _literal(name)))


def _inputs(nodes: Sequence[Node]) -> list[str]:
    used = {name for _, operands, _ in nodes for name in operands.split()}
    return [name for name in ("x", "y", "scale", "bias") if name in used]


class _Writer:
    """The text of a kernel or a loop over elements `at`; `columns` is 0 where there are no rows."""

    def __init__(self, nodes: Sequence[Node], columns: int, ours: bool, at: str) -> None:
        self.nodes, self.columns, self.ours, self.at = nodes, columns, ours, at
        self.rows, self.lines = _rows(nodes), list[str]()
        self.column = "column"

    def text(self, op: str, operands: str) -> str:
        number = "{!r}" if self.ours else "float32({!r})"
        names = [number.format(_value(n, self.columns)) if _literal(n) else f"{n}_" for n in operands.split()]
        row = OPERATORS[op]
        return (row.ours if self.ours else row.loop).format(*names)

    def elements(self, indent: str, wanted: Sequence[str], kept: set[str]) -> None:
        """Lines that compute what is wanted of an element; what is `kept` is read from z."""
        needed: set[str] = set()
        stack = list(wanted)
        made = {result: (op, operands) for op, operands, result in self.nodes}
        while stack:
            name = stack.pop()
            if name in needed or name in self.rows or _literal(name):
                continue
            needed.add(name)
            if name in made and name not in kept:
                stack += made[name][1].split()
        for name in ("x", "y", "scale", "bias"):
            if name in needed:
                self.lines.append(f"{indent}{name}_ = {name}[{self.column if name in ('scale', 'bias') else self.at}]")
        for op, operands, result in self.nodes:
            if result in needed:
                self.lines.append(
                    f"{indent}{result}_ = {f'z[{self.at}]' if result in kept else self.text(op, operands)}"
                )


def _keep(nodes: Sequence[Node], after: int) -> bool:
    """Whether what is reduced here is used later, and so is kept in z rather than computed again."""
    name = nodes[after][1]
    return name != "x" and any(name in operands.split() for _, operands, _ in nodes[after + 1 :])


def kernel_text(name: str, nodes: Sequence[Node], columns: int = 0) -> str:
    """Our kernel: a lane for each element, or a block of LANES lanes for each row."""
    axes = lambda array: ", 2" if columns and array in "xyz" else ""  # noqa: E731
    arrays = ", ".join(f"{array}: hg.Array[hg.f32{axes(array)}]" for array in [*_inputs(nodes), "z"])
    head = f"import hologram_web as hg\n\ndef {name}({arrays}):\n"
    if not columns:
        writer = _Writer(nodes, 0, True, "i")
        writer.elements("        ", ["z"], set())
        return "\n".join([head + "    i = hg.global_id()", "    if i < len(z):", *writer.lines, "        z[i] = z_\n"])
    writer = _Writer(nodes, columns, True, "row, column")
    each = [f"    for k in range({columns // LANES}):", f"        column = k * {LANES} + lane"]
    lines = writer.lines
    lines.append("    row, lane = hg.block_id(), hg.local_id()")
    lines += [f"    part_{result} = hg.shared(hg.f32, {LANES})" for op, _, result in nodes if op in REDUCTIONS]
    kept: set[str] = set()
    for number, (op, operands, result) in enumerate(nodes):
        if op in REDUCTIONS:
            combine = REDUCTIONS[op][1]
            lines += [f"    {result}_: hg.f32 = {'0.0' if op == 'ReduceSum' else '-3.4e38'}", *each]
            writer.elements("        ", [operands], kept)
            lines.append(f"        {result}_ = {combine.format(f'{result}_', f'{operands}_')}")
            if _keep(nodes, number):
                lines.append(f"        z[row, column] = {operands}_")
                kept.add(operands)
            # Each lane combines what all have: a tree has a barrier for each level, and on SwiftShader one costs a row
            # 1.1 microseconds, a fortieth of its softmax.
            lines += [
                f"    part_{result}[lane] = {result}_",
                "    hg.barrier()",
                f"    {result}_ = part_{result}[0]",
                f"    for k in range(1, {LANES}):",
                f"        {result}_ = {combine.format(f'{result}_', f'part_{result}[k]')}",
            ]
        elif result in writer.rows:
            lines.append(f"    {result}_ = {writer.text(op, operands)}")
    lines += each
    writer.elements("        ", ["z"], kept)
    return head + "\n".join([*lines, "        z[row, column] = z_\n"])


def loop_text(name: str, nodes: Sequence[Node], columns: int = 0) -> str:
    """The same as loops over one array after the other, for Numba."""
    head = f"def {name}({', '.join([*_inputs(nodes), 'z'])}):\n"
    if not columns:
        writer = _Writer(nodes, 0, False, "i")
        writer.elements("        ", ["z"], set())
        return head + "\n".join(["    for i in prange(z.size):", *writer.lines, "        z[i] = z_\n"])
    writer = _Writer(nodes, columns, False, "at")
    lines = writer.lines
    lines += [f"    for row in prange(z.size // {columns}):", f"        first = row * {columns}"]
    each = [f"        for column in range({columns}):", "            at = first + column"]
    kept: set[str] = set()
    for number, (op, operands, result) in enumerate(nodes):
        if op in REDUCTIONS:
            lines += [f"        {result}_ = float32({'0.0' if op == 'ReduceSum' else '-3.4e38'})", *each]
            writer.elements("            ", [operands], kept)
            lines.append(f"            {result}_ = {REDUCTIONS[op][1].format(f'{result}_', f'{operands}_')}")
            if _keep(nodes, number):
                lines.append(f"            z[at] = {operands}_")
                kept.add(operands)
        elif result in writer.rows:
            lines.append(f"        {result}_ = {writer.text(op, operands)}")
    lines += each
    writer.elements("            ", ["z"], kept)
    return head + "\n".join([*lines, "            z[at] = z_\n"])
