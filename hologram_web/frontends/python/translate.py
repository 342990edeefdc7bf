"""From a function's syntax tree to a Program."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

from ...errors import TranslateError
from ...garbage import seldom_collected
from ...isa.elements import Element, stored_as
from ...isa.operands import Access, Register
from ...isa.program import LOG, MAX_PARAMETERS, Program, SourceMap
from ...isa.row import Effect
from ...isa.types import Type
from .advice import LostWarning
from .compounds import Parts, PartsType, Tuple
from .emit import MOST_LANES, ArrayRef, KernelFacts, Scope
from .functions import Functions, annotation, check_signature
from .names import Annotation, ArrayType, Constant
from .source import Definition
from .types import Value, Weak, fits

__all__ = ["Parameters", "Translation", "Translator", "annotated", "parameters", "settled", "translate"]

_P = TypeVar("_P", bound="Translator")
_PASSES = 1000
_SHUFFLED = 32  # lanes among which values are shuffled
_LENGTHS = 48  # registers kept for lengths of axes in the first pass, if arrays have so many


@dataclass(frozen=True)
class Translation:
    """A kernel as a program.

    `params` are the parameters as written; `hidden` the lengths that the host adds, by their name in the program:
    array and axis. `warnings` has category, file, line and text, `defaults` values of parameters that are not given.
    `axes` are those along which it asks where its lane is, `indexed` the arrays that the lane's number indexes: name,
    axis of the array, axis of the lanes. `regions` are the bytes of shared memory that block operations use.
    `prints` are what its prints show (`prints.py`); if there are any, the program has a log as a further parameter.
    """

    program: Program
    params: dict[str, Annotation]
    hidden: dict[str, tuple[str, int]]
    warnings: list[tuple[type[UserWarning], str, int, str]]
    defaults: dict[str, Any]
    axes: frozenset[int] = frozenset()
    indexed: tuple[tuple[str, int, int], ...] = ()
    regions: int = 0
    prints: tuple[Any, ...] = ()
    definition: Definition | None = None

    def fitting(self, lanes: int) -> Translation:
        """The same for blocks of so many lanes: what block operations share is no larger than these need."""
        most = max(_SHUFFLED, 1 << (lanes - 1).bit_length())
        if not self.regions or most >= MOST_LANES or self.definition is None:
            return self
        if most not in self._fitting:
            self._fitting[most] = settled(self.definition, Translator, most).translation()
        return self._fitting[most]

    @cached_property
    def _fitting(self) -> dict[int, Translation]:
        return {}

    @cached_property
    def arrays(self) -> list[int]:
        """The places of the parameters that are arrays."""
        return [place for place, ty in enumerate(self.params.values()) if isinstance(ty, ArrayType)]

    @cached_property
    def written(self) -> list[str]:
        """The arrays that the kernel writes."""
        params = (param for param in self.program.params if param.name in self.params)
        return [param.name for param in params if param.access is not None and param.access.writes]

    @cached_property
    def cooperates(self) -> bool:
        """Whether lanes of a block work together: in shared memory of the kernel's own, with barriers."""
        return self.program.shared_memory > self.regions and any(i.name == "BarSync" for i in self.program.instructions)

    @cached_property
    def of_collectives(self) -> bool:
        """Whether lanes do nothing: there is only what the whole launch does once."""
        effects = {instruction.row.effect for instruction in self.program.instructions}
        return Effect.COLLECTIVE in effects and effects <= {Effect.COLLECTIVE, Effect.PURE, Effect.CONTROL}

    @cached_property
    def seen(self) -> dict[Any, Any]:
        """Launches on Buffers that were checked (bound.py), by what their checks depend on."""
        return {}


class Parameters(dict[str, Any]):
    """The parameters that a program has: of a record that is one to the kernel each field, `p.x`. `written` are those
    of the kernel."""

    def __init__(self, written: Mapping[str, Any]) -> None:
        self.written = written
        for name, ty in written.items():
            if isinstance(ty, PartsType):
                from .records import flattened

                self.update(flattened(name, ty))
            else:
                self[name] = ty


def translate(definition: Definition) -> Translation:
    """Translates a kernel. Raises TranslateError."""
    translator = settled(definition, Translator)
    found = translator.translation()
    vars(translator).clear()  # it lies in cycles, which Python's collector would go through
    return found


