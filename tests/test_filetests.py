"""Every run line of every filetest, on every device; and that there are filetests for everything."""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import pytest

from hologram_web.backends import DEVICES, CpuBackend
from hologram_web.compiler.passes import PASSES
from hologram_web.compiler.passes.fold import RULES
from hologram_web.isa import Type
from hologram_web.isa.table import ROWS
from hologram_web.isa.types import WIDE

from .filetest import FOLDER, FileTestError, load, parse
from .filetest_ir import files as files_with_ir
from .filetest_ir import shown
from .filetest_run import check, check_compiled, check_problems

PATHS = sorted(FOLDER.glob("**/*.atlas"))


@cache
def _load(path):
    """The filetest and its cases, or what is wrong with it."""
    try:
        test = load(path)
        return test, list(test.cases())
    except FileTestError as error:
        return error, []


def _cases():
    """(device, case) for every run line; for a file that is wrong its error."""
    for path in PATHS:
        test, cases = _load(path)
        if isinstance(test, FileTestError):
            yield pytest.param("cpu", test, id=f"cpu-{path.relative_to(FOLDER).as_posix()}")
            continue
        for case in cases:
            for device in filter(test.runs_on, DEVICES):
                yield pytest.param(device, case, id=f"{device}-{case.id}")


# Programs in which lanes race on purpose.
RACES = {"sync/race.atlas"}


@pytest.mark.parametrize(("device", "case"), list(_cases()), indirect=["device"])
def test_filetest(device, case):
    if isinstance(case, FileTestError):
        raise case
    if "bf16" in (case.ty, case.source) or "bf16" in case.test.text:
        pytest.importorskip("ml_dtypes")
    if case.run is None:
        check_problems(case)
        return
    launch = case.launch(device.name)
    check(launch, device)
    if device.name == "cpu" and isinstance(launch.expected, dict):
        # No program sees the order of lanes, and none has a race.
        check(launch, CpuBackend(lane_order="descending"))
        if case.test.path not in RACES:
            check(launch, CpuBackend(check_races=True))


def _counted():
    """The run lines of filetests that say what becomes of the program: how often passes fire, and of what kind its
    branches and accesses are."""
    for path in PATHS:
        test, cases = _load(path)
        if not isinstance(test, FileTestError) and (test.values("passes") or test.values("lanes")):
            yield from (pytest.param(case, id=case.id) for case in cases if case.run is not None)


@pytest.mark.parametrize("case", list(_counted()))
def test_compiled_programs_are_as_filetests_say(case):
    check_compiled(case)


@pytest.mark.parametrize("path", files_with_ir(), ids=lambda path: path.stem)
def test_passes_make_of_the_ir_what_filetests_show(path):
    for name, found, wanted in shown(_load(path)[0]):
        assert found == wanted, f"{name}: python -m tests.filetest_ir writes it anew; look at the diff"


def test_filetests_show_what_every_pass_does_and_see_when_it_does_another_thing():
    tests = [_load(path)[0] for path in files_with_ir()]
    assert {name for test in tests for name, _, _ in shown(test)} == PASSES.keys()
    for test in tests:
        changed = parse(test.text.replace(";|   %", ";|   %9", 1), test.path)
        assert any(found != wanted for _, found, wanted in shown(changed)), test.path


@pytest.mark.parametrize("name", [*PASSES, *RULES])
def test_filetests_for_every_pass_and_rule(name):
    """One in which it fires and one in which it must not."""
    found = {
        relation if number else f"{relation} 0"
        for path in FOLDER.glob("passes/*.atlas")
        for other, relation, number in _load(path)[0].counters([*PASSES, *RULES])
        if other == name
    }
    assert "== 0" in found, f"no filetest in passes/ has {name} == 0"
    assert found & {"==", ">="}, f"no filetest in passes/ in which {name} fires"


# What there have to be filetests for

CLASSES = {
    "small integer": {Type.I8, Type.I16, Type.I32, Type.U8, Type.U16, Type.U32},
    "64-bit integer": {Type.I64, Type.U64},
    "wide integer": WIDE,
    **{name: {Type[name]} for name in ("F16", "BF16", "F32", "F64")},
}


@cache
def _used():
    """By mnemonic, the types that run lines use it with (pairs of them for CVT); without types just None."""
    found = defaultdict(set)
    for path in PATHS:
        for case in _load(path)[1]:
            if case.run is None:
                continue
            for instruction in case.program().instructions:
                types = [instruction.values[position] for position in instruction.row.type_operands]
                found[instruction.row.mnemonic].add(types[0] if len(types) == 1 else tuple(types) if types else None)
    return found


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_filetests_for_every_instruction_and_class_of_types(row):
    used = _used()[row.mnemonic]
    assert used, f"no filetest runs {row.mnemonic}"
    if not row.type_operands:
        return
    if row.name in ("CVT", "BITCAST"):  # every pair
        narrow = [ty for ty in Type if not ty.is_wide]
        every = {(dst, src) for dst in narrow for src in narrow if row.name == "CVT" or dst.bits == src.bits}
        assert {pair for pair in used if not any(ty.is_wide for ty in pair)} == every
        return
    if len(row.type_operands) == 2:
        used = {pair[0] for pair in used}  # the other one is that of one operand
    allowed = row.operands[row.type_operands[0]].allowed
    missing = [name for name, types in CLASSES.items() if types & allowed and not types & used]
    assert not missing, f"no filetest runs {row.mnemonic} on {', '.join(missing)}"
