"""The fuzzer: a fixed slice of it on cpu, what that covers, and that it finds and shrinks a bug."""

from __future__ import annotations

import os
import subprocess
import sys
from functools import cache
from unittest.mock import Mock, patch

import pytest

import hologram_web as hg
from hologram_web import Program
from hologram_web.compiler.driver import lane_function
from hologram_web.errors import FaultKind
from hologram_web.isa.lift import lift
from hologram_web.isa.verify import analyze
from hologram_web.targets.wasm import WasmOptions, compile_kernel
from hologram_web_tools.cpu import CpuBackend

from . import filetest
from .filetest_run import check
from .fuzz import packets
from .fuzz.case import Case, Outcome, compare, execute
from .fuzz.devices import LIMITS, Failure, Opponent, against, open_devices, reference
from .fuzz.filed import in_packets
from .fuzz.generator import generate
from .fuzz.guard import NanEscape, Untame, nan_guard, tame_guard
from .fuzz.liveness import Statistics, live_instructions
from .fuzz.mutant import broken_device, sound_device
from .fuzz.mutants import MUTANTS, first_cases, hunt, passes, prepared, shown_lines
from .fuzz.plan import EXACT, PROFILES, STANDARD, combinations
from .fuzz.runner import Progress, Settings, run, run_seeds, write_smallest
from .fuzz.shrink import sound

_CHUNK = 100


# The slice


@pytest.mark.parametrize("start", range(0, STANDARD["exact"], _CHUNK))
def test_lane_order_does_not_matter(start):
    jobs = [("exact", seed) for seed in range(start, start + _CHUNK, 3)]  # `make fuzz` takes all
    assert run_seeds(jobs, open_devices(["cpu"])) == ([], {})


@pytest.mark.parametrize(("profile", "count"), [("faults", 60), ("gpu", 60), ("atlas", 20), ("wide", 25)])
def test_lane_order_does_not_matter_in_other_profiles(profile, count):
    assert run_seeds([(profile, seed) for seed in range(count)], open_devices(["cpu"])) == ([], {})


@pytest.mark.parametrize("profile", ["exact", "faults"])
def test_a_plain_interpreter_agrees(profile):
    statistics: dict[str, Statistics] = {}
    jobs = [(profile, seed) for seed in range(1500, 1620)]
    assert run_seeds(jobs, open_devices(["plain"]), statistics) == ([], {})


@pytest.mark.parametrize(("profile", "count"), [("exact", 20), ("wide", 6), ("faults", 8), ("atlas", 8)])
def test_files_do_what_programs_do(profile, count):
    """Read twice, run from their WebAssembly and from their programs, class memory and Atlas included."""
    jobs = [(profile, seed) for seed in range(1600, 1600 + count)]
    assert run_seeds(jobs, open_devices(["file", "load-cpu", "load-wasm"])) == ([], {})
    if profile == "exact":
        assert any(generate(seed, name).classes for name, seed in jobs)


def test_files_are_in_packets_of_so_many_lanes():
    """Those that `chromium-wasm4`, `chromium-wasm16x2` and so on run in V8."""
    text = ".param y: buffer u32 read_write\n    ldg.u32 r10, [y + r255*4]\n    add.u32 r10, r10, r252\n"
    program = Program.from_text(f"{text}    stg.u32 [y + r255*4], r10\n")
    function, found = lane_function(analyze(program), (64, 1, 1)), []
    for lanes in (1, 4, 8, 16):
        with in_packets(lanes):
            found.append(hg.compile(program, grid=64, block=64).artifact.modules[0])
        assert found[-1] == compile_kernel(function, packets=lanes).code
    assert len(set(found)) == 4


def test_packets_of_all_widths_are_made_of_one_function():
    """What is made once for all of them gives the code that is made for one alone."""
    devices = [each.device for each in open_devices(["wasm1", "wasm4x2", "wasm8", "quick-wasm16"])]
    for seed in (2, 3, 5, 11):
        case = generate(seed)
        analysis = analyze(lift(case.program)[0])
        x, y, z = case.config.block
        block = (x, y, z)
        point = analysis.graph.entry
        with patch.object(packets, "lane_function", Mock(wraps=lane_function)) as asked:
            for device in devices:
                options = WasmOptions(device._wide_arithmetic, device.packets, False, device.splats)
                alone = compile_kernel(lane_function(analysis, block, point), *options)
                assert device._compile(analysis, block, point, {}, False) == alone
        assert asked.call_count == 1


# What programs are like


@pytest.mark.parametrize(("profile", "count"), [("exact", 60), ("gpu", 60), ("wide", 12), ("atlas", 12)])
def test_programs_mean_one_thing(profile, count):
    """No races, and no look at the bits of a NaN."""
    unsound = [seed for seed in range(count) if not sound(generate(seed, profile), LIMITS)]
    assert unsound == []


