"""Matrix products as lane programs: one lane for each element, or tiles in shared memory.

The tiled form: a block of 16 x 16 lanes makes 64 x 64 elements of c, 4 x 4 of them in the registers of each lane. In
steps of 16 along k the lanes bring a tile of a and one of b to shared memory, where each element is read 64 times.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..isa.operands import MapOperation
from ..isa.types import Type

__all__ = ["TILE", "Gemm", "place"]

TILE = 64  # elements of c that a block makes, along each axis
_STEP = 16  # of k


def place(target: str, index: str, first: str, ty: Type) -> str:
    """Code for where an element of a collective is, in units of the type's alignment."""
    if ty.size_bytes == ty.alignment:
        return f"    add.u64 {target}, {index}, {first}\n"
    return f"    mov_imm.u64 r99, {ty.size_bytes // ty.alignment}\n    mad.u64 {target}, {index}, r99, {first}\n"


@dataclass(frozen=True)
class Gemm:
    """What a program for c = activation(alpha * a * b + beta * c + bias) depends on, besides sizes.

    `beta` says that beta may be other than 0: then c is read where it is.

    Registers: r30 and r31 are column and row as U64, r34 the sum.
    """

    ty: Type
    beta: bool
    bias: bool
    activation: MapOperation | None

    @property
    def wide(self) -> Type:
        """The type of sums."""
        return Type.F32 if self.ty in (Type.F16, Type.BF16) else self.ty

    def _widen(self, register: str) -> str:
        return "" if self.wide is self.ty else f"    cvt.{self.wide}.{self.ty} {register}, {register}\n"

    def _head(self, name: str) -> str:
        ty = self.ty
        return (
            f".program {name}_{ty}\n.param c: buffer {ty} read_write\n.param fc: u64\n"
            f".param a: buffer {ty} read\n.param fa: u64\n.param b: buffer {ty} read\n.param fb: u64\n"
            ".param n: u32\n.param k: u32\n.param sam: u64\n.param sak: u64\n.param sbk: u64\n.param sbn: u64\n"
            f".param alpha: {self.wide}\n.param beta: {self.wide}\n.param m: u32\n"
            + (f".param bias: buffer {ty} read\n.param fbias: u64\n" if self.bias else "")
        )

    def _finish(self, number: str = "") -> str:
        """Scales the sum and stores it; `number` tells labels of several from each other."""
        ty, wide, size = self.ty, self.wide, self.ty.alignment
        lines = [f"    mul.{wide} r34, r34, r13\n    cvt.u64.u32 r40, r7\n"]
        lines.append(f"    mad.u64 r40, r31, r40, r30\n{place('r40', 'r40', 'r2', ty)}")
        if self.beta:
            lines.append(
                f"    mov_imm.{wide} r45, 0\n    set.eq.{wide} p2, r14, r45\n    bra scaled{number}, p2\n"
                f"    ldg.{ty} r41, [c + r40*{size}]\n{self._widen('r41')}    mad.{wide} r34, r41, r14, r34\n"
                f"scaled{number}:\n"
            )
        if self.bias:
            lines.append(f"{place('r42', 'r30', 'r17', ty)}    ldg.{ty} r43, [bias + r42*{size}]\n{self._widen('r43')}")
            lines.append(f"    add.{wide} r34, r34, r43\n")
        if wide is not ty:
            lines.append(f"    cvt.{ty}.{wide} r34, r34\n")
        if self.activation is not None:
            lines.append(f"    {self.activation.value}.{ty} r34, r34\n")
        return "".join([*lines, f"    stg.{ty} [c + r40*{size}], r34\n"])

    def plain(self) -> str:
        """The program with one lane for each element of c."""
        ty, wide, size = self.ty, self.wide, self.ty.alignment
        return (
            f"{self._head('gemm')}"
            "    mul.u32 r20, r253, r254\n    add.u32 r20, r20, r252\n    cvt.u64.u32 r30, r20\n"
            "    mul.u32 r20, r249, r247\n    add.u32 r20, r20, r251\n    cvt.u64.u32 r31, r20\n"
            "    mad.u64 r32, r31, r9, r4\n    mad.u64 r33, r30, r12, r6\n"
            f"    mov_imm.{wide} r34, 0\n    mov_imm.u32 r35, 0\n    set.eq.u32 p0, r8, r35\n    bra product, p0\n"
            "    mov_imm.u32 r36, 1\n    sub.u32 r36, r8, r36\ninner:\n"
            f"    ldg.{ty} r37, [a + r32*{size}]\n    ldg.{ty} r38, [b + r33*{size}]\n"
            f"{self._widen('r37')}{self._widen('r38')}    mad.{wide} r34, r37, r38, r34\n"
            "    add.u64 r32, r32, r10\n    add.u64 r33, r33, r11\n    loop r36, inner\n"
            f"product:\n{self._finish()}"
        )

    def _fetch(self, q: int, matrix: str) -> str:
        """One of the four elements of a tile that a lane brings: zero where the matrix ends. r53 is k of the tile."""
        ty, wide, size = self.ty, self.wide, self.ty.size_bytes
        # r60 = the element's number in the tile; r61 = row or column, r62 = k, both in the tile
        if matrix == "a":
            split = "    shr.u32 r61, r60, r90\n    and.u32 r62, r60, r91\n"
            origin, end, first, along, step, start = "r51", "r15", "r4", "r9", "r10", 0
        else:
            split = "    shr.u32 r62, r60, r92\n    and.u32 r61, r60, r93\n"
            origin, end, first, along, step, start = "r52", "r7", "r6", "r12", "r11", TILE * _STEP * wide.size_bytes
        skip = f"skip_{matrix}{q}"
        return (
            f"    mov_imm.u32 r60, {256 * q}\n    add.u32 r60, r60, r50\n{split}"
            f"    add.u32 r63, {origin}, r61\n    add.u32 r64, r53, r62\n    mov_imm.{wide} r65, 0\n"
            f"    set.lt.u32 p1, r63, {end}\n    bra {skip}, !p1\n    set.lt.u32 p1, r64, r8\n    bra {skip}, !p1\n"
            f"    cvt.u64.u32 r63, r63\n    cvt.u64.u32 r64, r64\n    mad.u64 r66, r63, {along}, {first}\n"
            f"    mad.u64 r66, r64, {step}, r66\n    ldg.{ty} r65, [{matrix} + r66*{size}]\n{self._widen('r65')}"
            f"{skip}:\n    mad.u32 r62, r62, r94, r61\n    sts.{wide} [shared + r62*{wide.size_bytes} + {start}], r65\n"
        )

    def tiled(self) -> str:
        """The program for blocks of 16 x 16 lanes."""
        wide, size = self.wide, self.wide.size_bytes
        sums = [[f"r{100 + 4 * i + j}" for j in range(4)] for i in range(4)]
        lines = [
            self._head(f"gemm_tiled_{wide}"),
            f".shared {2 * TILE * _STEP * size}\n",
            # r50 = lane, r51 = first row, r52 = first column, r53 = k of the tile; constants in r89 to r95
            f"    mov_imm.u32 r89, 2\n    mov_imm.u32 r90, 4\n    mov_imm.u32 r91, {_STEP - 1}\n"
            f"    mov_imm.u32 r92, 6\n    mov_imm.u32 r93, {TILE - 1}\n    mov_imm.u32 r94, {TILE}\n"
            f"    mov_imm.u32 r95, {_STEP}\n"
            "    mad.u32 r50, r251, r95, r252\n    mul.u32 r51, r249, r94\n    mul.u32 r52, r253, r94\n",
            *(f"    mov_imm.{wide} {register}, 0\n" for row in sums for register in row),
            "    mov_imm.u32 r53, 0\n    shl.u32 r54, r251, r89\n    shl.u32 r55, r252, r89\n",
            "tile:\n    set.lt.u32 p0, r53, r8\n    bra done, !p0\n",
            *(self._fetch(q, matrix) for matrix in "ab" for q in range(4)),
            f"    bar_sync 0\n    mov r70, r54\n    mov r71, r55\n    mov_imm.u32 r72, {_STEP - 1}\ninner:\n",
            *(f"    lds.{wide} r{73 + i}, [shared + r70*{size} + {i * size}]\n" for i in range(4)),
            *(f"    lds.{wide} r{77 + j}, [shared + r71*{size} + {(TILE * _STEP + j) * size}]\n" for j in range(4)),
            *(f"    mad.{wide} {sums[i][j]}, r{73 + i}, r{77 + j}, {sums[i][j]}\n" for i in range(4) for j in range(4)),
            "    add.u32 r70, r70, r94\n    add.u32 r71, r71, r94\n    loop r72, inner\n    bar_sync 1\n",
            "    add.u32 r53, r53, r95\n    bra tile\ndone:\n",
        ]
        for i in range(4):
            for j in range(4):
                lines.append(
                    f"    mov_imm.u32 r20, {i}\n    add.u32 r20, r20, r54\n    add.u32 r20, r20, r51\n"
                    f"    mov_imm.u32 r21, {j}\n    add.u32 r21, r21, r55\n    add.u32 r21, r21, r52\n"
                    f"    set.lt.u32 p0, r20, r15\n    bra next{i}{j}, !p0\n    set.lt.u32 p0, r21, r7\n"
                    f"    bra next{i}{j}, !p0\n    cvt.u64.u32 r30, r21\n    cvt.u64.u32 r31, r20\n"
                    f"    mov r34, {sums[i][j]}\n{self._finish(str(4 * i + j))}next{i}{j}:\n"
                )
        return "".join(lines)
