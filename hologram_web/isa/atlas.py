"""The rows of the Atlas and pool instructions; what the former mean stands in meanings.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from .operands import Register
from .row import Effect, Row, row

__all__ = [
    "ATLAS_ROWS",
    "CELLS",
    "CELL_UNIT",
    "CLASS_BYTES",
    "FOOTPRINT",
    "PHASE",
    "RESONANCE",
    "UNITY",
    "UNIT_CELL",
    "WORDS",
]

# Hidden parameters: programs get them when they are lifted, launches their arguments.
RESONANCE, PHASE, FOOTPRINT, UNITY = "$resonance", "$phase", "$footprint", "$u"
CELLS = 33  # of a class
CELL_UNIT = -152  # the exponent of what cell 0 counts
UNIT_CELL = -CELL_UNIT // 8  # the cell that counts ones
WORDS = 3  # of a cell
CLASS_BYTES = 12_288  # of the memory of a class


def _meant(name: str) -> Callable[..., Any]:
    """What an instruction means, which few programs ask."""

    def meaning(*operands: Any) -> Any:
        from . import meanings

        return getattr(meanings, name)(*operands)

    return meaning


def _class_below_96(**operands: Any) -> str | None:
    number = operands["class_id"]
    return f"class {number} does not exist: classes are 0 to 95" if number >= 96 else None


def _known_epsilon(epsilon: Any) -> str | None:
    if isinstance(epsilon, Register):
        return f"the host compares with epsilon: give a number or a scalar parameter by name, not {epsilon}"
    if isinstance(epsilon, (int, float)) and not epsilon >= 0:
        return f"epsilon is {epsilon}: it is a number from 0 on"
    return None


def _known_size(handle: Any, size: Any) -> str | None:
    if isinstance(size, Register):
        return f"the host makes the pool: give its size as a number or a scalar parameter by name, not {size}"
    return None


_atlas = partial(row, "Atlas", Effect.STATE)
_pool = partial(row, "Pools", Effect.STATE)

# fmt: off
ATLAS_ROWS: tuple[Row, ...] = (
    _atlas(0x70, "ClsGet", "cls_get", "dst:=U8 src:U8?", "dst = the class of the block, its index along x modulo 96; or of the byte src.", reference=_meant("cls_get")),
    _atlas(0x71, "MIRROR", "mirror", "dst:=U8 src:U8", "dst = the mirror class of src.", reference=_meant("mirror")),
    _atlas(0x72, "UnityTest", "unity_test", "pred:p= src:U8?", "pred = whether the class (src, or the block's) is a unity class, 1 or 4; false for what is no class.", reference=_meant("unity_test")),
    _atlas(0x73, "CheckUnity", "check_unity", "pred:p= epsilon:scalar~0.0", "pred = whether the resonance sum, as of launch start, is zero (or below epsilon).", reference=_meant("check_unity"), state="unity", check=lambda pred, epsilon: _known_epsilon(epsilon)),
    _atlas(0x74, "NbrCount", "nbr_count", "dst:=U32 class_id:U8", "dst = how many neighbours a class has, 5 or 6.", reference=_meant("nbr_count")),
    _atlas(0x75, "NbrGet", "nbr_get", "dst:=U8 class_id:U8 index:u8", "dst = a neighbour of a class, by ascending order from 0.", reference=_meant("nbr_get")),
    _atlas(0x76, "NBRLoad", "nbr_load", ".ty:NUMBERS dst:=ty src:U32 offset:i8", "dst = the element at byte src in the memory of the block's class's neighbour number offset.", state="classes", reference=_meant("nbr_load")),
    _atlas(0x77, "NBRStore", "nbr_store", ".ty:NUMBERS dst:U32 src:ty offset:i8", "Stores src at byte dst in the memory of the block's class's neighbour number offset.", state="classes", reference=_meant("nbr_store")),
    _atlas(0x78, "ResAccum", "res_accum", ".ty:RESONANCE class_id:U8 src:ty", "Adds src to the resonance of a class, exactly; committed if the launch succeeds.", reference=_meant("res_accum"), state="resonance"),
    _atlas(0x79, "PhaseGet", "phase_get", "dst:=U32", "dst = the phase of the block's class, as the lane sees it: at first the device's phase and the number of the block, modulo 768.", reference=lambda o: o.phase(None), state="phase"),
    _atlas(0x7A, "PhaseAdv", "phase_adv", "amount:u16", "Advances the phase of the block's class, as the lane sees it, modulo 768.", reference=_meant("phase_adv"), state="phase"),
    _atlas(0x7B, "PhaseRead", "phase_read", "dst:=U32 class_id:u8", "dst = the phase of a class, as the lane sees it.", reference=lambda o, class_id: o.phase(class_id), state="phase", check=_class_below_96),
    _atlas(0x7C, "PhaseWrite", "phase_write", "src:U32 class_id:u8", "Sets the phase of a class, as the lane sees it, to src modulo 768.", reference=_meant("phase_write"), state="phase", check=_class_below_96),
    _atlas(0x7D, "BoundMap", "bound_map", "dst:=U64 class_id:U32 page:U32 byte:U32", "dst = 12288 * class + 256 * page + byte, which lie in the footprint of the launch.", reference=_meant("bound_map"), state="footprint"),
    _atlas(0x7E, "OrbitClassify", "orbit_classify", "dst:=U32 src:U32 torus_size:U32", "dst = the orbit class of a torus coordinate: src modulo 32.", reference=_meant("orbit_classify")),
    _atlas(0x7F, "OrbitRepresentative", "orbit_representative", "dst:=U32 class_id:U32 torus_size:U32", "dst = the representative of an orbit class, the class itself.", reference=_meant("orbit_representative")),
    _atlas(0x80, "MultInverse", "mult_inverse", "dst:=U32 src:U32 modulus:U32", "dst = the multiplicative inverse of a unit.", reference=_meant("mult_inverse")),
    _atlas(0x81, "CharProduct", "char_product", "dst:=U8 lhs:U8 rhs:U8", "dst = the index of the product of two Dirichlet characters modulo 96.", reference=_meant("char_product")),
    _atlas(0x82, "CharValue", "char_value", "dst:=U8 src:U8 unit:U8", "dst = the exponent of a character's value, in eighths of a turn; 255 where the value is 0.", reference=_meant("char_value")),

    _pool(0xA0, "PoolAlloc", "pool_alloc", "handle:pool size:size", "Makes a program-local pool of size bytes, zeroed, that all lanes of the launch share.", reference=lambda o, handle, size: None, check=_known_size),
    _pool(0xA1, "PoolFree", "pool_free", "handle:pool", "Frees a program-local pool: nothing after it may use it.", reference=lambda o, handle: None),
    _pool(0xA2, "PoolLoad", "pool_load", ".ty:NUMBERS dst:=ty pool:pool offset:size", "dst = the element at a byte offset of a pool.", reference=lambda o, ty, pool, offset: o.load(ty, o.memory(ty, offset)), state="pool"),
    _pool(0xA3, "PoolStore", "pool_store", ".ty:NUMBERS pool:pool offset:size src:ty", "Stores src at a byte offset of a pool.", reference=lambda o, ty, pool, offset, src: o.store(ty, o.memory(ty, offset), src), state="pool"),
)
# fmt: on
