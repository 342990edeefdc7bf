"""Integers of more than 64 bits: values lie in memory, and what is on the stack is their address.

A lane has a frame, in which variables and constants have slots; lanes of a thread take turns and share it. What is done
to values is in the device library, `wide.wat`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...compiler.ir import Function, Node, ValueType
from ...compiler.out_of_ssa import Variable
from ...compiler.wide import (
    Copied,
    Extended,
    Sign,
    TopBit,
    WideCall,
    WideChoice,
    WideOperand,
    WideSize,
    WideWork,
    size_of,
    statement,
)
from ...isa.ops import IDENTITIES
from ...isa.types import Type
from .encoder import Instr

if TYPE_CHECKING:
    from .values import Values

__all__ = ["INLINE", "Wide", "is_wide"]

INLINE = 64  # bytes that are moved limb by limb; memory.copy is a call
Place = tuple[Instr, int]  # an address that an instruction pushes, and what is added to it


def is_wide(ty: ValueType) -> bool:
    """Whether values of the type lie in memory."""
    return isinstance(ty, Type) and ty.is_wide


class Wide:
    """Emits what is done to wide integers. `frame` pushes the address of the frame, which takes `size` bytes;
    `argument` says where a scalar of that name is."""

    def __init__(
        self, function: Function, values: Values, frame: Callable[[], Instr], argument: Callable[[str], Place]
    ) -> None:
        self.values, self.put, self._frame, self._argument = values, values.put, frame, argument
        self.size = 0
        self._slots: dict[object, int] = {}
        nodes = [node for node in function.nodes() if is_wide(node.ty)]
        self.constants = [node for node in nodes if node.is_const]
        self._widest = max((node.ty.size_bytes for node in nodes if isinstance(node.ty, Type)), default=0)

    # Places

    def place(self, key: object, size: int) -> Place:
        """The slot of a variable or a constant."""
        if key not in self._slots:
            self._slots[key], self.size = self.size, self.size + size
        return self._frame(), self._slots[key]

    def of(self, variable: Variable) -> Place:
        assert isinstance(variable.ty, Type)
        return self.place(variable, variable.ty.size_bytes)

    def push(self, place: Place) -> None:
        """Pushes an address."""
        self.put(place[0])
        if place[1]:
            self.put(("i32.const", place[1]), ("i32.add",))

    def value(self, node: Node) -> None:
        """Pushes the address of a value that has a slot."""
        variable = self.values.variables.get(node)
        assert isinstance(node.ty, Type)
        if variable is not None:
            self.push(self.of(variable))
        elif node.op == "param":
            self.push(self._argument(node.attr))
        else:
            self.push(self.place((node.ty, node.attr), node.ty.size_bytes))

    def move(self, target: Place, source: Place, size: int) -> None:
        """Copies bytes between places that are the same or do not overlap."""
        if size > INLINE:
            self.push(target)
            self.push(source)
            self.put(("i32.const", size), ("memory.copy",))
            return
        for at in range(0, size, 8):
            self.put(target[0], source[0], ("i64.load", 0, source[1] + at), ("i64.store", 0, target[1] + at))

    def take(self, target: Place, size: int) -> None:
        """Copies what the address on the stack points to."""
        with self.values.temporary("i32") as source:
            self.put(("local.set", source))
            self.move(target, (("local.get", source), 0), size)

    def _fill(self, target: Place, size: int, limb: Instr) -> None:
        """Sets bytes; all are the lowest of a limb, which is 0 or all ones."""
        if size > INLINE:
            self.push(target)
            self.put(limb, ("i32.wrap_i64",), ("i32.const", size), ("memory.fill",))
            return
        for at in range(0, size, 8):
            self.put(target[0], limb, ("i64.store", 0, target[1] + at))

    def set_constants(self) -> None:
        """Writes the constants into their slots."""
        for node in self.constants:
            assert isinstance(node.ty, Type)
            size = node.ty.size_bytes
            self._constant(self.place((node.ty, node.attr), size), size, node.attr)

    def _constant(self, place: Place, size: int, bits: int) -> None:
        rest = -(bits >> (8 * size - 1))
        self._fill(place, size, ("i64.const", rest))
        for at in range(0, size, 8):
            limb = bits >> (8 * at) & ((1 << 64) - 1)
            if limb != rest & ((1 << 64) - 1):
                self.put(place[0], ("i64.const", limb), ("i64.store", 0, place[1] + at))

    # Values

    def call(self, name: str) -> None:
        self.put(("call", self.values.routine(f"wide_{name}")))

    def _operand(self, operand: WideOperand) -> None:
        match operand:
            case Node():
                self.values.value(operand)
            case WideSize(size, _):
                self.put(("i32.const", size))
            case Sign(value, ty) if ty.is_signed:
                self.value(value)
                self.put(("i64.load", 0, ty.size_bytes - 8), ("i64.const", 63), ("i64.shr_s",))
            case Sign():
                self.put(("i64.const", 0))
            case TopBit(signed):
                self.put(("i64.const", (1 << 63) * signed))
            case WideWork():
                self.push(self.place("work", 5 * self._widest + 16))
            case WideCall():
                self.called(operand)
            case bool():
                self.put(("i32.const", int(operand)))

    def called(self, call: WideCall) -> None:
        """Calls a routine with its operands; for a value that it computes, the place is pushed already."""
        match call:
            case WideCall(name, (number, size, Sign(value, ty))) if name.startswith("to_"):
                self.called(WideCall(name, (number, size)))
                if ty.is_signed:  # the sign bit is where that of a float would be
                    kind = name[3:6]
                    self.value(value)
                    self.put((f"{kind}.load", 0, ty.size_bytes - int(kind[1:]) // 8), (f"{kind}.copysign",))
            case WideCall(name, operands):
                for operand in operands:
                    self._operand(operand)
                self.call(name)

    def compute(self, variable: Variable, node: Node) -> None:
        """Computes a value into the slot of a variable."""
        assert isinstance(node.ty, Type)
        size, target = node.ty.size_bytes, self.of(variable)
        match statement(node):
            case WideCall() as call:
                self.push(target)
                self.called(call)
            case WideChoice(condition, then, otherwise):
                for value in (then, otherwise, condition):
                    self.values.value(value)
                self.put(("select",))
                self.take(target, size)
            case Copied(place):
                self._operand(place)
                self.take(target, size)
            case Extended() as extended:
                self._extend(target, size, extended)

    def _extend(self, target: Place, size: int, extended: Extended) -> None:
        put, (value, ty, kept) = self.put, extended
        with self.values.temporary("i64") as sign:
            if ty.is_wide:
                self._operand(Sign(value, ty))
                put(("local.set", sign))
                self.value(value)
                self.take(target, kept)
            else:
                put(target[0])
                self.values.value(value)
                put(("local.tee", sign), ("i64.store", 0, target[1]))
                put(("local.get", sign), ("i64.const", 63), ("i64.shr_s",), ("local.set", sign))
            if size > kept:
                limb: Instr = ("local.get", sign) if ty.is_signed else ("i64.const", 0)
                self._fill((target[0], target[1] + kept), size - kept, limb)

    def reduce(self, combine: str, ty: Type, address: int, count: int, spend: Callable[[], None]) -> None:
        """Combines `count` (an i64 local) elements from an address (an i32 local) on; pushes the address of the result.
        `spend` takes the ticks of an element.

        Integers wrap, so that any order gives the same.
        """
        put, size = self.put, ty.size_bytes
        result = self.place(("reduce", ty), size)
        self._constant(result, size, ty.encode(IDENTITIES[combine](ty)))
        put(("block", None), ("loop", None), ("local.get", count), ("i64.eqz",), ("br_if", 1))
        spend()
        if combine in ("add", "mul"):
            product = self.place(("product", ty), size)
            self.push(product)
            self.push(result)
            put(("local.get", address), *[("i32.const", size)] * (3 if combine == "mul" else 1))
            self.call(combine)
            self.move(result, product, size)
        else:
            pair: list[Place] = [result, (("local.get", address), 0)]
            for place in pair[::-1] if combine == "min" else pair:
                self.push(place)
            self._operand(size_of(ty))
            self._operand(TopBit(ty.is_signed))
            self.call("lt")
            put(("if", None))
            self.move(result, (("local.get", address), 0), size)
            put(("end",))
        put(("local.get", address), ("i32.const", size), ("i32.add",), ("local.set", address))
        put(("local.get", count), ("i64.const", 1), ("i64.sub",), ("local.set", count), ("br", 0), ("end",), ("end",))
        self.push(result)
