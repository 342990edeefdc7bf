"""Functions that kernels call: the compiler's library made WebAssembly, fmod, and canonical reductions."""

from __future__ import annotations

import re
from collections.abc import Callable

from ...compiler.ir import Function, Node
from ...compiler.legalise import HALVES, Legaliser
from ...compiler.library import function_of, routine_of
from ...compiler.operations import CLAMPS
from ...compiler.out_of_ssa import Assign, Variable, lower
from ...compiler.ranges import Ranges
from ...compiler.shapes import ANY, Stride
from ...isa.ops import IDENTITIES, reduce_type
from ...isa.types import Type
from .encoder import FunctionBody, Instr, Module
from .library import library_function
from .values import TRAITS, Values, value_type
from .vectors import Vectors
from .wholes import lanes_of

__all__ = ["Routines", "load_instruction", "store_instruction"]

_FAST = {"exp_f32": "exp_fast_f32"}
_BLOCK, _ORBITS = 2048, 32
_OF_PACKETS = re.compile(r"(.*)x(4|8|16)")
_NO_RANGES = Ranges(Function([], 0, [], (1, 1, 1)))


def load_instruction(ty: Type, offset: int = 0) -> Instr:
    """The load of an element into the form that values have."""
    size = ty.size_bytes
    if size < 4:
        return (f"i32.load{ty.bits}_{'s' if ty.kind == 'i' else 'u'}", size.bit_length() - 1, offset)
    return (f"{value_type(ty)}.load", size.bit_length() - 1, offset)


def store_instruction(ty: Type, offset: int = 0) -> Instr:
    size = ty.size_bytes
    return (f"{value_type(ty)}.store{ty.bits if size < 4 else ''}", size.bit_length() - 1, offset)


class _Opened:
    """All that operands make is vectors."""

    def __init__(self) -> None:
        self.variables: dict[Variable, Stride] = {}
        self._known: dict[Node, Stride] = {}

    def of(self, node: Node) -> Stride:
        if node not in self._known:
            own = node.op == "param" or any(self.of(arg) for arg in node.args)
            self._known[node] = ANY if own else 0
        return self._known[node]


