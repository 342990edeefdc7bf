"""Collectives in kernels: `hg.tensor.softmax(y, x, m, n)`, `hg.parallel_reduce(x, y, "sum", n)`, which the whole launch
does once, between the work of lanes.

A call is the instruction of that name (isa.md section 6), its operands by place, in the order of the instruction's row,
or by name: arrays, which say the type of elements, sizes and factors that the host can compute, options that are known
while translating. Where a call may stand the verifier knows (isa/hostflow.py): what it says becomes a TranslateError.
"""

from __future__ import annotations

import ast
from enum import Enum
from inspect import Parameter, Signature
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from ...errors import IsaError, like
from ...isa.address import Address
from ...isa.cfg import expand
from ...isa.hostflow import Breach, breaches
from ...isa.operands import BinaryMapOperation, MapOperation, ReduceOperation
from ...isa.row import REQUIRED, Operand, Row
from ...isa.table import BY_MNEMONIC
from ...isa.types import Type
from .arithmetic import literal
from .emit import ArrayRef
from .names import Intrinsic, shown
from .source import MISSING, Source
from .types import INDEX, Value, Weak, default, float_of
from .views import row_of

if TYPE_CHECKING:
    from ...isa.program import Program
    from .calls import Calls

__all__ = ["CollectiveFunction", "call_collective", "check_collectives", "form_of"]

_Operations = dict[str, Enum]
_UNARY = "abs neg sqrt exp log sin cos tan sigmoid tanh relu ceil floor round erf"
_UNARY_OPERATIONS: _Operations = {name: MapOperation(name) for name in _UNARY.split()}
_UNARY_OPERATIONS["reciprocal"] = MapOperation.Rcp
_BINARY_OPERATIONS: _Operations = {
    name: BinaryMapOperation(name) for name in ("add", "sub", "mul", "div", "pow", "min", "max", "atan2")
}
_REDUCTIONS: _Operations = {operation.name.lower(): operation for operation in ReduceOperation}
# The three that the source documents have, with names, operations and an order of their own: the instruction, and which
# operand each argument is.
_SOURCES: dict[str, tuple[str, dict[str, str], _Operations]] = {
    "parallel_map_unary": (
        "parallel_map",
        {"input": "src_array", "output": "dst_array", "operation": "operation", "count": "count"},
        _UNARY_OPERATIONS,
    ),
    "parallel_map_binary": (
        "parallel_map_binary",
        {"input_a": "src_a", "input_b": "src_b", "output": "dst_array", "operation": "operation", "count": "count"},
        _BINARY_OPERATIONS,
    ),
    "parallel_reduce": (
        "parallel_reduce",
        {"input": "src_array", "output": "dst", "operation": "operation", "count": "count"},
        _REDUCTIONS,
    ),
}
_ONCE = "it is done once, by the whole launch"
_SAME_BITS = {Type.I32: Type.U32, Type.U32: Type.I32}  # of numbers below 2^31, as places are


class CollectiveFunction(Intrinsic):
    # A collective as a function of kernels: `hg.tensor.softmax`. Its text and its signature are those of its row.

    @property
    def __doc__(self) -> str:  # type: ignore[override]
        return str(self._described()[0])

    def _described(self) -> tuple[str, Any]:
        row = BY_MNEMONIC[self.name.rpartition(".")[2]]
        kind, none = Parameter.POSITIONAL_OR_KEYWORD, Parameter.empty
        found = [
            Parameter(each.name, kind, default=none if each.default is REQUIRED else each.default)
            for each in _operands(row)
        ]
        return row.doc, Signature(found)


class Called(NamedTuple):
    """A call that was translated: its syntax, where that is, what messages call it, what they call each operand
    and the argument that it is."""

    node: ast.Call
    source: Source
    name: str
    given: dict[str, tuple[str, ast.expr]]


def _operands(row: Row) -> list[Operand]:
    """What a call gives: all but types, which arrays say."""
    return [operand for operand in row.operands if operand.kind != "type"]


def form_of(row: Row) -> str:
    """The arguments of a call as messages show them."""
    texts = (o.name if o.default is REQUIRED else f"{o.name}={_shown(o)}" for o in _operands(row))
    return ", ".join(texts)


def _shown(operand: Operand) -> str:
    default = operand.default
    return repr(default) if operand.kind != "scalar" or default is None else f"{default:g}"