@seldom_collected()
def settled(definition: Definition, make: type[_P], most: int = MOST_LANES) -> _P:
    """The last of the passes: they are made until one guesses no type and no parameter wrong. Blocks have `most` lanes.

    Raises TranslateError.
    """
    node, source = definition.node, definition.source
    params = Parameters(parameters(definition))
    facts = KernelFacts(lengths=min(_likely_lengths(definition, params), _LENGTHS), most=most)
    try:
        for _ in range(_PASSES):
            facts.changed = False
            current = make(definition, params, facts)
            current.run()
            if facts.lengths < len(current.hidden):
                facts.changed, facts.lengths = True, len(current.hidden)
            if not facts.changed and not facts.settle():
                if current.refused is not None:
                    raise current.refused
                current.close_up()
                return current
    except RecursionError:
        raise TranslateError(
            "the kernel is nested too deeply: split its expressions", source.file, source.line(node)
        ) from None
    raise AssertionError("types have to settle")  # each pass widens a type, and there are few


def _likely_lengths(definition: Definition, params: dict[str, Annotation]) -> int:
    """How many lengths a kernel may want: of all axes, of the first ones only if it speaks of lengths. Of a placed
    array it wants to know where element 0 is."""
    arrays = [ty for ty in params.values() if isinstance(ty, ArrayType)]
    words = {getattr(part, "attr", getattr(part, "id", "")) for part in definition.names}
    without = words.isdisjoint(("len", "shape"))
    return sum(ty.ndim - without + ty.placed for ty in arrays)


def annotated(definition: Definition) -> dict[str, Annotation]:
    """The parameters of a kernel as they are annotated. Raises TranslateError."""
    node, source = definition.node, definition.source
    if node.returns is not None and not (isinstance(node.returns, ast.Constant) and node.returns.value is None):
        source.fail(
            node.returns, "a kernel returns nothing: leave the annotation out, and store the result in an array"
        )
    params: dict[str, Annotation] = {}
    listed = check_signature(source, node)
    # A constant that is a type may stand in annotations: hg.Array[T].
    named = {part.arg: part.annotation for part in listed if isinstance(part.annotation, ast.Subscript)}
    constants = {name: TypeVar(name) for name, said in named.items() if source.resolve(said.value) is Constant}
    for parameter in listed:
        if parameter.annotation is None:
            source.fail(parameter, f"{parameter.arg} has no type: write {parameter.arg}: hg.f32, or hg.Array[hg.f32]")
        ty = annotation(source.within(constants), parameter.annotation)
        if isinstance(ty, PartsType) and isinstance(ty.form, Tuple):
            source.fail(parameter.annotation, f"a parameter of a kernel is a number or an array, not {ty.form}")
        if isinstance(ty, PartsType):
            left: set[Any] = set()
            ty.meant(left.add)
            for variable in left - {*definition.variables, *constants.values()}:
                if isinstance(variable, TypeVar):
                    form = f"{ty.form} has fields of the type {variable.__name__}"
                    source.fail(parameter.annotation, f"{form}: say which, {ty.form}[hg.f32]")
        params[parameter.arg] = ty
    return params


def parameters(definition: Definition) -> dict[str, Annotation]:
    """The parameters of a kernel that a launch has, whose defaults fit. Raises TranslateError."""
    node, source = definition.node, definition.source
    params = annotated(definition)
    for name, value in definition.defaults.items():
        ty = params[name]
        if isinstance(ty, ArrayType) or isinstance(value, bool) or not isinstance(value, (int, float)):
            source.fail(node, f"{name} has a default value, and only numbers have one here: give it at the launch")
        if isinstance(ty, Type) and not fits(value, ty):
            source.fail(node, f"the default value {value} of {name} does not fit {ty}")
    return params


