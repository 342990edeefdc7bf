"""Random kernels as people would type them. The same Random gives the same text."""

from __future__ import annotations

from random import Random

__all__ = ["random_kernel"]

TYPES = ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "f32", "f64")
COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


def _expression(source: Random, ty: str, depth: int) -> str:
    """An expression of a type, over elements of x and y, the variable t, and numbers."""
    if depth == 0:
        return source.choice(["x[i]", "y[i]", "t", "x[i]", f"hg.{ty}({source.randrange(100)})"])
    left, right = _expression(source, ty, depth - 1), _expression(source, ty, depth - 1)
    kind = source.randrange(7)
    if kind == 0:
        return f"({left} if {_condition(source, ty)} else {right})"
    if kind == 1:
        return f"{source.choice(['min', 'max'])}({left}, {right})"
    if kind == 2:
        return f"hg.select({_condition(source, ty)}, {left}, {right})"
    if kind == 3 and ty[0] != "u":
        return source.choice([f"abs({left})", f"(-{left})"])
    if ty[0] == "f":
        return f"({left} {source.choice('+-*/')} {right})"
    if kind == 4:
        return f"({left} {source.choice(['//', '%'])} ({right} | 1))"
    if kind == 5:
        return f"({left} {source.choice(['<<', '>>'])} ({right} & 7))"
    return f"({left} {source.choice('+-*&|^')} {right})"


def _condition(source: Random, ty: str) -> str:
    first = f"{_expression(source, ty, 0)} {source.choice(COMPARISONS)} {_expression(source, ty, 0)}"
    if source.random() < 0.5:
        return first
    return f"{first} {source.choice(['and', 'or'])} {_condition(source, ty)}"


def _statements(source: Random, ty: str, depth: int) -> list[str]:
    lines = []
    for _ in range(source.randrange(1, 4)):
        kind = source.randrange(6) if depth else 0
        inner = [f"    {line}" for line in _statements(source, ty, depth - 1)] if kind else []
        counter = f"k{depth}"
        if kind == 1:
            lines += [f"if {_condition(source, ty)}:", *inner]
        elif kind == 2:
            other = [f"    {line}" for line in _statements(source, ty, depth - 1)]
            lines += [f"if {_condition(source, ty)}:", *inner, "else:", *other]
        elif kind == 3:
            lines += [f"for {counter} in range({source.randrange(1, 5)}):", *inner]
        elif kind == 4:
            stop = [f"    if {_condition(source, ty)}:", f"        {source.choice(['break', 'continue'])}"]
            lines += [f"for {counter} in range(i, i + {source.randrange(1, 5)}):", *stop, *inner]
        else:
            target = source.choice(["t", "t", "y[i]"])
            lines.append(f"{target} = {_expression(source, ty, source.randrange(1, 4))}")
    return lines


def random_kernel(source: Random) -> str:
    """The text of a kernel k(x, y) over arrays of one type."""
    ty = source.choice(TYPES)
    body = ["i = hg.global_id()", "if i >= len(y):", "    return", "t = x[i]"]
    if source.random() < 0.3:
        body = [
            "i = hg.global_id()",
            "t = x[min(i, len(x) - 1)]",
            f"tile = hg.shared(hg.{ty}, 256)",
            "tile[hg.local_id()] = t",
            "hg.barrier()",
            "t = tile[255 - hg.local_id()]",
            "if i >= len(y):",
            "    return",
        ]
    body += [*_statements(source, ty, 3), f"y[i] = {_expression(source, ty, 2)}"]
    head = f"def k(x: hg.Array[hg.{ty}], y: hg.Array[hg.{ty}]):"
    return "\n".join(["import hologram_web as hg", "", "@hg.kernel", head, *(f"    {line}" for line in body), ""])
