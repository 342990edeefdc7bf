"""Canonical reductions of memory: functions of a module that kernels call."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from ...compiler.legalise import HALVES
from ...compiler.operations import CLAMPS
from ...isa.ops import IDENTITIES, reduce_type
from ...isa.types import Type
from .encoder import FunctionBody, Instr
from .routines import load_instruction, store_instruction
from .values import value_type
from .wholes import INTEGERS, UPPER, lanes_of

if TYPE_CHECKING:
    from .routines import Routines

__all__ = ["reduction"]

_ORBITS = 32
_INTEGERS = 8  # vectors that integers are combined in: their order changes nothing
# From 2**22 elements on, each 4 million ask for ticks; what a kernel that is to end gets then means nothing. `row` is
# the level's part of the scratch memory; of its elements, `count` divided by 2048 level times and rounded up, a block
# has those from j to end.
_PLACES = """
get level  i32.const 1  i32.eq  get count  i32.const 4194304  i32.gt_u  i32.and
if
  get arguments  get instruction  look  i64.const 0  i64.lt_s
  if
    zero  return
  end
end
get scratch  get level  i32.const 8  i32.shl  i32.add  set row
get count  set end  get level  set at
block  loop
  get at  i32.eqz  br_if 1
  get end  i32.const 11  i32.shr_u  get end  i32.const 2047  i32.and  i32.const 0  i32.ne  i32.add  set end
  get at  i32.const 1  i32.sub  set at  br 0
end  end
get index  i32.const 11  i32.shl  set j
get end  get j  i32.const 2048  i32.add  tee at  get end  get at  i32.lt_u  select  set end
start
"""
# Rows of 32 that are in memory, and of halves, whether all were finite.
_WHOLE = """
get level  i32.eqz  get end  get j  i32.sub  i32.const 5  i32.shr_u  tee rows  i32.const 0  i32.ne  i32.and
if
  get address  get j  i32.const {size}  i32.mul  i32.add  set at
  get j  get rows  i32.const 5  i32.shl  i32.add
  loop
    whole
    get at  i32.const {row}  i32.add  set at
    get rows  i32.const 1  i32.sub  tee rows  br_if 0
  end
  taken
end
"""
# Others go through the scratch memory: results of the level below, and the last row, which has what changes nothing
# behind its elements.
_OTHERS = """
block  loop
  get j  get end  i32.ge_u  br_if 1
  unchanging
  get row  set at
  loop
    get at
    get level
    if:{kind}
      get address  get count  get scratch  get level  i32.const 1  i32.sub  get j  get arguments  get instruction
      itself
    else
      get address  get j  i32.const {size}  i32.mul  i32.add  element
    end
    kept
    get at  i32.const {held}  i32.add  set at
    get j  i32.const 1  i32.add  tee j  get end  i32.lt_u  get j  i32.const 31  i32.and  i32.const 0  i32.ne  i32.and
    br_if 0
  end
  get row  set at
  again  br 0