class Translator(Functions):
    """One translation of a kernel with what is known so far."""

    def __init__(self, definition: Definition, params: Parameters, facts: KernelFacts) -> None:
        super().__init__(definition.name, facts, definition.checks)
        node = definition.node
        self.calling: list[ast.FunctionDef] = [node]
        self.own_arrays: dict[Any, ArrayRef] = {}
        self.rounds: list[int] = []
        self.definition_of_kernel, self.params, self.defaults = definition, params, definition.defaults
        stored = definition.stored_names
        self.scope = Scope((), node.name, definition.source, set(stored), once=definition.stored_once)
        self.kernel_body = node.body
        self.sums = None
        self.at = (definition.source, node)
        self.ending = self.label() if facts.apart else None

    def run(self) -> None:
        node = self.definition_of_kernel.node
        for parameter in (*node.args.posonlyargs, *node.args.args):
            self._declare(parameter, self.definition_of_kernel)
        self.free = list(range(len(self.params) + self.facts.lengths + 1, MAX_PARAMETERS + 1))
        self.temporaries.append([])
        self.own_bytes["shared"] = sum(self.facts.regions.values())
        self.statements(node.body)
        if self.ending is not None:
            self.place(self.ending)
            self.emit("BarSync", 0)

    def leave(self) -> None:
        """The kernel's return. Where lanes might not come to a block operation those that end wait for the others, so
        that it is a DivergentBarrier if some come and some do not."""
        if self.ending is None:
            self.emit("EXIT")
        else:
            self.jump(self.ending)

    def _declare(self, parameter: ast.arg, definition: Definition) -> None:
        name, scope = parameter.arg, self.scope
        ty = self.params.written[name]
        found = self._declared(parameter, name, ty)
        if not isinstance(found, Value):
            scope.bound[name] = found
            if isinstance(found, Parts) and name in definition.stored_names:
                self.fail(parameter, f"{name} is a parameter with parts: give what is assigned a name of its own")
            return
        assert found.reg is not None
        scope.registers[name] = found.reg
        scope.local_names.add(name)
        self.facts.fixed.add(((), name))
        self.facts.types[(), name] = ty
        assert scope.assigned is not None
        scope.assigned.add(name)

    def _declared(self, parameter: ast.arg, name: str, ty: Any) -> Any:
        """The array, or the value, that a parameter is: of a record each of its fields."""
        if isinstance(ty, PartsType):
            pairs = zip(ty.form.names, ty.types, strict=True)
            return Parts(ty.form, tuple(self._declared(parameter, f"{name}.{part}", inner) for part, inner in pairs))
        if isinstance(ty, ArrayType):
            element = ty.ty if isinstance(ty.ty, Element) else None
            stored = stored_as(ty.ty)
            self.parameter(parameter, name, stored, buffer=True)
            return ArrayRef(name, stored, ty.ndim, placed=ty.placed, element=element)
        return Value(ty, self.parameter(parameter, name, Type.I32 if ty is Weak.BOOL else ty))

    def close_up(self) -> None:
        """Lets no register be left out where fewer lengths were needed than registers kept for them."""
        gap = self.facts.lengths - len(self.hidden)
        if gap:
            first = len(self.params) + self.facts.lengths + 1
            moved = range(first, MAX_PARAMETERS + 1)
            self.rename([Register(index - gap if index in moved else index) for index in range(256)])

    def rename(self, names: Sequence[Register]) -> None:
        """Gives every register the name at its index."""
        self.code[:] = [instruction.renamed(lambda register: names[register.index]) for instruction in self.code]
        self.scope.registers = {name: names[register.index] for name, register in self.scope.registers.items()}

    def translation(self) -> Translation:
        """What the last pass made. Labels that nothing jumps to go."""
        if self.sums is not None:
            self.sums.warn()
        if self.facts.reads and not self.facts.writes:
            lost = f"{self.scope.name} reads arrays and changes none: what it computes is lost. Store it, y[i] = ..."
            self.warn(self.definition_of_kernel.node, lost, LostWarning)
        program = self.builder.build()
        program.shared_memory, program.local_memory = self.own_bytes["shared"], self.own_bytes["local"]
        targets = {i.values[i.row.positions["target"]].name for i in self.code if i.name in ("BRA", "LOOP")}
        program.labels = {name: place for name, place in program.labels.items() if name in targets}
        for number, param in enumerate(program.params):
            if param.kind == "buffer":
                reads, writes = param.name in self.facts.reads, param.name in self.facts.writes
                access = Access.READ_WRITE if reads and writes else Access.WRITE if writes else Access.READ
                program.params[number] = replace(param, access=access)
        if self.collectives:
            from .collective_calls import check_collectives

            check_collectives(self, program)
        places = [(source, source.line(node)) for source, node in self.lines]
        lines = [(source.file, line) for source, line in places]
        names = {program.params[r.index - 1].name: key for key, r in self.hidden.items() if key[0] != LOG}
        texts = {(source.file, line): source.lines[line - source.first].strip() for source, line in places}
        own = tuple(
            ("local memory" if a.local else "shared memory", a.name, a.offset, a.shape or (), a.ty.size_bytes)
            for a in self.own_arrays.values()
        )
        program.source_map = SourceMap(lines, texts, own)
        regions = sum(self.facts.regions.values())
        if regions:  # at the start of shared memory, where lanes read zeros that nobody wrote, and mean it
            program.metadata.entries["zeroed"] = str(regions)
        axes, indexed = frozenset(self.facts.axes), tuple(sorted(self.facts.indexed))
        prints, warnings = tuple(self.facts.prints), list(self.warnings)
        found = Translation(program, self.params, names, warnings, self.defaults, axes, indexed, regions, prints)
        return replace(found, definition=self.definition_of_kernel)
