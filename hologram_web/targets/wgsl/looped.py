"""Functions of F64 as loops: one addition and one multiplication, to which every round comes.

Shader compilers put a function into each place that calls it, and F64 in integers is long: ERF with its 100 sums and
products took llvmpipe 25 s to compile, its loop 3 s. What a round takes, and all that is computed before it, stands in
a switch. Values that are not needed at the same time share a variable: with 180 of them the 163 rounds of POW took
SwiftShader more than 90 s to compile, with 15 it takes 6, beside other work.
"""

from __future__ import annotations

from collections.abc import Callable

from ...compiler.ir import Block, Node
from ...compiler.legalise import legalise
from ...compiler.library import function_of
from ...compiler.out_of_ssa import Variable, lower
from ..clike.expressions import Expressions
from ..clike.functions import head
from .language import language_of, traits_of

__all__ = ["looped_text"]

_TERMS = {"f64_add": "{}", "f64_sub": "f64_neg({})", "f64_mul": "{}"}  # the second operand of a round
_LOOP = """  for (var at = 0u; at < {}u; at++) {{
    var product = false;
    switch (at) {{
{}
      default: {{}}
    }}
    if (product) {{
      found = f64_mul(a, b);
    }} else {{
      found = f64_add(a, b);
    }}
  }}"""


def looped_text(name: str, math: str) -> tuple[str, set[str]]:
    """A function, and the names of those that it calls."""
    language, function = language_of(math), legalise(function_of(name), traits_of(math))
    block = function.blocks[0]
    rounds = [node for node in block.nodes if node.op == "call" and node.attr in _TERMS]
    variables = _variables(block, {*lower(function).variables, *rounds}, lambda node: language.types[node.ty])
    values = Expressions(language, variables, lambda node: f"x{node.attr}", {"f64_add", "f64_mul", "f64_neg"})

    def assigned(node: Node, text: str) -> str:
        return f"        {values.name(variables[node])} = {text};"

    cases: list[str] = []
    lines: list[str] = []
    for node in block.nodes:
        if node in rounds:
            a, b = map(values.value, node.args)
            lines += [f"        a = {a};", f"        b = {_TERMS[node.attr].format(b)};"]
            lines += ["        product = true;"] * (node.attr == "f64_mul")
            cases.append("\n".join([f"      case {len(cases)}u: {{", *lines, "      }"]))
            lines = [assigned(node, "found")]
        elif node in variables:
            lines.append(assigned(node, values.compute(node)))
    assert block.end.value is not None
    kinds = [(values.name(variable), language.types[variable.ty]) for variable in dict.fromkeys(variables.values())]
    kinds += [(each, "vec2u") for each in ("a", "b", "found")]
    declared = [f"  var {each}: {kind};" for each, kind in kinds]
    loop = [_LOOP.format(len(cases), "\n".join(cases))] if cases else []
    end = f"  return {values.value(block.end.value)};"
    return "\n".join([head(name, name, language, []), *declared, *loop, *lines, end, "}", ""]), values.called


def _variables(block: Block, named: set[Node], kind_of: Callable[[Node], str]) -> dict[Node, Variable]:
    """A variable for each of these values; what is read no more leaves its own to the next of its kind."""
    last: dict[Node, int] = {}  # where a value is read last, in the expression of a named one
    if block.end.value is not None:
        last[block.end.value] = len(block.nodes)
    for at, node in reversed(list(enumerate(block.nodes))):
        read = at if node in named else last.get(node, at)
        for arg in node.args:
            last[arg] = max(read, last.get(arg, read))
    found: dict[Node, Variable] = {}
    free: dict[str, list[Variable]] = {}
    ends: dict[int, list[Node]] = {}
    count = 0
    for at, node in enumerate(block.nodes):
        for ended in ends.get(at, ()):
            free.setdefault(kind_of(ended), []).append(found[ended])
        if node in named:
            if not free.get(kind_of(node)):
                free[kind_of(node)] = [Variable(count, node.ty)]
                count += 1
            found[node] = free[kind_of(node)].pop()
            ends.setdefault(last.get(node, at + 1), []).append(node)
    return found
