"""Operations on elements: what they are in a kernel's text."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["DEAR", "MAPS", "Map"]


class Map(NamedTuple):
    """A row: the text, where {0}, {1}, {2} are operands, {T} is the type of the result, and {bits} how many it has;
    `gives` says of what type that is: "same" as the operands, "bool", "real", that of their parts, or what was asked
    for. `kinds` are those of operands that it takes: b bool, i integers, f floats, c complex. `of_complex` and
    `of_float` are the texts for these, if they are others."""

    text: str
    gives: str = "same"
    kinds: str = "bif"
    of_complex: str = ""
    of_float: str = ""

    def text_of(self, kind: str) -> str:
        """The text for operands of a kind."""
        return {"c": self.of_complex, "f": self.of_float}.get(kind) or self.text


def _functions(names: str, kinds: str = "f") -> dict[str, Map]:
    return {
        name: Map(f"{name}({{0}})", kinds=kinds, of_complex=f"complex_{name}({{0}})" if "c" in kinds else "")
        for name in names.split()
    }


def _either(name: str, word: str) -> Map:
    return Map(f"{name}({{0}})", "bool", "fc", f"{name}({{0}}.real) {word} {name}({{0}}.imag)")


MAPS: dict[str, Map] = {
    "add": Map("{0} + {1}", kinds="ifc"),
    "subtract": Map("{0} - {1}", kinds="ifc"),
    "multiply": Map("{0} * {1}", kinds="ifc"),
    "divide": Map("{0} / {1}", kinds="fc"),
    # The standard's, floor(a / b), where one is infinite: for the others Python's `//` has no error of rounding.
    "floor_divide": Map(
        "{0} // {1}", kinds="if", of_float="select(isinf({0}) or isinf({1}), floor({0} / {1}), {0} // {1})"
    ),
    "remainder": Map("{0} % {1}", kinds="if"),
    "power": Map("integer_power({0}, {1})", kinds="ifc", of_complex="complex_power({0}, {1})", of_float="{0} ** {1}"),
    "negative": Map("-{0}", kinds="ifc"),
    "abs": Map("abs({0})", "real", "ifc"),
    "minimum": Map("min({0}, {1})", kinds="if"),
    "maximum": Map("max({0}, {1})", kinds="if"),
    "bitwise_and": Map("{0} & {1}", kinds="i"),
    "bitwise_or": Map("{0} | {1}", kinds="i"),
    "bitwise_xor": Map("{0} ^ {1}", kinds="i"),
    "bitwise_invert": Map("~{0}", kinds="i"),
    # As many bits as are asked for come in, where the instructions take the number by the bits of the type.
    "bitwise_left_shift": Map("select(0 <= {1} < {bits}, {0} << {1}, {0} ^ {0})", kinds="i"),
    "bitwise_right_shift": Map("select(0 <= {1} < {bits}, {0} >> {1}, {0} >> {bits} - 1 >> 1)", kinds="i"),
    "logical_and": Map("{0} and {1}", "bool", "b"),
    "logical_or": Map("{0} or {1}", "bool", "b"),
    "logical_xor": Map("{0} != {1}", "bool", "b"),
    "logical_not": Map("not {0}", "bool", "b"),
    "equal": Map("{0} == {1}", "bool", "bifc"),
    "not_equal": Map("{0} != {1}", "bool", "bifc"),
    "less": Map("{0} < {1}", "bool", "if"),
    "less_equal": Map("{0} <= {1}", "bool", "if"),
    "greater": Map("{0} > {1}", "bool", "if"),
    "greater_equal": Map("{0} >= {1}", "bool", "if"),
    "where": Map("select({0}, {1}, {2})", kinds="bifc"),
    "cast": Map("{T}({0})", "asked", "bifc"),
    "bits": Map("bitcast({T}, {0})", "asked", "if"),
    "real": Map("{0}.real", "real", "c"),
    "imag": Map("{0}.imag", "real", "c"),
    "conj": Map("{0}.conjugate()", kinds="c"),
    "complex": Map("complex({0}, {1})", "asked", "f"),
    "isnan": _either("isnan", "or"),
    "isinf": _either("isinf", "or"),
    "isfinite": _either("isfinite", "and"),
    "atan2": Map("atan2({0}, {1})", kinds="f"),
    "hypot": Map("hypot({0}, {1})", kinds="f"),
    "copysign": Map("copysign({0}, {1})", kinds="f"),
    **_functions(
        "exp expm1 log log2 log10 log1p sqrt sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh", "fc"
    ),
    **_functions("exp2 rsqrt cbrt floor ceil trunc sigmoid gelu relu"),
    "round": Map("round({0})", kinds="fc", of_complex="complex(round({0}.real), round({0}.imag))"),
}

# Those that take as long as many sums and products.
DEAR = {"power", "floor_divide", "remainder"} | {
    name for name, row in MAPS.items() if row.gives == "same" and row.kinds in ("f", "fc")
}
