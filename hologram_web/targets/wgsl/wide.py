"""Integers of more than 64 bits: values are words of one memory of the lane, held as the number of the first.

Variables that are never needed at the same time share their words. What is done to values is in the device library,
`wide.wgsl`. The memory is a private array or, where that would be long, words of a storage buffer: the time that Mesa's
llvmpipe takes to compile a private array grows with the square of its length (640 words: 16 s), whatever is done to it.
Local memory that is long lies there, too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import prod
from typing import TYPE_CHECKING

from ...compiler import wide
from ...compiler.ir import Function, Node, ValueType
from ...compiler.out_of_ssa import Lowered, Variable, targets_of
from ...compiler.wide import Copied, Extended, Sign, TopBit, WideCall, WideChoice, WideOperand, WideSize, WideWork, read
from ...isa.address import Space
from ...isa.ops import IDENTITIES
from ...isa.types import Type

if TYPE_CHECKING:
    from ..clike.expressions import Expressions

__all__ = ["Places", "WideWriter", "each_word", "is_wide", "size_of"]

_MAX_PRIVATE = 128  # words: llvmpipe takes half a second


def is_wide(ty: ValueType) -> bool:
    """Whether values of the type lie in the array."""
    return isinstance(ty, Type) and ty.is_wide


def words(ty: ValueType) -> int:
    assert isinstance(ty, Type)
    return ty.bits // 32


def size_of(ty: ValueType) -> str:
    """How many words a value has."""
    assert isinstance(ty, Type)
    return _opaque(wide.size_of(ty))


def _opaque(size: WideSize) -> str:
    """A size in words; where code would be too long if shader compilers unrolled its loops, in a form that they do not
    know."""
    return f"({size.bytes // 4}u | arguments.misc.z)" if size.long else f"{size.bytes // 4}u"


def each_word(ty: ValueType) -> tuple[str, str]:
    """The heads of the two loops over words k of a value: four in a round of the outer one."""
    return f"for (var at = 0u; at < {size_of(ty)}; at += 4u) {{ for (var q = 0u; q < 4u; q++) {{", "let k = at + q;"


class Places:
    """Where values lie: a lane has `size` words. `variables` are the places of variables."""

    def __init__(self, function: Function, lowered: Lowered, call: Callable[..., str]) -> None:
        self.call = call
        found, self.size = _places(lowered)
        self.variables = {variable: f"{at}u" for variable, at in found.items()}
        self._others: dict[object, int] = {}
        nodes = [node for node in function.nodes() if is_wide(node.ty)]
        self.any = bool(nodes)
        self.constants = [node for node in nodes if node.is_const]
        self.params = [node for node in nodes if node.op == "param"]
        self._widest = max((words(node.ty) for node in nodes), default=0)
        self._lanes = prod(function.block_shape)
        own = -(-function.local_memory // 4) if any(base.space is Space.LOCAL for base in function.bases) else 0
        self._own = own if own > _MAX_PRIVATE else 0
        self._own_place = self.other("local memory", self._own) if self._own else ""

    def other(self, key: object, size: int) -> str:
        """A place that nothing else uses."""
        if key not in self._others:
            self._others[key], self.size = self.size, self.size + size
        return f"{self._others[key]}u"

    def constant(self, node: Node) -> str:
        """The place of a constant or a scalar."""
        return self.other((node.ty, node.attr), words(node.ty))

    def work(self) -> str:
        return self.other("work", 6 * self._widest + 2)

    @property
    def holds_local(self) -> bool:
        """Whether local memory lies in this one."""
        return self._own > 0

    @property
    def scratch(self) -> int:
        """Bytes of a storage buffer that a block needs, once all code is emitted; 0 if memory is private."""
        return 4 * self.size * self._lanes if self.size > _MAX_PRIVATE else 0

    def own_word(self, index: str) -> str:
        """A word of local memory."""
        if not self._own:
            return f"local_memory[{index}]"
        return f"wide_memory[wide_start + ({self._own_place} + ({index})) * {self._lanes}u]"

    def declaration(self, binding: int) -> str:
        """The declaration of the memory."""
        if not self.scratch:
            return f"var<private> wide_memory: array<u32, {self.size}>;\n" if self.size else ""
        storage = f"@group(0) @binding({binding}) var<storage, read_write> wide_memory: array<u32>;\n"
        return f"{storage}var<private> wide_start: u32;\n"

    def library(self, text: str) -> str:
        """The device library for where the memory is: in storage, word by word, the lanes of a block side by side."""
        place = f"wide_start + at * {self._lanes}u" if self.scratch else "at"
        return text.replace("wide_memory[at]", f"wide_memory[{place}]")

    def start(self, arguments: Mapping[str, int]) -> list[str]:
        """Lines that say where the lane's storage is, and write the constants and scalars to their places.

        `arguments` says at which word of the argument block each scalar is.
        """
        places = [self.constant(node) for node in self.constants]
        scalars = {node.attr: (self.constant(node), node.ty) for node in self.params}
        lines = []
        if self.scratch:
            lines.append(f"  wide_start = (block - arguments.spare.y) * {self.size * self._lanes}u + index;")
        if self._own:  # in a form that shader compilers do not unroll
            lines.append(f"  for (var word = 0u; word < {_opaque(WideSize(4 * self._own, True))}; word += 1u) {{")
            lines += [f"    {self.own_word('word')} = 0u;", "  }"]
        for node, place in zip(self.constants, places, strict=True):
            lines += _constant(self, place, node.ty, node.attr, fresh=not self.scratch)
        for name, (place, ty) in scalars.items():
            lines.append(f"  for (var k = 0u; k < {_opaque(WideSize(4 * words(ty), True))}; k++) {{")
            lines.append(f"    let at = {arguments[name]}u + k;")
            lines.append(f"    {self.call('wide_set', f'{place} + k', 'arguments.words[at / 4u][at % 4u]')};")
            lines.append("  }")
        return lines


class WideWriter:
    """Writes what is done to wide integers. `put` appends a line."""

    def __init__(self, places: Places, values: Expressions, put: Callable[[str], None]) -> None:
        self.places, self.values, self.put = places, values, put
        values.places = places.variables

    def value(self, node: Node) -> str:
        """The place of a value."""
        variable = self.values.variables.get(node)
        return self.places.constant(node) if variable is None else self.places.variables[variable]

    def copy(self, target: str, source: str, ty: ValueType) -> None:
        if target != source:
            self._do("wide_copy", target, source, size_of(ty))

    # Values

    def expression(self, node: Node) -> str | None:
        """The expression of what is read of wide integers; None for everything else."""
        if is_wide(node.ty):
            return self.places.constant(node)
        call = read(node)
        if call is not None:
            return self._called(call)
        return self._low(node.args[0], node.ty) if node.op == "cvt" and is_wide(node.attr) else None

    def _called(self, call: WideCall, *target: str) -> str:
        return self.values.call(f"wide_{call.routine}", *target, *map(self._operand, call.operands))

    def _operand(self, operand: WideOperand) -> str:
        match operand:
            case Node():
                return self.values.value(operand)
            case WideSize():
                return _opaque(operand)
            case Sign(value, ty) if ty.is_signed:
                return self.values.call("wide_sign", self.value(value), size_of(ty))
            case Sign():
                return "0u"
            case TopBit(signed):
                return f"{0x80000000 * signed}u"
            case WideWork():
                return self.places.work()
            case WideCall():
                return self._called(operand)
            case bool():
                return str(operand).lower()

    def _do(self, name: str, *args: object) -> None:
        self.put(f"{self.values.call(name, *args)};")

    def compute(self, variable: Variable, node: Node) -> None:
        """Computes a value into the place of a variable."""
        assert isinstance(node.ty, Type)
        target = self.places.variables[variable]
        match wide.statement(node):
            case WideCall() as call:
                self.put(f"{self._called(call, target)};")
            case WideChoice() as chosen:
                condition, then, otherwise = map(self.values.value, chosen)
                self.copy(target, f"select({otherwise}, {then}, {condition})", node.ty)
            case Copied(place):
                self.copy(target, self._operand(place), node.ty)
            case Extended() as extended:
                self._extend(target, node.ty, extended)

    def _extend(self, target: str, ty: Type, extended: Extended) -> None:
        if not extended.ty.is_wide:
            sign = "bitcast<u32>(bitcast<i32>(low.y) >> 31u)" if extended.ty.is_signed else "0u"
            self.put("{")
            self.put(f"  let low = {self.values.value(extended.value)};")
            self.put(f"  {self.values.call('wide_fill', target, size_of(ty), sign)};")
            self.put(f"  {self.values.call('wide_set', target, 'low.x')};")
            self.put(f"  {self.values.call('wide_set', f'{target} + 1u', 'low.y')};")
            self.put("}")
            return
        kept = extended.kept // 4
        self._do("wide_copy", target, self.value(extended.value), size_of(min(ty, extended.ty, key=words)))
        if words(ty) > kept:
            sign = self._operand(Sign(extended.value, extended.ty))
            self._do("wide_fill", f"{target} + {kept}u", f"{size_of(ty)} - {kept}u", sign)

    def _low(self, node: Node, ty: ValueType) -> str:
        """The expression of the low word or, for a pair, of the low two."""
        assert isinstance(ty, Type)
        word = self.values.call("wide_get", self.value(node))
        if ty.bits == 64:
            return f"vec2u({word}, wide_get({self.value(node)} + 1u))"
        return f"bitcast<i32>({word})" if ty.kind == "i" else word

    def copies(self, pairs: list[tuple[Variable, Node]]) -> None:
        """Sets variables at once: what is set and read is copied elsewhere first."""
        targets = {variable for variable, _ in pairs} if len(pairs) > 1 else set()
        sources = []
        for variable, value in pairs:
            source = self.value(value)
            if self.values.variables.get(value) in targets:
                source = self.places.other(("copy", variable), words(variable.ty))
                self.copy(source, self.value(value), variable.ty)
            sources.append(source)
        for (variable, _), source in zip(pairs, sources, strict=True):
            self.copy(self.places.variables[variable], source, variable.ty)

    def reduce(self, combine: str, ty: Type, target: str, word: str) -> None:
        """Combines `count` elements into a place; `word` is the expression of word k of element i.

        Integers wrap, so that any order gives the same.
        """
        size = size_of(ty)
        element, total = self.places.other(("element", ty), words(ty)), self.places.other(("total", ty), words(ty))
        for line in _constant(self.places, target, ty, ty.encode(IDENTITIES[combine](ty))):
            self.put(line)
        self.put("for (var i = 0u; i < count; i++) {")
        for line in (*each_word(ty), f"{self.values.call('wide_set', f'{element} + k', word)};", "} }"):
            self.put(f"  {line}")
        if combine in ("add", "mul"):
            sizes = [size] * (3 if combine == "mul" else 1)
            self.put(f"  {self.values.call(f'wide_{combine}', total, target, element, *sizes)};")
            self.put(f"  {self.values.call('wide_copy', target, total, size)};")
        else:
            a, b = (element, target) if combine == "min" else (target, element)
            less = self.values.call("wide_lt", a, b, size, self._operand(TopBit(ty.is_signed)))
            self.put(f"  if ({less}) {{ {self.values.call('wide_copy', target, element, size)}; }}")
        self.put("}")


def _constant(places: Places, place: str, ty: ValueType, bits: int, fresh: bool = False) -> list[str]:
    """Lines that write a number to a place; a `fresh` one, of private memory, holds zeros."""
    size = words(ty)
    rest = 0xFFFFFFFF * (bits >> (32 * size - 1))
    lines = [f"  {places.call('wide_fill', place, size_of(ty), f'{rest}u')};"] if rest or not fresh else []
    for at in range(size):
        word = bits >> (32 * at) & 0xFFFFFFFF
        if word != rest:
            lines.append(f"  {places.call('wide_set', f'{place} + {at}u', f'{word}u')};")
    return lines


def _places(lowered: Lowered) -> tuple[dict[Variable, int], int]:
    """The first word of each wide variable, and how many words they take together."""
    if not any(is_wide(variable.ty) for variable in lowered.variables.values()):
        return {}, 0
    meets: dict[Variable, set[Variable]] = {}
    for piece in lowered.pieces:
        live = {variable for way in piece.ways for variable in lowered.live(way)}
        if piece.value is not None:
            live |= set(lowered.reads(piece.value))
        for statement in reversed(piece.statements):
            targets, read = set(targets_of(statement)), set(lowered.read_by(statement))
            # What is read while a result is written lies elsewhere.
            around = {variable for variable in live | targets | read if is_wide(variable.ty)}
            for variable in targets & around:
                meets.setdefault(variable, set()).update(around - {variable})
                for other in around - {variable}:
                    meets.setdefault(other, set()).add(variable)
            live = (live - targets) | read
    places: dict[Variable, int] = {}
    size = 0
    for variable in sorted((v for v in lowered.variables.values() if is_wide(v.ty)), key=lambda v: v.number):
        taken = sorted((places[v], places[v] + words(v.ty)) for v in meets.get(variable, ()) if v in places)
        at = 0
        for start, end in taken:
            if at + words(variable.ty) <= start:
                break
            at = max(at, end)
        places[variable] = at
        size = max(size, at + words(variable.ty))
    return places, size
