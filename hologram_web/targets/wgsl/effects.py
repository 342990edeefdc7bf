"""What lanes do to memory: loads, stores, atomics, guards and canonical reductions as WGSL.

An access compares its index with the number of indices that are in bounds, before it is scaled. A load that faults
yields 0, a store that faults is dropped, and the status buffer keeps the first fault.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...compiler.accesses import Check, access_of, axes_of, beyond
from ...compiler.fission import reachable
from ...compiler.ir import Axis, MemoryAccess, Node
from ...compiler.legalise import HALVES, Legaliser
from ...compiler.out_of_ssa import Assign, Do, Piece, Variable, targets_of
from ...errors import FAULT_KINDS, FaultKind, UnsupportedInstruction, UnsupportedType
from ...isa.address import Space
from ...isa.types import Type
from ...isa.verify import ON_CHIP_BASES, Base
from ..clike.expressions import Expressions
from ..clike.writer import Writer
from .floats import Floats
from .language import pair
from .memory import ElementPlace, MemoryWriter
from .reductions import reduction
from .shader import Shader
from .wide import WideWriter, is_wide, size_of

__all__ = ["FAULT_KINDS", "EffectWriter", "fault_number"]


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


class EffectWriter:
    """Writes effects into a function. `proven` is what accesses need not check."""

    def __init__(
        self,
        shader: Shader,
        writer: Writer,
        values: Expressions,
        floats: Floats,
        wide: WideWriter,
        hoist: Callable[[str, str, str], str],
        proven: set[Check],
    ) -> None:
        self.shader, self.writer, self.put, self.hoist = shader, writer, writer.put, hoist
        self.values, self.floats, self.wide, self.proven = values, floats, wide, proven
        self.function, self.memory = shader.function, MemoryWriter(shader, writer, values, wide)

    def lets(self, start: Piece) -> set[Variable]:
        """Variables of the code from a piece on that need none: set once, and read behind that in the same piece.

        Shader compilers need not keep those in memory: in SwiftShader a matrix product with 64 sums took twice as long.
        """
        shader, home, several = self.shader, dict[Variable, Piece](), set[Variable]()
        pieces = list(reachable([start], lambda piece: piece.successors))
        for piece in pieces:
            for statement in piece.statements:
                for variable in targets_of(statement):
                    fixed = isinstance(statement, Assign) or (
                        isinstance(statement, Do) and self._is_plain(statement.node)
                    )
                    if variable in home or not fixed or is_wide(variable.ty):
                        several.add(variable)
                    home[variable] = piece
        for piece in pieces:
            read = {variable for statement in piece.statements for variable in shader.lowered.read_by(statement)}
            several |= {variable for variable in read if home.get(variable) is not piece}
            if piece.value is not None:
                several |= set(shader.lowered.reads(piece.value))
        return set(home) - several

    def _is_plain(self, node: Node) -> bool:
        """Whether an effect is a load of a word that needs no check."""
        access = access_of(node)
        if node.op != "load" or access is None or access.element.bits != 32 or node not in self.proven:
            return False
        whole = access.scale % 4 == 0 and access.offset % 4 == 0
        return whole and not axes_of(node) and self.shader.binding(access.base) not in self.shader.parts

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
                access = node.attr
                self._guarded(access, node.args[0], lambda place: self.memory.load(access, place, target), target, node)
            case "store":
                access, what = node.attr, _stored(node)
                self._guarded(access, node.args[0], lambda place: self.memory.store(access, place, *what), None, node)
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
    def _bias(access: MemoryAccess, index: Node) -> int:
        """What to add to an index that may be negative, so that the rest of a positive offset is below the scale."""
        unsigned = index.ty in (Type.U32, Type.U64)
        return 0 if unsigned or access.offset <= 0 else access.offset // access.scale

    def _limit(self, access: MemoryAccess, offset: int) -> str:
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
        self, access: MemoryAccess, index: Node, then: Callable[[ElementPlace], None], target: str | None, node: Node
    ) -> None:
        """Does something at a place, or reports a fault; a load that faults yields 0."""
        bias = self._bias(access, index)
        text, strange = self._index(index, bias)
        offset = access.offset - bias * access.scale
        if target is not None and self._is_plain(node):
            self.memory.at(access, self._place(access, f"({text})", offset + self._start(access.base)), then)
            return
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
            self.memory.at(access, self._place(access, "index", offset + self._start(access.base)), then)
            self.writer.depth -= 1
            self.put("}")
            return
        wrong = [] if inside else self._outside(access, "index", strange, offset)
        told = pair(self.values, index, _index_again(index, bias))
        place = self._place(access, "index", offset)
        if place.at != "index":
            self.put(f"let place = {place.at};")
            place = place._replace(at="place")
        self.put(f"if ({' | '.join([condition for condition, _ in open_axes] + wrong)}) {{")
        for condition, fault in open_axes:
            self.put(f"  if ({condition}) {{ {fault} }}")
        if wrong:  # the first fault stays
            self.put(f"  {self._told(self._fault(FaultKind.OUT_OF_BOUNDS, access, index), told)}")
        if target is not None:
            self.put(f"  {self._cleared(target, node)}")
        if access.scale % align or offset % align:
            self.put(f"}} else if ((({place.byte}) & {align - 1}u) != 0u) {{")
            self.put(f"  {self._told(self._fault(FaultKind.MISALIGNED_ACCESS, access, index, '0u'), told)}")
            if target is not None:
                self.put(f"  {self._cleared(target, node)}")
        self.put("} else {")
        self.writer.depth += 1
        start = self._start(access.base)
        self.memory.at(access, place.moved("+", f"{start // 4}u") if start else place, then)
        self.writer.depth -= 1
        self.put("}")
        self.writer.depth -= 1
        self.put("}")

    def _outside(self, access: MemoryAccess, index: str, strange: str | None, offset: int) -> list[str]:
        """Conditions under which an index is out of bounds."""
        found = [] if strange is None else [strange]
        found.append(f"({index} >= {self._limit(access, offset)})")
        if offset < 0:
            found.append(f"({index} < {-(offset // access.scale)}u)")
        return found

    def unguarded(self, node: Node) -> tuple[str, ElementPlace, list[tuple[str, Report]]]:
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

    def access_at(self, node: Node, place: ElementPlace, target: str | None) -> None:
        """A load or a store, without checks."""
        access = node.attr
        if node.op == "load":
            self.memory.at(access, place, lambda place: self.memory.load(access, place, target))
        else:
            self.memory.at(access, place, lambda place: self.memory.store(access, place, *_stored(node)))

    def _beyond(self, axis: Axis, index: Node, length: Node) -> str:
        """The condition under which an index is not on its axis."""
        return self.values.value(Legaliser(self.shader.traits).expression(beyond(axis, index, length), index, length))

    @staticmethod
    def _place(access: MemoryAccess, index: str, offset: int) -> ElementPlace:
        """Where an access reaches: in words, if that is known to be whole ones."""
        in_words = access.element.bits >= 32 and not access.scale % 4 and not offset % 4
        unit = 4 if in_words else 1
        scale, offset = access.scale // unit, offset // unit if in_words else offset
        scaled = f"{index} * {scale}u" if scale != 1 else index
        return ElementPlace(f"({scaled} {'+' if offset > 0 else '-'} {abs(offset)}u)" if offset else scaled, in_words)

    def _off_axis(self, at: int, index: Node, length: Node, offset: int = 0) -> Report:
        """An index that is not on its axis: of the length, `other` has the upper half."""
        end = pair(self.values, length)
        return Report(FaultKind.OUT_OF_BOUNDS, at, 0xFFFFFFFF, index, 1, offset, f"({end}).x", f"({end}).y")

    def _cleared(self, target: str, node: Node) -> str:
        """The statement that makes the result of a faulty access 0."""
        if isinstance(node.ty, Type) and node.ty.is_wide:
            return f"{self.values.call('wide_fill', target, size_of(node.ty), '0u')};"
        return f"{target} = {self.values.language.zeros[self.values.type_name(node)]};"

    def _fault(self, kind: FaultKind, access: MemoryAccess, index: Node, need: str = "") -> Report:
        """An access that fails; it needs its element, or as many bytes as a text says."""
        size = self.function.local_memory if access.base.space is Space.LOCAL and not need else 0
        base, need = self._base_number(access.base), need or f"{access.element.size_bytes}u"
        return Report(kind, access.at, base, index, access.scale, access.offset, need, f"{size}u")

    def _told(self, report: Report, index: str | None = None) -> str:
        """The statement that reports a fault; `index` is its place as a pair, if that is known."""
        place = self.offset(report, index or pair(self.values, report.place))
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

    def _atomic(self, node: Node, where: ElementPlace, target: str | None) -> None:
        operation, access = node.attr
        ty: Type = access.element
        place = f"&{self.shader.binding(access.base, where.part)}[{where.word}]"
        value = self.values.value(node.args[1])
        if ty.bits == 64:
            self._atomic_pair(operation, ty, where, f"&{self.shader.binding(access.base, where.part)}", value, target)
            return
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

    def _atomic_pair(
        self, operation: str, ty: Type, where: ElementPlace, memory: str, value: str, target: str | None
    ) -> None:
        """Two words, each in one step. That is exact where nobody asks what was there: of a sum each lane carries to
        the high word what its own addition to the low one gave, in whatever order they come."""
        words = operation in ("add", "and", "or", "xor")
        if target is not None or not words:
            what = f"atomic {operation} of {ty}" + (" whose old element is used" if words else "")
            raise UnsupportedType(None, f"{what} is two words on WebGPU, which change one by one: run on wasm")
        name = operation.capitalize()
        self.put(f"let pair = {value};")
        self.put(f"let low = atomic{name}({memory}[{where.word}], pair.x);")
        carry = " + select(0u, 1u, low + pair.x < low)" if operation == "add" else ""
        self.put(f"_ = atomic{name}({memory}[({where.word}) + 1u], pair.y{carry});")

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
            start = f"byte + {self._start(access.base)}u + i * {need}u + k * 4u"
            word = self.memory.anywhere(access.base)(ElementPlace(start, False).word)
            if target is not None:
                self.wide.reduce(combine, ty, target, word)
            self.put("}")
            self.writer.depth -= 1
            self.put("}")
            return
        function = reduction(self.shader, self.memory, combine, ty, access.base)
        call = f"{function}(byte + {self._start(access.base)}u, count)"
        half = f"f32_to_{HALVES[ty]}" if ty in HALVES else ""
        self.put(f"  {name} = {self.values.call(half, call) if half else call};")
        self.put("}")
        self.writer.depth -= 1
        self.put("}")


def _stored(node: Node) -> tuple[Node, ...]:
    """What a store puts into memory; of a word, the mask besides."""
    return node.args[1 : 2 + node.attr.in_word]


def _index_again(index: Node, bias: int) -> str | None:
    """The index of a check, from the word that the check has of it, if that is all of it."""
    if index.ty is Type.U32:
        return "index"
    return f"bitcast<i32>({f'index - {bias}u' if bias else 'index'})" if index.ty is Type.I32 else None


def fault_number(kind: FaultKind) -> int:
    return FAULT_KINDS.index(kind) + 1
