"""The tuner of schedules: what is valid, what is picked by which times, what is kept, and who takes it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner

import hologram_web as hg
from hologram_web.isa.collectives import COLLECTIVE_ROWS
from hologram_web.isa.types import Type
from hologram_web.tensor import matmul
from hologram_web.tensor.budgets import size_class
from hologram_web.tensor.families import operation as operation_named
from hologram_web.tensor.operation import Operands
from hologram_web.tensor.schedules import TRAITS
from hologram_web_tools import tune as tuning
from hologram_web_tools.cli.commands import commands
from hologram_web_tools.tune import TimedSchedule, forget_tuned, tune, use_tuned

SIZES = {"m": 24, "n": 40, "k": 33}
ROWS = ("rows", (("ROWS", 3), ("COLUMNS", 4)))
TEXT = """
.param c: buffer f32 write
.param a: buffer f32 read
.param b: buffer f32 read
    gemm.f32 [c], [a], [b], 24, 40, 33
"""


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A cache folder of the test's own, and nothing tuned."""
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.delenv("HOLOGRAM_WEB_CACHE", raising=False)
    forget_tuned()
    yield
    forget_tuned()


class Times:
    """A timer that says what a test wants, by text and constants; `asked` are the choices, in order."""

    def __init__(self, others: float, **of: float) -> None:
        self.others, self.of = others, of
        self.asked: list[TimedSchedule] = []

    def __call__(self, choice: TimedSchedule, spent: float) -> float:
        self.asked.append(choice)
        key = "_".join([choice[0], *(str(value) for _, value in choice[1])])
        return self.of.get(key, self.others)


def _wasm() -> Any:
    return hg.backends.WasmBackend()


def test_candidates_keep_within_registers_and_blocks() -> None:
    for traits in TRAITS.values():
        for m, n, k in ((1, 1, 1), (2, 300, 5), (512, 512, 512)):
            found = matmul.candidates(m, n, k, Type.F32, traits)
            first = matmul.choose(m, n, k, Type.F32, traits)[0]
            assert (matmul.TEXTS[found[0][0]], dict(found[0][1])) == first[:2]  # what is chosen without timing
            assert len(found) == len(set(found)) <= 10
            for text, constants in found:
                numbers = dict(constants)
                if text == "rows":
                    assert numbers["ROWS"] <= m
                    assert numbers["ROWS"] * numbers["COLUMNS"] <= matmul.SUMS
                if text == "tiles":
                    assert numbers["ACROSS"] * numbers.get("DOWN", numbers["ACROSS"]) <= matmul.LANES
                    assert numbers["ROWS"] * numbers["COLUMNS"] < matmul.REGISTERS
        assert matmul.candidates(9, 9, 9, Type.I128, traits) == [("plain", ())]
    assert size_class(0, 1, 3, 384) == "0x1x2x256"


def test_the_fastest_is_picked_and_all_are_timed_in_turns() -> None:
    times = Times(4e-3, rows_3_4=1e-3, rows_6_2=1.5e-3)
    found = tune("GEMM", SIZES, hg.f32, _wasm(), seconds=0, timer=times)
    assert found.choice == ROWS
    assert found.key == "product f32 f32 16x32x32 nn"
    assert found.device == "wasm"
    number = len(found.candidates)
    assert number == len({each.choice for each in found.candidates}) == 10
    assert not any(each.refused for each in found.candidates)
    assert len(times.asked) == 3 * number  # the least there is
    assert times.asked[:number] == times.asked[number : 2 * number] == [each.choice for each in found.candidates]
    assert [each.seconds for each in found.candidates if each.choice == ROWS] == [1e-3]
    assert "GEMM on wasm, product f32 f32 16x32x32 nn: rows ROWS=3 COLUMNS=4: taken\n" in str(found)
    # With time left, what is far slower is timed no more.
    times = Times(4e-3, rows_3_4=1e-3, rows_6_2=1.5e-3)
    tune("GEMM", SIZES, hg.f32, _wasm(), seconds=0.2, again=True, timer=times)
    assert set(times.asked[-10:]) == {ROWS, ("rows", (("ROWS", 6), ("COLUMNS", 2)))}
    assert sum(times(choice, 0.0) for choice in times.asked[: 3 * number]) < 0.2


def test_what_wins_by_little_is_not_taken() -> None:
    default = matmul.candidates(24, 40, 33, Type.F32, TRAITS["wasm"])[0]
    found = tune("GEMM", SIZES, hg.f32, _wasm(), seconds=0, timer=Times(1e-3, rows_3_4=0.98e-3))
    assert found.choice == found.candidates[0].choice == default


