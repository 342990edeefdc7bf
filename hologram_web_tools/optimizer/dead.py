"""Dead code: instructions that nothing needs, that no lane reaches; labels that nothing names.

What may fault stays, whether or not its result is wanted (isa.md section 4): loads, unless they are of shared or local
memory at a place that is known to be inside; integer DIV and REM, unless the divisor is known not to be 0; what checks
its operands. Stores, atomics, barriers, fences, calls, branches, what changes phases, resonance and pools are never
dead.
"""

from __future__ import annotations

from hologram_web.compiler.passes.fold import RULES
from hologram_web.isa.address import Space
from hologram_web.isa.instruction import Instruction
from hologram_web.isa.program import Program

from .facts import Edits, Facts, live
from .values import walk

__all__ = ["eliminate_dead"]


def eliminate_dead(facts: Facts) -> Edits:
    edits, program = Edits(facts), facts.program
    wanted = _wanted(facts, _harmless(facts))
    for index in range(len(program)):
        if index not in wanted:
            edits.see(index, None)
    named = {i.target.name for i in program.instructions if i.row.name in ("BRA", "LOOP", "CALL")}
    edits.labels = {name: place for name, place in program.labels.items() if name in named or name == program.entry}
    return edits


def _harmless(facts: Facts) -> set[int]:
    """Instructions that do nothing but to write their result."""
    seen, harmful = set(), set()
    for point, _, meaning in walk(facts, RULES):
        seen.add(facts.graph.code[point])
        if (meaning is None or not meaning.harmless) and not _inside(facts.program, facts.graph.instruction(point)):
            harmful.add(facts.graph.code[point])
    return seen - harmful


def _inside(program: Program, instruction: Instruction) -> bool:
    """Whether it is a load from shared or local memory that cannot fault."""
    if instruction.name != "LDS":
        return False
    address, ty = instruction.src, instruction.ty
    sizes = {Space.SHARED: program.shared_memory, Space.LOCAL: program.local_memory}
    known = address.space in sizes and address.index is None
    aligned = address.offset % ty.alignment == 0
    return known and aligned and 0 <= address.offset <= sizes[address.space] - ty.size_bytes


def _wanted(facts: Facts, harmless: set[int]) -> set[int]:
    """Instructions that have to stay: what is not harmless, and what they need."""
    wanted = set(facts.points) - harmless
    before = -1
    while len(wanted) != before:  # code that several calls reach may be wanted at one of its points only
        before = len(wanted)
        live(facts, wanted)
    return wanted
