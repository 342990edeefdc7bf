"""What lanes do to memory: loads, stores, atomics, guards and canonical reductions as WGSL.

An access compares its index with the number of indices that are in bounds, before it is scaled. A load that faults
yields 0, a store that faults is dropped, and the status buffer keeps the first fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...compiler.accesses import Check, axes_of, beyond
from ...compiler.ir import Access, Axis, Node
from ...compiler.legalise import HALVES, Legaliser
from ...errors import FaultKind, UnsupportedInstruction
from ...isa.address import Space
from ...isa.ops import IDENTITIES, reduce_type
from ...isa.types import Type
from ...isa.verify import ON_CHIP_BASES, Base
from ..clike.expressions import Expressions
from ..clike.writer import Writer
from .floats import Floats
from .language import pair
from .shader import Shader, kind_of
from .wide import Wide, each_word, size_of

__all__ = ["FAULT_KINDS", "Effects", "fault_number"]

FAULT_KINDS = tuple(FaultKind)  # the status word holds the number in this order, plus 1


class Place(NamedTuple):
    """Where an element lies in a memory: `at`, in words or in bytes."""

    at: str
    in_words: bool

    @property
    def word(self) -> str:
        return self.at if self.in_words else f"({self.at}) >> 2u"

    @property
    def byte(self) -> str:
        return f"({self.at}) * 4u" if self.in_words else self.at

    def moved(self, sign: str, words: str) -> Place:
        """So many words further, or back."""
        return Place(f"({self.at} {sign} {words if self.in_words else f'{words} * 4u'})", self.in_words)


class Report(NamedTuple):
    """A fault at an index, `scale` times which, plus `start`, is told. `need` and `other` are text of words."""

    kind: FaultKind
    at: int
    base: int
    place: Node
    scale: int
    start: int
    need: str
    other: str

    @property
    def is_short(self) -> bool:
        """Whether 32 bits say what the index is."""
        return self.place.ty in (Type.I32, Type.U32)


class Effects:
    """Writes effects into a function. `proven` is what accesses need not check."""

    part = 0  # which part of a memory code is written for
    in_words = False  # whether it is for the words of a wide integer
    in_helper = False  # whether it is for a function that reads any part

    def __init__(
        self,
        shader: Shader,
        writer: Writer,
        values: Expressions,
        floats: Floats,
        wide: Wide,
        hoist: Callable[[str, str, str], str],
        proven: set[Check],
    ) -> None:
        self.shader, self.writer, self.put, self.hoist = shader, writer, writer.put, hoist
        self.values, self.floats, self.wide, self.proven = values, floats, wide, proven
        self.function, self.helpers = shader.function, shader.helpers
        self.atomic, self.kinds, self.parts, self.window = shader.atomic, shader.kinds, shader.parts, shader.window

    def binding(self, base: Base) -> str:
        """The WGSL variable of a memory; of the part that code is written for, where it is bound in parts."""
        return self.shader.binding(base, self.part)

    def _part_by_part(self, access: Access, place: Place, then: Callable[[Place], None]) -> None:
        """Does something at a place of a memory, in the part where it lies, if there are several; at word k of a wide
        integer after the other."""
        if access.element.is_wide and not self.in_words:
            for line in each_word(access.element):
                self.wide.put(line)
            self.writer.depth, self.in_words = self.writer.depth + 1, True
            self._part_by_part(access, place.moved("+", "k"), then)
            self.writer.depth, self.in_words = self.writer.depth - 1, False
            self.put("} }")
            return
        memory = self.binding(access.base)
        parts = self.parts.get(memory, 1)
        if parts == 1:
            then(place)
            return
        self.put(f"switch (({place.byte}) / {self.window}u) {{")
        for part in range(parts):  # elements lie in one part each: they are aligned
            self.put(f"  {f'case {part}u:' if part < parts - 1 else 'default:'} {{")
            self.part = part
            self.writer.depth += 2
            then(place.moved("-", f"{part * self.window // 4}u") if part else place)
            self.writer.depth -= 2
            self.put("  }")
        self.part = 0
        self.put("}")

    def _getter(self, memory: str) -> str:
        """The function that reads a word of a memory in parts."""
        name, words = f"{memory}_word", self.window // 4
        lines = [f"fn {name}(index: u32) -> u32 {{"]
        for part in range(self.parts[memory]):
            word = f"{memory}{f'_{part}' if part else ''}[index - {part * words}u]"
            word = f"atomicLoad(&{word})" if memory in self.atomic else word
            last = part == self.parts[memory] - 1
            lines.append(f"  return {word};" if last else f"  if (index < {(part + 1) * words}u) {{ return {word}; }}")
        self.helpers[name] = "\n".join([*lines, "}\n"])
        return name

    def effect(self, node: Node, target: str | None) -> None:
        match node.op:
            case "guard":
                kind, at, number = node.attr
                self.put(f"if ({self.values.value(node.args[0])}) {{")
                if len(node.args) == 3:
                    self.put(f"  {self._told(self._off_axis(at, *node.args[1:]))}")
                    self.put("}")
                    return
                offset = pair(self.values, node.args[1]) if len(node.args) > 1 else "vec2u(0u)"
                phi = len(node.args) > 1 and number <= 2
                base = self._number_of_space(Space.PHI) if phi else 0xFFFFFFFF
                self.put(f"  {self._report(kind, at, base, offset, '0u', f'{number}u')}")
                self.put("}")
            case "load":
                self._guarded(node.attr, node.args[0], lambda place: self._load(node.attr, place, target), target, node)
            case "store":
                value = node.args[1]
                self._guarded(node.attr, node.args[0], lambda place: self._store(node.attr, place, value), None, node)
            case "atomic":
                access = node.attr[1]
                self._guarded(access, node.args[0], lambda place: self._atomic(node, place, target), target, node)
            case "reduce":
                self._reduce(node, target)
            case "fence":
                pass
            case op:
                raise AssertionError(f"the wgsl target has no effect {op}")

    def _number_of_space(self, space: Space) -> int:
        return next(number for number, base in enumerate(self.shader.bases) if base.space is space)

    def _base_number(self, base: Base) -> int:
        """The base's place in the argument block; behind the last are shared and local memory."""
        return [*self.shader.bases, *ON_CHIP_BASES].index(base)

    def _size(self, base: Base) -> str:
        if base.space is Space.SHARED:
            return "arguments.misc.w"
        number = self.shader.memories_at + self.shader.bases.index(base)
        return f"arguments.words[{number // 4}][{number % 4}]"

    def _index(self, node: Node, bias: int = 0) -> tuple[str, str | None]:
        """index + bias as u32 text, and the condition under which it does not fit one. Negative ones become large.

        A bias lets negative indices count that a positive offset makes good.
        """
        text = self.values.value(node)
        if node.ty is Type.U32:
            return text, None
        if node.ty is Type.I32:
            text = f"bitcast<u32>({text})"
            return (f"({text} + {bias}u)" if bias else text), None
        if bias:
            text = self.values.call("u64_add", text, f"vec2u({bias}u, 0u)")
        return f"({text}).x", f"(({text}).y != 0u)"

    @staticmethod
    def _bias(access: Access, index: Node) -> int:
        """What to add to an index that may be negative, so that the rest of a positive offset is below the scale."""
        unsigned = index.ty in (Type.U32, Type.U64)
        return 0 if unsigned or access.offset <= 0 else access.offset // access.scale

    def _limit(self, access: Access, offset: int) -> str:
        """How many indices from 0 on are in bounds: a value computed once a function."""
        need = access.element.size_bytes
        if not -(1 << 31) < offset < 1 << 31:
            raise UnsupportedInstruction(access.at, f"an offset of {offset} bytes: WebGPU's memories are below 2 GiB")
        end = offset + need
        if access.base.space is Space.LOCAL:
            return f"{max((self.function.local_memory - end) // access.scale + 1, 0)}u"
        size = self._size(access.base)
        if end <= 0:
            text = f"({size} + {-end}u) / {access.scale}u + 1u"
        else:
            text = f"select(0u, ({size} - {end}u) / {access.scale}u + 1u, {size} >= {end}u)"
        return self.hoist(text, "limit", "u32")

    def _guarded(
        self, access: Access, index: Node, then: Callable[[Place], None], target: str | None, node: Node
    ) -> None:
        """Does something at a place, or reports a fault; a load that faults yields 0."""
        bias = self._bias(access, index)
        text, strange = self._index(index, bias)
        offset = access.offset - bias * access.scale
        self.put("{")
        self.writer.depth += 1
        self.put(f"let index = {text};")
        align = access.element.alignment
        open_axes = [
            (self._beyond(axis, place, length), self._told(self._off_axis(axis.at, place, length, axis.offset)))
            for number, (axis, place, length) in enumerate(axes_of(node))
            if (node, number) not in self.proven
        ]
        inside = node in self.proven and not (access.scale % align or offset % align)
        if inside and not open_axes:
            self._part_by_part(access, self._place(access, "index", offset + self._start(access.base)), then)
            self.writer.depth -= 1
            self.put("}")
            return
        wrong = [] if inside else self._outside(access, "index", strange, offset)
        place = self._place(access, "index", offset)
        self.put(f"let place = {place.at};")
        self.put(f"if ({' | '.join([condition for condition, _ in open_axes] + wrong)}) {{")
        for condition, fault in open_axes:
            self.put(f"  if ({condition}) {{ {fault} }}")
        if wrong:  # the first fault stays
            self.put(f"  {self._told(self._fault(FaultKind.OUT_OF_BOUNDS, access, index))}")
        if target is not None:
            self.put(f"  {self._cleared(target, node)}")
        if access.scale % align or offset % align:
            self.put(f"}} else if ((({Place('place', place.in_words).byte}) & {align - 1}u) != 0u) {{")
            self.put(f"  {self._told(self._fault(FaultKind.MISALIGNED_ACCESS, access, index, '0u'))}")
            if target is not None:
                self.put(f"  {self._cleared(target, node)}")
        self.put("} else {")
        self.writer.depth += 1
        found, start = Place("place", place.in_words), self._start(access.base)
        self._part_by_part(access, found.moved("+", f"{start // 4}u") if start else found, then)
        self.writer.depth -= 1
        self.put("}")
        self.writer.depth -= 1
        self.put("}")

    def _outside(self, access: Access, index: str, strange: str | None, offset: int) -> list[str]:
        """Conditions under which an index is out of bounds."""
        found = [] if strange is None else [strange]
        found.append(f"({index} >= {self._limit(access, offset)})")
        if offset < 0:
            found.append(f"({index} < {-(offset // access.scale)}u)")
        return found

    def unguarded(self, node: Node) -> tuple[str, Place, list[tuple[str, Report]]]:
        """The index of a load or a store, where it reaches from `index`, and when that is which fault: what is proven
        is none."""
        access, index = node.attr, node.args[0]
        bias = self._bias(access, index)
        text, strange = self._index(index, bias)
        offset = access.offset - bias * access.scale
        found = [
            (self._beyond(axis, place, length), self._off_axis(axis.at, place, length, axis.offset))
            for number, (axis, place, length) in enumerate(axes_of(node))
            if (node, number) not in self.proven
        ]
        if node not in self.proven and access.checked:
            wrong = " | ".join(self._outside(access, "index", strange, offset))
            found.append((wrong, self._fault(FaultKind.OUT_OF_BOUNDS, access, index)))
        return text, self._place(access, "index", offset + self._start(access.base)), found

    def access_at(self, node: Node, place: Place, target: str | None) -> None:
        """A load or a store, without checks."""
        access = node.attr
        if node.op == "load":
            self._part_by_part(access, place, lambda place: self._load(access, place, target))
        else:
            self._part_by_part(access, place, lambda place: self._store(access, place, node.args[1]))

    def _beyond(self, axis: Axis, index: Node, length: Node) -> str:
        """The condition under which an index is not on its axis."""
        return self.values.value(Legaliser(self.shader.traits).expression(beyond(axis, index, length), index, length))

    @staticmethod
    def _place(access: Access, index: str, offset: int) -> Place:
        """Where an access reaches: in words, if that is known to be whole ones."""
        in_words = access.element.bits >= 32 and not access.scale % 4 and not offset % 4
        unit = 4 if in_words else 1
        scale, offset = access.scale // unit, offset // unit if in_words else offset
        scaled = f"{index} * {scale}u" if scale != 1 else index
        return Place(f"({scaled} {'+' if offset > 0 else '-'} {abs(offset)}u)" if offset else scaled, in_words)

    def _off_axis(self, at: int, index: Node, length: Node, offset: int = 0) -> Report:
        """An index that is not on its axis: of the length, `other` has the upper half."""
        end = pair(self.values, length)
        return Report(FaultKind.OUT_OF_BOUNDS, at, 0xFFFFFFFF, index, 1, offset, f"({end}).x", f"({end}).y")

    def _cleared(self, target: str, node: Node) -> str:
        """The statement that makes the result of a faulty access 0."""
        if isinstance(node.ty, Type) and node.ty.is_wide:
            return f"{self.values.call('wide_fill', target, size_of(node.ty), '0u')};"
        return f"{target} = {self.values.language.zeros[self.values.type_name(node)]};"

    def _fault(self, kind: FaultKind, access: Access, index: Node, need: str = "") -> Report:
        """An access that fails; it needs its element, or as many bytes as a text says."""
        size = self.function.local_memory if access.base.space is Space.LOCAL and not need else 0
        base, need = self._base_number(access.base), need or f"{access.element.size_bytes}u"
        return Report(kind, access.at, base, index, access.scale, access.offset, need, f"{size}u")

    def _told(self, report: Report) -> str:
        """The statement that reports a fault."""
        place = self.offset(report, pair(self.values, report.place))
        return self._report(report.kind, report.at, report.base, place, report.need, report.other)

    def _report(self, kind: FaultKind, at: int, base: int, place: str, need: str, other: str) -> str:
        return f"{self.values.call('fault', f'{fault_number(kind)}u', f'{at}u', f'{base}u', place, need, other)};"

    def offset(self, report: Report, place: str) -> str:
        """What is told of an index, given as a pair."""
        # Code of faults costs as much as other code where branches are masks: adding with checks took a tenth longer
        # with a product in them.
        scale, start = report.scale, report.start & 0xFFFFFFFFFFFFFFFF
        if scale & (scale - 1):
            place = self.values.call("u64_mul", place, f"vec2u({scale}u, 0u)")
        elif scale > 1:
            place = self.values.call("u64_shl", place, f"{scale.bit_length() - 1}u")
        return self.values.call("u64_add", place, f"vec2u({start & 0xFFFFFFFF}u, {start >> 32}u)") if start else place

    @staticmethod
    def _start(base: Base) -> int:
        """Where a class lies in the class memory, which is bound as a whole."""
        return 12_288 * base.name if base.space is Space.CLASS and isinstance(base.name, int) else 0

    def _word(self, memory: str, index: str) -> str:
        if memory in self.parts and self.in_helper:
            return f"{self._getter(memory)}({index})"
        return f"atomicLoad(&{memory}[{index}])" if memory in self.atomic else self._at(memory, index)

    def _at(self, memory: str, index: str) -> str:
        """A word that is no atomic."""
        return self.shader.wide.own_word(index) if memory == "local_memory" else f"{memory}[{index}]"

    def _element(self, memory: str, ty: Type, place: Place) -> str:
        """The expression of an element in memory."""
        word = self._word(memory, place.word)
        if ty.bits == 64:
            return f"vec2u({word}, {self._word(memory, f'({place.word}) + 1u')})"
        if ty.bits == 32:
            return self.as_kind(kind_of(ty), word, self.kinds.get(memory, "u32"))
        text = f"(({word} >> ((({place.byte}) & 3u) * 8u)) & {(1 << ty.bits) - 1}u)"
        if ty.kind == "i":
            return f"((bitcast<i32>({text}) << {32 - ty.bits}u) >> {32 - ty.bits}u)"
        return text

    @staticmethod
    def as_kind(kind: str, text: str, held: str) -> str:
        """A word as another type of 32 bits."""
        return text if kind == held else f"bitcast<{kind}>({text})"

    def _load(self, access: Access, place: Place, target: str | None) -> None:
        if target is not None and access.element.is_wide:
            word = self._word(self.binding(access.base), place.word)
            self.put(f"{self.values.call('wide_set', f'{target} + k', word)};")
        elif target is not None:
            self.put(f"{target} = {self._element(self.binding(access.base), access.element, place)};")

    def _store(self, access: Access, place: Place, value: Node) -> None:
        memory, ty = self.binding(access.base), access.element
        if ty.bits == 64:
            self.put(f"let pair = {self.values.value(value)};")
            for part, name in enumerate("xy"):
                self._set_word(memory, f"({place.word}) + {part}u", f"pair.{name}")
            return
        text = self.values.value(value)
        if ty.is_wide:
            self._set_word(memory, place.word, self.values.call("wide_get", f"{text} + k"))
            return
        held = self.values.type_name(value)
        if ty.bits == 32:
            self._set_word(memory, place.word, self.as_kind(self.kinds.get(memory, "u32"), text, held))
            return
        bits, byte = self.as_kind("u32", text, held), place.byte
        if access.base.space is Space.LOCAL:
            self.put(f"let mask = {(1 << ty.bits) - 1}u << ((({byte}) & 3u) * 8u);")
            word = self._at(memory, place.word)
            self.put(f"let word = {word};")
            self.put(f"{word} = (word & ~mask) | ((({bits}) << ((({byte}) & 3u) * 8u)) & mask);")
            return
        # One lane owns each byte, so what it sees of its own bytes does not change between the load and the xor.
        self.put(f"let shift = (({byte}) & 3u) * 8u;")
        self.put(f"let old = atomicLoad(&{memory}[{place.word}]) >> shift;")
        self.put(f"atomicXor(&{memory}[{place.word}], ((old ^ ({bits})) & {(1 << ty.bits) - 1}u) << shift);")

    def _set_word(self, memory: str, index: str, text: str) -> None:
        if memory in self.atomic:
            self.put(f"atomicStore(&{memory}[{index}], {text});")
        else:
            self.put(f"{self._at(memory, index)} = {text};")

    def _atomic(self, node: Node, where: Place, target: str | None) -> None:
        operation, access = node.attr
        ty: Type = access.element
        place = f"&{self.binding(access.base)}[{where.word}]"
        value = self.values.value(node.args[1])
        result = f"{target} = " if target is not None else "_ = "
        bits = value if ty is Type.U32 else f"bitcast<u32>({value})"
        back = "" if ty is Type.U32 else f"bitcast<{'f32' if ty is Type.F32 else 'i32'}>"
        if ty is Type.F32 or (operation in ("min", "max") and ty is Type.I32):
            new = self._combined(operation, ty, "seen", value)
            self.put(f"var old = atomicLoad({place});")
            self.shader.loops = True
            self.put("loop {")
            self.put(f"  let seen = {back}(old);")
            self.put(f"  let swap = atomicCompareExchangeWeak({place}, old, bitcast<u32>({new}));")
            self.put("  if (swap.exchanged) {")
            self.put("    break;")
            self.put("  }")
            self.put("  old = swap.old_value;")
            self.put("}")
            self.put(f"{result}{back}(old);")
        elif operation == "cas":
            compare = self.values.value(node.args[2])
            wanted = compare if ty is Type.U32 else f"bitcast<u32>({compare})"
            # The weak form may fail by chance: try again while the cell holds what is wanted.
            self.put(f"let wanted = {wanted};")
            self.put("var old = wanted;")
            self.shader.loops = True
            self.put("loop {")
            self.put(f"  let swap = atomicCompareExchangeWeak({place}, wanted, {bits});")
            self.put("  old = swap.old_value;")
            self.put("  if (swap.exchanged || (swap.old_value != wanted)) {")
            self.put("    break;")
            self.put("  }")
            self.put("}")
            self.put(f"{result}{back}(old);")
        else:
            name = {"exch": "Exchange"}.get(operation, operation.capitalize())
            self.put(f"{result}{back}(atomic{name}({place}, {bits}));")

    def _combined(self, operation: str, ty: Type, left: str, right: str) -> str:
        if ty is Type.F32:
            strict = self.floats.math == "strict"
            return self.values.call("f32_add", left, right) if strict else self.floats.fence(f"{left} + {right}")
        return f"{operation}({left}, {right})"

    def _reduce(self, node: Node, target: str | None) -> None:
        """Checks the whole range, then calls the function of the level that has one block."""
        combine, access = node.attr
        ty: Type = access.element
        size, need = self._size(access.base), ty.size_bytes
        name = target or "_"
        self.put("{")
        self.writer.depth += 1
        bias = self._bias(access, node.args[0])
        text, strange = self._index(node.args[0], bias)
        low = access.offset - bias * access.scale
        self.put(f"let index = {text};")
        # A negative count is none; one of more than 32 bits is out of bounds.
        long = self.values.value(node.args[1])
        self.put(f"let many = {long};")
        self.put("let count = select(many.x, 0u, (many.y >> 31u) != 0u);")
        byte = f"index * {access.scale}u + {low}u" if low >= 0 else f"index * {access.scale}u - {-low}u"
        self.put(f"let byte = {byte};")
        conditions = [strange] if strange is not None else []
        conditions.append("(many.y != 0u)")
        conditions.append(f"(index > {(1 << 31) // access.scale}u)")
        if low < 0:
            conditions.append(f"(index < {-(low // access.scale)}u)")
        conditions.append(f"(count > {size} / {need}u)")
        conditions.append(f"(byte > {size} - min(count, {size} / {need}u) * {need}u)")
        self.put("let some = ((many.x | many.y) != 0u) && ((many.y >> 31u) == 0u);")
        self.put(f"if (some && ({' || '.join(conditions)})) {{")
        self.put(f"  {self._told(self._fault(FaultKind.OUT_OF_BOUNDS, access, node.args[0], f'count * {need}u'))}")
        if target is not None:
            self.put(f"  {self._cleared(target, node)}")
        align = ty.alignment
        if access.scale % align or low % align:
            self.put(f"}} else if (some && ((byte & {align - 1}u) != 0u)) {{")
            self.put(f"  {self._told(self._fault(FaultKind.MISALIGNED_ACCESS, access, node.args[0], '0u'))}")
            if target is not None:
                self.put(f"  {self._cleared(target, node)}")
        self.put("} else {")
        if ty.is_wide:
            self.in_helper = True
            start = f"byte + {self._start(access.base)}u + i * {need}u + k * 4u"
            word = self._word(self.binding(access.base), Place(start, False).word)
            self.in_helper = False
            if target is not None:
                self.wide.reduce(combine, ty, target, word)
            self.put("}")
            self.writer.depth -= 1
            self.put("}")
            return
        function = self._reduction(combine, ty, self.binding(access.base))
        call = f"{function}(byte + {self._start(access.base)}u, count)"
        half = f"f32_to_{HALVES[ty]}" if ty in HALVES else ""
        self.put(f"  {name} = {self.values.call(half, call) if half else call};")
        self.put("}")
        self.writer.depth -= 1
        self.put("}")

    def _identity(self, combine: str, ty: Type) -> str:
        """Where an orbit starts. A shader compiler that knows it is +0 takes 0 + x for x, and keeps the sign of -0."""
        text = self.values.constant(ty, ty.encode(IDENTITIES[combine](ty)))
        return self.values.call("fence", text, "zero") if ty is Type.F32 and self.floats.math == "exact" else text

    def _reduction(self, combine: str, ty: Type, memory: str) -> str:
        """The function of a canonical reduction, with the orbits of three levels side by side.

        Shader compilers inline each operation, so that there are few, and unroll loops whose length they know.
        """
        name = f"reduce_{combine}_{ty}_{memory}"
        if name in self.helpers:
            return name
        wide = reduce_type(ty)
        held = self.shader.traits.holds(wide)
        left, right = Node("param", held, (), "left"), Node("param", held, (), "right")
        inner = Expressions(self.values.language, {}, lambda node: str(node.attr), self.shader.called)
        inner.own = Floats(inner, self.floats.math, lambda text, name, kind: text).compute
        combined = inner.compute(Legaliser(self.shader.traits).short(combine, wide, left, right))
        kind = self.values.type_name(left)
        self.in_helper = True
        element = self._element(memory, ty, Place(f"byte + i * {ty.size_bytes}u", False))
        self.in_helper = False
        if wide is not ty:
            element = self.values.call(f"{HALVES[ty]}_to_f32", element)
        identity = self._identity(combine, wide)
        orbits = f"orbits_{name}"
        steps = 2 if wide is Type.F64 else 8  # llvmpipe counts rounds
        elements = "".join(
            f"    if (k + {step}u < count) {{\n      let i = k + {step}u;\n"
            f"      {orbits}[j + {step}u] = op_{name}({orbits}[j + {step}u], {element});\n    }}\n"
            for step in range(steps)
        )
        self.helpers[name] = f"""var<private> {orbits}: array<{kind}, 96>;
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


def fault_number(kind: FaultKind) -> int:
    return FAULT_KINDS.index(kind) + 1
