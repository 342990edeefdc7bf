"""Which instruction runs on which type where: found by running a minimal program of each on every device.

    python -m tests.support                       cpu and wasm, prints the table
    python -m tests.support --docs                writes docs/support.md, from all devices, those of the browser too
    python -m tests.support --only cvt --devices webgpu

What a device makes of a program is compared with the reference bit by bit; GPUs run with math="strict". `--resume FILE`
keeps what was found, and goes on from there.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import product
from pathlib import Path
from typing import Any

from hologram_web.errors import UnsupportedInstruction, UnsupportedType
from hologram_web.isa import (
    Access,
    Address,
    AtomicOperation,
    BinaryMapOperation,
    Condition,
    Immediate,
    Instruction,
    Label,
    MapOperation,
    MemoryScope,
    Param,
    Predicate,
    Program,
    ReduceOperation,
    Register,
    Type,
)
from hologram_web.isa.launch import LaunchConfig
from hologram_web.isa.operands import PoolHandle
from hologram_web.isa.row import Effect, Operand, Row
from hologram_web.isa.table import ROWS

from .fuzz.case import Case, Memory, Outcome, View, execute
from .fuzz.devices import Opponent, against, open_devices, reference
from .fuzz.plan import WIDEST_OF_SHADERS
from .fuzz.report import replace_section

__all__ = ["Cell", "cells", "main", "read_table", "table", "verdict"]

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "support.md"
LANES = 4
TYPES = tuple(Type)
_NORM = ("y", "a", "a", "b")
# What collectives are given: y is written, a and b are read, f is of F32 and written, i and j are integers that are
# written and read. Their elements are few, and such that nothing is rounded in another way than by the reference.
_COLLECTIVES: dict[str, tuple[Any, ...]] = {
    "ParallelMap": (MapOperation("relu"), "y", "a", LANES),
    "ParallelMapBinary": (BinaryMapOperation("add"), "y", "a", "b", LANES),
    "ParallelReduce": (ReduceOperation("add"), "y", "a", LANES),
    "GEMM": ("y", "a", "b", 2, 2, 2),
    "BatchedGEMM": ("y", "a", "b", 1, 2, 2, 2),
    "MixedPrecisionGEMM": ("f", "a", "b", 2, 2, 2),
    "QuantizedGEMM": ("f", "a", "b", 2, 2, 2, "s", "s"),
    "SparseGEMM": ("y", "a", "u", "p", "b", 2, 2, 2),
    "TensorContract": ("y", "a", "b", (2, 2), (2, 2), ((1, 0),)),
    "Conv2D": ("y", "a", "b", 1, 1, 1, 2, 2, 1, 1),
    "ConvTranspose2D": ("y", "a", "b", 1, 1, 1, 2, 2, 1, 1),
    "MaxPool2D": ("y", "a", 1, 1, 2, 2, 1, 1),
    "AvgPool2D": ("y", "a", 1, 1, 2, 2, 1, 1),
    "Resize2D": ("y", "a", 1, 1, 2, 2, 2, 2, False),
    "LayerNorm": (*_NORM, LANES, 1),
    "RMSNorm": ("y", "a", "b", 2, 2, math.inf),
    "BatchNorm": (*_NORM, "a", "b", 1, LANES, 1),
    "GroupNorm": (*_NORM, 1, LANES, LANES, 1),
    "InstanceNorm": (*_NORM, 1, LANES, 1),
    "LayerScale": ("y", "a", "b", 2, 2),
    "Softmax": ("y", "a", LANES, 1),
    "LogSoftmax": ("y", "a", LANES, 1),
    "Attention": ("y", "a", "b", "b", 1, 2, 1, 1, 2),
    "FlashAttention": ("y", "a", "b", "b", 1, 2, 1, 1, 2),
    "RoPE": ("y", "a", "b", 1, 2, 2, 1),
    "KVCacheUpdate": ("y", "a", 1, 1, 1, 2, 2),
    "AllReduce": (ReduceOperation("add"), "y", LANES),
    "AllGather": ("y", "a", LANES),
    "FFT": ("y", "a", 1, 2),
    "Random": ("y", LANES, 5),
    "Gather": ("y", "a", "j", 1, 2, 2, 1),
    "GatherElements": ("y", "a", "j", 1, 2, 1, 1),
    "Scatter": ("y", "a", "j", 1, 2, 2, 1),
    "CumSum": ("y", "a", 2, 2),
    "Sort": ("y", "a", 1, LANES),
    "TopK": ("y", "i", "a", 1, LANES, 2),
    "ArgMin": ("i", "a", 1, LANES),
    "ArgMax": ("i", "a", 1, LANES),
    "Copy": ("y", "a", LANES),
    "Fill": ("y", LANES, 3),
    "Transpose": ("y", "a", (2, 2), (1, 0)),
    "Concat": ("y", "a", "b", 1, 2, 2, 1),
    "Slice": ("y", "a", (LANES,), (3,), (-5,), (-1,)),
    "Pad": ("y", "a", (2,), (1,), (1,), 3),
}
# What every operand called so has to be; others are 1, 5, 7 and 11, which are classes, pages, units of 96 and divisors.
_FIXED = {"torus_size": 96, "modulus": 96}
_POOL = PoolHandle(3)
OK, WRONG = "runs", "wrong"


@dataclass(frozen=True)
class Cell:
    """An instruction with its types; the first one is its column, None for an instruction without types."""

    row: Row
    types: tuple[Type, ...] = ()

    @property
    def key(self) -> str:
        return ".".join([self.row.mnemonic, *map(str, self.types)])


def cells() -> list[Cell]:
    """Every instruction, on every type that the verifier takes."""
    found = []
    for row in ROWS:
        choices = [[ty for ty in TYPES if ty in o.allowed] for o in row.operands if o.kind == "type"]
        if row.name == "MOV":
            choices = [list(TYPES)]
        for types in product(*choices):
            if row.name == "BITCAST" and types[0].bits != types[1].bits:
                continue
            found.append(Cell(row, types))
    return found


class _Maker:
    """The program of a cell: every lane loads its operands, does the instruction once, and stores what it gave."""

    def __init__(self, cell: Cell) -> None:
        self.cell, self.row = cell, cell.row
        self.code: list[Instruction] = []
        self.labels: dict[str, int] = {}
        self.params: list[Param] = []
        self.memories: dict[str, Memory] = {}
        self.next = 100
        self.shared = 0
        names = [o.name for o in self.row.operands if o.kind == "type"]
        self.types: dict[str, Type] = dict(zip(names, cell.types, strict=False))

    def make(self) -> Case:
        name = self.row.name
        if name in _SPECIAL:
            _SPECIAL[name](self)
        else:
            self.plain()
        config = LaunchConfig.linear(LANES, LANES)
        program = Program(self.code, self.labels, self.params, None, self.shared)
        profile = "atlas" if self.row.effect is Effect.STATE else "strict"
        return Case(program, config, dict(self.memories), profile=profile)

    def emit(self, name: str, *operands: Any, **fields: Any) -> None:
        self.code.append(getattr(Instruction, name)(*operands, **fields))

    def register(self) -> Register:
        self.next += 1
        return Register(self.next)

    # Memory

    def buffer(self, ty: Type, access: Access, *numbers: float) -> str:
        """A buffer of an element for each lane."""
        name = f"m{len(self.params)}"
        numbers = numbers or ((1, 5, 7, 11) if ty.is_integer else (0.5, 1.5, 2.25, 3.0))
        self.params.append(Param(name, "buffer", ty, access))
        self.memories[name] = Memory(name, "buffer", ty.pack(numbers), [View(0, ty, LANES)])
        return name

    def own(self, name: str, ty: Type) -> Address:
        return Address.Register(Address.Buffer(name), Register(255), scale=ty.size_bytes)

    def load(self, ty: Type) -> Register:
        found = self.register()
        self.emit("LDG", ty, found, self.own(self.buffer(ty, Access.READ), ty))
        return found

    def store(self, ty: Type, source: Register) -> None:
        self.emit("STG", ty, self.own(self.buffer(ty, Access.WRITE), ty), source)

    def constant(self, ty: Type, number: int) -> Register:
        found = self.register()
        self.emit("MOV_IMM", ty, found, number)
        return found

    def flag(self, number: int) -> Predicate:
        """True in some lanes."""
        found = Predicate(number)
        self.emit("SETcc", Condition.LT, Type.U32, found, self.load(Type.U32), self.constant(Type.U32, 6))
        return found

    def show(self, flag: Predicate) -> None:
        found = self.register()
        yes, no = self.constant(Type.U32, 1), self.constant(Type.U32, 0)
        self.emit("SEL", Type.U32, found, flag, yes, no)
        self.store(Type.U32, found)

    def type_of(self, operand: Operand) -> Type:
        return self.types[operand.type] if operand.type in self.types else Type.named(operand.type)

    # Instructions

    def axis(self) -> None:
        """An index on its axis, before the access that it is for."""
        index = self.load(Type.U32)
        self.emit("CHK", index, 12, "x", 0)
        self.store(Type.U32, index)

    def plain(self) -> None:
        """An instruction whose operands say all there is to say."""
        values: list[Any] = []
        results: list[Any] = []
        for operand in self.row.operands:
            if operand.kind == "type":
                values.append(self.types[operand.name])
            elif operand.kind == "bool" or (operand.name == "compare" and not operand.suffix):
                continue
            elif operand.kind == "register":
                if operand.role == "def":
                    values.append(self.register())
                    results.append((values[-1], self.type_of(operand)))
                elif operand.name in _FIXED:
                    values.append(self.constant(self.type_of(operand), _FIXED[operand.name]))
                else:
                    values.append(self.load(self.type_of(operand)))
            elif operand.kind == "predicate":
                if operand.role == "def":
                    values.append(Predicate(9))
                    results.append((Predicate(9), None))
                else:
                    values.append(self.flag(len(values)))
            elif operand.kind in ("load", "rmw"):
                access = Access.READ if operand.kind == "load" else Access.READ_WRITE
                ty = self.type_of(operand)
                name = self.buffer(ty, access)
                reduced = self.row.group == "Lane reductions"
                values.append(Address.Buffer(name) if reduced else self.own(name, ty))
            else:
                values.append(self._other(operand))
        self.emit(self.row.name, *values)
        for result, ty in results:
            if ty is None:
                self.show(result)
            else:
                self.store(ty, result)

    def _other(self, operand: Operand) -> Any:
        match operand.kind:
            case "imm":
                return Immediate.of(self.cell.types[0], 3)
            case "size":
                return LANES
            case "Condition":
                return Condition.LT
            case "AtomicOperation":
                return AtomicOperation.ADD
            case "MemoryScope":
                return MemoryScope.DEVICE
            case "scalar":
                return 0.0
            case _:
                return 1

    def mov(self) -> None:
        ty, found = self.cell.types[0], self.register()
        self.emit("MOV", found, self.load(ty))
        self.store(ty, found)

    def global_memory(self) -> None:
        self.store(self.cell.types[0], self.load(self.cell.types[0]))

    def shared_memory(self) -> None:
        ty, found = self.cell.types[0], self.register()
        self.shared = LANES * ty.size_bytes
        place = Address.Register(Address.Shared(0), Register(252), scale=ty.size_bytes)
        self.emit("STS", ty, place, self.load(ty))
        self.emit("LDS", ty, found, place)
        self.store(ty, found)

    def offsets(self, ty: Type) -> Register:
        """The byte offset of the lane."""
        found = self.register()
        self.emit("MUL", Type.U32, found, Register(252), self.constant(Type.U32, ty.size_bytes))
        return found

    def neighbors(self) -> None:
        ty, found = self.cell.types[0], self.register()
        offset = self.offsets(ty)
        self.emit("NBRStore", ty, offset, self.load(ty), 2)
        self.emit("NBRLoad", ty, found, offset, 2)
        self.store(ty, found)

    def pools(self) -> None:
        ty = self.cell.types[0] if self.cell.types else Type.U32
        found = self.register()
        self.emit("PoolAlloc", _POOL, LANES * ty.size_bytes)
        offset = self.offsets(ty)
        self.emit("PoolStore", ty, _POOL, offset, self.load(ty))
        self.emit("PoolLoad", ty, found, _POOL, offset)
        self.emit("PoolFree", _POOL)
        self.store(ty, found)

    def phases(self) -> None:
        self.emit("PhaseWrite", self.load(Type.U32), 0)
        self.emit("PhaseAdv", 700)
        seen, other = self.register(), self.register()
        self.emit("PhaseGet", seen)
        self.emit("PhaseRead", other, 1)
        self.store(Type.U32, seen)
        self.store(Type.U32, other)

    def branches(self) -> None:
        """BRA, CALL, RET, EXIT and LOOP in one program."""
        total, counter = self.load(Type.U32), self.constant(Type.U32, 3)
        self.labels["again"] = len(self.code)
        self.emit("CALL", Label("twice"))
        self.emit("LOOP", counter, Label("again"))
        self.emit("BRA", Label("out"), self.flag(1))
        self.store(Type.U32, total)
        self.labels["out"] = len(self.code)
        self.emit("EXIT")
        self.labels["twice"] = len(self.code)
        self.emit("ADD", Type.U32, total, total, total)
        self.emit("RET")

    def barrier(self) -> None:
        """What a lane wrote is read by its neighbour."""
        self.shared = 4 * LANES
        found, other = self.register(), self.register()
        self.emit("STS", Type.U32, Address.Register(Address.Shared(0), Register(252), scale=4), self.load(Type.U32))
        self.emit("BarSync", 0)
        self.emit("XOR", Type.U32, other, Register(252), self.constant(Type.U32, 1))
        self.emit("LDS", Type.U32, found, Address.Register(Address.Shared(0), other, scale=4))
        self.store(Type.U32, found)

    def lea(self) -> None:
        found, pointer = self.register(), self.register()
        self.emit("LEA", pointer, self.own(self.buffer(Type.U32, Access.READ), Type.U32))
        self.emit("LDG", Type.U32, found, Address.Register(pointer))
        self.store(Type.U32, found)

    def collective(self) -> None:
        ty, given = self.cell.types[0], _COLLECTIVES[self.row.name]
        kinds: dict[str, Any] = {
            "y": (ty, Access.READ_WRITE),
            "a": (ty, Access.READ),
            "b": (ty, Access.READ),
            "f": (Type.F32, Access.READ_WRITE),
            "i": (Type.I32, Access.WRITE),
            "j": (Type.I32, Access.READ),
            "s": (Type.F32, Access.READ),
            "u": (Type.U32, Access.READ, 1, 0, 1, 0),
            "p": (Type.U32, Access.READ, 0, 1, 3, 3),
        }
        named = {name: Address.Buffer(self.buffer(*kinds[name])) for name in kinds if name in given}
        values = [named[value] if isinstance(value, str) else value for value in given]
        self.emit(self.row.name, *values, ty=ty)


_SPECIAL: dict[str, Any] = {
    "MOV": _Maker.mov,
    **dict.fromkeys(("LDG", "STG"), _Maker.global_memory),
    **dict.fromkeys(("LDS", "STS"), _Maker.shared_memory),
    **dict.fromkeys(("NBRLoad", "NBRStore"), _Maker.neighbors),
    **dict.fromkeys(("PoolAlloc", "PoolFree", "PoolLoad", "PoolStore"), _Maker.pools),
    **dict.fromkeys(("PhaseGet", "PhaseAdv", "PhaseRead", "PhaseWrite"), _Maker.phases),
    **dict.fromkeys(("BRA", "CALL", "RET", "EXIT", "LOOP"), _Maker.branches),
    "BarSync": _Maker.barrier,
    "CHK": _Maker.axis,
    "LEA": _Maker.lea,
    **dict.fromkeys(_COLLECTIVES, _Maker.collective),
}


# Running

EVERYWHERE = "cpu,wasm,webgpu,chromium-wasm,chromium-webgpu"


def _widest(name: str, shaders: int) -> int:
    """Bits of the widest type that is tried on a device: SwiftShader compiles wide ones for minutes."""
    most = max(ty.bits for ty in TYPES)
    return {"webgpu": shaders, "chromium-webgpu": min(shaders, WIDEST_OF_SHADERS)}.get(name, most)


def verdict(case: Case, expected: Outcome | None, opponent: Opponent) -> str:
    """OK, the name of a typed refusal, or what is wrong. Without `expected` the reference refuses the program, too."""
    if expected is None:
        try:
            execute(opponent.device, case)
        except (UnsupportedInstruction, UnsupportedType) as error:
            return type(error).__name__
        return f"{WRONG}: it runs, and the reference refuses it"
    found = against(case, expected, opponent)
    if found is None:
        return OK
    if found.kind == "refused":
        return "UnsupportedType" if "UnsupportedType" in _refusal(case, opponent) else "UnsupportedInstruction"
    return f"{WRONG}: {found.detail}"


def _refusal(case: Case, opponent: Opponent) -> str:
    try:
        execute(opponent.device, case)
    except (UnsupportedInstruction, UnsupportedType) as error:
        return type(error).__name__
    return ""


def run(
    wanted: list[Cell], names: list[str], state: Path | None = None, shaders: int = WIDEST_OF_SHADERS
) -> Iterator[tuple[Cell, dict[str, str]]]:
    """What each device makes of each cell, by the name of the device: cpu with lanes descending, others as they are.

    `shaders` is the widest type that is tried on GPUs.
    """
    known: dict[str, dict[str, str]] = json.loads(state.read_text()) if state is not None and state.exists() else {}
    first, opponents = reference(), dict(zip(names, open_devices(names), strict=True))
    for number, cell in enumerate(wanted):
        found = known.setdefault(cell.key, {})
        left = [name for name in names if name not in found]
        if left:
            case = _Maker(cell).make()
            try:
                expected = execute(first, case)
            except (UnsupportedInstruction, UnsupportedType):
                expected = None
            assert expected is None or expected.fault is None, (cell.key, expected.detail)
            for name in left:
                if name.startswith("chromium") and cell.row.effect is Effect.STATE:
                    continue  # the page keeps that state to itself; filetests run there
                if any(ty.bits > _widest(name, shaders) for ty in cell.types):
                    continue
                if name == "chromium-webgpu" and cell.row.name == "GEMM":
                    continue  # SwiftShader took more than five minutes for that of F16; filetests run GEMM there
                found[name] = verdict(case, expected, opponents[name])
            if state is not None and number % 50 == 49:
                state.write_text(json.dumps(known))
        yield cell, {name: found[name] for name in names if name in found}
    if state is not None:
        state.write_text(json.dumps(known))


# The table

_LETTERS = {"UnsupportedType": "T", "UnsupportedInstruction": "I"}


def table(results: list[tuple[Cell, dict[str, str]]]) -> dict[str, dict[str, str]]:
    """By mnemonic and column: "all" where every device gives the bits of the reference, else who does not, and how."""
    found: dict[str, dict[str, dict[str, set[str]]]] = {}
    asked: dict[tuple[str, str], set[str]] = {}
    for cell, verdicts in results:
        column = str(cell.types[0]) if cell.types else ""
        seen = found.setdefault(cell.row.mnemonic, {}).setdefault(column, {})
        asked.setdefault((cell.row.mnemonic, column), set()).update(verdicts)
        for name, word in verdicts.items():
            if word != OK:
                seen.setdefault(_LETTERS.get(word, "wrong"), set()).add(name)

    def words(mnemonic: str, column: str) -> str:
        everywhere = asked[mnemonic, column]
        parts = sorted(found[mnemonic][column].items())
        return ", ".join(
            letter if who == everywhere else f"{letter} ({' '.join(sorted(who))})" for letter, who in parts
        )

    return {
        mnemonic: {column: words(mnemonic, column) or "all" for column in columns}
        for mnemonic, columns in found.items()
    }


_GROUPS = (
    ("Floats and integers of at most 64 bits", tuple(ty for ty in TYPES if not ty.is_wide)),
    ("Integers of 128 to 4096 bits", tuple(ty for ty in TYPES if ty.is_wide)),
)


def markdown(found: dict[str, dict[str, str]], names: list[str], adapters: list[str]) -> str:
    lines = [f"Run on {date.today().isoformat()} on {', '.join(names)}{''.join(f'; {text}' for text in adapters)}."]
    plain = [f"`{mnemonic}`" for mnemonic, columns in found.items() if columns.get("") == "all"]
    odd = [f"`{mnemonic}` {columns['']}" for mnemonic, columns in found.items() if columns.get("", "all") != "all"]
    lines += ["", f"Without a type, on all: {', '.join(plain)}.", *([f"Not on all: {'; '.join(odd)}."] if odd else [])]
    for title, types in _GROUPS:
        rows = {m: c for m, c in found.items() if any(str(ty) in c for ty in types)}
        if not rows:
            continue
        lines += ["", f"## {title}", "", f"| | {' | '.join(map(str, types))} |", f"|---|{'---|' * len(types)}"]
        for mnemonic, columns in rows.items():
            shown = (columns.get(str(ty), "").replace("all", "+") for ty in types)
            lines.append(f"| `{mnemonic}` | {' | '.join(shown)} |")
    return "\n".join(lines) + "\n"


def read_table(text: str) -> dict[str, dict[str, str]]:
    """What `markdown` wrote: the cells with a type."""
    found: dict[str, dict[str, str]] = {}
    types: list[str] = []
    for line in text.split("\n"):
        words = [word.strip() for word in line.strip("|").split("|")]
        if line.startswith("| |"):
            types = words[1:]
        elif line.startswith("| `"):
            columns = found.setdefault(words[0].strip("`"), {})
            columns |= {ty: word.replace("+", "all") for ty, word in zip(types, words[1:], strict=True) if word}
    return found


def _adapters(names: list[str], shaders: int) -> list[str]:
    if "webgpu" not in names:
        return []
    adapter = open_devices(["webgpu"])[0].device.adapter["device"]
    return [f"`webgpu` is {adapter}, on which types of at most {shaders} bits were run"] + (
        [f"`chromium-webgpu` is SwiftShader, with types of at most {_widest('chromium-webgpu', shaders)} bits"]
        if "chromium-webgpu" in names
        else []
    )


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.support", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--devices", help=f"(cpu,wasm; with --docs {EVERYWHERE})")
    parser.add_argument("--only", default="", help="instructions whose names begin with this")
    parser.add_argument("--shaders", type=int, default=WIDEST_OF_SHADERS, help="widest type on GPUs (%(default)s)")
    parser.add_argument("--resume", type=Path, help="file to keep what was found in, and to take it up from")
    parser.add_argument("--docs", action="store_true", help="write the table into docs/support.md")
    options = parser.parse_args(words)
    names = (options.devices or (EVERYWHERE if options.docs else "cpu,wasm")).split(",")
    wanted = [c for c in cells() if c.key.startswith(options.only)]
    results, wrong = [], 0
    for cell, verdicts in run(wanted, names, options.resume, options.shaders):
        results.append((cell, verdicts))
        for name, word in verdicts.items():
            if word.startswith(WRONG):
                wrong += 1
                print(f"{cell.key} on {name}: {word}", flush=True)
    notes = _adapters(names, options.shaders)
    text = markdown(table(results), names, notes)
    print(text)
    if options.docs:
        replace_section(PAGE, "support", text)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
