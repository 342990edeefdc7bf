"""Where a faster way is not taken, what explains a program says so beside the launch in its place, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import hologram_web as hg
from hologram_web.plan.plan import Launch, ProgramCall, Step, Target, bodies, every
from hologram_web_tools.cli.commands import commands
from hologram_web_tools.collective_launches import of_program

LATE = "nobody knows how much memory a faster way needs: the program computes its sizes"
EACH = "a lane for each element"
CONV = "conv2d.f32 [y], [a], [b], 1, 64, 64, {0}, {0}, 3, 3"
ATTENTION = "attention.f32 [y], [a], [b], [k], 1, 1, {0}, {0}, "
ORDER = 'sums run over k in order where math is not "fast"'
FEW = "lengths are below 32, or they would have more than {} MiB"
SIDE = "elements are not side by side, or of groups"
PIECES = 'floats are added in pieces where math is "fast" only'
SHORT, FEWER = (
    "a block along one axis, however short it is: lengths are not known",
    "also where there are fewer: their number is not known",
)
SQUARES = "16 products in place of 36, where kernels are three by three and pixels not few"
TARGETS = ("wasm", "webgpu")
# In a loop that the host goes sizes are computed by the program, here in r11.
PARAMS = "".join(f".param {name}: buffer f32 read\n" for name in "abk") + ".param i: buffer i32 read\n"
PARAMS += ".param y: buffer f32 read_write\n.param z: buffer i32 read_write\n.param n: u32\n"
LOOP = (
    "mov_imm.u32 r10, 4\nmov_imm.u32 r11, 1\nmov_imm.u32 r12, 2\nagain:\n{}\nadd.u32 r11, r11, r10\nloop r12, again\n"
)
NORM = "layer_norm.f32 [y], [a], [b], [b], 9, {0}"
BATCHED = "batched_gemm.f32 [y], [a], [b], 2, {0}, {0}, {0}, strides=(100, 100, 100)"


def program(line: str, size: str) -> hg.Program:
    """A collective with sizes `r11`, which the program computes, with `n`, or with a number."""
    text = line.format(size)
    return hg.Program.from_text(PARAMS + (LOOP.format(text) if size == "r11" else f"{text}\n"))


def told(line: str, size: str, target: str, math: str = "exact", here: str = "") -> dict[str, str]:
    """What is said of the launches that have something to be said of, by the names of kernels."""
    lines = list(of_program(program(line, size), (64, 1, 1), target, math, here))
    assert lines
    assert all(each.startswith(f"{target}: {line.split()[0]} ") for each in lines)
    found = {}
    for each in lines:
        _, _, launch, *why = each.split(": ", 3)
        if why:
            found[launch.partition(",")[0]] = why[0]
    return found


@pytest.mark.parametrize(
    ("line", "kernel", "wasm", "webgpu"),
    [
        (BATCHED, "gemm_plain_f32_f32_f32", f"{EACH}, as with strides {LATE}", None),
        ("conv2d.f32 [y], [a], [b], 1, 2, 3, {0}, {0}, 1, 1", "plain_f32_f32", *[f"{EACH}, as {LATE}"] * 2),
        ("cum_sum.f32 [y], [a], 1, {0}", "running_f32_f32", None, f"an axis in one loop, as {LATE}"),
        ("scatter.f32 [y], [a], [i], 1, {0}, 1, {0}", "scatter_f32", None, f"an axis in one loop, as {LATE}"),
        (ATTENTION + "32", "attention_f32_f32", None, f"scores are not held, as {LATE}"),
    ],
)  # fmt: skip
def test_sizes_that_the_program_computes(line: str, kernel: str, wasm: str | None, webgpu: str | None) -> None:
    for target, wanted in zip(TARGETS, (wasm, webgpu), strict=True):
        found = told(line, "r11", target)
        assert found.get(kernel) == wanted, found
        assert not any(LATE in why for name, why in found.items() if name != kernel)
        for size in ("n", "40"):  # which are known when memory is made
            assert LATE not in "".join(told(line, size, target).values())


@pytest.mark.parametrize(
    ("line", "kernel", "wanted"),
    [
        (CONV + ", padding=(1, 0, 0, 1)", "inside_f32_f32", SHORT),
        ("conv2d.f32 [y], [a], [b], 1, 2, {0}, 9, 9, 3, 3", "panels_f32_f32", SHORT),
        ("gemm.f32 [y], [a], [b], 100, {0}, 50", "gemm_tiles_f32_f32_f32", f"32 columns at a time, {FEWER}"),
    ],
)
def test_lanes_of_gpus_where_lengths_are_not_known(line: str, kernel: str, wanted: str) -> None:
    for target in TARGETS:
        assert (told(line, "n", target).get(kernel) == wanted) == (target == "webgpu")
        assert wanted not in told(line, "20", target).values()


@pytest.mark.parametrize(
    ("line", "size", "target", "math", "why"),
    [
        ("gemm.i32 [z], [i], [i], {0}, {0}, {0}", "50", "webgpu", "exact", ""),
        ("gemm.f32 [y], [a], [b], {0}, 50, 50", "n", "wasm", "exact", ""),
        ("gemm.f32 [y], [a], [b], 50, {0}, 50", "n", "wasm", "exact", ""),
        ("gemm.f32 [y], [a], [b], 50, {0}, 50", "r11", "wasm", "exact", "in strips, also for 512 columns and fewer"),
        ("cum_sum.f32 [y], [a], 1, {0}", "5000", "webgpu", "exact", PIECES),
        ("cum_sum.f32 [y], [a], 1, {0}", "5000", "webgpu", "fast", ""),
        ("cum_sum.i32 [z], [i], 1, {0}", "5000", "webgpu", "exact", ""),
        (NORM, "n", "webgpu", "exact", "rows are read again: their length is not known"),
        (NORM, "1025", "webgpu", "exact", "rows are read again: registers have room for 1024 elements"),
        (NORM, "1024", "webgpu", "exact", ""),
        (NORM, "n", "wasm", "exact", ""),
        ("softmax.f32 [y], [a], 9, {0}", "n", "webgpu", "exact", "rows are read again: their length is not known"),
        ("softmax.f32 [y], [a], 9, {0}", "40", "webgpu", "exact", ""),
        ("fft.f32 [y], [a], {0}", "n", "wasm", "exact", "as the length is not known"),
        ("fft.f32 [y], [a], {0}", "34", "wasm", "exact", "as a prime factor is above 13"),
        ("fft.f32 [y], [a], {0}", "26", "wasm", "exact", ""),
        (ATTENTION + "40", "40", "webgpu", "exact", ""),
        (ATTENTION + "4", "40", "webgpu", "exact", FEW.format(64)),
        (ATTENTION.format(40) + "{0}", "n", "wasm", "exact", "head_dim is not known, or above 512"),
        ("flash_" + ATTENTION + "40", "40", "webgpu", "exact", "FlashAttention holds none"),
        (CONV, "20", "wasm", "exact", ORDER),
        (CONV, "20", "webgpu", "fast", "not Winograd's way: lanes run together"),
        (CONV, "20", "wasm", "fast", "Winograd's way: 16 products in place of 36"),
        ("conv2d.f32 [y], [a], [b], 1, 2, 3, {0}, {0}, 1, 1, stride=(2, 2)", "9", "wasm", "exact", "no product of"),
        ("conv2d.f32 [y], [a], [b], 1, 2, 2, {0}, {0}, 3, 3, groups=2", "9", "wasm", "exact", "between zeros"),
        ("tensor_contract.f32 [y], [a], [b], (2, 3, 4), (3, 4), (1:0)", "", "wasm", "exact", "a copy of a, whose"),
    ],
)  # fmt: skip
def test_other_reasons(line: str, size: str, target: str, math: str, why: str) -> None:
    found = told(line, size, target, math)
    assert [why in each for each in found.values()] == [True] * bool(why), found


def test_what_runs_here_is_told_as_it_runs_here() -> None:
    """Launches that depend on sizes are made when they first run; they are told all the same."""
    line = ATTENTION + "40"
    for here, most in (("", 64), ("processor", 64), ("gpu", 1024)):
        why = told(line, "n", "webgpu", here=here)["attention_f32_f32"]
        assert why == f"scores are not held, as {FEW.format(most)}"


def parts(steps: Sequence[Step], target: str) -> Iterator[Launch]:
    """Launches of collectives in the code for a target."""
    for step in steps:
        if isinstance(step, Launch) and step.origin:
            yield step
        elif not isinstance(step, Target) or step.name == target:
            for body in bodies(step):
                yield from parts(body, target)


@pytest.mark.parametrize("size", ["r11", "n", "40"])
@pytest.mark.parametrize("line", [BATCHED, "conv2d.f32 [y], [a], [b], 1, 2, 3, {0}, {0}, 1, 1, padding=(1, 0, 0, 1)"])
def test_what_is_told_is_what_files_have(line: str, size: str) -> None:
    artifact = hg.compile(program(line, size), grid=1).artifact
    launches = [step for step in every(artifact.plan.steps) if isinstance(step, Launch)]
    for target in TARGETS:
        lines = list(of_program(program(line, size), (64, 1, 1), target, "exact", ""))
        names = [each.split(": ")[2].partition(",")[0] for each in lines]
        mine = list(parts(artifact.plan.steps, target))
        assert names == [artifact.kernels[step.kernel].name for step in mine]
        whys = [artifact.metadata.get(f"why.launch.{launches.index(step)}", "") for step in mine]
        assert whys == [each.split(": ", 3)[3] if each.count(": ") > 2 else "" for each in lines]
    assert any(isinstance(step, ProgramCall) for step in every(artifact.plan.steps))


def test_inspect_says_it_of_files(tmp_path: Path) -> None:
    file = tmp_path / "late.holo"
    hg.compile(program(BATCHED, "r11"), grid=1).save(file)
    shown = CliRunner().invoke(commands, ["inspect", str(file), "--variants"]).output
    _, _, lines = shown.partition("\ncollectives of program 0\n")
    found = [line for line in lines.splitlines() if line.endswith(f": {EACH}, as with strides {LATE}")]
    assert len(found) == 1
    assert found[0].startswith(
        "wasm: batched_gemm.f32 [y], [a], [b], $n0, r11, r11, r11, strides=(100, 100, 100): gemm_plain_"
    )
    hg.compile(program(BATCHED, "40"), grid=1).save(file)
    assert "collectives of" not in CliRunner().invoke(commands, ["inspect", str(file), "--variants"]).output


@hg.kernel
def normed(x: hg.Array[hg.f32], top: hg.Array[hg.f32], n: hg.i32):
    hg.parallel_reduce(x, top, "max", n)
    i = hg.global_id()
    if i < n:
        x[i] = x[i] / top[0]


@pytest.mark.parametrize("device", [None, "wasm"])
def test_kernels_with_collectives_are_explained(device: str | None) -> None:
    kernel = normed if device is None else normed.on(device)
    lines = kernel.explain("variants", block=(64,)).splitlines()
    assert lines[0] == "wasm: parallel_reduce.max.f32 [top], [x], r3: reduce_f32_reduce_max"
    assert sum(line.startswith("webgpu: ") and line.endswith(" times") for line in lines) == 7, lines
    assert lines[-1] == "what lanes do around them: hg.compile(kernel).artifact has its code"


@pytest.fixture(scope="module")
def ex() -> Iterator[hg.Executor]:
    with hg.Executor("wasm", math="fast") as found:
        yield found


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, f"winograd_squares|Winograd's way: {SQUARES}"),
        ({"stride": 2}, f"patches|not Winograd's way: {SIDE}"),
        ({"channels": 16}, "patches|not Winograd's way: too few channels for what squares cost"),
    ],
)  # fmt: skip
def test_arrays_say_it(ex: hg.Executor, given: dict[str, int], why: str) -> None:
    channels = given.pop("channels", 64)
    x, w = ex.array(np.ones((1, channels, 20, 20), "f4")), ex.array(np.ones((64, channels, 3, 3), "f4"))
    kernel, _, text = why.partition("|")
    found = [line for line in hg.ops.conv2d(x, w, **given).explain().splitlines() if line.endswith(f": {text}")]
    assert len(found) == 1
    assert found[0].startswith(f"{kernel}_")


def test_functions_say_it(ex: hg.Executor) -> None:
    convolved = hg.function(lambda x, w: hg.ops.conv2d(x, w, stride=2))
    x, w = ex.array(np.ones((1, 64, 20, 20), "f4")), ex.array(np.ones((64, 64, 3, 3), "f4"))
    assert f": not Winograd's way: {SIDE}\n" in f"{convolved.explain(x, w)}\n"


def test_functions_of_sizes_that_are_not_known(ex: hg.Executor) -> None:
    total = hg.function(lambda x: x.sum(axis=1), device=ex)
    lines = total.explain(hg.Array[hg.f32, "rows", "columns"]).splitlines()
    assert sum(line.endswith(": 3 passes, also of short rows: their length is not known") for line in lines) == 1, lines


def test_steps_of_loops_and_branches(ex: hg.Executor) -> None:
    x = ex.array(np.arange(3, dtype="f4"))
    scanned = hg.function(lambda x: hg.scan(lambda c, v: (c + v, c * v), x[0] * 0.0, x)).explain(x).splitlines()
    at = scanned.index("3 times:")
    assert scanned[at + 1].startswith("  map[")
    looped = hg.function(lambda x: hg.while_loop(lambda s: s.max() <= 100.0, lambda s: s * 2.0 + 1.0, x)).explain(x)
    for line in (
        "again and again:",
        "  $n0 = flag[0]",
        "  $n0.zero = eq($n0, 0)",
        "  if $n0.zero:",
        "    go on",
        "  once more",
    ):
        assert f"\n{line}\n" in f"{looped}\n"
    chosen = hg.function(lambda x: hg.cond(x[0] > 0, lambda x: x * 2.0, lambda x: x - 1.0, x)).explain(x)
    before, _, behind = chosen.partition("\nelse:\n  map[")
    assert before.count("\nif $n0.zero:\n  map[") == 1
    assert behind


@pytest.mark.parametrize("device", ["wasm", "webgpu"])
def test_attention_of_sizes_that_grow_in_a_loop(device: str) -> None:
    """Memory between its launches is made for the largest: it was for the first, and files were an ArtifactError."""
    line = "attention.f32 [y], [a], [b], [k], 1, 2, {0}, {0}, 8"
    rng = np.random.default_rng(4)
    a, b, k = (rng.standard_normal((2, 9, 8)).astype("f4") for _ in range(3))
    with hg.Executor(device) as ex:
        given = {name: ex.array(x.ravel()) for name, x in zip("abk", (a, b, k), strict=True)}
        y = ex.zeros(144)
        ex.run(program(line, "r11"), 1, y=y, z=ex.zeros(1, hg.i32), i=ex.zeros(1, hg.i32), n=0, **given)
        weights = np.exp(a @ b.swapaxes(1, 2) / np.sqrt(8))
        wanted = weights / weights.sum(-1, keepdims=True) @ k
        np.testing.assert_allclose(y.numpy().reshape(2, 9, 8), wanted, rtol=1e-4, atol=1e-5)
    assert hg.load(hg.compile(program(line, "r11"), grid=1).to_bytes()).ports
