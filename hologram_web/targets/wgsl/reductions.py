"""The canonical reduction of one level as a function of WGSL."""

from __future__ import annotations

from ...compiler.ir import Node
from ...compiler.legalise import HALVES, Legaliser
from ...isa.ops import IDENTITIES, reduce_type
from ...isa.types import Type
from ...isa.verify import Base
from ..clike.expressions import Expressions
from .floats import Floats
from .memory import ElementPlace, MemoryWriter
from .shader import Shader

__all__ = ["reduction"]


def reduction(shader: Shader, memory: MemoryWriter, combine: str, ty: Type, base: Base) -> str:
    """The name of the function of a canonical reduction, with the orbits of three levels side by side.

    Shader compilers inline each operation, so that there are few, and unroll loops whose length they know.
    """
    name = f"reduce_{combine}_{ty}_{shader.binding(base)}"
    if name in shader.helpers:
        return name
    wide = reduce_type(ty)
    held = shader.traits.holds(wide)
    left, right = Node("param", held, (), "left"), Node("param", held, (), "right")
    inner = Expressions(shader.language, {}, lambda node: str(node.attr), shader.called)
    inner.own = Floats(inner, shader.math, lambda text, name, kind: text).compute
    combined = inner.compute(Legaliser(shader.traits).short(combine, wide, left, right))
    kind = inner.type_name(left)
    kind_of_words = "u32" if shader.binding(base) in shader.parts else shader.kinds.get(shader.binding(base), "u32")
    place = ElementPlace(f"byte + i * {ty.size_bytes}u", False)
    element = memory.element(ty, place, memory.anywhere(base), kind_of_words)
    if ty.bits < 32:
        word, shift = (Node("param", Type.U32, (), text) for text in (element, f"((({place.byte}) & 3u) * 8u)"))
        element = inner.compute(Legaliser(shader.traits).part(ty, word, shift))
    if wide is not ty:
        element = inner.call(f"{HALVES[ty]}_to_f32", element)
    identity = _identity(inner, shader.math, combine, wide)
    orbits = f"orbits_{name}"
    steps = 2 if wide is Type.F64 else 8  # llvmpipe counts rounds
    elements = "".join(
        f"    if (k + {step}u < count) {{\n      let i = k + {step}u;\n"
        f"      {orbits}[j + {step}u] = op_{name}({orbits}[j + {step}u], {element});\n    }}\n"
        for step in range(steps)
    )
    shader.helpers[name] = f"""var<private> {orbits}: array<{kind}, 96>;
fn op_{name}(left: {kind}, right: {kind}) -> {kind} {{
  return {combined};
}}
fn {name}(byte: u32, count: u32) -> {kind} {{
  let zero = arguments.misc.z;
  for (var j = 0u; j < 96u + zero; j++) {{
    {orbits}[j] = {identity};
  }}
  for (var k = 0u; k < count; k += {steps}u) {{
    let j = (k & 31u);
{elements}    let last = k + {steps}u >= count;
    if (!last && ((k + {steps}u) & 2047u) != 0u) {{
      continue;
    }}
    // A block ends, and with it perhaps one of blocks.
    var block = k / 2048u;
    var first = 0u;
    loop {{
      for (var half = 16u + zero; half > 0u; half = half >> 1u) {{
        for (var j = first; j < first + half; j++) {{
          {orbits}[j] = op_{name}({orbits}[j], {orbits}[j + half]);
        }}
      }}
      let found = {orbits}[first];
      if (last && (block == 0u)) {{
        return found;
      }}
      for (var j = first; j < first + 32u + zero; j++) {{
        {orbits}[j] = {identity};
      }}
      first += 32u;
      let place = first + (block & 31u);
      {orbits}[place] = op_{name}({orbits}[place], found);
      if (!last && ((block & 2047u) != 2047u)) {{
        break;
      }}
      block = block / 2048u;
    }}
  }}
  return {orbits}[0];
}}
"""
    return name


def _identity(values: Expressions, math: str, combine: str, ty: Type) -> str:
    """Where an orbit starts. A shader compiler that knows it is +0 takes 0 + x for x, and keeps the sign of -0."""
    text = values.constant(ty, ty.encode(IDENTITIES[combine](ty)))
    return values.call("fence", text, "zero") if ty is Type.F32 and math == "exact" else text