def call_collective(kernel: Calls, node: ast.Call, name: str) -> Value | None:
    """A call of a collective: of `hg.tensor`, whose name has its room in front, or one of the source documents."""
    mnemonic, names, operations = _SOURCES.get(name) or (name.rpartition(".")[2], {}, {})
    row = BY_MNEMONIC[mnemonic]
    call = _Call(kernel, node, row, names or {operand.name: operand.name for operand in _operands(row)}, operations)
    call.bind()
    return call.translated()


class _Call:
    """One call while it is translated. `names` has the operand that each argument is, by name and in order."""

    def __init__(self, kernel: Calls, node: ast.Call, row: Row, names: dict[str, str], operations: _Operations) -> None:
        self.kernel, self.node, self.row, self.names, self.operations = kernel, node, row, names, operations
        self.name = ast.unparse(node.func)
        self.what = {name: f"the {argument} of {self.name}" for argument, name in names.items()}
        self.given: dict[str, ast.expr] = {}  # by operand
        self.arrays: dict[str, ArrayRef] = {}
        self.found: dict[str, Any] = {}

    def fail(self, node: ast.AST, text: str) -> NoReturn:
        self.kernel.fail(node, text)

    def bind(self) -> None:
        """Notes which argument is which operand."""
        names = self.names
        operands = {operand.name: operand for operand in self.row.operands}
        form = form_of(self.row) if [*names] == [*names.values()] else ", ".join(names)
        write = f"write {self.name}({form})"
        for argument in self.node.args:
            if isinstance(argument, ast.Starred):
                self.kernel.scope.source.unsupported(argument)
        if len(self.node.args) > len(names):
            self.fail(self.node.args[len(names)], f"{self.name} has {len(names)} arguments: {write}")
        self.given = dict(zip(names.values(), self.node.args, strict=False))
        for keyword in self.node.keywords:
            if keyword.arg not in names:
                near = like(keyword.arg or "**", [*names]) or f": {write}"
                self.fail(keyword.value, f"{self.name} has no argument {keyword.arg or '**'}{near}")
            if names[keyword.arg] in self.given:
                self.fail(keyword.value, f"{keyword.arg} of {self.name} is given twice")
            self.given[names[keyword.arg]] = keyword.value
        for shown_name, name in names.items():
            left_out = operands[name].default is REQUIRED and operands[name].kind != "result"
            if name not in self.given and left_out:
                self.fail(self.node, f"{self.name} has no {shown_name}: {write}")
            given = self.given.get(name)
            if isinstance(given, ast.Constant) and given.value is None and operands[name].default is None:
                del self.given[name]

    def translated(self) -> Value | None:
        """Appends the instruction; its value, if it has one."""
        kernel, row = self.kernel, self.row
        regions = sum(kernel.facts.regions.values())
        for kind, used in kernel.own_bytes.items():
            if used > (regions if kind == "shared" else 0):
                self.fail(self.node, f"{kind} memory is not kept over {self.name}: make it behind")
        operands = {operand.name: operand for operand in row.operands}
        for name in self.given:
            if operands[name].is_address or operands[name].kind == "result":
                self.found[name] = self.address(operands[name])
        self.types()
        for name in self.given:
            if name not in self.found:
                self.found[name] = self.operand(operands[name])
        total = None
        if "dst" in operands and "dst" not in self.found:  # what the lanes behind it are all told
            self.found["dst"] = total = kernel.temporary()
        scaled = "beta" not in self.arrays and self.found.get("beta", 0) != 0  # of norms beta is an array
        for name, array in self.arrays.items():
            kind = operands[name].kind
            added = kind == "store" and scaled  # a result that is scaled by beta and added to
            if kind in ("load", "rmw") or added:
                kernel.facts.reads.add(array.name)
            if kind != "load":
                kernel.facts.writes.add(array.name)
        held = [value.index if isinstance(value, Address) else value for value in self.found.values()]
        kernel.drop(*(value for value in held if value != total))
        try:
            kernel.emit(row, **self.found)
        except IsaError as error:
            self.fail(self.node, f"{self.name}: {error}")
        given = {name: (self.what[name], node) for name, node in self.given.items()}
        kernel.collectives[len(kernel.code) - 1] = Called(self.node, kernel.scope.source, self.name, given)
        return None if total is None else Value(self.found["ty"], total)

    # Arrays

    def address(self, operand: Operand) -> Address:
        """Where the elements of an operand begin: with an array, or with a part of it."""
        kernel, node = self.kernel, self.given[operand.name]
        text = ast.unparse(node)
        view = row_of(kernel, node)
        if view is None:
            if isinstance(node, ast.Subscript) and isinstance(kernel.static(node.value), ArrayRef):
                self.fail(node, f"{text} is an element of an array: from there on it is {_from_there(node)}")
            view = kernel.array(node)
            if any(ends is not None for ends in view.cut):
                self.fail(node, f"{text} has an end of its own, and {self.name} knows ends by sizes: write x[first:]")
        elif any(isinstance(part, ast.Slice) and part.upper is not None for part in ast.walk(node)):
            self.fail(node, f"{text} has an end of its own, and {self.name} knows ends by sizes: write x[first:]")
        if view.shape is not None or view.placed:
            self.fail(node, f"{text} is no parameter of the kernel, and {self.name} works on these alone")
        if view.element is not None:
            have = f"{text} is of {shown(view.means)}"
            self.fail(node, f"{have}, and {self.name} works on numbers: let the parameter be an array of these")
        self.arrays[operand.name] = view
        return kernel.access(view.whole, *self.begins(node, view)) if view.fixed else Address.Buffer(view.name)

    def begins(self, node: ast.expr, view: ArrayRef) -> tuple[Any, int]:
        """The place of the first element of a part of an array: in a register, and what is added to it."""
        kernel, whole = self.kernel, view.whole
        place, rest = literal(0), False
        for axis, fixed in enumerate(view.fixed):
            cut = view.cut[axis] if view.cut else None
            if rest and (fixed is not None or cut is not None):
                have = f"the elements of {ast.unparse(node)} do not lie side by side"
                self.fail(node, f"{have}, and {self.name} works on such: give indices along the first axes alone")
            rest |= fixed is None
            here = fixed if fixed is not None else cut[0] if cut is not None else None
            if here is not None and here.reg is not None:
                here = self.within(node, here, view, axis)
            if place.const != 0:
                place = self.number(kernel.binary(node, ast.Mult(), place, kernel.length(whole, axis)))
            if here is not None:
                place = here if place.const == 0 else self.number(kernel.binary(node, ast.Add(), place, here))
        if place.const is not None:
            return None, int(place.const)
        return kernel.register(node, place, INDEX), 0

    def within(self, node: ast.expr, here: Value, view: ArrayRef, axis: int) -> Value:
        """An index whose products with lengths do not wrap. Along the first axis memory ends: what lies outside becomes
        -1 or the length, so that lanes need not look."""
        kernel, ty = self.kernel, here.ty
        assert isinstance(ty, Type)
        length = kernel.register(node, kernel.length(view.whole, axis), INDEX)
        assert here.reg is not None
        if axis:
            kernel.emit("CHK", here.reg, length, view.name, axis, 0)
        index = kernel.convert(INDEX, ty, here.reg) if axis or ty.bits < 32 else here.reg
        if not axis and len(view.fixed) > 1:
            wide = max(ty, INDEX, key=lambda each: each.bits)
            index = kernel.op("MIN", wide, index, kernel.convert(wide, INDEX, length))
            if wide.is_signed:
                index = kernel.op("MAX", wide, index, kernel.immediate(wide, -1))
            index = kernel.convert(INDEX, wide, index)
        return Value(INDEX, index)

    @staticmethod
    def number(value: Any) -> Value:
        assert isinstance(value, Value)
        return value

    def types(self) -> None:
        """The types of the elements, which arrays say."""
        row = self.row
        for operand in row.operands:
            said = [name for name in self.arrays if row.operands[row.positions[name]].type == operand.name]
            if operand.kind != "type" or not said:
                continue
            name = min(said, key=row.positions.__getitem__)
            node, ty = self.given[name], self.arrays[name].ty
            if ty not in operand.allowed:
                listed = ", ".join(str(each) for each in sorted(operand.allowed, key=lambda each: each.id))
                self.fail(node, f"{self.what[name]} is of one of {listed}, and {ast.unparse(node)} of {ty}")
            if ty is not self.found.get("ty"):  # which another type operand is that is left out
                self.found[operand.name] = ty
        if self.found.get("ty") is None:
            self.fail(self.node, f"{self.name} does not know of which type its elements are: give it an array")
        for name, array in self.arrays.items():
            wanted = row.element_type(name, self.found)
            if array.ty is not wanted and not (
                row.operands[row.positions[name]].type in ("i32", "u32") and _SAME_BITS.get(array.ty) is wanted
            ):
                node = self.given[name]
                self.fail(node, f"{self.what[name]} is of {wanted} here, and {ast.unparse(node)} of {array.ty}")

    # What is no array

    def operand(self, operand: Operand) -> Any:
        """A size, a factor, or an option."""
        node = self.given[operand.name]
        if operand.kind in ("size", "scalar"):
            return self.host_number(operand, node)
        what = self.what[operand.name]
        value = _known(self.kernel, node)
        enum: Any = getattr(operand.codec, "enum", None)
        if enum is not None:
            named: _Operations = self.operations or {each.name.lower(): each for each in enum}
            chosen = value if isinstance(value, enum) else named.get(value) if isinstance(value, str) else None
            if chosen is None:
                self.fail(node, f"{what} is one of these texts: {', '.join(named)}")
            written = next(each.name for each in self.row.operands if each.kind in ("store", "rmw", "result"))
            ty = self.arrays[written].ty if written in self.arrays else self.found["ty"]
            if ty not in BY_MNEMONIC[chosen.value].operands[0].allowed:
                self.fail(node, f"{ast.unparse(node)} does not work on {ty}, of which {self.what[written]} is")
            return chosen
        if value is None:
            self.fail(
                node, f"{what} is known while translating: write a {operand.codec.what}, or pass it as hg.Constant"
            )
        try:
            return operand.codec.check(value, None)
        except IsaError:
            self.fail(node, f"{what} is a {operand.codec.what}, not {ast.unparse(node)}")

    def host_number(self, operand: Operand, node: ast.expr) -> Any:
        """A number that the host computes, of which literals are part of the instruction."""
        kernel, what = self.kernel, self.what[operand.name]
        value = kernel.value(node)
        if value.pred is not None or value.ty is Weak.BOOL or isinstance(value.const, bool):
            self.fail(node, f"{what} is a number, not true or false")
        ty = default(value.ty)
        if operand.kind == "size" and float_of(value.ty) is value.ty:
            self.fail(node, f"{what} is an integer, not {ty}: round it, and convert with hg.i32(x)")
        if ty.is_wide and not (operand.kind == "scalar" and ty is self.found["ty"]):
            self.fail(node, f"{what} is a number of at most 64 bits, not {ty}: convert it, as in hg.i64(x)")
        number = value.const
        if number is None:
            return kernel.register(node, value, ty)
        if operand.kind == "scalar":
            exact = isinstance(number, float) or int(float(number)) == number
            return float(number) if exact else kernel.register(node, value, self.found["ty"])
        try:
            return operand.codec.check(int(number), None)
        except IsaError:
            self.fail(node, f"{what} is from 0 to 2**48 - 1, not {number}")


