"""Runs filetests on any object that implements the Backend protocol."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import numpy as np

from hologram_web import errors
from hologram_web.backends import ExecutionParams, Limits
from hologram_web.backends.state import AtlasState
from hologram_web.compiler.build import build
from hologram_web.compiler.lanes import LaneAnalysis
from hologram_web.compiler.passes import PASSES, fired, optimize
from hologram_web.compiler.passes.fold import RULES
from hologram_web.errors import ExecutionError, HologramError, UnsupportedType
from hologram_web.isa import Param, Program
from hologram_web.isa.verify import analyze
from hologram_web_tools.lane_listing import COUNTED, annotated, counted

from .filetest import Case, Fault, Launch, Raises, element_of, is_writable
from .filetest_values import ELEMENTS, Alias, Permutation, difference

__all__ = ["check", "check_compiled", "check_problems", "without_places"]


def without_places(launch: Launch) -> Launch:
    """The same, but a fault may be anywhere: for who knows of what kind it is, and no more."""
    expected = launch.expected
    return replace(launch, expected=Fault(expected.kind)) if isinstance(expected, Fault) else launch


def check_problems(case: Case) -> None:
    """Raises AssertionError if the verifier finds other problems than the filetest says."""
    found, expected = case.problems()
    if found != expected:
        listed = "\n  ".join(found) or "none"
        raise AssertionError(f"the problems of the program are other ones:\n  {listed}")


def check_compiled(case: Case) -> None:
    """Raises AssertionError if passes fire, or branches and accesses of a kind are left, more or less often than the
    filetest says, at the block of the run line."""
    program = case.program()
    if any(instruction.row.collective for instruction in program.instructions):
        raise case.error("passes and lanes are counted for programs without collectives: they have one lane region")
    function = optimize(build(analyze(program), case.launch().config.block))
    for name, relation, number in case.test.counters([*PASSES, *RULES]):
        count = function.fired[name]
        if count != number if relation == "==" else count < number:
            found = f"{name} fired {count} times, not {relation} {number}"
            raise AssertionError(f"{found} ({fired(function)}):\n{function}")
    lanes = LaneAnalysis(function)
    counts = counted(function, lanes)
    for name, relation, number in case.test.counters(COUNTED, "lanes"):
        count = counts[name]
        if count != number if relation == "==" else count < number:
            raise AssertionError(f"{name} is {count}, not {relation} {number}:\n{annotated(function, lanes)}")


def _bytes(value: Any) -> bytes:
    return value if isinstance(value, bytes) else np.ascontiguousarray(value).tobytes()


def check(launch: Launch, backend: Any) -> None:
    """Runs it on a device (any Backend) and raises AssertionError if something else comes out."""
    program, limits = launch.program, backend.limits
    handles: dict[str, Any] = {}
    args: dict[Any, Any] = {}
    try:
        for param in program.params:
            value = launch.arguments[param.name]
            if param.kind == "scalar":
                args[param.name] = value
            elif isinstance(value, Alias):
                args[param.name] = handles[value.name]
            else:
                args[param.name] = handles[param.name] = _upload(backend, param, _bytes(value))
        backend.limits = launch.limits or Limits(seconds=30)
        backend.atlas = AtlasState()
        problem: HologramError | None = None
        try:
            backend.execute_program_with_params(program, ExecutionParams(launch.config, args))
            backend.sync()
        except HologramError as error:
            problem = error
        _check_problem(launch.expected, problem)
        wanted = launch.resonance or {}
        found = {c: ratio for c, ratio in enumerate(backend.atlas.resonance) if ratio != wanted.get(c, 0)}
        if found or wanted.keys() - range(96):
            raise AssertionError(f"the resonance {wanted} is expected, not {found}")
        for name, handle in handles.items():
            _check_memory(launch, backend, name, handle)
    finally:
        backend.limits = limits
        for name, handle in handles.items():
            (backend.free_pool if _kind(program, name) == "pool" else backend.free_buffer)(handle)


def _kind(program: Program, name: str) -> str:
    param = program.param(name)
    assert param is not None
    return param.kind


def _upload(backend: Any, param: Param, data: bytes) -> Any:
    if param.kind == "pool":
        handle = backend.allocate_pool(len(data))
        backend.copy_to_pool(handle, 0, data)
    else:
        handle = backend.allocate_buffer(len(data))
        backend.copy_to_buffer(handle, data)
    return handle


# What a device adds that tells of faults later than at once.
_LATER = re.compile(r" \(launch \d+ of this backend, [^()]*\)$")


def _check_problem(expected: Any, problem: HologramError | None) -> None:
    if isinstance(problem, UnsupportedType) and not isinstance(expected, Raises):
        raise problem
    if isinstance(expected, Fault):
        if not isinstance(problem, ExecutionError) or problem.kind != expected.kind:
            raise AssertionError(f"the fault {expected.kind} is expected, not {problem!r}") from problem
        fields = {name: getattr(problem, name) for name in expected.fields}
        if "detail" in fields:
            fields["detail"] = _LATER.sub("", fields["detail"])
        if fields != expected.fields:
            raise AssertionError(f"{expected.fields} is expected, not {fields}: {problem}") from problem
    elif isinstance(expected, Raises):
        if problem is None or type(problem) is not getattr(errors, expected.name):
            raise AssertionError(f"{expected.name} is expected, not {problem!r}") from problem
        if expected.text not in (None, str(problem)):
            raise AssertionError(f"the text is another one: {problem}") from problem
    elif problem is not None:
        raise problem


def _check_memory(launch: Launch, backend: Any, name: str, handle: Any) -> None:
    """Compares a buffer or pool: with what is expected of it (or of an alias of it), else with what it was."""
    param = launch.program.param(name)
    assert param is not None
    pool = param.kind == "pool"
    raw = backend.copy_from_pool(handle, 0, backend.pool_size(handle)) if pool else backend.copy_from_buffer(handle)
    expected = launch.expected if isinstance(launch.expected, dict) else {}
    same = [name, *(n for n, value in launch.arguments.items() if isinstance(value, Alias) and value.name == name)]
    wanted = [expected[n] for n in same if n in expected]
    if not wanted:
        may_change = isinstance(launch.expected, Fault) and any(
            is_writable(p) for p in launch.program.params if p.name in same
        )
        if not may_change and raw != _bytes(launch.arguments[name]):
            raise AssertionError(f"{name} was changed, and nothing is expected of it")
    for value in wanted:
        array = value.values if isinstance(value, Permutation) else value
        element = element_of(param)
        if isinstance(array, np.ndarray) and array.dtype != element.dtype:  # raw bytes, or an array for a pool
            element = next(e for e in ELEMENTS.values() if e.dtype == array.dtype)
        if problem := difference(element, value, raw, launch.ulp):
            raise AssertionError(f"{name}: {problem}")