def test_what_cannot_be_is_never_picked(monkeypatch: pytest.MonkeyPatch) -> None:
    """What does not compile, does not launch, or computes something else."""
    real = matmul.candidates
    wrong: list[TimedSchedule] = [
        ("tiles", (("ROWS", 2), ("COLUMNS", 2), ("ACROSS", 64))),  # too many lanes of a block
        ("rows", (("ROWS", 0), ("COLUMNS", 1))),
        ("rows", (("ROWS", 2),)),  # a constant that is missing
    ]
    monkeypatch.setattr(matmul, "candidates", lambda *args: [*real(*args), *wrong])
    times = Times(1e-3, tiles_2_2_64=1e-9, rows_0_1=1e-9, rows_2=1e-9)
    found = tune("GEMM", SIZES, hg.f32, _wasm(), seconds=0, timer=times)
    assert found.choice not in wrong
    refused = {each.choice: each.refused for each in found.candidates if each.seconds is None}
    assert list(refused) == wrong
    assert refused[wrong[0]].startswith("LaunchError: ")
    assert all(refused.values())
    assert not set(wrong) & set(times.asked)


def test_another_result_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real = tuning._Trial._result
    seen: list[int] = []

    def result(self: Any, run: Any) -> Any:
        seen.append(1)
        found = yield from real(self, run)
        if len(seen) == 3:
            found["c"][:4] = bytes(4)
        return found

    monkeypatch.setattr(tuning._Trial, "_result", result)
    found = tune("GEMM", SIZES, hg.f32, _wasm(), seconds=0, timer=Times(1e-3))
    assert [each.refused for each in found.candidates].count("its result is another one") == 1
    assert found.candidates[2].seconds is None


def test_of_several_rows_one_at_a_time_is_a_schedule() -> None:
    """A row that is the only one has a text of its own, which makes no others."""
    found = tune("GEMM", {"m": 3, "n": 40, "k": 24}, hg.f32, _wasm(), seconds=0, timer=Times(1e-3))
    assert [each for each in found.candidates if each.refused] == []


def test_plans_and_files_take_it() -> None:
    program = hg.Program.from_text(TEXT)
    before = hg.compile(program, grid=1).to_bytes()
    device = _wasm()
    ex = hg.Executor("wasm")
    rng = np.random.default_rng(1)
    a, b = rng.standard_normal((24, 33), np.float32), rng.standard_normal((33, 40), np.float32)
    first = (ex.array(a) @ ex.array(b)).numpy()
    assert "gemm_panels_f32_f32_f32[20]" in (ex.array(a) @ ex.array(b)).explain()
    tune("GEMM", SIZES, hg.f32, device, seconds=0, timer=Times(1e-3, rows_3_4=1e-6))
    after = hg.compile(program, grid=1)
    assert after.to_bytes() != before
    assert "gemm_rows_f32_f32_f32[12 x 8]" in (ex.array(a) @ ex.array(b)).explain()
    found = after.run(device, a=a.ravel(), b=b.ravel(), c=np.zeros(960, np.float32))
    assert np.array_equal(found.reshape(24, 40), first)  # sums run in the same order
    assert np.array_equal((ex.array(a) @ ex.array(b)).numpy(), first)
    forget_tuned()
    assert hg.compile(program, grid=1).to_bytes() == before


def test_it_is_kept_for_the_device(monkeypatch: pytest.MonkeyPatch) -> None:
    device, times = _wasm(), Times(1e-3, rows_3_4=1e-6)
    tune("GEMM", SIZES, hg.f32, device, seconds=0, timer=times)
    tune("GEMM", {**SIZES, "trans_b": True}, hg.f32, device, seconds=0, timer=times)
    forget_tuned()
    assert TRAITS["wasm"].tuned == ()
    # Sizes of the same class: nothing is timed.
    found = tune("GEMM", {"m": 31, "n": 32, "k": 63}, hg.f32, device, timer=None)
    assert (found.choice, found.candidates) == (ROWS, ())
    forget_tuned()
    assert use_tuned(device) == 2
    assert ("product f32 f32 16x32x32 nt", ROWS) in TRAITS["wasm"].tuned
    assert TRAITS["webgpu"].tuned == ()
    # Other sizes, types, and adapters are other things.
    assert matmul.tuning_key(Type.F32, Type.F32, 24, 80, 33, False, False, 1) not in dict(TRAITS["wasm"].tuned)
    monkeypatch.setattr(type(device), "adapter", {"vendor": "another"}, raising=False)
    assert use_tuned(device) == 0


def test_what_lies_there_spoiled_is_nothing(tmp_path: Path) -> None:
    device = _wasm()
    tune("GEMM", SIZES, hg.f32, device, seconds=0, timer=Times(1e-3, rows_3_4=1e-6))
    (file,) = (tmp_path / "cache").glob("*.schedules")
    file.write_bytes(file.read_bytes()[:-3])
    assert use_tuned(device) == 0


