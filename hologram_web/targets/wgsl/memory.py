"""How elements lie in memories of WGSL, which are arrays of words.

Of an element of 8 or 16 bits the word where it lies is accessed (`compiler/legalise.py`); several lanes may store to
one, so that it is an atomic then. One of 64 bits is two words, a wide integer several, of which its words are accessed
one by one. Memories beyond what a binding holds are bound in parts.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...compiler.ir import MemoryAccess, Node
from ...isa.address import Space
from ...isa.types import Type
from ...isa.verify import Base
from ..clike.expressions import Expressions
from ..clike.writer import Writer
from .shader import Shader, kind_of
from .wide import WideWriter, each_word

__all__ = ["ElementPlace", "MemoryWriter", "as_kind"]


class ElementPlace(NamedTuple):
    """Where an element lies in a memory, or in a part of it: `at`, in words or in bytes."""

    at: str
    in_words: bool
    part: int = 0

    @property
    def word(self) -> str:
        return self.at if self.in_words else f"({self.at}) >> 2u"

    @property
    def byte(self) -> str:
        return f"({self.at}) * 4u" if self.in_words else self.at

    def moved(self, sign: str, words: str) -> ElementPlace:
        """So many words further, or back."""
        return self._replace(at=f"({self.at} {sign} {words if self.in_words else f'{words} * 4u'})")


def as_kind(kind: str, text: str, held: str) -> str:
    """A word as another type of 32 bits."""
    return text if kind == held else f"bitcast<{kind}>({text})"


class MemoryWriter:
    """Writes accesses that need no check."""

    def __init__(self, shader: Shader, writer: Writer, values: Expressions, wide: WideWriter) -> None:
        self.shader, self.writer, self.put, self.values, self.wide = shader, writer, writer.put, values, wide
        self.atomic, self.kinds, self.parts, self.window = shader.atomic, shader.kinds, shader.parts, shader.window

    # Parts

    def at(self, access: MemoryAccess, place: ElementPlace, then: Callable[[ElementPlace], None]) -> None:
        """Does something at a place of a memory, in the part where it lies, if there are several; at word k of a wide
        integer after the other."""
        if not access.element.is_wide:
            self._in_part(access, place, then)
            return
        for line in each_word(access.element):
            self.wide.put(line)
        self.writer.depth += 1
        self._in_part(access, place.moved("+", "k"), then)
        self.writer.depth -= 1
        self.put("} }")

    def _in_part(self, access: MemoryAccess, place: ElementPlace, then: Callable[[ElementPlace], None]) -> None:
        parts = self.parts.get(self.shader.binding(access.base), 1)
        if parts == 1:
            then(place)
            return
        self.put(f"switch (({place.byte}) / {self.window}u) {{")
        for part in range(parts):  # elements lie in one part each: they are aligned
            self.put(f"  {f'case {part}u:' if part < parts - 1 else 'default:'} {{")
            self.writer.depth += 2
            inside = place.moved("-", f"{part * self.window // 4}u") if part else place
            then(inside._replace(part=part))
            self.writer.depth -= 2
            self.put("  }")
        self.put("}")

    def anywhere(self, base: Base) -> Callable[[str], str]:
        """What reads a word in any part of a memory."""
        memory = self.shader.binding(base)
        if memory not in self.parts:
            return lambda index: self._word(memory, index)
        name, words = f"{memory}_word", self.window // 4
        lines = [f"fn {name}(index: u32) -> u32 {{"]
        for part in range(self.parts[memory]):
            word = f"{self.shader.binding(base, part)}[index - {part * words}u]"
            word = f"atomicLoad(&{word})" if memory in self.atomic else word
            last = part == self.parts[memory] - 1
            lines.append(f"  return {word};" if last else f"  if (index < {(part + 1) * words}u) {{ return {word}; }}")
        self.shader.helpers[name] = "\n".join([*lines, "}\n"])
        return lambda index: f"{name}({index})"

    # Words

    def _word(self, memory: str, index: str) -> str:
        return f"atomicLoad(&{memory}[{index}])" if memory in self.atomic else self._cell(memory, index)

    def _cell(self, memory: str, index: str) -> str:
        """A word that is no atomic."""
        return self.shader.wide.own_word(index) if memory == "local_memory" else f"{memory}[{index}]"

    def _set_word(self, memory: str, index: str, text: str) -> None:
        if memory in self.atomic:
            self.put(f"atomicStore(&{memory}[{index}], {text});")
        else:
            self.put(f"{self._cell(memory, index)} = {text};")

    # Elements

    def element(self, ty: Type, place: ElementPlace, word: Callable[[str], str], kind: str = "u32") -> str:
        """The expression of an element, or of the word where it lies; `word` reads one, as a type of 32 bits."""
        text = word(place.word)
        if ty.bits == 64:
            return f"vec2u({text}, {word(f'({place.word}) + 1u')})"
        return as_kind(kind_of(ty) if ty.bits == 32 else "u32", text, kind)

    def load(self, access: MemoryAccess, place: ElementPlace, target: str | None) -> None:
        if target is None:
            return
        memory = self.shader.binding(access.base, place.part)

        def word(index: str) -> str:
            return self._word(memory, index)

        if access.element.is_wide:
            self.put(f"{self.values.call('wide_set', f'{target} + k', word(place.word))};")
        else:
            self.put(f"{target} = {self.element(access.element, place, word, self.kinds.get(memory, 'u32'))};")

    def store(self, access: MemoryAccess, place: ElementPlace, value: Node, mask: Node | None = None) -> None:
        """Stores a value, or the bits of a word under a mask."""
        memory, ty = self.shader.binding(access.base, place.part), access.element
        text = self.values.value(value)
        if ty.bits == 64:
            self.put(f"let pair = {text};")
            for part, name in enumerate("xy"):
                self._set_word(memory, f"({place.word}) + {part}u", f"pair.{name}")
            return
        if ty.is_wide:
            self._set_word(memory, place.word, self.values.call("wide_get", f"{text} + k"))
            return
        if mask is None:
            held = self.values.type_name(value)
            self._set_word(memory, place.word, as_kind(self.kinds.get(memory, "u32"), text, held))
            return
        under = self.values.value(mask)
        if access.base.space is Space.LOCAL:
            word = self._cell(memory, place.word)
            self.put(f"{word} = ({word} & ~({under})) | {text};")
            return
        # One lane owns each byte, so what it sees of its own bytes does not change between the load and the xor.
        cell = f"&{memory}[{place.word}]"
        self.put(f"atomicXor({cell}, (atomicLoad({cell}) & {under}) ^ {text});")
