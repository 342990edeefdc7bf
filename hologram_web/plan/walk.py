"""Walking the steps of a plan: values, formulas and ways are the same for whoever runs the launches."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any

from ..errors import ExecutionError, FaultKind, LaunchError
from ..isa.ops import PRED, PRIMITIVES, compute
from ..isa.types import Type
from .formula import Formula
from .plan import (
    MAX_STEPS_RUN,
    Argument,
    BoundsCheck,
    Branch,
    Copy,
    Later,
    Launch,
    Let,
    Loop,
    Nest,
    ProgramCall,
    Read,
    Repeat,
    Step,
    Target,
    When,
)

__all__ = ["Budget", "Walk"]


class Budget:
    """What a run of a plan may do beside its launches: so many steps, and for so long between two launches of lanes."""

    def __init__(self, seconds: float | None = None, steps: int = MAX_STEPS_RUN) -> None:
        self.left, self.most, self.seconds = steps, steps, seconds
        self.launched()

    def launched(self) -> None:
        """Lanes have run, for which there is a limit of its own."""
        self.since = time.monotonic()

    def take(self) -> None:
        """A step, or a round of a repeat or loop. Raises ExecutionError: StepLimit."""
        self.left -= 1
        if self.left < 0:
            raise ExecutionError(
                FaultKind.STEP_LIMIT, None, f"a plan runs at most {self.most} steps: split the work, or repeat less"
            )
        if self.seconds is not None and self.left % 64 == 0 and time.monotonic() - self.since > self.seconds:
            what = f"the steps of the plan launched nothing for {self.seconds} seconds: repeat less"
            raise ExecutionError(FaultKind.STEP_LIMIT, None, what)


class Walk:
    """Walks steps. Who runs them gives what `launch`, `copy`, `bounds`, `read` and `call` do, as far as steps need it.

    `bits` has those of scalars and of values, by name; `numbers` has the variables of formulas.
    """

    target = ""  # of which kernels are run
    _NO_BRANCH = -1

    def __init__(self, scalars: Mapping[str, int], variables: Mapping[str, int], budget: Budget) -> None:
        self.bits, self.numbers, self.budget = dict(scalars), dict(variables), budget

    # What a device gives

    def call(self, step: ProgramCall) -> None:
        self.run(step.code)

    def launch(self, step: Launch) -> None:
        raise NotImplementedError

    def copy(self, step: Copy) -> None:
        raise NotImplementedError

    def bounds(self, step: BoundsCheck) -> None:
        raise NotImplementedError

    def read(self, buffer: str, offset: int, size: int) -> bytes:
        """Bytes of a buffer, when all before is done. Raises LaunchError where it is shorter."""
        raise NotImplementedError

    # Steps

    def run(self, steps: Sequence[Step]) -> int:
        """Runs steps; how many nests and loops further out they go on at, or -1.

        Raises ExecutionError and LaunchError.
        """
        for step in steps:
            levels = self._step(step)
            if levels >= 0:
                return levels
        return self._NO_BRANCH

    def _step(self, step: Step) -> int:
        self.budget.take()
        match step:
            case Let():
                self.set(step.value, step.ty, compute(step.op, step.ty, step.of, self._operands(step)))
            case Launch():
                self.launch(step)
            case BoundsCheck():
                self.bounds(step)
            case Repeat():
                return self._repeat(step)
            case When():
                held = self.bits_of(Type.U32, Argument("value", step.condition))
                return self.run(step.then if held else step.otherwise)
            case Nest():
                return max(self.run(step.body) - 1, self._NO_BRANCH)
            case Loop():
                while (levels := self.run(step.body)) == 0:
                    self.budget.take()
                return max(levels - 1, self._NO_BRANCH)
            case Branch():
                return step.levels
            case ProgramCall():
                self.call(step)
            case Copy():
                self.copy(step)
            case Target():
                if step.name == self.target:
                    return self.run(step.body)
            case Later():
                return self.run(step.made())
            case Read():
                raw = self.read(step.buffer, self.evaluate(step.offset), step.ty.size_bytes)
                self.set(step.value, step.ty, int.from_bytes(raw, "little"))
        return self._NO_BRANCH

    def _repeat(self, step: Repeat) -> int:
        levels = self._NO_BRANCH
        for number in range(self.evaluate(step.count)):
            self.budget.take()
            self.numbers[step.variable] = number
            levels = self.run(step.body)
            if levels >= 0:
                break
        self.numbers.pop(step.variable, None)
        return levels

    # Values

    def set(self, name: str, ty: Type | str, bits: int) -> None:
        """Gives a value."""
        self.bits[name] = bits
        if ty == PRED:
            self.numbers[name] = bits
        elif isinstance(ty, Type) and ty.is_integer:
            self.numbers[name] = int(ty.decode(bits))

    def evaluate(self, formula: Formula) -> int:
        return formula.evaluate(self.numbers)

    def bits_of(self, ty: Type, argument: Argument) -> int:
        """The bits of an argument that is a number. Raises LaunchError."""
        match argument.kind:
            case "bits":
                return int(argument.value)
            case "formula":
                number = self.evaluate(argument.value)
                if not ty.min_value <= number <= ty.max_value:
                    raise LaunchError(f"{argument.value} is {number} here, which does not fit {ty}")
                return ty.encode(number)
        if argument.value not in self.bits:
            raise LaunchError(f"the plan uses the value {argument.value} before it is there")
        return self.bits[argument.value]

    def _operands(self, step: Let) -> list[int]:
        types: Any = PRIMITIVES[step.op].operands(step.ty, step.of)
        return [self.bits_of(ty, arg) for ty, arg in zip(types, step.args, strict=True)]