class Routines:
    """The routines of a module, each made when first asked for. `look` gives the function that asks for ticks."""

    def __init__(
        self, module: Module, wide_arithmetic: bool = False, look: Callable[[], int] | None = None, fuses: bool = False
    ) -> None:
        self.module, self.wide_arithmetic, self.look, self.fuses = module, wide_arithmetic, look, fuses
        self.relaxes = False  # whether there are instructions of relaxed SIMD

    def __call__(self, name: str) -> int:
        """The function index of a routine: of the libraries, `fmod`, `inverse`, `reduce_add_f32` and its kin."""
        if name not in self.module.numbers:
            if name == "fmod":
                self.module.add(_fmod())
            elif name == "inverse":
                self.module.add(_inverse())
            elif name.startswith("wide_"):
                self.module.add(library_function(name, self.wide_arithmetic, self))
            elif name.startswith("reduce_"):
                self._reduce(name)
            elif found := _OF_PACKETS.fullmatch(name):
                self._of_packets(found[1], int(found[2]))
            else:
                self._library(name)
        return self.module.numbers[name]

    def _library(self, name: str) -> None:
        routine, function = routine_of(name), function_of(name)
        lowered = lower(function)
        result = function.blocks[0].end.value
        assert result is not None
        body = FunctionBody(name, tuple(map(value_type, routine.operands)), (value_type(routine.result),))
        self.module.add(body)
        leaf: Callable[[Node], None] = lambda node: body.code.append(("local.get", node.attr))  # noqa: E731
        values = Values(body, lowered.variables, leaf, self, Ranges(function))
        for statement in lowered.resumes[0].statements:
            assert isinstance(statement, Assign)
            values.compute(statement.value)
            values.put(("local.set", values.local(statement.variable)))
        values.value(result)

    def _of_packets(self, name: str, width: int) -> None:
        """A function of the library on packets; that for math="fast" where there is one, and engines may fuse."""
        source = _FAST.get(name, name) if self.fuses else name
        routine, function = routine_of(source), function_of(source)
        lowered, forms = lower(function), _Opened()
        body = FunctionBody(f"{name}x{width}", (), ())
        starts: list[int] = []

        def part(node: Node, number: int) -> None:
            body.code.append(("local.get", starts[node.attr] + number))

        values = Vectors(body, lowered.variables, lambda node: None, self, Ranges(function), forms, width, part)
        for ty in routine.operands:
            starts.append(len(body.params))
            body.params += ("v128",) * values.parts(ty)
        body.results = ("v128",) * values.parts(routine.result)
        self.module.add(body)
        for statement in lowered.resumes[0].statements:
            assert isinstance(statement, Assign)
            values.let(statement.variable, statement.value)
        result = function.blocks[0].end.value
        assert result is not None
        with values.statement(result):
            for number in range(len(body.results)):
                values.part(result, number)

    def combine(
        self, body: FunctionBody, op: str, ty: Type, left: Callable[[], None], right: Callable[[], None]
    ) -> None:
        """Appends a primitive on two values that the callbacks push."""
        pushes: dict[str, Callable[[], None]] = {}

        def leaf(node: Node) -> None:
            pushes[node.attr]()

        values = Values(body, {}, leaf, self, _NO_RANGES)
        pushes.update({"left": left, "right": right})
        legaliser, held = Legaliser(TRAITS), TRAITS.holds(ty)
        values.compute(legaliser.short(op, ty, Node("param", held, (), "left"), Node("param", held, (), "right")))

    def _reduce(self, name: str) -> None:
        """reduce(address, count, scratch, level, index, arguments, instruction): a block of the canonical reduction.

        It is block `index` of its level: the elements of level 0 are those in memory, those of a level above the
        results of the blocks below; 32 accumulators of each level are in the scratch memory, and in vectors where the
        operation is one on vectors, whose lanes are accumulators then. Each block of level 1, of 4 million elements,
        asks for ticks first, where there are several; what a kernel that is to end gets then means nothing.
        """
        assert self.look is not None
        _, op, type_name = name.split("_")
        element = Type.named(type_name)
        ty = reduce_type(element)
        kind = value_type(ty)
        body = FunctionBody(name, ("i32",) * 7, (kind,))
        address, count, scratch, level, index, arguments, instruction = range(7)
        j, end, row, half, above = (body.local("i32") for _ in range(5))
        put = body.code.extend
        identity = Node("const", ty, (), ty.encode(IDENTITIES[op](ty)))
        values = Values(body, {}, lambda node: None, self, _NO_RANGES)
        number = self.module.add(body)  # it calls itself
        together = _together(op, element)
        vectors = [body.local("v128") for _ in range(_ORBITS * ty.size_bytes // 16)] if together else []

        def accumulator(position: list[Instr]) -> None:
            shift = ty.size_bytes.bit_length() - 1 if together else 3
            put([("local.get", row), *position, ("i32.const", shift), ("i32.shl",), ("i32.add",)])

        def element_value() -> None:
            put([("local.get", level), ("i32.eqz",), ("if", kind)])
            put(
                [
                    ("local.get", address),
                    ("local.get", j),
                    ("i32.const", element.size_bytes),
                    ("i32.mul",),
                    ("i32.add",),
                ]
            )
            put([load_instruction(element)])
            if element in HALVES:
                put([("call", self(f"{HALVES[element]}_to_f32"))])
            put([("else",), ("local.get", address), ("local.get", count), ("local.get", scratch)])
            put([("local.get", level), ("i32.const", 1), ("i32.sub",), ("local.get", j)])
            put([("local.get", arguments), ("local.get", instruction), ("call", number), ("end",)])

        put([("local.get", level), ("i32.const", 1), ("i32.eq",), ("local.get", count), ("i32.const", _BLOCK * _BLOCK)])
        put([("i32.gt_u",), ("i32.and",), ("if", None), ("local.get", arguments)])
        put([("local.get", instruction), ("call", self.look()), ("i64.const", 0), ("i64.lt_s",), ("if", None)])
        put([(f"{kind}.const", 0), ("return",), ("end",), ("end",)])

        # row = scratch + level * 256; the elements of this level: count divided by 2048 level times, rounded up
        put(
            [
                ("local.get", scratch),
                ("local.get", level),
                ("i32.const", 8),
                ("i32.shl",),
                ("i32.add",),
                ("local.set", row),
            ]
        )
        put([("local.get", count), ("local.set", end), ("local.get", level), ("local.set", above)])
        put([("block", None), ("loop", None), ("local.get", above), ("i32.eqz",), ("br_if", 1)])
        put([("local.get", end), ("i32.const", 11), ("i32.shr_u",), ("local.get", end), ("i32.const", _BLOCK - 1)])
        put([("i32.and",), ("i32.const", 0), ("i32.ne",), ("i32.add",), ("local.set", end)])
        put([("local.get", above), ("i32.const", 1), ("i32.sub",), ("local.set", above), ("br", 0), ("end",), ("end",)])
        # j = index * 2048; end = min(end, j + 2048)
        put([("local.get", index), ("i32.const", 11), ("i32.shl",), ("local.set", j)])
        put([("local.get", end), ("local.get", j), ("i32.const", _BLOCK), ("i32.add",), ("local.tee", half)])
        put([("local.get", end), ("local.get", half), ("i32.lt_u",), ("select",), ("local.set", end)])
        # accumulators = identity
        if together:
            _rows(body, together, identity, vectors, (address, level, j, end, row, half))
        else:
            put([("i32.const", 0), ("local.set", half), ("loop", None)])
            accumulator([("local.get", half)])
            values.compute(identity)
            put([(f"{kind}.store", 2, 0), ("local.get", half), ("i32.const", 1), ("i32.add",), ("local.tee", half)])
            put([("i32.const", _ORBITS), ("i32.lt_u",), ("br_if", 0), ("end",)])
        # accumulators[j mod 32] = op(it, element j)
        put([("block", None), ("loop", None), ("local.get", j), ("local.get", end), ("i32.ge_u",), ("br_if", 1)])
        orbit: list[Instr] = [("local.get", j), ("i32.const", _ORBITS - 1), ("i32.and",)]
        accumulator(orbit)

        def old() -> None:
            accumulator(orbit)
            put([(f"{kind}.load", 2, 0)])

        self.combine(body, op, ty, old, element_value)
        put([(f"{kind}.store", 2, 0), ("local.get", j), ("i32.const", 1), ("i32.add",), ("local.set", j), ("br", 0)])
        put([("end",), ("end",)])
        # for half in 16, 8, 4, 2, 1: accumulators[j] = op(accumulators[j], accumulators[j + half]) for j < half
        if together:
            put([code for place, local in enumerate(vectors) for code in _taken(row, place, local)])
            put(_folded(vectors, together, ty))
            return
        put([("i32.const", _ORBITS // 2), ("local.set", half), ("loop", None), ("i32.const", 0), ("local.set", j)])
        put([("loop", None)])
        here: list[Instr] = [("local.get", j)]
        there: list[Instr] = [("local.get", j), ("local.get", half), ("i32.add",)]
        accumulator(here)

        def at(position: list[Instr]) -> Callable[[], None]:
            def push() -> None:
                accumulator(position)
                put([(f"{kind}.load", 2, 0)])

            return push

        self.combine(body, op, ty, at(here), at(there))
        put([(f"{kind}.store", 2, 0), ("local.get", j), ("i32.const", 1), ("i32.add",), ("local.tee", j)])
        put([("local.get", half), ("i32.lt_u",), ("br_if", 0), ("end",), ("local.get", half), ("i32.const", 1)])
        put([("i32.shr_u",), ("local.tee", half), ("br_if", 0), ("end",), ("local.get", row), (f"{kind}.load", 2, 0)])


def _rows(
    body: FunctionBody, together: str, identity: Node, vectors: list[int], places: tuple[int, int, int, int, int, int]
) -> None:
    """Of level 0 whole rows of 32 elements, a vector at a time; then accumulators are put into the scratch memory."""
    address, level, j, end, row, left = places
    put, size, at = body.code.extend, 16 * len(vectors) // _ORBITS, body.local("i32")
    put([("v128.const", int(identity.attr).to_bytes(size, "little") * (16 // size))])
    put([*(("local.tee", local) for local in vectors[1:]), ("local.set", vectors[0])])
    put([("local.get", level), ("i32.eqz",), ("local.get", end), ("local.get", j), ("i32.sub",), ("i32.const", 5)])
    put([("i32.shr_u",), ("local.tee", left), ("i32.const", 0), ("i32.ne",), ("i32.and",), ("if", None)])
    put([("local.get", address), ("local.get", j), ("i32.const", size), ("i32.mul",), ("i32.add",)])
    put([("local.set", at), ("local.get", j), ("local.get", left), ("i32.const", 5), ("i32.shl",), ("i32.add",)])
    put([("local.set", j), ("loop", None)])
    for place, local in enumerate(vectors):
        put([("local.get", local), ("local.get", at), ("v128.load", 2, 16 * place), (together,), ("local.set", local)])
    put([("local.get", at), ("i32.const", size * _ORBITS), ("i32.add",), ("local.set", at)])
    put([("local.get", left), ("i32.const", 1), ("i32.sub",), ("local.tee", left), ("br_if", 0)])
    put([("end",), ("end",)])
    for place, local in enumerate(vectors):
        put([("local.get", row), ("local.get", local), ("v128.store", 2, 16 * place)])


def _together(op: str, ty: Type) -> str:
    """The instruction that reduces vectors of elements, if there is one; of those of 32 and 64 bits."""
    if ty.bits not in (32, 64) or (ty.is_integer and ty.bits == 64 and op in CLAMPS):
        return ""
    sign = ("_s" if ty.is_signed else "_u") if ty.is_integer and op in CLAMPS else ""
    return f"{lanes_of(ty)}.{op}{sign}"


def _taken(row: int, place: int, local: int) -> list[Instr]:
    return [("local.get", row), ("v128.load", 2, 16 * place), ("local.set", local)]


def _folded(vectors: list[int], together: str, ty: Type) -> list[Instr]:
    """Pushes what 32 accumulators are together, halves of them at a time."""
    code: list[Instr] = []
    while len(vectors) > 1:
        half = len(vectors) // 2
        for low, high in zip(vectors[:half], vectors[half:], strict=True):
            code += [("local.get", low), ("local.get", high), (together,), ("local.set", low)]
        vectors = vectors[:half]
    one: Instr = ("local.get", vectors[0])
    distance = 8
    while distance >= ty.size_bytes:
        moved = bytes((byte + distance) % 16 for byte in range(16))
        code += [one, one, one, ("i8x16.shuffle", moved), (together,), ("local.set", vectors[0])]
        distance //= 2
    return [*code, one, (f"{lanes_of(ty)}.extract_lane", 0)]


def _inverse() -> FunctionBody:
    """inverse(a, m) on U32, 0 where there is none: Euclid's algorithm with the sign of the factor kept apart."""
    body = FunctionBody("inverse", ("i32", "i32"), ("i32",))
    r, modulus = 0, 1  # the two rests are s and r, the factors t and u
    s, t, u, q, odd, rest = (body.local("i32") for _ in range(6))
    get: dict[int, Instr] = {number: ("local.get", number) for number in range(8)}
    code: list[Instr] = [
        get[modulus], ("i32.const", 2), ("i32.lt_u",), ("if", None), ("i32.const", 0), ("return",), ("end",),
        get[modulus], ("local.set", s), get[r], get[modulus], ("i32.rem_u",), ("local.set", r),
        ("i32.const", 1), ("local.set", u),
        ("block", None), ("loop", None), get[r], ("i32.eqz",), ("br_if", 1),
        get[s], get[r], ("i32.div_u",), ("local.set", q),
        get[s], get[q], get[r], ("i32.mul",), ("i32.sub",), ("local.set", rest),
        get[r], ("local.set", s), get[rest], ("local.set", r),
        get[t], get[q], get[u], ("i32.mul",), ("i32.add",), ("local.set", rest),
        get[u], ("local.set", t), get[rest], ("local.set", u),
        get[odd], ("i32.eqz",), ("local.set", odd), ("br", 0), ("end",), ("end",),
        get[s], ("i32.const", 1), ("i32.ne",), ("if", None), ("i32.const", 0), ("return",), ("end",),
        get[t], get[modulus], get[t], ("i32.sub",), get[odd], ("select",),
    ]  # fmt: skip
    body.code += code
    return body


def _fmod() -> FunctionBody:
    """fmod(x, y) on F64, exact: long division of the significands, one bit of the quotient a round."""
    body = FunctionBody("fmod", ("f64", "f64"), ("f64",))
    x, y = 0, 1
    mx, my, sign = (body.local("i64") for _ in range(3))
    ex, ey = (body.local("i32") for _ in range(2))
    put = body.code.extend
    absolute: dict[int, list[Instr]] = {v: [("local.get", v), ("f64.abs",)] for v in (x, y)}
    infinity: Instr = ("f64.const", 0x7FF << 52)
    # x infinite or NaN, y NaN or zero: NaN
    put(
        [
            *absolute[x],
            infinity,
            ("f64.lt",),
            ("i32.eqz",),
            ("local.get", y),
            ("local.get", y),
            ("f64.ne",),
            ("i32.or",),
        ]
    )
    put([("local.get", y), ("f64.const", 0), ("f64.eq",), ("i32.or",), ("if", None)])
    put([("f64.const", 0x7FF8 << 48), ("return",), ("end",)])
    put([*absolute[x], *absolute[y], ("f64.lt",), ("if", None), ("local.get", x), ("return",), ("end",)])
    put([("local.get", x), ("i64.reinterpret_f64",), ("i64.const", -(1 << 63)), ("i64.and",), ("local.set", sign)])
    for value, significand, exponent in ((x, mx, ex), (y, my, ey)):
        bits: list[Instr] = [*absolute[value], ("i64.reinterpret_f64",)]
        put([*bits, ("i64.const", 52), ("i64.shr_u",), ("i32.wrap_i64",), ("local.set", exponent)])
        put([*bits, ("i64.const", (1 << 52) - 1), ("i64.and",), ("local.set", significand)])
        put([("local.get", exponent), ("if", None), ("local.get", significand), ("i64.const", 1 << 52), ("i64.or",)])
        # A subnormal has the exponent of the least normal number and no leading bit: nothing else differs.
        put([("local.set", significand), ("else",), ("i32.const", 1), ("local.set", exponent), ("end",)])
    reduce_once: list[Instr] = [
        ("local.get", mx), ("local.get", my), ("i64.ge_u",), ("if", None),
        ("local.get", mx), ("local.get", my), ("i64.sub",), ("local.set", mx), ("end",),
    ]  # fmt: skip
    # A subnormal y has few digits, so mx may hold many times my before the first round: take the remainder at once.
    put([("local.get", mx), ("local.get", my), ("i64.rem_u",), ("local.set", mx)])
    put([("block", None), ("loop", None), ("local.get", ex), ("local.get", ey), ("i32.le_s",), ("br_if", 1)])
    put([("local.get", mx), ("i64.const", 1), ("i64.shl",), ("local.set", mx), *reduce_once])
    put([("local.get", ex), ("i32.const", 1), ("i32.sub",), ("local.set", ex), ("br", 0), ("end",), ("end",)])
    # mx * 2**(ey - 1075) with ey at least 1: shift up to the leading bit, or leave it subnormal.
    put(
        [
            ("local.get", mx),
            ("i64.eqz",),
            ("if", None),
            ("local.get", sign),
            ("f64.reinterpret_i64",),
            ("return",),
            ("end",),
        ]
    )
    put([("block", None), ("loop", None), ("local.get", mx), ("i64.const", 1 << 52), ("i64.ge_u",), ("br_if", 1)])
    put([("local.get", ey), ("i32.const", 1), ("i32.le_s",), ("br_if", 1)])
    put([("local.get", mx), ("i64.const", 1), ("i64.shl",), ("local.set", mx)])
    put([("local.get", ey), ("i32.const", 1), ("i32.sub",), ("local.set", ey), ("br", 0), ("end",), ("end",)])
    # The leading bit, if it is there, adds one to an exponent field of ey - 1.
    put([("local.get", ey), ("i32.const", 1), ("i32.sub",), ("i64.extend_i32_u",), ("i64.const", 52), ("i64.shl",)])
    put([("local.get", mx), ("i64.add",), ("local.get", sign), ("i64.or",), ("f64.reinterpret_i64",)])
    return body