def test_what_cannot_be_tuned() -> None:
    for operation, shapes, told in (
        (
            "Sort",
            {"n": 3},
            "'Sort' has no schedules to choose from: tune GEMM, BatchedGEMM, MixedPrecisionGEMM, TensorCon",
        ),
        ("GEMM", {"m": 3, "n": 3}, "GEMM needs 'k' to be tuned: give a number"),
        ("GEMM", {**SIZES, "q": 3}, "GEMM has no 'q': it has c, a, b, m, n, k, "),
    ):
        with pytest.raises(hg.LaunchError, match=told):
            tune(operation, shapes, hg.f32, _wasm())
    with pytest.raises(hg.LaunchError, match="GEMM on cpu has no schedules"):
        tune("GEMM", SIZES, hg.f32, hg.backends.CpuBackend())


def test_convolutions() -> None:
    image = {"batch": 1, "in_channels": 3, "out_channels": 8, "height": 9, "width": 9}
    three = {**image, "kernel_h": 3, "kernel_w": 3, "padding": (1, 1, 1, 1), "bias": True}
    found = tune("Conv2D", three, hg.f32, _wasm(), seconds=0, timer=Times(1e-3, tiles_4_4=1e-6))
    assert found.choice == ("tiles", (("TALL", 4), ("STEPS", 4)))
    assert [each for each in found.candidates if each.refused] == []
    one = tune("Conv2D", {**image, "kernel_h": 1, "kernel_w": 1}, hg.f32, _wasm(), seconds=0, timer=Times(1e-3))
    assert one.key == "product f32 f32 8x64x2 nn"


ROWS_OF: dict[str, dict[str, Any]] = {
    "TensorContract": {"shape_a": (2, 12, 20), "shape_b": (2, 20, 24), "contract_dims": ((2, 1),)},
    "QuantizedGEMM": {"m": 13, "n": 21, "k": 35},
    "Conv2D": {
        "batch": 1, "in_channels": 8, "out_channels": 8, "height": 40, "width": 44, "kernel_h": 3, "kernel_w": 3,
        "padding": (1, 1, 1, 1), "groups": 8,
    },
    "ConvTranspose2D": {
        "batch": 1, "in_channels": 5, "out_channels": 6, "height": 9, "width": 7, "kernel_h": 3, "kernel_w": 3,
        "stride": (2, 2),
    },
    "MaxPool2D": {"batch": 1, "channels": 3, "height": 20, "width": 33, "kernel_h": 3, "kernel_w": 3, "stride": (2, 2)},
    "AvgPool2D": {"batch": 1, "channels": 3, "height": 20, "width": 33, "kernel_h": 2, "kernel_w": 2, "stride": (2, 2)},
    "Attention": {"batch": 1, "heads": 2, "seq_len": 40, "kv_len": 37, "head_dim": 16},
    "FlashAttention": {"batch": 1, "heads": 2, "seq_len": 40, "kv_len": 37, "head_dim": 16, "block_size": 32},
    "Transpose": {"shape": (3, 20, 36), "permutation": (0, 2, 1)},
}  # fmt: skip
SAME_BITS = set(ROWS_OF) - {"Attention", "FlashAttention"}  # whose sums have no order that is told


# Of software that plays a GPU one text of an attention takes a compiler 20 s; Conv2D has there what test_on_webgpu's
# products have.
ON_GPUS = [each for each in ROWS_OF if each not in ("Attention", "FlashAttention", "Conv2D")]