def _from_there(node: ast.Subscript) -> str:
    return f"{ast.unparse(node.value)}[{ast.unparse(node.slice)}:]"


def _known(kernel: Calls, node: ast.expr) -> Any:
    """What an expression is that is known while translating: a number, a text, a tuple; None if it is not."""
    if isinstance(node, (ast.Tuple, ast.List)):
        parts = tuple(_known(kernel, part) for part in node.elts)
        return None if None in parts else parts
    found = kernel.static(node)
    if isinstance(found, Value):
        return found.const
    if isinstance(found, (bool, int, float, str, tuple, Enum)):
        return found
    if isinstance(node, ast.Constant):
        return node.value
    return kernel.value(node).const if found is MISSING else None


# Where calls may stand


def check_collectives(kernel: Calls, program: Program) -> None:
    """Raises TranslateError for the first call that stands where the whole launch does not come, or takes what the host
    cannot compute, and for what lanes had before a call and read behind it."""
    for found in sorted(breaches(expand(program)), key=lambda each: each.at):
        call = kernel.collectives.get(found.at)
        if call is None:
            _fail_lost(kernel, found)
        if found.branch >= 0:
            source, node = kernel.lines[found.branch]
            line = source.line(node)
            by = getattr(node, "pointer", f"line {line}, `{source.lines[line - source.first].strip()}`")  # of JSON
            where = "write it where every lane comes, under conditions of scalar parameters and lengths alone"
            call.source.fail(call.node, f"whether {call.name} runs depends on the lane, by {by}: {_ONCE}, so {where}")
        what, node = call.given.get(found.operand.name if found.operand else "", (call.name, call.node))
        how = "compute it from scalar parameters and lengths of arrays alone"
        call.source.fail(node, f"{what} is computed by lanes, or of what they read: {_ONCE}, so {how}")


def _fail_lost(kernel: Calls, found: Breach) -> NoReturn:
    source, node = kernel.lines[found.at]
    held = (name for name, register in kernel.scope.registers.items() if register == found.value)
    name = next(held, "").partition(".")[0]
    for part in ast.walk(node):
        if isinstance(part, ast.Name) and part.id == name and isinstance(part.ctx, ast.Load):
            source.fail(part, f"{name} is not kept over a collective: compute it again behind it")
    source.fail(node, "what lanes computed before a collective is not kept over it: give the call a line of its own")
