"""Lanes side by side in one invocation of a shader (targets/wgsl/packets.py): whichever of a block's lanes are on."""

# mypy: ignore-errors

from __future__ import annotations

import re
from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import hologram_web as hg
from hologram_web import LaunchConfig, Program
from hologram_web.backends import WebGpuBackend
from hologram_web.backends.webgpu.ready import Ready
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.isa.verify import analyze
from hologram_web.plan.conditions import with_formulas
from hologram_web.targets import wgsl
from hologram_web.targets.wgsl import functions

# x[i] + 2 * y[i - 1] for i below n; the first lane reads y[0].
SUM = Program.from_text("""
.param x: buffer f32 read
.param y: buffer f32 read
.param z: buffer f32 write
.param n: u32
    mul.u32 r10, r253, r254
    add.u32 r10, r10, r252
    set.lt.u32 p0, r10, r4
    bra done, !p0
    mov_imm.u32 r11, 1
    max.u32 r12, r10, r11
    sub.u32 r12, r12, r11
    ldg.f32 r20, [x + r10*4]
    ldg.f32 r21, [y + r12*4]
    add.f32 r21, r21, r21
    add.f32 r20, r20, r21
    stg.f32 [z + r10*4], r20
done:
    exit
""")
# x[i] = 2 * y[i] + x[i], for i below n: a lane accesses nothing but its own elements.
MAP = Program.from_text("""
.param x: buffer f32 read_write
.param y: buffer f32 read
.param n: u32
    mul.u32 r10, r253, r254
    add.u32 r10, r10, r252
    set.lt.u32 p0, r10, r3
    bra done, !p0
    ldg.f32 r20, [x + r10*4]
    ldg.f32 r21, [y + r10*4]
    add.f32 r21, r21, r21
    add.f32 r20, r20, r21
    stg.f32 [x + r10*4], r20
done:
    exit
""")
GATHER = Program.from_text("""
.param x: buffer u32 read
.param index: buffer u32 read
.param z: buffer u32 write
    ldg.u32 r10, [index + r255*4]
    ldg.u32 r10, [x + r10*4]
    stg.u32 [z + r255*4], r10
""")
BLOCK = 256
# Whole blocks, all but a lane, one lane more; more lanes than numbers.
SHAPES = [(1, 1), (255, 255), (256, 256), (257, 257), (768, 768), (1000, 1000), (1024, 1000), (1024, 700), (1024, 0)]


@pytest.fixture(scope="module")
def backend() -> Iterator[WebGpuBackend]:
    with WebGpuBackend() as backend:
        yield backend


