"""Launches that are made again and again: what does not change from one to the next is found once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..isa.launch import ExecutionParams, LaunchConfig
from ..isa.program import Program

__all__ = ["Prepared"]


class Prepared:
    """Launches of a program in one configuration, called with the values of the parameters `names`: handles and
    numbers. `fixed` are those of the others.

    A call is `execute_program_with_params`, with all that it checks and raises. A device that knows a shorter way
    inherits from this one. The device keeps it: others have weak references.
    """

    def __init__(
        self, device: Any, program: Program, config: LaunchConfig, names: Sequence[str], fixed: Mapping[str, Any]
    ) -> None:
        self.device, self.program, self.config, self.names = device, program, config, tuple(names)
        self.fixed = dict(fixed)
        self._args: dict[str, Any] = {param.name: fixed.get(param.name) for param in program.params}

    def __call__(self, values: Sequence[Any]) -> None:
        args = self._args.copy()
        args.update(zip(self.names, values, strict=True))
        self.device.execute_program_with_params(self.program, ExecutionParams(self.config, args))
