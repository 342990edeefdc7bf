"""What there is to cover, and which part of it each seed takes.

A *combination* is an instruction with its types: `add.u8`, `cvt.f16.i64`, `set.ltu.i8`, `atom.max.i32`. They are read
off the instruction table, so that an instruction that gets semantics is fuzzed from then on. Every seed owns a few: the
combinations, shuffled again and again, form an endless row, and seed s takes the pieces from s * share on. So all of
them are planned equally often, whatever the order in which seeds run.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from random import Random
from typing import Any, NamedTuple

from hologram_web.isa import AtomicOperation, Condition, Instruction, Type
from hologram_web.isa.row import Effect, Row
from hologram_web.isa.table import BY_NAME, LANE_ROWS
from hologram_web.isa.types import SMALL, WIDE

__all__ = [
    "ATLAS",
    "ATOMIC_COMMON",
    "COLLECTIVE_EVERY",
    "EXACT",
    "FAULTS",
    "GPU",
    "PROFILES",
    "ROUGH",
    "SHARE",
    "STANDARD",
    "UNSAID",
    "Combination",
    "Profile",
    "collective_combinations",
    "combinations",
    "key_of",
    "lacks",
    "slice_of",
]

# Programs of the standard run by profile.
STANDARD = {"exact": 1600, "wide": 1100, "large": 100, "atlas": 300, "faults": 150}
SHARE = 31  # combinations of lane instructions that a seed owns,
# and on GPUs: what llvmpipe takes to compile a shader grows faster than its length (20 seconds for one of 2,000 lines).
SHARE_GPU = 4
COLLECTIVE_EVERY = 4  # every so many seeds make a program with collectives,
COLLECTIVE_SHARE = 8  # each with so many of them
# The widest integers of profiles for GPUs: llvmpipe takes minutes to compile larger ones.
WIDEST_OF_SHADERS = 256


@dataclass(frozen=True, eq=False)
class Profile:
    """What programs may use.

    `tame` keeps floats away from subnormals, infinities and NaN, and quotients and roots out of what is compared bit
    by bit: there GPUs are allowed to differ (isa.md section 3). `math` is what launches are made
    with; with "fast" the sign of a zero is not compared.
    With `python` they are kernels in Python, and the reference is Python itself (tests/fuzz/python_kernels).
    `covers` are types of which planned combinations have at least one; `shader` says that GPUs run the programs.
    """

    name: str
    types: tuple[Type, ...]
    block_lanes: int
    shared_bytes: int
    buffers: int
    tame: bool
    class_memory: bool
    pools: bool
    faults: bool = False
    share: int = SHARE
    local_bytes: int = 1024
    math: str | None = None
    shader: bool = False
    collectives: bool = True
    atlas: bool = False
    python: bool = False
    constructs: float = 1.0  # how many branches, loops and so on, compared with other profiles
    covers: frozenset[Type] = frozenset(Type)


_ALL = tuple(sorted(SMALL, key=lambda ty: ty.id))
EXACT = Profile("exact", _ALL, 257, 1 << 16, 12, tame=False, class_memory=True, pools=True)
# Storage buffers per shader stage that every adapter has: 8, of which one is the status word.
GPU = Profile(
    "gpu",
    tuple(ty for ty in _ALL if ty is not Type.F64),
    256,
    16_384,
    7,
    tame=True,
    class_memory=False,
    pools=False,
    share=SHARE_GPU,
    local_bytes=256,
    shader=True,
)
# With math="strict" a GPU computes every float as the reference does: nothing has to be tame.
STRICT = replace(GPU, name="strict", types=_ALL, tame=False, math="strict", constructs=0.5)
FAULTS = replace(EXACT, name="faults", class_memory=False, faults=True)


def _wide(least: int, most: int) -> tuple[Type, ...]:
    return tuple(ty for ty in sorted(WIDE, key=lambda ty: ty.id) if least <= ty.bits <= most)


# Integers of more than 64 bits: cpu computes them one by one.
MIDDLE = replace(EXACT, name="wide", types=(*_ALL, *_wide(128, 512)), block_lanes=33)
MIDDLE = replace(MIDDLE, covers=frozenset(_wide(128, 512)))
LARGE = replace(MIDDLE, name="large", types=(*_ALL, *_wide(128, 4096)), covers=frozenset(_wide(1024, 4096)))
WIDE_GPU = replace(GPU, name="wide-gpu", types=(*GPU.types, *_wide(128, WIDEST_OF_SHADERS)))
WIDE_GPU = replace(WIDE_GPU, covers=frozenset(_wide(128, WIDEST_OF_SHADERS)), share=SHARE_GPU // 2, constructs=0.3)
# Instructions of the Atlas and of pools.
ATLAS = replace(EXACT, name="atlas", types=(*_ALL, *_wide(128, 256)), collectives=False, atlas=True, share=16)
ATLAS = replace(ATLAS, class_memory=False)  # lanes of other blocks may be there
ATLAS_GPU = replace(GPU, name="atlas-gpu", collectives=False, atlas=True, buffers=4, constructs=0.5)
PYTHON = replace(EXACT, name="python", collectives=False, python=True)
PYTHON_GPU = replace(GPU, name="python-gpu", collectives=False, python=True)
PYTHON_FAST = replace(PYTHON_GPU, name="python-fast", math="fast")
PYTHON_BLOCKS = replace(PYTHON, name="python-blocks")
PYTHON_BLOCKS_GPU = replace(PYTHON_GPU, name="python-blocks-gpu")
PYTHON_ROWS = replace(PYTHON, name="python-rows")
PYTHON_PARTS = replace(PYTHON, name="python-parts")
PYTHON_PARTS_GPU = replace(PYTHON_GPU, name="python-parts-gpu")
_GENERAL = (EXACT, MIDDLE, LARGE, ATLAS, FAULTS, PYTHON, PYTHON_BLOCKS, PYTHON_ROWS, PYTHON_PARTS)
_OF_GPUS = (GPU, STRICT, WIDE_GPU, ATLAS_GPU, PYTHON_GPU, PYTHON_FAST, PYTHON_BLOCKS_GPU, PYTHON_PARTS_GPU)
PROFILES = {profile.name: profile for profile in (*_GENERAL, *_OF_GPUS)}

# Atomics that give the same in any order, if their old values are not looked at.
ATOMIC_COMMON = tuple(o for o in AtomicOperation if o not in (AtomicOperation.EXCH, AtomicOperation.CAS))
# Inexact on GPUs: these are emitted with a check of the result against a bound, and the verdict is stored.
ROUGH = frozenset({"DIV", "RCP", "RSQRT", "SQRT"})
# Not in the tame profile: isa.md does not say how exact the remainder of floats is on WebGPU, and functions have bounds
# there, which tests/mathematics holds them to.
UNSAID = frozenset({"REM", *(row.name for row in LANE_ROWS if row.group == "Transcendental")})


class Combination(NamedTuple):
    """An instruction with everything that is in its mnemonic: types, and a condition or operation."""

    row: Row
    types: tuple[Type, ...]
    detail: Any = None

    @property
    def key(self) -> str:
        parts = [self.row.mnemonic]
        if self.detail is not None:
            parts.append(str(self.detail.value))
        return ".".join([*parts, *map(str, self.types)])


def key_of(instruction: Instruction, moved: Type | None = None) -> str:
    """The combination of an instruction; `moved` is the type that a MOV copies."""
    row = instruction.row
    if row.name == "MOV":
        return f"mov.{moved or 'base'}"
    if row.collective:  # the operation is counted apart
        return f"{row.mnemonic}.{instruction.ty}"
    words = [operand.codec.text(instruction.values[row.positions[operand.name]]) for operand in row.suffixes]
    return ".".join([row.mnemonic, *words])


def _details(row: Row) -> list[Any]:
    kinds = {"Condition": Condition, "AtomicOperation": AtomicOperation}
    found = [kinds[operand.kind] for operand in row.operands if operand.kind in kinds]
    return [None] if not found else list(found[0])


def _allowed(profile: Profile, row: Row, types: tuple[Type, ...], detail: Any) -> bool:
    names = [operand.name for operand in row.operands if operand.kind == "type"]
    fields: dict[str, Any] = dict(zip(names, types, strict=True))
    for operand in row.operands:
        if operand.kind in ("Condition", "AtomicOperation"):
            fields[operand.name] = detail
    if row.name == "ATOM":
        fields["compare"] = True if detail is AtomicOperation.CAS else None
    if row.effect is Effect.STATE:  # what it needs of its operands is for whoever chooses them
        return True
    if profile.tame and row.name in UNSAID and types[0].is_float:
        return False
    if types and lacks(profile, row, types[0]):
        return False
    return row.check is None or row.check(**fields) is None


def lacks(profile: Profile, row: Row, ty: Type) -> bool:
    """Whether programs of the profile leave out an instruction on a type: each function of F64 takes shader compilers
    seconds, and WebGPU refuses atomics of 64 bits whose old element is used; filetests run them."""
    return (
        profile.shader and ty.bits == 64 and (row.name == "ATOM" or (row.group == "Transcendental" and ty is Type.F64))
    )


def _lane_row(profile: Profile, row: Row) -> bool:
    if profile.atlas:
        return row.effect is Effect.STATE and row.name not in ("PoolAlloc", "PoolFree")
    if row.effect in (Effect.PURE, Effect.LOAD, Effect.STORE, Effect.ATOMIC):
        return row.reference is not None and row.name not in ("LEA", "MOV")
    return False


@cache
def combinations(profile: Profile) -> tuple[Combination, ...]:
    """Every combination of typed lane instructions that cpu runs, in table order."""
    found = []
    for row in LANE_ROWS:
        if not _lane_row(profile, row):
            continue
        choices = [
            [ty for ty in profile.types if ty in operand.allowed] for operand in row.operands if operand.kind == "type"
        ]
        for detail, types in product(_details(row), product(*choices)):
            if _allowed(profile, row, types, detail):
                found.append(Combination(row, types, detail))
    if not profile.atlas:
        found += [Combination(BY_NAME["MOV"], (ty,)) for ty in profile.types]
    return tuple(c for c in found if not c.types or not profile.covers.isdisjoint(c.types))


@cache
def collective_combinations(profile: Profile) -> tuple[Combination, ...]:
    """Every collective that cpu runs, with every type."""
    if not profile.collectives:
        return ()
    rows = [BY_NAME[name] for name in ("ParallelMap", "ParallelMapBinary", "ParallelReduce", "GEMM")]
    return tuple(Combination(row, (ty,)) for row in rows for ty in profile.types if ty in profile.covers)


@cache
def _round(profile: Profile, collective: bool, number: int) -> tuple[Combination, ...]:
    """Everything there is to cover in one order out of many."""
    order = list((collective_combinations if collective else combinations)(profile))
    Random(f"plan {number}").shuffle(order)
    return tuple(order)


def _pieces(profile: Profile, collective: bool, start: int, count: int) -> list[Combination]:
    size = len((collective_combinations if collective else combinations)(profile))
    return [_round(profile, collective, place // size)[place % size] for place in range(start, start + count)]


def slice_of(profile: Profile, seed: int) -> tuple[list[Combination], list[Combination]]:
    """The lane combinations and the collectives that a seed owns."""
    lane = _pieces(profile, False, seed * profile.share, profile.share)
    if seed % COLLECTIVE_EVERY or not profile.collectives:
        return lane, []
    number = seed // COLLECTIVE_EVERY
    return lane, _pieces(profile, True, number * COLLECTIVE_SHARE, COLLECTIVE_SHARE)