end  end
"""


def _numbers(value: int, bits: int) -> Instr:
    return "v128.const", (value & (1 << bits) - 1).to_bytes(bits // 8, "little") * (128 // bits)


class _Combined:
    """How vectors are combined: those of 64-bit integers by comparisons, as numbers with a sign; products of bytes in
    16 bits, those of odd places beside those of even ones, as the lower bits follow from lower bits."""

    def __init__(self, op: str, ty: Type, body: FunctionBody) -> None:
        self.op, self.ty, self.body, self.put = op, ty, body, body.code.extend
        self.bytes = op == "mul" and ty.bits == 8
        self.long = ty.is_integer and ty.bits == 64 and op in CLAMPS
        self.turned = self.long and not ty.is_signed
        count = _ORBITS * ty.size_bytes // 16
        count = 2 * count if self.bytes else min(count, _INTEGERS) if ty.is_integer else count
        self.vectors = [body.local("v128") for _ in range(count)]
        self.x, self.y, self.most = (body.local("v128") for _ in range(3))
        shape = INTEGERS[16] if self.bytes else lanes_of(ty)
        sign = ("_s" if ty.is_signed else "_u") if ty.is_integer and op in CLAMPS else ""
        self.instruction = f"{shape}.{op}{sign}"

    @property
    def identity(self) -> int:
        return self.ty.encode(IDENTITIES[self.op](self.ty))

    def start(self) -> None:
        """Lets the accumulators be what changes nothing."""
        first = _numbers(self.identity ^ self.turned << 63, 16 if self.bytes else self.ty.bits)
        self.put([first, *(("local.tee", local) for local in self.vectors[1:]), ("local.set", self.vectors[0])])

    def of(self, a: list[Instr], b: list[Instr]) -> list[Instr]:
        """Pushes what two vectors are together."""
        if not self.long:
            return [*a, *b, (self.instruction,)]
        x, y = self.x, self.y
        code = [*a, ("local.tee", x), *b, ("local.tee", y), ("local.get", x), ("local.get", y)]
        return [*code, ("i64x2.lt_s" if self.op == "min" else "i64x2.gt_s",), ("v128.bitselect",)]

    def with_row(self, at: int) -> None:
        """Combines accumulators with the 32 elements at an address."""
        for place in range(_ORBITS * self.ty.size_bytes // 16):
            code: list[Instr] = [("local.get", at), ("v128.load", 0, 16 * place)]
            if self.turned:
                code += [_numbers(1 << 63, 64), ("v128.xor",)]
            if self.bytes:
                self.put([*code, ("local.set", self.x)])
                self._with(2 * place, [("local.get", self.x)])
                self._with(2 * place + 1, [("local.get", self.x), ("i32.const", 8), ("i16x8.shr_u",)])
            else:
                self._with(place, code)

    def _with(self, place: int, code: list[Instr]) -> None:
        local = self.vectors[place % len(self.vectors)]
        self.put([*self.of([("local.get", local)], code), ("local.set", local)])

    def with_halves(self, at: int, element: Type) -> None:
        """The same of F16 or BF16. Those of F16 are a 2**112th as F32, but infinities and NaN: sums of them are exact
        where those of the numbers are, as all is a multiple of 2**-136, and so are rounded alike. (Numbers that are
        products with 2**112 take wasmtime 8 ns an element where halves are subnormal, and 0.3 so.)"""
        for place in range(0, len(self.vectors), 2):
            self.put([("local.get", at), ("v128.load", 0, 8 * place), ("local.set", self.x)])
            if element is Type.F16:
                self.put([("local.get", self.x), _numbers(0x7FFF, 16), ("v128.and",), ("local.get", self.most)])
                self.put([("i16x8.max_s",), ("local.set", self.most)])
            for half in (0, 1):
                code: list[Instr] = [_numbers(0, 16), ("local.get", self.x), ("i8x16.shuffle", UPPER[half])]
                if element is Type.F16:
                    code += [("i32.const", 3), ("i32x4.shr_s",), _numbers(0x8FFFFFFF, 32), ("v128.and",)]
                self._with(place + half, code)

    def taken(self, element: Type, j: int, special: int) -> None:
        """Sets j to the number on the stack, behind halves; if one was no number, all begins again with the others."""
        if element is not Type.F16:
            self.put([("local.set", j)])
            return
        self.put([("local.get", j), ("local.get", self.most), _numbers(0x7BFF, 16), ("i16x8.gt_s",)])
        self.put([("v128.any_true",), ("local.tee", special), ("i32.eqz",), ("select",), ("local.set", j)])
        self.put([("local.get", special), ("if", None)])
        self.start()
        self.put([("else",)])
        for local in self.vectors:
            self.put([("local.get", local), _numbers(0x77800000, 32), ("f32x4.mul",), ("local.set", local)])
        self.put([("end",)])

    def fold(self) -> None:
        """Pushes what all accumulators are together, halves of them at a time."""
        vectors = self.vectors
        while len(vectors) > 1:
            half = len(vectors) // 2
            for low, high in zip(vectors[:half], vectors[half:], strict=True):
                self.put([*self.of([("local.get", low)], [("local.get", high)]), ("local.set", low)])
            vectors = vectors[:half]
        one: Instr = ("local.get", vectors[0])
        distance = 8
        while distance >= (2 if self.bytes else self.ty.size_bytes):
            moved = bytes((byte + distance) % 16 for byte in range(16))
            self.put([*self.of([one], [one, one, ("i8x16.shuffle", moved)]), ("local.set", vectors[0])])
            distance //= 2
        sign = ("_s" if self.ty.is_signed else "_u") if self.ty.bits < 32 else ""
        self.put([one, (f"{lanes_of(self.ty)}.extract_lane{sign}", 0)])
        self.put([("i64.const", -1 << 63), ("i64.xor",)] if self.turned else [])


def reduction(name: str, routines: Routines) -> None:
    """Adds reduce(address, count, scratch, level, index, arguments, instruction): a block of the canonical reduction,
    `name` such as reduce_add_f32.

    It is block `index` of its level: the elements of level 0 are those in memory, those of a level above the results of
    the blocks below, for which it calls itself. The 32 accumulators are lanes of vectors.
    """
    assert routines.look is not None
    _, op, type_name = name.split("_")
    element = Type.named(type_name)
    ty = reduce_type(element)
    kind, parameters = value_type(ty), "address count scratch level index arguments instruction"
    body = FunctionBody(name, ("i32",) * 7, (kind,))
    locals_ = {each: place for place, each in enumerate(parameters.split())}
    locals_ |= {each: body.local("i32", each) for each in ("j", "end", "row", "at", "rows")}
    number = routines.module.add(body)
    combined, at = _Combined(op, ty, body), locals_["at"]
    put = body.code.extend
    stored = [(_numbers(combined.identity, ty.bits), ("v128.store", 0, 16 * k)) for k in range(2 * ty.size_bytes)]
    short = ty is not element
    meant: dict[str, Callable[[], None]] = {
        "look": lambda: put([("call", routines.look())]),  # type: ignore[misc]
        "zero": lambda: put([(f"{kind}.const", 0)]),
        "start": combined.start,
        "whole": (lambda: combined.with_halves(at, element)) if short else (lambda: combined.with_row(at)),
        "taken": lambda: combined.taken(element, locals_["j"], locals_["rows"]),
        "unchanging": lambda: put([code for pair in stored for code in (("local.get", locals_["row"]), *pair)]),
        "itself": lambda: put([("call", number)]),
        "element": lambda: put(
            [load_instruction(element), *([("call", routines(f"{HALVES[element]}_to_f32"))] if short else [])]
        ),
        "kept": lambda: put([store_instruction(ty)]),
        "again": lambda: combined.with_row(at),
    }
    whole = _WHOLE if element is not Type.F16 or op != "mul" else ""
    text = (_PLACES + whole + _OTHERS).format(
        kind=kind, size=element.size_bytes, held=ty.size_bytes, row=_ORBITS * element.size_bytes
    )
    _write(text, locals_, meant, body)
    combined.fold()


def _write(text: str, locals_: Mapping[str, int], meant: Mapping[str, Callable[[], None]], body: FunctionBody) -> None:
    """Appends instructions of a text. Words that are no instructions write theirs."""
    words = iter(text.split())
    for word in words:
        if word in meant:
            meant[word]()
        elif word in ("get", "set", "tee"):
            body.code.append((f"local.{word}", locals_[next(words)]))
        elif (opened := word.partition(":"))[0] in ("block", "if", "loop"):
            body.code.append((opened[0], opened[2] or None))
        elif word in ("br", "br_if", "i32.const", "i64.const"):
            body.code.append((word, int(next(words))))
        else:
            body.code.append((word,))
