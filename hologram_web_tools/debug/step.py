"""Stepping through a kernel on the reference: `kernel.steps[n](...)` gives each line that lanes are about to run."""

from __future__ import annotations

from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from copy import copy
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from hologram_web.backends import DEVICES, LaunchConfig
from hologram_web.errors import LaunchError
from hologram_web.frontends.python.emit import ArrayRef
from hologram_web.frontends.python.names import ArrayType, shown
from hologram_web.frontends.python.types import Value, Weak, default
from hologram_web.isa.elements import axes_of
from hologram_web.kernels.lanes import Asked, asked
from hologram_web.kernels.launch import bound, lent
from hologram_web.runtime.arrays import elements, shape

from .marks import Mark, marks_of

if TYPE_CHECKING:
    from hologram_web.frontends.python.source import Definition
    from hologram_web.frontends.python.translate import Translation

    from ..cpu.machine import Machine

__all__ = ["DebugStep", "Steps", "Where"]

_COLUMNS = 8  # values in a line of a table
_GROUPS = 3  # as many different values of more lanes are counted
Where = int | tuple[int, ...]


class _Variable(NamedTuple):
    value: Any
    type: str
    varies: bool = False  # whether it is an array of a number for each lane


class DebugStep:
    """A line that lanes of a block are about to run.

    `file`, `line`, `source` (the text of the line) and `function` say where; `block` is the block's id, and `lanes`
    the local ids of those who run the line: numbers, or (x, y) and (x, y, z) in launches of several axes. `values` has
    the variables by name: of each an array with a number for each of `lanes`, or one number, if a lane was asked for;
    scalars that the kernel does not assign, and constants, are one number. Arrays and shared memory are what the
    launch works on, as it is now: views that cannot be written (of bf16 and wide integers copies, as numbers).

    `print(step)` shows all that as a table.
    """

    def __init__(self, mark: Mark, block: Where, lanes: tuple[Where, ...], variables: Mapping[str, _Variable]) -> None:
        self.file, self.line, self.function = mark.source.file, mark.line, mark.function.name
        self.source = mark.source.lines[mark.line - mark.source.first].strip()
        self.block, self.lanes = block, lanes
        self.values: dict[str, Any] = {name: variable.value for name, variable in variables.items()}
        self.mark, self._variables = mark, variables

    def __repr__(self) -> str:
        return f"<DebugStep {self.file}:{self.line}: {self.source}>"

    def __str__(self) -> str:
        lanes = [str(lane).replace(" ", "") for lane in self.lanes]
        who = f"lane {lanes[0]}" if len(lanes) == 1 else f"{len(lanes)} lanes"
        head = f"{self.file}:{self.line}: {self.source}\n{self.function}, block {self.block}, {who}"
        rows = {"of lane": ("", _some(lanes), True)} if len(lanes) > 1 else {}
        rows |= {name: (variable.type, *_cells(variable, lanes)) for name, variable in self._variables.items()}
        aligned = [cells for _, cells, aligns in rows.values() if aligns]
        widths = [max(map(len, column)) for column in zip(*aligned, strict=True)]
        left, right = (max(map(len, column), default=0) for column in (rows, [kind for kind, _, _ in rows.values()]))
        for name, (kind, cells, aligns) in rows.items():
            texts = [cell.rjust(width) for cell, width in zip(cells, widths, strict=True)] if aligns else cells
            head += f"\n  {name:{left}}  {kind:{right}}  {' '.join(texts)}".rstrip()
        return head


def _some(texts: list[str]) -> list[str]:
    return texts if len(texts) <= _COLUMNS else [*texts[: _COLUMNS - 2], "...", texts[-1]]


def _cells(variable: _Variable, lanes: list[str]) -> tuple[list[str], bool]:
    """The values in a line of the table, and whether they stand below their lanes."""
    value = variable.value
    if getattr(value, "ndim", 0) == 0:
        return [str(value)], False
    if not variable.varies:
        flat = value.reshape(-1)
        ends = flat if flat.size <= _COLUMNS else [*flat[: _COLUMNS - 2], "...", flat[-1]]
        return [str(number) for number in ends], False
    texts = [str(number) for number in value]
    by_text: dict[str, list[str]] = {}
    for text, lane in zip(texts, lanes, strict=True):
        by_text.setdefault(text, []).append(lane)
    if len(by_text) == 1:
        return texts[:1], False
    if len(texts) <= _COLUMNS or len(by_text) > _GROUPS:
        return _some(texts), True
    groups = (f"{text} in {len(who)} lanes" if len(who) > 1 else f"{text} in {who[0]}" for text, who in by_text.items())
    return [", ".join(groups)], False


