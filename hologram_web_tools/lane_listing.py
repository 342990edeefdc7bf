"""What the analysis of lanes says of a function, to look at: as text, and counted."""

from __future__ import annotations

from collections import Counter

from hologram_web.compiler.accesses import access_of
from hologram_web.compiler.ir import Block, Function, Node
from hologram_web.compiler.lanes import LaneAnalysis
from hologram_web.compiler.operations import LEAVES
from hologram_web.compiler.shapes import ANY, SOME, Shape
from hologram_web.isa.types import Type

__all__ = ["COUNTED", "annotated", "counted"]

# What is counted: branches, and for each kind of access where neighbours in a row reach.
_KINDS = ("uniform", "contiguous", "strided", "any")
COUNTED = (
    "branch-uniform",
    "branch-divergent",
    *(f"{op}-{kind}" for op in ("load", "store", "atomic", "reduce") for kind in _KINDS),
)


def counted(function: Function, lanes: LaneAnalysis) -> Counter[str]:
    """How many branches and accesses there are of each kind in `COUNTED`."""
    found = Counter[str]()
    for block in function.blocks:
        if block.end.kind == "branch":
            found["branch-divergent" if block in lanes.divergent else "branch-uniform"] += 1
        found.update(f"{node.op}-{lanes.kind(node)}" for node in block.nodes if access_of(node) is not None)
    return found


def annotated(function: Function, lanes: LaneAnalysis) -> str:
    """The function as text; behind blocks which branches left only some of the lanes, behind values their shapes."""
    function.renumber()
    masks = lanes.masks()
    lines = []
    for block in function.blocks:
        few = ", ".join(f"b{branch.number}" for branch in sorted(masks.get(block, ()), key=lambda b: b.number))
        head, *texts = str(block).split("\n")
        notes = [f"lanes of {few}" if few else "all lanes"]
        notes += [_note(node, block, lanes) for node in (*block.phis, *block.nodes)]
        notes += [f"divergent along {_letters(axes)}" if (axes := lanes.divergent.get(block, 0)) else ""]
        width = min(max(map(len, (head, *texts))), _WIDEST)
        lines += [
            f"{text:{width}}  ; {note}" if note else text for text, note in zip((head, *texts), notes, strict=True)
        ]
    return "\n".join(lines) + "\n"


_WIDEST = 60  # characters of a line, where notes are set under each other


def _letters(axes: int) -> str:
    return ", ".join("xyz"[axis] for axis in range(3) if axes >> axis & 1)


def _note(node: Node, block: Block, lanes: LaneAnalysis) -> str:
    access = access_of(node)
    if node.op in LEAVES and node.op != "special":
        return ""
    shape = lanes.of(node)
    if isinstance(node.ty, Type) and shape.bits == node.ty.bits:  # it wraps as its type does
        shape = Shape(shape.steps)
    notes = [] if node.ty is None else [str(shape)]
    if access is not None:
        kind, steps = lanes.kind(node), lanes.reach(node)
        known = ", ".join(f"{step} bytes along {axis}" for step, axis in zip(steps, "xyz", strict=True) if step)
        notes.append(f"reaches {kind}" + (f" ({known})" if kind != "any" and known else ""))
        index = node.args[0]
        for phi in lanes.counters(block):
            step = lanes.growth(index, phi)
            if step not in (0, ANY):
                notes.append(f"{step * access.scale if isinstance(step, int) else SOME} bytes a %{phi.number}")
    return ", ".join(notes)