def test_programs_for_gpus_keep_floats_tame():
    with tame_guard():
        for seed in range(80):
            execute(reference(), generate(seed, "gpu"))
        with pytest.raises(Untame):  # noqa: PT012
            for seed in range(10):
                execute(reference(), generate(seed, "exact"))


def test_the_guard_sees_nans_in_integers():
    body = """
        .param y: buffer u32 write
        mov_imm.f32 r2, nan
        {0}
        {1}
    """
    looks = [
        ("bitcast.u32.f32 r3, r2", "stg.u32 [y], r3"),
        ("sts.f32 [shared], r2", "lds.u32 r3, [shared]"),
        ("stg.f32 [y], r2", "ldg.u16 r3, [y + 2]"),
    ]
    case = generate(0)
    for first, second in looks:
        text = body.format(first, second).replace("write", "read_write") + ".shared 4"
        program = type(case.program).from_text(text)
        memory = next(m for m in case.memories if m.kind == "buffer")
        with nan_guard(), pytest.raises(NanEscape):
            execute(reference(), Case(program, type(case.config)(), {"y": memory}))


@cache
def _covered(profile: str, count: int) -> Statistics:
    found = Statistics()
    for seed in range(count):
        case = generate(seed, profile)
        found.count(analyze(lift(case.program)[0]), case.features)
    return found


@pytest.mark.timeout(300)
def test_a_quarter_of_the_standard_run_covers_a_quarter_of_everything():
    part = STANDARD["exact"] // 4
    found = _covered("exact", part)
    assert {key: count for key, count in found.wanted(EXACT).items() if count < 8} == {}
    assert found.median >= 40
    assert found.loop_share >= 0.3
    assert min(found.features.values()) >= 2, found.features


@pytest.mark.parametrize(("profile", "count", "least"), [("gpu", 300, 1), ("wide", 120, 4), ("atlas", 40, 5)])
def test_a_part_of_other_profiles_covers_every_combination(profile, count, least):
    """Combinations take turns, so that a run of ten times the length has ten times as many of each."""
    found = _covered(profile, count)
    assert [c.key for c in combinations(PROFILES[profile]) if found.live[c.key] < least] == []


def test_liveness():
    program = generate(0).program.from_text("""
        .param y: buffer u32 write
            mov_imm.u32 r2, 1
            mov_imm.u32 r3, 2      ; overwritten before it is read
            mov_imm.u32 r3, 3
            add.u32 r4, r2, r3     ; read by nothing
            set.eq.u32 p0, r2, r2
            set.eq.u32 p1, r3, r3  ; decides nothing that counts
            bra over, p0
            stg.u32 [y], r3
        over:
            bra end, p1
            add.u32 r2, r2, r2
        end:
            mov_imm.u32 r5, 2
        loop:
            loop r5, loop
            call f
            exit
        f:
            mov r6, r2
            stg.u32 [y + 4], r6
            ret
            mov_imm.u32 r7, 7
    """)
    live = live_instructions(analyze(program))
    # r2 is read in the function, so the branch around its doubling counts; the empty loop does not.
    assert live == {0, 2, 4, 5, 6, 7, 8, 9, 12, 13, 14, 15, 16}


def _fingerprint() -> str:
    import hashlib

    found = hashlib.sha256()
    for profile in ("exact", "gpu", "faults"):
        for seed in (0, 1, 2, 3, 1000):
            case = generate(seed, profile)
            found.update(case.program.to_bytes() + repr((case.config, case.features)).encode())
            found.update(b"".join(memory.data for memory in case.memories))
    return found.hexdigest()


def test_a_seed_gives_the_same_program_in_every_process():
    words = [sys.executable, "-c", "from tests.test_fuzz import _fingerprint; print(_fingerprint())"]
    result = subprocess.run(
        words, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"}
    )
    assert result.stdout.strip() == _fingerprint() == _fingerprint()


# Finding and shrinking bugs


def test_a_broken_device_is_found_and_the_program_shrunk(tmp_path):
    mutant = MUTANTS["shift amount not taken modulo"]
    found = hunt(mutant, prepared(first_cases(60)))
    assert found is not None
    _, case, failure = found
    device = broken_device(mutant)
    path, smallest = write_smallest(case, failure, reference(), Opponent("mutant", device), tmp_path, 60.0)
    assert len(smallest.program) < 10
    assert "shl." in smallest.program.to_text()
    cases = list(filetest.load(path).cases())
    assert len(cases) == 1
    check(cases[0].launch(), CpuBackend())
    with pytest.raises(AssertionError):
        check(cases[0].launch(), device)