class Steps:
    """`kernel.steps[n](x, y)` iterates over the steps of a launch on the reference, whatever device the kernel is on.

    `kernel.steps(block=3)[n](x, y)` has those of one block only, `steps(lane=1000)` those of the lane with that
    `hg.global_id()`; in launches of several axes both are tuples. The launch goes on as steps are asked for. At its end
    the arrays that the kernel writes are changed; an iterator that is left before, or that raises, leaves them as
    they were.
    """

    def __init__(self, definition: Definition, translation: Translation, launch: Callable[..., Any]) -> None:
        self._definition, self._translation, self._launch = definition, translation, launch
        self._block: Where | None = None
        self._lane: Where | None = None

    def __call__(self, *, block: Where | None = None, lane: Where | None = None) -> Self:
        chosen = copy(self)
        chosen._block, chosen._lane = block, lane
        return chosen

    def __getitem__(self, lanes: Any) -> Callable[..., Generator[DebugStep]]:
        """Raises what a launch does, LaunchError at once and ExecutionError between steps, and BackendUnavailable."""
        launch = asked(lanes)
        return lambda *args, **named: self._steps(*launch.parted(self._translation.params, named), args)

    def _steps(self, asked: Asked, named: Mapping[str, Any], args: tuple[Any, ...]) -> Generator[DebugStep]:
        DEVICES["cpu"]  # says what is missing
        from ..cpu.stepping import SteppingDevice

        config = asked.config
        block, lane = _chosen(config, self._block, self._lane)
        given = bound(self._translation.params, self._translation.defaults, args, named)
        marks = marks_of(self._definition, self._translation.program)
        running = self._launch(asked, args, named, False, SteppingDevice(marks, block))
        running.send(None)  # to where it is prepared
        arrays_of = {name: ty for name, ty in self._translation.params.items() if isinstance(ty, ArrayType)}
        shapes = {name: shape(lent(name, ty, given[name]), ty.ty) for name, ty in arrays_of.items()}
        fixed = self._translation.params.keys() - self._definition.stored_names - arrays_of.keys()
        return _iterate(running, marks, config, lane, _reader(shapes, fixed))


def _chosen(config: LaunchConfig, block: Where | None, lane: Where | None) -> tuple[int | None, int | None]:
    """The linear numbers of the block that is asked for, and of the lane in it. Raises LaunchError."""
    if block is not None and lane is not None:
        raise LaunchError("steps are those of a block or of a lane, which is in one block: give one of the two")
    if block is not None:
        return _linear(_checked("block", block, config.grid), config.grid), None
    if lane is None:
        return None, None
    sizes = config.lanes or tuple(blocks * size for blocks, size in zip(config.grid, config.block, strict=True))
    ids = [divmod(at, size) for at, size in zip(_checked("lane", lane, sizes), config.block, strict=True)]
    return _linear([at for at, _ in ids], config.grid), _linear([at for _, at in ids], config.block)


def _checked(what: str, place: Where, sizes: Sequence[int]) -> list[int]:
    numbers = [*(place if isinstance(place, tuple) else (place,)), 0, 0][:3]
    if not all(
        hasattr(number, "__index__") and 0 <= number < size for number, size in zip(numbers, sizes, strict=True)
    ):
        raise LaunchError(f"{what} {place!r} does not run: the launch has {' x '.join(map(str, sizes))} {what}s")
    return numbers


def _linear(place: Sequence[int], sizes: Sequence[int]) -> int:
    return place[0] + sizes[0] * (place[1] + sizes[1] * place[2])


def _iterate(
    running: Any,
    marks: Mapping[int, list[Mark]],
    config: LaunchConfig,
    lane: int | None,
    read: Callable[..., _Variable],
) -> Generator[DebugStep]:
    """The steps of a launch that yields the machine at every stop."""
    axes = max([1, *(axis + 1 for axis in (1, 2) if config.grid[axis] > 1 or config.block[axis] > 1)])

    def place(number: int, sizes: tuple[int, int, int]) -> Where:
        x, y, _ = sizes
        found = number % x, number // x % y, number // (x * y)
        return found[0] if axes == 1 else found[:axes]

    try:
        while True:
            machine: Machine = running.send(None)
            local = machine.lanes.tolist()
            if lane is not None and lane not in local:
                continue
            at = None if lane is None else local.index(lane)
            lanes = tuple(place(number, config.block) for number in (local if lane is None else [lane]))
            for mark in marks[machine.graph.code[machine.point]]:
                variables = {name: read(machine, mark, name, at) for name in mark.variables}
                yield DebugStep(mark, place(machine.first, config.grid), lanes, variables)
    except StopIteration:
        return
    finally:
        running.close()


def _reader(shapes: Mapping[str, tuple[int, ...]], fixed: Collection[str]) -> Callable[..., _Variable]:
    """Reads variables: `shapes` are those of array parameters, `fixed` the scalar ones that are never assigned."""
    from ..cpu.stepping import array, held_by, local_array

    def read(machine: Machine, mark: Mark, name: str, at: int | None) -> _Variable:
        what = mark.variables[name]
        if isinstance(what, ArrayRef):
            what = what.whole
            own, kind = axes_of(what.means), shown(what.means)
            if what.local:
                found = elements(local_array(machine, what.ty, (*(what.shape or ()), *own), what.offset), what.means)
                return _Variable(found if at is None else found[at], f"{kind}{list(what.shape or ())}", at is None)
            shared, shape = what.shape is not None, tuple(what.shape or shapes[what.name])
            found = array(machine, None if shared else what.name, what.ty, (*shape, *own), what.offset)
            return _Variable(elements(found, what.means), f"{kind}{list(shape)}")
        if not isinstance(what, Value) or what.const is not None:
            constant = what.const if isinstance(what, Value) else what
            return _Variable(constant, type(constant).__name__)
        place, ty = what.reg or what.pred, default(what.ty)
        assert place is not None
        values, kind = held_by(machine, place, ty), str(ty)
        if what.ty is Weak.BOOL:
            values, kind = values != 0, "bool"
        if at is None and not (name in fixed and not mark.path):
            return _Variable(values, kind, True)
        return _Variable(values[at or 0], kind)

    return read
