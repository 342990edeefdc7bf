"""Operations on elements: what they are in a kernel's text."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["MAPS", "Map"]


class Map(NamedTuple):
    """A row: the text, where {0}, {1}, {2} are operands and {T} is the type of the result; `gives` says of what type
    that is: "same" as the operands, "bool", or what was asked for. `kinds` are those of operands that it takes: b bool,
    i integers, f floats."""

    text: str
    gives: str = "same"
    kinds: str = "bif"


def _functions(names: str, kinds: str = "f") -> dict[str, Map]:
    return {name: Map(f"{name}({{0}})", kinds=kinds) for name in names.split()}


MAPS: dict[str, Map] = {
    "add": Map("{0} + {1}", kinds="if"),
    "subtract": Map("{0} - {1}", kinds="if"),
    "multiply": Map("{0} * {1}", kinds="if"),
    "divide": Map("{0} / {1}", kinds="f"),
    "floor_divide": Map("{0} // {1}", kinds="if"),
    "remainder": Map("{0} % {1}", kinds="if"),
    "power": Map("{0} ** {1}", kinds="if"),
    "negative": Map("-{0}", kinds="if"),
    "abs": Map("abs({0})", kinds="if"),
    "minimum": Map("min({0}, {1})", kinds="if"),
    "maximum": Map("max({0}, {1})", kinds="if"),
    "bitwise_and": Map("{0} & {1}", kinds="i"),
    "bitwise_or": Map("{0} | {1}", kinds="i"),
    "bitwise_xor": Map("{0} ^ {1}", kinds="i"),
    "bitwise_invert": Map("~{0}", kinds="i"),
    "bitwise_left_shift": Map("{0} << {1}", kinds="i"),
    "bitwise_right_shift": Map("{0} >> {1}", kinds="i"),
    "logical_and": Map("{0} and {1}", "bool", "b"),
    "logical_or": Map("{0} or {1}", "bool", "b"),
    "logical_xor": Map("{0} != {1}", "bool", "b"),
    "logical_not": Map("not {0}", "bool", "b"),
    "equal": Map("{0} == {1}", "bool"),
    "not_equal": Map("{0} != {1}", "bool"),
    "less": Map("{0} < {1}", "bool", "if"),
    "less_equal": Map("{0} <= {1}", "bool", "if"),
    "greater": Map("{0} > {1}", "bool", "if"),
    "greater_equal": Map("{0} >= {1}", "bool", "if"),
    "where": Map("select({0}, {1}, {2})"),
    "cast": Map("{T}({0})", "asked"),
    "isnan": Map("isnan({0})", "bool", "f"),
    "isinf": Map("isinf({0})", "bool", "f"),
    "isfinite": Map("isfinite({0})", "bool", "f"),
    "atan2": Map("atan2({0}, {1})", kinds="f"),
    "hypot": Map("hypot({0}, {1})", kinds="f"),
    "copysign": Map("copysign({0}, {1})", kinds="f"),
    **_functions("exp exp2 expm1 log log2 log10 log1p sqrt rsqrt cbrt sin cos tan asin acos atan sinh cosh tanh"),
    **_functions("asinh acosh atanh floor ceil trunc sigmoid gelu relu"),
    "round": Map("round({0})", kinds="f"),
}
