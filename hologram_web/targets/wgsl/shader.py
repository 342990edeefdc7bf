"""What the functions of a shader share: the code of the kernel, its memories and arguments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from copy import copy

from ...compiler.accesses import Check, access_of
from ...compiler.dominance import reverse_postorder
from ...compiler.fission import Fission, fission, reachable
from ...compiler.ir import Function
from ...compiler.legalise import Legal
from ...compiler.operations import WRITES
from ...compiler.out_of_ssa import Count, Do, Lowered, ParallelRegion, Piece, Variable, argument_starts
from ...compiler.rounds import weights
from ...isa.address import ON_CHIP, Space
from ...isa.types import Type
from ...isa.verify import Base
from .language import language_of, traits_of
from .wide import Places, is_wide

__all__ = ["Shader", "kind_of"]


class Shader:
    """`groups` are the memories of each binding, `parts` how many of `window` bytes each has.

    Functions that are written leave here what the shader needs for them: `helpers` beside the library, by name; names
    of what is `called`; whether code goes around (`loops`), and whether lanes count rounds (`counts`); how far in code
    stands, and its instruction.
    """

    def __init__(
        self,
        before: Function,
        legal: Legal,
        lowered: Lowered,
        groups: list[list[Base]],
        shared: int,
        math: str,
        canary: bool,
        half: bool,
        parts: Sequence[int],
        window: int,
    ) -> None:
        self.legal, self.function = legal, legal.function
        self.groups, self.shared, self.math, self.canary, self.half = groups, shared, math, canary, half
        self.traits, self.language = traits_of(math), language_of(math)
        self.weights = weights(before)
        self.lowered = lowered
        self.held = {variable: node for node, variable in self.lowered.variables.items()}
        used = {node.attr: node.ty for node in self.function.nodes() if node.op == "param"}
        self.scalars = [(name, ty) for name, ty in used.items() if isinstance(ty, Type)]
        starts = [start // 4 for start in argument_starts(self.scalars)]
        self.places = dict(zip((name for name, _ in self.scalars), starts, strict=False))  # in words
        self.memories_at = starts[-1]
        self.bases = [base for group in groups for base in group]
        self._numbers = {base: number for number, group in enumerate(groups) for base in group}
        self.segmented = any(piece.kind == "barrier" for piece in self.lowered.pieces)
        plan = fission(self.lowered) if self.segmented else None
        # Where lanes leave a loop of the block by themselves, nothing uniform ends it.
        self.plan: Fission | None = None if plan is None or plan.endless else plan
        self.plain = not self.segmented and max(parts, default=1) == 1  # whether lanes may stand side by side
        self.kept = self._kept()
        self.atomic, self.written = self._uses()
        self.window = window
        self.parts = {f"b{number}": count for number, count in enumerate(parts) if count > 1}
        self.kinds = self._kinds()
        self.further = [(number, part) for number, count in enumerate(parts) for part in range(1, count)]
        self.names = {f"b{number}": f"b{number}" for number in range(len(groups))}  # of parts: that of their first
        self.names |= {f"b{number}_{part}": f"b{number}" for number, part in self.further}
        self.atomic |= {name for name, first in self.names.items() if first in self.atomic}
        # A lane that is a block waits for nobody, and its loops over barriers need not be uniform: Tint takes all that
        # comes from the lane's number for not uniform, and refused barriers there.
        storage = ["storageBarrier();"] if self._stores_before_barriers() else []
        self.meet = [] if self.function.block_shape == (1, 1, 1) else ["workgroupBarrier();", *storage]
        self._begin(set())

    def _begin(
        self, proven: set[Check], line: bool = False, stepless: bool = False, blocks: int = 0, quads: bool = False
    ) -> None:
        """Nothing is written yet."""
        self.proven, self.line, self.stepless, self.blocks, self.quads = proven, line, stepless, blocks, quads
        runs = self.plan.runs if self.plan else []
        self.lanes_step = any(self._steps(run) for run in runs)  # by themselves: their budgets may differ
        self.called: set[str] = set()
        self.wide = Places(self.function, self.lowered, self.call)
        self.helpers: dict[str, str] = {}
        self.loops = self.counts = False
        self.deepest, self.nesting = (0, -1), 0

    def given(self, proven: set[Check], line: bool, stepless: bool, blocks: int = 0, quads: bool = False) -> Shader:
        """Another shader of the same kernel, where more is known. `proven` is what accesses need not check. `line` says
        whether the grid is one row of blocks, `stepless` whether no lane can use up its budget or its patience. Where
        the lanes of packets all do the same up to the last that is on, a workgroup does so many `blocks`, and `quads`
        says whether four share an access.
        """
        found = copy(self)
        found._begin(proven, line, stepless, blocks, quads)
        return found

    def _kept(self) -> set[Variable]:
        """The variables of a lane that one function sets and another reads."""
        if self.plan is not None:
            return {variable for run in self.plan.runs for variable in (*run.loads, *run.stores)} - self.plan.uniform
        return {variable for resume in self.lowered.resumes[1:] for variable in self.lowered.live(resume)}

    def call(self, name: str, *args: object) -> str:
        """A call of a function that the shader is to have."""
        self.called.add(name)
        return f"{name}({', '.join(map(str, args))})"

    def declared(self, variable: Variable) -> str:
        return f"v{variable.number}: {self.language.types[self.held[variable].ty]}"

    def ordered(self, variables: Iterable[Variable]) -> list[Variable]:
        """Those that are declared, by number."""
        return sorted((v for v in variables if not is_wide(v.ty)), key=lambda variable: variable.number)

    # Memories

    def binding(self, base: Base, part: int = 0) -> str:
        """The WGSL variable of a memory; of a part of it, where it is bound in parts."""
        if base in self._numbers:
            return f"b{self._numbers[base]}_{part}" if part else f"b{self._numbers[base]}"
        return f"{base.space.name.lower()}_memory"

    def _uses(self) -> tuple[set[str], set[str]]:
        """Memories that have to be atomic, and memories that are written."""
        atomic: set[str] = set()
        written: set[str] = set()
        for node in self.function.nodes():
            access = access_of(node)
            if access is None:
                continue
            name = self.binding(access.base)
            if node.op in WRITES:
                written.add(name)
            # Neighbouring lanes store to one word: only atomics keep their bytes apart (three of four were wrong).
            narrow = node.op == "store" and access.element.bits < 32 and access.base.space is not Space.LOCAL
            if node.op == "atomic" or narrow:
                atomic.add(name)
        return atomic, written

    def _kinds(self) -> dict[str, str]:
        """The types of memories whose elements are all of one, of 32 bits and no integer without a sign."""
        found: dict[str, set[str]] = {}
        for node in self.function.nodes():
            access = access_of(node)
            if access is not None and access.base.space is not Space.LOCAL:
                kind = kind_of(access.element) if access.element.bits == 32 else "u32"
                found.setdefault(self.binding(access.base), set()).add(kind)
        several = self.atomic | set(self.parts)
        return {name: kind for name, (kind, *others) in found.items() if not others and name not in several}

    def _stores_before_barriers(self) -> bool:
        """Whether what lanes store in buffers is to be seen by others of the block."""
        before: dict[Piece, list[Piece]] = {piece: [] for piece in self.lowered.pieces}
        for piece in self.lowered.pieces:
            for way in piece.ways:
                before[way].append(piece)
        return any(
            isinstance(statement, Do)
            and statement.node.op in WRITES
            and (access := access_of(statement.node)) is not None
            and access.base.space not in ON_CHIP
            for piece in reachable((p for p in before if p.kind == "barrier"), before.__getitem__)
            for statement in piece.statements
        )

    # Budgets

    def may_end(self, run: ParallelRegion) -> bool:
        """Whether a lane may end before the cut, by itself or by its budget."""
        return not run.last and (run.leaves or self.rounds(run))

    def _steps(self, run: ParallelRegion) -> bool:
        """Whether lanes take steps of their own in a run."""
        pieces = reachable([run.entry], lambda p: p.ways)
        return not self.stepless and any(isinstance(s, Count) for p in pieces for s in p.statements)

    def rounds(self, run: ParallelRegion) -> bool:
        """Whether lanes go around in a run."""
        order = reverse_postorder(run.entry, lambda p: p.ways)
        place = {piece: number for number, piece in enumerate(order)}
        return not self.stepless and any(place[way] <= place[piece] for piece in order for way in piece.ways)


def kind_of(ty: Type) -> str:
    """The WGSL type that holds a word of a type of 32 bits."""
    return {"f": "f32", "i": "i32", "u": "u32"}[ty.kind]
