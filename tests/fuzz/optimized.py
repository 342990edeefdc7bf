"""`cpu` that runs what the optimizer of programs made, and sees to it that it finds nothing more to do."""

from __future__ import annotations

from functools import lru_cache
from zlib import crc32

from hologram_web.errors import ExecutionError
from hologram_web.isa import Program
from hologram_web.isa.launch import ExecutionParams
from hologram_web_tools.cpu import CpuBackend
from hologram_web_tools.optimizer import ProgramOptimizer

__all__ = ["OptimizedBackend"]

_LOOKED_AT = 8  # one program of so many is optimized again


class OptimizedBackend(CpuBackend):
    """Faults name the instruction of the program that was given. Raises AssertionError for one that was not optimized
    in one go."""

    def execute_program_with_params(self, program: Program, params: ExecutionParams) -> None:
        better, origins = _optimized(program.to_bytes())
        try:
            super().execute_program_with_params(better, params)
        except ExecutionError as error:
            if error.instruction is not None:
                error.instruction = origins[error.instruction]
            raise


@lru_cache(maxsize=64)
def _optimized(data: bytes) -> tuple[Program, tuple[int, ...]]:
    program, optimizer = Program.from_bytes(data), ProgramOptimizer()
    better, origins = optimizer.optimize(program), optimizer.origins
    # The optimizer ends when none of its passes finds anything in this very program: that it does is looked at now and
    # then, because it takes a sixth of the time of a program.
    if crc32(data) % _LOOKED_AT == 0:
        again = optimizer.optimize(better)
        assert again.to_bytes() == better.to_bytes(), f"optimized again it is {again}"
    assert program.to_bytes() == data, "the program was changed"
    return better, origins