@pytest.mark.parametrize(
    ("name", "operation"), [*(("wasm", each) for each in ROWS_OF), *(("webgpu", each) for each in ON_GPUS)]
)
def test_rows_say_which_schedules_there_are(name: str, operation: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each runs, and gives what is chosen without timing gives, to the last bit where sums have an order; what is taken
    is found in plans made afterwards. Products and convolutions with tiles have tests of their own."""
    device = hg.Executor(name).device
    dtype = {"QuantizedGEMM": hg.i8}.get(operation, hg.f32)
    if operation in SAME_BITS:
        monkeypatch.setattr(tuning, "_APART", dict.fromkeys(tuning._APART, 0.0))
    found = tune(operation, ROWS_OF[operation], dtype, device, seconds=0, timer=Times(1e-3))
    assert [each for each in found.candidates if each.refused] == []
    assert len(found.candidates) > 1
    assert found.choice == found.candidates[0].choice
    last = found.candidates[-1].choice
    key = "_".join([last[0], *(str(value) for _, value in last[1])])
    again = tune(operation, ROWS_OF[operation], dtype, device, seconds=0, again=True, timer=Times(1e-3, **{key: 1e-6}))
    assert again.choice == last
    row, values = operation_named(operation), tuning._values(_row(operation), ROWS_OF[operation], dtype)
    names = [each.name for each in _row(operation).operands if each.is_address and values[each.name]]
    o = Operands({**values, **dict.fromkeys(names, True)}, {})
    traits = TRAITS[name]
    taken, chosen = (
        [(each.lanes, each.block, id(each.program)) for each in row.launches(o, replace(traits, tuned=tuned))]
        for tuned in (traits.tuned, ())
    )
    assert taken != chosen


def _row(operation: str) -> Any:
    return next(each for each in COLLECTIVE_ROWS if each.name == operation)


def test_which_operations_can_be_tuned() -> None:
    assert set(tuning.tunable()) == {"GEMM", "BatchedGEMM", "MixedPrecisionGEMM", *ROWS_OF}


def test_a_real_run_on_wasm() -> None:
    """Times are this machine's: whichever is picked, it was timed, and results stay."""
    found = tune("GEMM", {"m": 48, "n": 64, "k": 96}, hg.f32, _wasm(), seconds=0.05)
    assert all(each.seconds is not None and each.seconds > 0 for each in found.candidates)
    assert found.choice in {each.choice for each in found.candidates}
    ex = hg.Executor("wasm")
    a, b = np.arange(48 * 96, dtype="f4").reshape(48, 96) % 7, np.arange(96 * 64, dtype="f4").reshape(96, 64) % 5
    assert np.array_equal((ex.array(a) @ ex.array(b)).numpy(), a @ b)


def test_on_webgpu() -> None:
    try:
        device = hg.backends.WebGpuBackend()
    except hg.BackendUnavailable as error:
        pytest.skip(str(error))
    found = tune("GEMM", SIZES, hg.f32, device, seconds=0, timer=Times(1e-3, tiles_4_4_8=1e-6))
    assert found.choice == ("tiles", (("ROWS", 4), ("COLUMNS", 4), ("ACROSS", 8)))
    assert found.device.startswith("webgpu ")
    assert [each for each in found.candidates if each.refused] == []


def test_the_command_line() -> None:
    words = ["tune", "GEMM", "m=24", "n=40", "k=33", "trans_b=true", "--seconds", "0"]
    result = CliRunner().invoke(commands, [*words, "--json"])
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert told["key"] == "product f32 f32 16x32x32 nt"
    assert len(told["candidates"]) == 10
    assert "taken" in CliRunner().invoke(commands, words).output
    result = CliRunner().invoke(commands, ["tune", "GEMM", "m=many"])
    assert (result.exit_code, "'m=many' says no number" in result.output) == (2, True)


def test_operands_without_sizes_have_no_key() -> None:
    o = Operands({"ty": Type.F32, "m": object(), "n": 3, "k": 3, "trans_a": False, "trans_b": False}, {})
    assert matmul.tuning_key(o.ty, o.ty, o.m, o.n, o.k, False, False, 1) is None


def test_turns_of_others_are_not_in_the_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run that was long was waited for, and the page had its turn before it was told how long."""
    monkeypatch.setattr(tuning, "_LONG_S", -1.0)
    slept: list[float] = []

    async def turn(seconds: float) -> None:
        slept.append(seconds)
        await real(0)

    real = asyncio.sleep
    monkeypatch.setattr(asyncio, "sleep", turn)
    told: list[int] = []

    def steps() -> Any:
        kinds: list[Any] = [None, {}, {}, None]
        for reads in kinds:
            before = len(slept)
            yield reads
            told.append(len(slept) - before)

    asyncio.run(tuning._in_turns(steps(), _wasm()))
    assert told == [1, 0, 0, 1]


@pytest.mark.parametrize("room", [0, 1, 2])
def test_without_room_for_all_arrays_nothing_is_held(monkeypatch: pytest.MonkeyPatch, room: int) -> None:
    device, held = _wasm(), list[Any]()
    allocate, free = device.allocate_buffer, device.free_buffer

    def allocated(size: int) -> Any:
        if len(held) == room:
            raise hg.AllocationFailed(f"no room for {size} bytes")
        held.append(allocate(size))
        return held[-1]

    def freed(handle: Any) -> None:
        held.remove(handle)
        free(handle)

    monkeypatch.setattr(device, "allocate_buffer", allocated)
    monkeypatch.setattr(device, "free_buffer", freed)
    for tuned in (lambda: tune("GEMM", SIZES, hg.f32, device), lambda: asyncio.run(_tuned_async(device))):
        with pytest.raises(hg.AllocationFailed, match="no room for "):
            tuned()
        assert held == []


async def _tuned_async(device: Any) -> Any:
    return await hg.tune_async("GEMM", SIZES, hg.f32, device)
