"""`print` in a kernel: records of what it shows in a log (isa/logs.py), which the launch reads and prints when it is
done."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from ...isa.address import Address
from ...isa.logs import CONVERSIONS, LOG_WORDS, Print, Shown
from ...isa.operands import AtomicOperation, Register
from ...isa.program import LOG
from ...isa.types import Type
from .compounds import Parts
from .source import constant
from .spans import tell
from .types import Value, Weak, default

if TYPE_CHECKING:
    from .functions import Functions

__all__ = ["print_"]

_U32 = Type.U32
_BITS = {8: _U32, 16: _U32, 32: _U32, 64: Type.U64}


def print_(kernel: Functions, node: ast.Call) -> None:
    """print(a, "text", f"{b:.3f}", sep=" ", end="\\n")."""
    texts = {"sep": " ", "end": "\n"}
    for keyword in node.keywords:
        text = kernel.static(keyword.value)
        if keyword.arg not in texts or not isinstance(text, str):
            kernel.fail(keyword.value, "print takes sep and end here, texts that are known while translating")
        texts[keyword.arg] = text
    parts: list[str | Shown] = []
    held: list[tuple[Register, Type]] = []
    for number, argument in enumerate(node.args):
        parts += [texts["sep"]] * (number > 0)
        _argument(kernel, argument, parts, held)
    parts.append(texts["end"])
    found = Print(tuple(parts))
    prints = kernel.facts.prints
    if found not in prints:
        prints.append(found)
    if (LOG, 0) not in kernel.hidden:
        kernel.hidden[LOG, 0] = kernel.parameter(node, LOG, _U32, buffer=True)
        kernel.facts.reads.add(LOG)
        kernel.facts.writes.add(LOG)
    _record(kernel, prints.index(found), held)


def _argument(kernel: Functions, node: ast.expr, parts: list[str | Shown], held: list[tuple[Register, Type]]) -> None:
    if isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                spec = part.format_spec.values if isinstance(part.format_spec, ast.JoinedStr) else []
                if any(not isinstance(each, ast.Constant) for each in spec):
                    kernel.fail(part, "how a value is shown is known while translating: f'{x:.3f}'")
                text = "".join(str(each.value) for each in spec if isinstance(each, ast.Constant))
                conversion = "" if part.conversion < 0 else chr(part.conversion)
                _value(kernel, part.value, kernel_value(kernel, part.value), parts, held, conversion, text)
            else:
                assert isinstance(part, ast.Constant)
                parts.append(str(part.value))
        return
    _value(kernel, node, kernel_value(kernel, node), parts, held)


def kernel_value(kernel: Functions, node: ast.expr) -> Any:
    """A text, a constant, or a value."""
    first = node
    while isinstance(first, (ast.BinOp, ast.Call, ast.Attribute)):
        first = (
            first.left if isinstance(first, ast.BinOp) else first.func if isinstance(first, ast.Call) else first.value
        )
    if (
        first is not node
        and isinstance(first, (ast.JoinedStr, ast.Constant))
        and isinstance(getattr(first, "value", ""), str)
    ):
        kernel.fail(node, "texts are not put together in a kernel: write print(a, b), or print(f'{a} {b:.3f}')")
    found = kernel.static(node)
    known = found if isinstance(found, str) else constant(found)
    return known if isinstance(known, (str, tuple)) else kernel.any_value(node)


def _value(
    kernel: Functions,
    node: ast.expr,
    value: Any,
    parts: list[str | Shown],
    held: list[tuple[Register, Type]],
    conversion: str = "",
    spec: str = "",
) -> None:
    if isinstance(value, Parts):
        if spec:
            kernel.fail(node, "a value with parts is shown as it is: format its parts one by one")
        for number, part in enumerate(value.values):
            parts.append(", " if number else "(")
            _value(kernel, node, part, parts, held)
        parts.append(")")
        return
    known = value.const if isinstance(value, Value) else value
    is_bool = isinstance(value, Value) and value.ty is Weak.BOOL
    ty = default(value.ty) if isinstance(value, Value) else None
    if known is not None:
        sample: Any = known
    else:
        sample = True if is_bool else 1.5 if ty is not None and ty.is_float else 1
    try:
        text = format(CONVERSIONS[conversion](sample), spec)
    except (ValueError, TypeError) as error:
        kernel.fail(node, f"print cannot show this so: {error}")
    if known is not None:
        parts.append(text)
        return
    assert ty is not None
    if ty.is_wide:
        kernel.fail(node, f"print shows numbers of up to 64 bits, not {ty}: shift, and convert with hg.u64(x)")
    register = kernel.register(node, tell(kernel, node, value, "printed"), ty)
    wide = Type.F32 if ty.is_float else Type.I32 if ty.is_signed else _U32
    if ty.bits < 32:
        register = kernel.convert(wide, ty, register)
    bits = _BITS[ty.bits]
    register = kernel.reinterpret(bits, wide if ty.bits < 32 else ty, register)
    copy = register
    if register not in kernel.temporaries[-1]:  # a variable, which an argument further on may change
        copy = kernel.temporary()
        kernel.emit("MOV", copy, register)
    held.append((copy, bits))
    parts.append(Shown("bool" if is_bool else ty, conversion, spec))


def _record(kernel: Functions, number: int, held: list[tuple[Register, Type]]) -> None:
    """Takes a place in the log, if there is room, and writes the record."""
    size = 2 + sum(ty.bits // 32 for _, ty in held)
    counts, lost = (Address.Buffer(LOG, offset) for offset in (0, 4))
    full, end = kernel.label(), kernel.label()
    at, one = kernel.temporary(), kernel.temporary()
    for operation, operand in ((AtomicOperation.OR, 0), (AtomicOperation.ADD, size)):  # a full log counts no further
        kernel.emit("MOV_IMM", _U32, one, operand)
        kernel.emit("ATOM", operation, _U32, at, counts, one)
        most = kernel.immediate(_U32, LOG_WORDS - 2 - size)
        room = kernel.test("gt", _U32, at, most, keep=True)
        kernel.jump(full, room)
        kernel.drop(room, most)

    def put(word: int, register: Register) -> None:
        base = Address.Buffer(LOG)
        address = Address.Register(base, at, scale=4, offset=4 * (2 + word))
        kernel.emit("STG", _U32, address, register)

    kernel.emit("MOV_IMM", _U32, one, number)
    put(0, one)
    kernel.emit("CVT", _U32, Type.U64, one, Register(255))
    put(1, one)
    word = 2
    for register, ty in held:
        if ty is _U32:
            put(word, register)
        else:
            kernel.emit("CVT", _U32, ty, one, register)
            put(word, one)
            high = kernel.op("SHR", ty, register, kernel.immediate(_U32, 32), keep=True)
            kernel.emit("CVT", _U32, ty, one, high)
            put(word + 1, one)
        word += ty.bits // 32
    kernel.jump(end)
    kernel.place(full)
    kernel.emit("MOV_IMM", _U32, one, 1)
    kernel.emit("ATOM", AtomicOperation.ADD, _U32, at, lost, one)
    kernel.place(end)