def test_a_shrunk_fault_is_a_filetest(tmp_path):
    mutant = MUTANTS["misaligned accesses are let through"]
    cases = [case for seed in range(120) if (case := generate(seed, "faults")).fault == FaultKind.MISALIGNED_ACCESS]
    found = hunt(mutant, prepared(cases))
    assert found is not None
    _, case, failure = found
    device = broken_device(mutant)
    path, smallest = write_smallest(case, failure, reference(), Opponent("mutant", device), tmp_path, 60.0)
    assert len(smallest.program) < 10
    (test,) = filetest.load(path).cases()
    check(test.launch(), CpuBackend())
    with pytest.raises((AssertionError, IndexError)):
        check(test.launch(), device)


@pytest.mark.parametrize("name", MUTANTS)
def test_mutants_apply(name):
    """The text that they change is there."""
    with MUTANTS[name].applied():
        pass


@cache
def _sound(name):
    return sound_device(name)


@pytest.mark.parametrize("name", [name for name, mutant in MUTANTS.items() if mutant.shown_by])
def test_filetests_find_bugs_of_compiler_and_targets(name):
    mutant = MUTANTS[name]
    good = [launch for _, launch in shown_lines(mutant) if passes(_sound(mutant.device), launch)]
    assert good
    broken = broken_device(mutant)
    assert not all(passes(broken, launch) for launch in good)


def test_every_bug_of_the_code_generators_is_shown():
    shown = [mutant for mutant in MUTANTS.values() if mutant.device != "cpu"]
    assert all(mutant.shown_by for mutant in shown)
    assert sum(mutant.device == "wasm" for mutant in shown) > 12
    assert sum(mutant.device == "wgsl" for mutant in shown) > 10


def test_outcomes_differ_in_bits_but_not_in_nans():
    case = generate(0)
    memory = next(m for m in case.memories if any(view.ty.is_float for view in m.views))
    place = case.memories.index(memory)
    view = next(view for view in memory.views if view.ty.is_float)
    start, size = view.offset, view.ty.size_bytes
    infinity = ((1 << view.ty.exponent) - 1) << view.ty.mantissa

    def outcome(bits: int) -> Outcome:
        data = [m.data for m in case.memories]
        data[place] = data[place][:start] + bits.to_bytes(size, "little") + data[place][start + size :]
        return Outcome(None, "", tuple(data))

    assert compare(case, outcome(infinity | 1), outcome(infinity | 2)) is None
    assert compare(case, outcome(infinity), outcome(infinity | 1)) is not None
    assert compare(case, outcome(0), outcome(1 << (view.ty.bits - 1))) is not None


# Runs


class Dying(CpuBackend):
    """A device that takes its process with it, with about one program in 2."""

    def execute_program_with_params(self, program, params):
        if len(program) % 2 == 0:
            os._exit(3)
        super().execute_program_with_params(program, params)


def test_a_run_survives_the_death_of_its_processes_and_goes_on_where_it_was(tmp_path):
    device = "tests.test_fuzz:Dying"
    settings = Settings((device,), (("exact", 6),))
    state = tmp_path / "state.json"
    said: list[str] = []
    progress = run(settings, state=state, say=said.append)
    deadly = [seed for seed in range(6) if len(generate(seed).program) % 2 == 0]
    assert deadly
    assert progress.failures == [Failure(seed, "exact", device, "died", "exit code 3") for seed in deadly]
    # Lines that tell how far it is come every few seconds.
    assert [line for line in said if " programs, " not in line] == [str(failure) for failure in progress.failures]
    assert progress.programs == 6 - len(deadly)
    again = run(settings, state=state)
    assert (again.programs, again.failures, again.statistics) == (
        progress.programs,
        progress.failures,
        progress.statistics,
    )
    with pytest.raises(ValueError, match="belongs to another run"):
        Progress.load(state, Settings(("cpu",)))


def test_a_run_stops_in_time_and_can_be_resumed(tmp_path):
    settings = Settings(("cpu",), (("exact", 3), ("faults", 2)))
    state = tmp_path / "state.json"
    stopped = run(settings, state=state, seconds=-1.0, say=lambda text: None)
    assert stopped.programs == 0
    done = run(settings, state=state, jobs=2, say=lambda text: None)
    assert {name: found.programs for name, found in done.statistics.items()} == {"exact": 3, "faults": 2}


def test_an_opponent_that_refuses_is_no_failure_and_opponents_take_turns():
    class Refusing(CpuBackend):
        def execute_program_with_params(self, program, params):
            from hologram_web import UnsupportedInstruction

            raise UnsupportedInstruction(0, "no")

    opponent = Opponent("refusing", Refusing(limits=LIMITS))
    case = generate(1)
    failure = against(case, execute(reference(), case), opponent)
    assert failure is not None
    assert failure.kind == "refused"
    assert run_seeds([("exact", 1)], [opponent]) == ([], {"refusing": 1})
    others = [Opponent("first", Refusing()), Opponent("second", Refusing())]
    jobs = [("exact", seed) for seed in (1, 2, 4)]
    assert run_seeds(jobs, others) == ([], {"first": 3, "second": 3})
    assert run_seeds(jobs, others, in_turn=True) == ([], {"first": 2, "second": 1})