def _run(backend: WebGpuBackend, program: Program, lanes: tuple[int, int, int], **args: Any) -> dict[str, NDArray[Any]]:
    handles = {}
    for name, value in args.items():
        if isinstance(value, np.ndarray):
            handles[name] = backend.allocate_buffer(value.nbytes)
            backend.copy_to_buffer(handles[name], value)
    grid = (-(-lanes[0] // BLOCK), *lanes[1:])
    config = LaunchConfig(hg.GridDim(*grid), hg.BlockDim(BLOCK), lanes=lanes)
    try:
        backend.execute_program_with_params(program, hg.ExecutionParams(config, {**args, **handles}))
        found = {name: backend.copy_from_buffer(handle) or b"" for name, handle in handles.items()}
        return {name: np.frombuffer(raw, args[name].dtype) for name, raw in found.items()}
    finally:
        for handle in handles.values():
            backend.free_buffer(handle)


def test_packets_do_not_depend_on_what_is_compiled_in_between() -> None:
    """The functions of a shader are compiled while it is written."""
    exp = SUM.to_text().replace("add.f32 r21, r21, r21", "exp.f32 r21, r21\n    cos.f32 r20, r20\n    tan.f32 r20, r20")
    function = optimize(build(analyze(Program.from_text(exp)), (BLOCK, 1, 1)))
    groups = [[base] for base in function.bases]
    found = []
    for _ in range(2):
        functions._function.cache_clear()
        found.append(wgsl.compile_kernel(function, groups, 0))
    assert "fn work(" in found[0].code
    assert found[0].fast
    first, second = ([kernel.code, *(fast.code for fast in kernel.fast)] for kernel in found)
    assert first == second


@pytest.mark.parametrize(("lanes", "n"), SHAPES)
def test_every_lane_does_its_part(backend: WebGpuBackend, lanes: int, n: int) -> None:
    x, y = np.random.default_rng(lanes + n).random((2, 1024), np.float32)
    wanted = np.full(1024, -1, np.float32)
    wanted[:n] = (x + 2 * y[np.maximum(np.arange(1024), 1) - 1])[:n]
    found = _run(backend, SUM, (lanes, 1, 1), x=x, y=y, z=np.full(1024, -1, np.float32), n=n)
    assert (found["z"] == wanted).all()


@pytest.mark.parametrize(("lanes", "n"), [*SHAPES, (4, 4), (508, 1024), (511, 511), (512, 511)])
def test_lanes_by_four(backend: WebGpuBackend, lanes: int, n: int) -> None:
    x, y = np.random.default_rng(lanes + n).random((2, 1024), np.float32)
    wanted = x.copy()
    wanted[: min(lanes, n)] = (x + 2 * y)[: min(lanes, n)]
    assert (_run(backend, MAP, (lanes, 1, 1), x=x, y=y, n=n)["x"] == wanted).all()


@pytest.mark.parametrize("short", ["x", "y", "z"])
@pytest.mark.parametrize("missing", [1, 40, 300])
def test_the_lane_that_leaves_its_memory_is_told(backend: WebGpuBackend, short: str, missing: int) -> None:
    lengths = dict.fromkeys("xyz", 512) | {short: 512 - missing - (short == "y")}
    arrays = {name: np.ones(length, np.float32) for name, length in lengths.items()}
    at = {"x": 7, "y": 8, "z": 11}[short]
    told = rf"OutOfBounds at instruction {at}, lane (\d+): .* outside buffer {short},"
    with pytest.raises(hg.ExecutionError, match=told) as caught:
        _run(backend, SUM, (512, 1, 1), n=512, **arrays)
    lane = re.search(told, str(caught.value))
    assert lane is not None
    assert 512 - missing <= int(lane[1]) < 512


def test_rows_of_blocks(backend: WebGpuBackend) -> None:
    """A grid of two axes, whose last blocks are in part."""
    program = Program.from_text("""
    .param z: buffer u32 write
    .param width: u32
        mul.u32 r10, r253, r254
        add.u32 r10, r10, r252
        mul.u32 r11, r249, r2
        add.u32 r11, r11, r10
        add.u32 r12, r10, r249
        stg.u32 [z + r11*4], r12
    """)
    found = _run(backend, program, (300, 5, 1), z=np.zeros(1500, np.uint32), width=300)
    rows, columns = np.divmod(np.arange(1500), 300)
    assert (found["z"] == rows + columns).all()


def _width_of(text: str, block: tuple[int, int, int]) -> int:
    """How many lanes an invocation does side by side; 0 if it does one in the ordinary way."""
    function = optimize(build(analyze(Program.from_text(text)), block))
    code = wgsl.compile_kernel(function, [[base] for base in function.bases], 0).code
    found = re.search(r"@workgroup_size\((\d+)", code)
    assert found is not None
    return prod(block) // int(found[1]) if "fn work(" in code else 0


PARAMS = ".param x: buffer u32 read\n.param z: buffer u32 read_write\n"
STORE = "stg.u32 [z + r255*4], r10\n"
LOAD = "ldg.u32 r10, [x + r255*4]\n"


@pytest.mark.parametrize(
    ("code", "block", "width"),
    [
        (LOAD + STORE, (256, 1, 1), 8),
        (LOAD + STORE, (64, 1, 1), 2),
        (LOAD + STORE, (48, 1, 1), 0),  # fewer than 32 invocations would be left
        (LOAD + STORE, (16, 16, 1), 4),
        (LOAD + "ldg.u32 r10, [x + r10*4]\n" + STORE, (256, 1, 1), 8),  # what is read says where
        (LOAD + "atom.add.u32 r10, [z + r255*4], r10\n", (256, 1, 1), 0),
        ("again:\n" + LOAD + "set.lt.u32 p0, r10, r252\nbra again, p0\n" + STORE, (256, 1, 1), 0),
        (
            LOAD + "bitcast.f32.u32 r11, r10\n" + "sqrt.f32 r11, r11\n" * 8 + "bitcast.u32.f32 r10, r11\n" + STORE,
            (256, 1, 1),
            4,
        ),  # long code of fewer lanes
    ],
)
def test_which_code_is_in_packets(code: str, block: tuple[int, int, int], width: int) -> None:
    assert _width_of(PARAMS + code, block) == width


@pytest.mark.parametrize(
    ("lanes", "n", "which"), [(512, 512, 0), (508, 512, 0), (512, 511, None), (511, 512, 1), (509, 512, 1), (1, 512, 1)]
)
def test_four_lanes_share_an_access_where_all_are_on(lanes: int, n: int, which: int | None) -> None:
    """Where the last four are not, lanes access their elements one by one, still without checks."""
    function = optimize(build(analyze(MAP), (BLOCK, 1, 1)))
    bases = function.bases
    kernel = wgsl.compile_kernel(function, [[base] for base in bases], 0)
    codes = [kernel.code, *(fast.code for fast in kernel.fast)]
    assert [re.findall(r"workgroup_size\((\d+)", code) for code in codes] == [["32"], ["256"], ["256"]]
    assert [fast.blocks for fast in kernel.fast] == [8, 8]
    assert ["array<vec4<f32>>" in code for code in codes] == [False, True, False]
    assert ["fn fault(" in code for code in codes] == [True, False, False]
    sizes = dict.fromkeys(bases, 4 * 512)
    kept = with_formulas(kernel, [name for name, _ in kernel.scalars], kernel.bases, 0)
    config = hg.LaunchConfig((2, 1, 1), (BLOCK, 1, 1), 0, (lanes, 1, 1))
    found = Ready(analyze(MAP), kept, sizes, 0).proven(config, {"n": (hg.u32, n)}, 1 << 26, 1 << 40)
    assert found is (None if which is None else kept.fast[which])


@pytest.mark.parametrize(
    "code",
    [
        "ldg.u32 r10, [x + r255*4 + 4]\n" + STORE,  # not where four begin
        LOAD + STORE + "ldg.f32 r11, [z + r255*4]\nbitcast.u32.f32 r10, r11\n" + STORE,  # what was stored is read again
        LOAD + "stg.u32 [z + r252*4], r10\n",  # the same elements for all blocks
        "ldg.u8 r10, [x + r255]\nstg.u8 [z + r255], r10\n",
    ],
)
def test_lanes_that_access_one_by_one(code: str) -> None:
    function = optimize(build(analyze(Program.from_text(PARAMS + code)), (BLOCK, 1, 1)))
    kernel = wgsl.compile_kernel(function, [[base] for base in function.bases], 0)
    assert kernel.fast
    assert not any("vec4<" in fast.code for fast in kernel.fast)


@pytest.mark.parametrize("wrong", [(), (3,), (511,), (100, 300), (700,)])
def test_what_is_read_says_where(backend: WebGpuBackend, wrong: tuple[int, ...]) -> None:
    """The access that nothing proves is checked; the others are proven. Of several faults one is told."""
    x = np.arange(512, dtype=np.uint32) * 3
    index = np.random.default_rng(3).integers(0, 512, 701).astype(np.uint32)
    index[list(wrong)] = 512
    args = {"x": x, "index": index, "z": np.zeros(701, np.uint32)}
    if not wrong:
        assert (_run(backend, GATHER, (701, 1, 1), **args)["z"] == x[index]).all()
        return
    told = r"OutOfBounds at instruction \d+, lane (\d+): .* offset 2048 .*buffer x,"
    with pytest.raises(hg.ExecutionError, match=told) as caught:
        _run(backend, GATHER, (701, 1, 1), **args)
    lane = re.search(told, str(caught.value))
    assert lane is not None
    assert int(lane[1]) in wrong


def test_the_first_fault_of_a_lane_is_told(backend: WebGpuBackend) -> None:
    """What a lane reads out of bounds is some word, so that the next access may fail, too."""
    numbers = ", ".join(f"{name}: hg.Array[hg.u32]" for name in "xyiz")
    text = f"def k({numbers}):\n    k = hg.global_id()\n    if k < len(z):\n        z[k] = x[y[i[k]]]\n"
    kernel = hg.kernel_from_source(text)
    x, y, i, z = (np.zeros(n, np.uint32) for n in (8, 8, 700, 700))
    y[7] = 2**31  # the word that many adapters give beyond the end
    i[500] = 8
    with pytest.raises(hg.ExecutionError, match=r"lane 500: .*buffer y,"):
        kernel.on(backend)[700](x, y, i, z)
    i[500] = 7
    with pytest.raises(hg.ExecutionError, match=r"lane 500: .*buffer x,"):
        kernel.on(backend)[700](x, y, i, z)


@pytest.mark.parametrize(("target", "blocks"), [("z", 8), ("x", 1)])
def test_lanes_are_done_twice_where_they_read_nothing_that_is_written(
    backend: WebGpuBackend, target: str, blocks: int
) -> None:
    """Lanes beyond the last one of a gather with checks do another one again, which must not see what it wrote."""
    text = f"""def k(x: hg.Array[hg.u32], index: hg.Array[hg.u32], z: hg.Array[hg.u32]):
    i = hg.global_id()
    if i < len(index):
        {target}[i] = x[index[i]] + 1
"""
    kernel = hg.kernel_from_source(text)
    function = optimize(build(analyze(kernel.program), (BLOCK, 1, 1)))
    compiled = wgsl.compile_kernel(function, [[base] for base in function.bases], 0)
    assert [fast.blocks for fast in compiled.fast] == [blocks]
    for n in (1, 31, 257, 2047, 2048, 2049, 5000):
        x, z = np.arange(n, dtype=np.uint32), np.zeros(n, np.uint32)
        kernel.on(backend)[n](x, np.arange(n, dtype=np.uint32), z)
        assert ({"x": x, "z": z}[target] == np.arange(1, n + 1)).all()


@hg.kernel
def _cross(x: hg.Array[hg.f32, 2], z: hg.Array[hg.f32, 2]) -> None:
    i, j = hg.global_id(1), hg.global_id(0)
    if 0 < i < x.shape[0] - 1 and 0 < j < x.shape[1] - 1:
        z[i, j] = x[i, j - 1] + x[i, j + 1] + (x[i - 1, j] + x[i + 1, j])


@pytest.mark.parametrize(("width", "height"), [(16, 16), (33, 17), (64, 31), (15, 3)])
def test_blocks_of_two_axes(backend: WebGpuBackend, width: int, height: int) -> None:
    """A block of 16 x 16, of which lanes beyond both edges are off; the rim of the picture is left."""
    x = np.random.default_rng(width).random((height, width), np.float32)
    wanted = np.zeros_like(x)
    wanted[1:-1, 1:-1] = x[1:-1, :-2] + x[1:-1, 2:] + (x[:-2, 1:-1] + x[2:, 1:-1])
    z = np.zeros_like(x)
    _cross.on(backend)[(width, height), (16, 16)](x, z)
    assert (z == wanted).all()
