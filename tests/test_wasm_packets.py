"""Packets of lanes on WebAssembly: which kernels become packets, and that both forms of them do the same.

What packets compute is tested by filetests, conformance and the fuzzer, on the device `wasm`, where they are the rule.
"""

from typing import Any, ClassVar

import numpy as np
import pytest
import wasmtime

import hologram_web as hg
from bench import packets as bench
from bench import tiles
from bench.compile import text_of
from hologram_web import stdlib
from hologram_web.backends.wasm import WasmBackend
from hologram_web.compiler.accesses import access_of
from hologram_web.compiler.bounds import Bounds
from hologram_web.compiler.build import build
from hologram_web.compiler.passes import optimize
from hologram_web.compiler.several_rounds import with_rounds_together
from hologram_web.isa.verify import analyze
from hologram_web.plan.kernels import LaneKernel
from hologram_web.plan.lowering import lower_plan
from hologram_web.plan.single import launch_plan
from hologram_web.targets.wasm import compile_kernel
from hologram_web.targets.wasm.kernel import form_of
from hologram_web.targets.wasm.lanes import MAX_CONDITIONS
from hologram_web.targets.wasm.reciprocals import with_reciprocals
from hologram_web_tools.typical import CALLS as TYPICAL
from hologram_web_tools.typical import PARAMS
from tests.fuzz.devices import LIMITS, reference
from tests.fuzz.generator import generate
from tests.test_reducible import _tangle as tangle
from tests.widths import cases, differences


def _function(program, block=(256, 1, 1)):
    return optimize(build(analyze(program), block))


def test_kernels_of_the_standard_library_are_packets():
    found = {}
    for name in stdlib.NAMES:
        if name in stdlib.CALLS:
            continue
        form = form_of(_function(hg.kernel_from_source(text_of(name)).program))
        if form.width == 1:
            found[name] = form.reason
    assert not found


class _Made(LaneKernel):
    """Kernels of a plan while it is made."""

    made: ClassVar[list[LaneKernel]] = []

    def __init__(self, *about: Any) -> None:
        super().__init__(*about)
        self.made.append(self)


def test_kernels_of_the_tensor_library_are_packets():
    """Of typical calls, and of the standard library's."""
    programs = [hg.Program.from_text(f"{PARAMS}    {text}") for text in TYPICAL.values()]
    programs += [stdlib.kernel(name).program for name in stdlib.CALLS]
    _Made.made.clear()
    for program in programs:
        aliases = {param.name: param.name for param in program.params if param.kind != "scalar"}
        plan = launch_plan(program, hg.LaunchConfig(), (True, True, True), aliases)
        lower_plan(plan, [program], (), {}, target="wasm", kernel=_Made)
    forms = [(kernel.facts.name, form_of(kernel.function)) for kernel in _Made.made]
    assert len(forms) > len(programs)
    assert {(name, form.reason) for name, form in forms if form.width == 1} == SCALAR


# The last level of a reduction, and what a kernel does beside its collectives.
SCALAR = {
    ("reduce_f32_reduce_add", "nothing differs between lanes"),
    ("reduce_f32_reduce_max", "nothing differs between lanes"),
    ("vector_sum", "one lane does everything"),
    ("attention_scores", "nothing differs between lanes"),
}
NAMED = frozenset({
    "one lane does everything", "nothing differs between lanes", "lanes do little else than atomics",
    "the code is long", "lanes part in many places of loops with several entries",
    "between barriers lanes do no more than move what they share",
    "lanes do little else than compute integers of more than 64 bits",
    "lanes may stop at different barriers, and do little between them",
})  # fmt: skip
MIX = {"exact": 84, "atlas": 18, "faults": 18}  # 14:3:3, as the runs of 20,000 programs have them


def test_programs_of_the_fuzzer_are_packets():
    """And all of them can be: what is not, costs more so."""
    forms = []
    for profile, count in MIX.items():
        for seed in range(4100, 4100 + count):
            case = generate(seed, profile)
            function = _function(case.program, case.config.block)
            forms.append(form_of(function))
            assert form_of(function, 4).width == 4
    assert {form.reason for form in forms if form.width == 1} <= NAMED
    assert sum(form.width > 1 for form in forms) >= 0.95 * len(forms)


PLACES = hg.kernel_from_source("""
def places(z: hg.Array[hg.u32], w: hg.Array[hg.i32]):
    i = hg.global_id(0) + 7 * (hg.global_id(1) + 40 * hg.global_id(2))
    here = hg.local_id(0) + 100 * hg.local_id(1) + 10000 * hg.local_id(2)
    block = hg.block_id(0) + 10 * hg.block_id(1) + 100 * hg.block_id(2)
    grid = hg.grid_dim(0) + 10 * hg.grid_dim(1) + 100 * hg.grid_dim(2)
    size = hg.block_dim(0) + 10 * hg.block_dim(1) + 100 * hg.block_dim(2)
    shared = hg.shared(hg.u32, 16)
    shared[hg.local_id(1) + hg.local_id(2)] = hg.u32(here)
    hg.barrier()
    z[i] = hg.u32(here) + hg.u32(block) * hg.u32(7919) + hg.u32(grid) * hg.u32(104729) + hg.u32(size) + shared[0]
    w[i] = -hg.i32(hg.global_id(1))
""")


@pytest.mark.parametrize("block", [(1, 9, 1), (1, 4, 3), (1, 1, 8), (1, 2, 2)])
@pytest.mark.parametrize("grid", [(1, 1, 1), (3, 2, 2)])
def test_rows_lie_along_the_first_axis_of_several_lanes(block, grid):
    lanes = tuple(max(1, size * count - 1) if size > 1 else count for size, count in zip(block, grid, strict=True))
    config, results = hg.LaunchConfig(hg.GridDim(*grid), hg.BlockDim(*block), lanes=lanes), []
    assert form_of(_function(PLACES.program, block)).width == 4
    devices: list[Any] = [reference(), *(WasmBackend(packets=width, cache=False) for width in (1, 4, 8, 16))]
    for device in devices:
        z, w = (device.allocate_buffer(4 * 7 * 40 * 40) for _ in "zw")
        for handle in (z, w):
            device.view(handle)[:] = 255
        arguments = {"z": z, "w": w, **dict.fromkeys(("z.shape0", "w.shape0"), 7 * 40 * 40)}
        arguments = {param.name: arguments[param.name] for param in PLACES.program.params}
        device.execute_program_with_params(PLACES.program, hg.ExecutionParams(config, arguments))
        results.append(bytes(device.view(z)) + bytes(device.view(w)))
    assert results == results[:1] * 5


LONE = hg.kernel_from_source("""
def lone(z: hg.Array[hg.u32], n: hg.u32):
    i = hg.global_id(0) + 9 * (hg.global_id(1) + 5 * hg.global_id(2))
    local = hg.local(hg.u32, 4)
    shared = hg.shared(hg.u32, 5)
    local[hg.block_id(0) % 4] = hg.u32(i)
    shared[0] = shared[0] + hg.u32(i)
    hg.barrier()
    shared[hg.block_id(0) % 5] += 3
    hg.atomic_add(shared, 2, hg.u32(i))
    t = hg.u32(0)
    while t * t < hg.u32(i) * n:
        t += 1
        shared[3] += t
        hg.barrier()
    z[i] = local[1] + t + shared[0] * 3 + shared[1] + shared[2] * 5 + shared[3] * 7
""")


@pytest.mark.parametrize("extra", [0, 64])
def test_blocks_of_one_lane_are_packets_and_share_memory_with_nobody(extra):
    """Where a launch has more shared memory than the program says, there is room for one block at a time."""
    assert form_of(_function(LONE.program, (1, 1, 1))).width == 4
    config = hg.LaunchConfig(hg.GridDim(9, 4, 2), hg.BlockDim(1, 1, 1), shared_memory=extra)
    results = []
    devices: list[Any] = [reference(), *(WasmBackend(packets=width, cache=False) for width in (1, 4, 8, 16))]
    for device in devices:
        z = device.allocate_buffer(4 * 90)
        device.view(z)[:] = 255
        arguments = {param.name: {"z": z, "n": 7}.get(param.name, 90) for param in LONE.program.params}
        device.execute_program_with_params(LONE.program, hg.ExecutionParams(config, arguments))
        results.append(bytes(device.view(z)))
    assert results == results[:1] * 5


@pytest.mark.parametrize("packets", [1, 4, 8, 16])
def test_faults_in_rows_along_another_axis_name_the_lane(packets):
    program = hg.Program.from_text(".param y: buffer u32 read_write\n    mov_imm.u32 r11, 1\n" + LINES + "\n")
    device = WasmBackend(limits=LIMITS, packets=packets, cache=False)
    y = device.allocate_buffer(4 * 16)
    config = hg.LaunchConfig(hg.GridDim(2, 1, 1), hg.BlockDim(1, 5, 2))
    with pytest.raises(hg.ExecutionError) as caught:
        device.execute_program_with_params(program, hg.ExecutionParams(config, {"y": y}))
    assert caught.value.lane == 16


LINES = "    stg.u32 [y + r255*4], r11"
REASONS = {
    "nothing differs between lanes": ("    exit", (8, 1, 1)),
    "one lane does everything": (
        "    cvt.u32.u64 r11, r255\n    set.eq.u32 p0, r11, r10\n    bra on, p0\n    exit\non:",
        (8, 1, 1),
    ),
    "lanes do little else than compute integers of more than 64 bits": (
        "    cvt.u128.u64 r1, r255\n    mul.u128 r2, r1, r1\n    cvt.u32.u128 r11, r2",
        (8, 1, 1),
    ),
    "lanes may stop at different barriers, and do little between them": (
        "    mov_imm.u32 r11, 4\n    set.lt.u32 p0, r11, r252\n    bra other, p0\n    bar_sync 0\n    bra out\n"
        "other:\n    bar_sync 1\nout:",
        (8, 1, 1),
    ),
    "the code is long": ("    cvt.u32.u64 r11, r255\n" + "    mad.u32 r11, r11, r11, r11\n" * 1200, (8, 1, 1)),
    "lanes part in many places of loops with several entries": (
        "    cvt.u32.u64 r11, r255\n    mov_imm.u32 r12, 90\n    mov_imm.u32 r13, 3\n    set.lt.u32 p0, r11, r13\n"
        + "".join(
            f"b{k}:\n    add.u32 r11, r11, r13\n    set.lt.u32 p0, r11, r12\n    bra b{5 * k % 16}, p0\n"
            f"    bra b{(3 * k + 1) % 16}, p0\n"
            for k in range(16)
        ),
        (8, 1, 1),
    ),
    "lanes do little else than atomics": (
        "    ldg.u32 r11, [y + r255*4]\n    mov_imm.u32 r12, 1\n    add.u32 r11, r11, r252\n    cvt.u64.u32 r13, r11\n"
        "    atom.add.u32 r14, [y + r13*4], r12\n    exit\n",
        (4, 1, 1),
    ),
    "between barriers lanes do no more than move what they share": (
        "    cvt.u64.u32 r12, r252\n    mov_imm.u64 r13, 5\n    xor.u64 r14, r12, r13\n"
        "    lds.u32 r11, [shared + r14*4]\n    bar_sync 0",
        (8, 1, 1),
    ),
}


@pytest.mark.parametrize("reason", REASONS)
def test_others_say_why_they_are_not(reason):
    code, block = REASONS[reason]
    program = hg.Program.from_text(f".param y: buffer u32 read_write\n{code}\n{LINES}\n")
    form = form_of(_function(program, block))
    assert (form.width, form.reason) == (1, reason)


OPERANDS = """
    mov_imm.u32 r12, 5
    cvt.u32.u64 r14, r255
    mul.u32 r15, r14, r14
    mul.u32 r16, r15, r14
    mul.u64 r17, r255, r255
"""
CHAINS = {
    "rotl": ("u32", "    rotl.u32 r11, r11, r12\n    xor.u32 r11, r11, r10\n"),
    "min": ("i64", "    min.i64 r11, r11, r10\n    add.i64 r11, r11, r10\n"),
    "select": (
        "u64",
        "    set.lt.u64 p0, r11, r10\n    sel.u32 r13, p0, r14, r15\n    set.lt.u32 p1, r13, r16\n"
        "    sel.u64 r11, p1, r10, r17\n",
    ),
    "max": ("u64", "    max.u64 r11, r11, r10\n    add.u64 r11, r11, r10\n"),
}


@pytest.mark.parametrize("name", CHAINS)
def test_what_needs_an_operand_twice_computes_it_once(name):
    """Code grew with the power of the depth: kernels of 200 values were megabytes."""
    ty, code = CHAINS[name]
    sizes = []
    for count in (4, 8, 12):
        head = f".param y: buffer {ty} read_write\n    ldg.{ty} r10, [y + r255*8]\n    mov r11, r10\n"
        tail = f"{code * count}    stg.{ty} [y + r255*8], r11\n"
        program = hg.Program.from_text(head + OPERANDS + tail)
        sizes.append(len(compile_kernel(_function(program), packets=4).code))
    assert sizes[2] - sizes[1] < 1.1 * (sizes[1] - sizes[0])


IRREDUCIBLE = """
.param y: buffer u32 read_write
    cvt.u32.u64 r11, r255
    mov_imm.u32 r12, 3
    mov_imm.u32 r13, 40
    and.u32 r14, r11, r12
    set.lt.u32 p0, r14, r12
    bra middle, p0
loop:
    add.u32 r11, r11, r12
middle:
    add.u32 r11, r11, r14
    add.u32 r11, r11, r12
    set.lt.u32 p1, r11, r13
    bra loop, p1
"""


def test_loops_of_several_entries_are_packets():
    """Lanes come to different entries of them."""
    program = hg.Program.from_text(IRREDUCIBLE + LINES + "\n")
    function = _function(program, (16, 1, 1))
    assert form_of(function).width == 4

    def of(lane):
        value, rest, first = lane, lane & 3, lane & 3 >= 3
        while True:
            value += 3 * first + rest + 3
            first = True
            if value >= 40:
                return value

    for packets in (1, 4, 8, 16):
        device = WasmBackend(limits=LIMITS, packets=packets, cache=False)
        y = device.allocate_buffer(4 * 16)
        device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(16, 16), {"y": y}))
        assert device.view(y).view(np.uint32).tolist() == [of(lane) for lane in range(16)]


APART = """
.param y: buffer u32 read_write
.shared 128
    cvt.u64.u32 r20, r252
    mov_imm.u32 r12, 3
    mov_imm.u32 r13, 0
    mov_imm.u32 r15, 1
    mov_imm.u32 r16, 6
    mov_imm.u32 r19, 4000
    ldg.u32 r17, [y + r255*4]
    cvt.u256.u32 r10, r17
loop:
    mul.u256 r10, r10, r10
    and.u32 r14, r17, r15
    set.eq.u32 p0, r14, r15
    bra skip, p0
    sts.u32 [shared + r20*4], r13
    bar_sync 0
    lds.u32 r18, [shared + r20*4]
    add.u32 r17, r17, r18
skip:
    add.u32 r17, r17, r12
    add.u32 r13, r13, r15
    set.lt.u32 p1, r19, r17
    bra far, p1
    set.lt.u32 p1, r13, r16
    bra loop, p1
    bra out
far:
    bar_sync 1
out:
    cvt.u32.u256 r11, r10
    add.u32 r11, r11, r17
"""


@pytest.mark.parametrize("most", [90, 8000])
@pytest.mark.parametrize("lanes", [32, 26])
def test_lanes_that_may_stop_at_different_barriers_are_packets(most, lanes):
    """In different rounds of a loop, with wide integers; some exit. Or they do: the first such lane tells."""
    program = hg.Program.from_text(APART + LINES + "\n")
    assert form_of(_function(program, (16, 1, 1))).width == 4
    numbers, found = np.random.default_rng(5).integers(0, most, 32).astype(np.uint32), list[bytes | str]()
    devices: list[Any] = [reference(), *(WasmBackend(limits=LIMITS, packets=w, cache=False) for w in (1, 4, 8, 16))]
    for device in devices:
        y = device.allocate_buffer(4 * 32)
        device.view(y)[:] = numbers.view(np.uint8)
        config = hg.LaunchConfig(hg.GridDim(2, 1, 1), hg.BlockDim(16, 1, 1), lanes=(lanes, 1, 1))
        try:
            device.execute_program_with_params(program, hg.ExecutionParams(config, {"y": y}))
            found.append(bytes(device.view(y)))
        except hg.ExecutionError as error:
            found.append(str(error))
    assert found == found[:1] * 5
    assert isinstance(found[0], bytes) is (most == 90)


WIDE = hg.kernel_from_source("""
def wide(x: hg.Array[hg.u256], z: hg.Array[hg.u256], n: hg.Array[hg.i32], a: hg.u256):
    lane = hg.local_id()
    part = hg.shared(hg.u256, 16)
    i = hg.global_id()
    value, other = x[i], hg.u256(n[i] + 3)
    count = n[i]
    while count > 0:
        value, other = other, value + other * a
        if value < other:
            value = value - hg.u256(count)
        count -= hg.i32(1 + hg.u32(value) % 2)
    part[lane] = value // (other if n[i] % 2 == 0 else a)
    hg.barrier()
    z[i] = part[15 - lane] + value << hg.u32(n[i])
""")


def test_wide_integers_in_packets():
    """Loops that lanes leave, choices, barriers, shared memory, and a scalar."""
    found, lanes = [], 32
    x = np.random.default_rng(6).integers(0, 256, 32 * lanes).astype(np.uint8)
    n = np.random.default_rng(7).integers(0, 20, lanes).astype(np.int32)
    devices: list[Any] = [reference(), *(WasmBackend(limits=LIMITS, packets=w, cache=False) for w in (1, 4, 8, 16))]
    for device in devices:
        given: dict[str, Any] = {"a": 3**140} | dict.fromkeys(("x.shape0", "z.shape0", "n.shape0"), lanes)
        for name, data in (("x", x), ("z", x), ("n", n.view(np.uint8))):
            given[name] = device.allocate_buffer(data.size)
            device.view(given[name])[:] = data
        arguments = {param.name: given[param.name] for param in WIDE.program.params}
        params = hg.ExecutionParams(hg.LaunchConfig.linear(lanes, 16), arguments)
        device.execute_program_with_params(WIDE.program, params)
        found.append(bytes(device.view(given["z"])))
    assert found == found[:1] * 5


STOPPING = hg.kernel_from_source("""
def stopping(y: hg.Array[hg.u32], n: hg.u32):
    lane = hg.local_id()
    a = y[lane]
    b = hg.u32(6)
    for k in range(3):
        if lane % 3 == 1:
            if n > 9:
                b, a = a, hg.u32(0)
            hg.barrier()
    y[lane] = a + b * 3
""")


@pytest.mark.parametrize("n", [5, 15])
def test_lanes_that_stop_in_a_loop_keep_what_they_have(n):
    """Before a branch of the block, while the others go round until they exit."""
    found = []
    devices: list[Any] = [reference(), *(WasmBackend(limits=LIMITS, packets=w, cache=False) for w in (1, 4, 8, 16))]
    for device in devices:
        y = device.allocate_buffer(64)
        device.view(y)[:] = np.arange(1, 17, dtype=np.uint32).view(np.uint8)
        given = {"y": y, "n": n, "y.shape0": 16}
        arguments = {param.name: given[param.name] for param in STOPPING.program.params}
        params = hg.ExecutionParams(hg.LaunchConfig.linear(16, 16), arguments)
        device.execute_program_with_params(STOPPING.program, params)
        found.append(bytes(device.view(y)))
    assert found == found[:1] * 5


def test_dispatchers_are_packets_if_these_are_asked_for():
    program = hg.Program.from_text(tangle(16))
    results = []
    for packets in (1, 4, 8, 16):
        device = WasmBackend(limits=LIMITS, packets=packets, cache=False)
        y = device.allocate_buffer(4 * 64)
        params = hg.ExecutionParams(hg.LaunchConfig.linear(64, 64), {"n": 0x9E3779B9, "y": y})
        device.execute_program_with_params(program, params)
        results.append(bytes(device.view(y)))
    assert results == results[:1] * 4
    assert len(set(np.frombuffer(results[0], np.uint32))) > 8


SEARCH = """
.param x: buffer u8 read
.param z: buffer u8 write
    mad.u32 r10, r253, r254, r252
    ldg.u8 r11, [x + r10*1]
    mov_imm.u8 r12, 3
    set.eq.u8 p0, r11, r12
    mov_imm.u8 r13, 1
    mov_imm.u8 r14, 0
    sel.u8 r11, p0, r13, r14
    stg.u8 [z + r10*1], r11
"""


@pytest.mark.parametrize("block", [(16, 1, 1), (48, 1, 1), (256, 1, 1)])
@pytest.mark.parametrize("grid", [(1, 1, 1), (70, 1, 1), (5, 3, 1)])
def test_lanes_of_several_blocks_are_one_row(block, grid):
    """Of kernels that ask for their place in the launch only. Lanes of rows of blocks share elements here."""
    program = hg.Program.from_text(SEARCH)
    assert form_of(_function(program, block)).width == 16
    count = block[0] * grid[0] - 5
    device = WasmBackend(limits=LIMITS, cache=False)
    x, z = (device.allocate_buffer(count + 64) for _ in "xz")
    elements = np.random.default_rng(1).integers(0, 8, count + 64).astype(np.uint8)
    device.view(x)[:] = elements
    device.view(z)[:] = 255
    config = hg.LaunchConfig(hg.GridDim(*grid), hg.BlockDim(*block), lanes=(count, *grid[1:]))
    device.execute_program_with_params(program, hg.ExecutionParams(config, {"x": x, "z": z}))
    assert (device.view(z)[:count] == (elements[:count] == 3)).all()
    assert (device.view(z)[count:] == 255).all()


def test_a_form_can_be_asked_for():
    program = hg.kernel_from_source(text_of("vector_add")).program
    forms = {width: compile_kernel(_function(program), packets=width).code for width in (None, 1, 4, 8)}
    assert forms[None] == forms[8]
    assert len(set(forms.values())) == 3
    for code in forms.values():
        wasmtime.Module.validate(wasmtime.Engine(), code)
    assert b"\x7b" in forms[4]


@pytest.mark.parametrize("lanes", [1, 3, 4, 5, 255, 256, 257, 1000, 16385])
def test_rows_that_end_within_a_packet_touch_nothing_else(lanes):
    text = """
    .param x: buffer f32 read
    .param y: buffer f32 write
        ldg.f32 r10, [x + r255*4]
        add.f32 r10, r10, r10
        stg.f32 [y + r255*4], r10
    """
    x, room = np.arange(lanes, dtype=np.float32), 64
    for packets in (1, 4, 8, 16):
        device = WasmBackend(limits=LIMITS, packets=packets, cache=False)
        whole = device.allocate_buffer(4 * (lanes + room))
        source = device.allocate_buffer(4 * lanes)
        device.view(source)[:] = x.view(np.uint8)
        device.view(whole)[:] = 255
        params = hg.ExecutionParams(hg.LaunchConfig.linear(lanes), {"x": source, "y": whole})
        device.execute_program_with_params(hg.Program.from_text(text), params)
        found = device.view(whole)
        assert (found[: 4 * lanes].view(np.float32) == 2 * x).all()
        assert (found[4 * lanes :] == 255).all()


@pytest.mark.parametrize("packets", [1, 4, 8, 16])
def test_lanes_that_only_move_a_row_are_one_copy(packets):
    """To shared memory and back, in either form; a row that ends early moves what it has."""
    text = """
    .param x: buffer f32 read
    .param y: buffer f32 write
    .shared 1024
        ldg.f32 r10, [x + r255*4]
        cvt.u64.u32 r13, r252
        sts.f32 [shared + r13*4], r10
        bar_sync 0
        lds.f32 r11, [shared + r13*4]
        bar_sync 1
        stg.f32 [y + r255*4], r11
    """
    program = hg.Program.from_text(text)
    assert b"\xfc\x0a\0\0" in compile_kernel(_function(program), packets=packets).code  # memory.copy
    device = WasmBackend(limits=LIMITS, packets=packets, cache=False)
    for lanes in (1, 255, 256, 700):
        x = np.arange(lanes, dtype=np.float32)
        source, target = (device.allocate_buffer(4 * lanes) for _ in range(2))
        device.view(source)[:] = x.view(np.uint8)
        params = hg.ExecutionParams(hg.LaunchConfig.linear(lanes), {"x": source, "y": target})
        device.execute_program_with_params(program, params)
        assert (device.view(target).view(np.float32) == x).all()


def test_the_benchmark_compares_equal_results():
    found = bench.measured(1, ("saxpy", "complex", "gray_scott"))
    assert list(found) == ["saxpy", "gray_scott", "complex"]
    assert all(set(forms) == {"scalar", "packets"} for forms in found.values())


def _loops(x, z, n):
    """What the kernel below leaves."""
    for lane in range(len(z)):
        total = np.float32(0)
        for i in range(n):
            for j in range(i % 3):
                total += x[(lane % 2 + 1) * 64 - 1 + 2 * i - j] * x[lane + 64 * j + i + 1]
            total -= x[3 * i]
            total += x[64 * n + lane - 64 * i]
        z[lane] = total


LOOPS = hg.kernel_from_source("""
def loops(x: hg.Array[hg.f32], z: hg.Array[hg.f32], n: hg.i32):
    lane = hg.i32(hg.global_id())
    if lane < len(z):
        total = hg.f32(0)
        for i in range(n):
            for j in range(i % 3):
                total += x[(lane % 2 + 1) * 64 - 1 + 2 * i - j] * x[lane + 64 * j + i + 1]
            total -= x[3 * i]
            total += x[64 * n + lane - 64 * i]
        z[lane] = total
""")


@pytest.mark.parametrize("packets", [1, 4, 8, 16])
@pytest.mark.parametrize("n", [0, 1, 7])
def test_what_addresses_have_in_all_rounds_is_computed_before(packets, n):
    x, z = np.random.default_rng(3).integers(-9, 9, 1000).astype(np.float32), np.zeros(70, np.float32)
    wanted = z.copy()
    _loops(x, wanted, n)
    device = WasmBackend(packets=packets, cache=False)
    arguments = {"x": device.allocate_buffer(x.nbytes), "z": device.allocate_buffer(z.nbytes), "n": n, "z.shape0": 70}
    arguments |= {"x.shape0": 1000} if "x.shape0" in {p.name for p in LOOPS.program.params} else {}
    device.view(arguments["x"])[:] = x.view(np.uint8)
    params = hg.ExecutionParams(hg.LaunchConfig.linear(96, 32), arguments)
    device.execute_program_with_params(LOOPS.program, params)
    assert (device.view(arguments["z"]).view(np.float32) == wanted).all()


ROWS = hg.kernel_from_source("""
def rows(x: hg.Array[hg.f32, 2], z: hg.Array[hg.f32, 2], from_: hg.u32, shift: hg.i64):
    i, j = hg.global_id(0), hg.global_id(1)
    if i < z.shape[1] and j < z.shape[0]:
        across = x[j, i] - x[j, i + 1] * hg.f32(2) + x[j, i + 2]
        along = x[j + 2, i] - x[j, x.shape[1] - 1 - i] * hg.f32(3)
        other = x[j + hg.i32(from_ & hg.u32(1)), i + 1] - x[hg.i32(hg.i64(j) + (shift >> hg.i64(1))), i]
        total = hg.f32(0)
        for k in range(j % 3):
            total += x[j + 1, i + k]
        z[j, i] = across * hg.f32(5) + along + other * hg.f32(7) + total
""")


@pytest.mark.parametrize("packets", [1, 4, 8, 16])
@pytest.mark.parametrize("block", [(16, 4, 1), (8, 2, 1), (64, 1, 1), (1, 16, 1)])
def test_what_addresses_have_in_all_packets_is_computed_before(packets, block):
    height, width = 21, 75  # the last packets of rows are in part
    x = np.random.default_rng(4).integers(-9, 9, (height + 3, width + 4)).astype(np.float32)
    inner = lambda down, right: x[down : height + down, right : width + right]  # noqa: E731
    wanted = (inner(0, 0) - 2 * inner(0, 1) + inner(0, 2)) * 5 + inner(2, 0) - 3 * x[:height, ::-1][:, :width]
    wanted += (inner(1, 1) - inner(2, 0)) * 7
    for j in range(height):
        wanted[j] += sum((x[j + 1, k : width + k] for k in range(j % 3)), np.zeros(width, np.float32))
    device, z = WasmBackend(packets=packets, cache=False), np.zeros((height, width), np.float32)
    grid = [-(-size // lanes) for size, lanes in zip((width, height), block, strict=False)]
    config = hg.LaunchConfig(hg.GridDim(grid[0], grid[1], 1), hg.BlockDim(*block))
    ROWS.on(device)[config](x, z, 5, 4)
    np.testing.assert_array_equal(z, wanted)
    if packets == 4 and block[0] > 1:
        assert "v128.load offset=8 " in device.compile_to_wat(ROWS.program, block)


OWN = hg.kernel_from_source("""
def own(z: hg.Array[hg.u32], n: hg.u32):
    lane = hg.local_id()
    mine = hg.local(hg.u32, 8)
    mine[n] = hg.u32(lane) * hg.u32(3)
    hg.barrier()
    z[hg.global_id()] = mine[n] + mine[n + hg.u32(1)]
""")


@pytest.mark.parametrize("packets", [1, 4, 8, 16])
def test_local_memory_of_each_packet_is_elsewhere(packets):
    z = np.zeros(64, np.uint32)
    OWN.on(WasmBackend(packets=packets, cache=False))[64, 32](z, 2)
    assert (z == np.arange(64) % 32 * 3).all()


PRODUCT = tiles.kernel(tiles.Tile(4, 2))


@pytest.mark.parametrize("tile", tiles.TILES, ids=str)
def test_accesses_of_a_tile_are_proven(tile):
    """Loops go to `depth // 4`, with four steps in each round, or as many as there are."""
    function = _function(tiles.kernel(tile).program, (4, 4, 1))
    effects = [node for node in function.nodes() if access_of(node) is not None]
    conditions, proven = Bounds(function).prove(effects)
    assert proven == set(effects)
    assert len(conditions) <= MAX_CONDITIONS


@pytest.mark.parametrize(
    ("tile", "alone"),
    [(tiles.Tile(4, 2, 1, strips=True), 0), (tiles.Tile(5, 2, 2, strips=True), 2), (tiles.Tile(3, 2, 4), 0)],
    ids=str,
)
def test_four_floats_of_all_lanes_are_one_load_natively(tile, alone):
    """In the code without checks; so many of a round are loaded alone. V8 loads a float into all lanes by one
    instruction."""
    program, shape, loads = tiles.kernel(tile).program, (4, 1, 1), tile.rows * tile.steps
    device, pages = WasmBackend(packets=4, cache=False), WasmBackend(packets=4, cache=False)
    pages.splats = False
    assert device.compile_to_wat(program, shape).count("f32x4.splat") == loads + alone
    assert pages.compile_to_wat(program, shape).count("v128.load32_splat") == 2 * loads
    found, wanted = tiles.product(device, tile, 60, 24, 40)
    assert np.abs(found - wanted).max() < 1e-5


def test_the_last_of_four_floats_is_checked():
    kernel = hg.kernel_from_source(
        "def f(x: hg.Array[hg.f32], z: hg.Array[hg.f32], n: hg.u32):\n"
        "    lane = hg.global_id()\n"
        "    total = hg.f32(0)\n"
        "    for i in range(n):\n"
        "        for j in hg.static_range(4):\n"
        "            total += x[4 * i + j] * z[lane]\n"
        "    z[lane] = total\n"
    )
    device, z = WasmBackend(packets=4, cache=False), np.ones(8, np.float32)
    with pytest.raises(hg.ExecutionError, match=r"4 bytes at offset 28 \(index 7\) are outside buffer x"):
        kernel.on(device)[8](np.ones(7, np.float32), z, 2)
    z[:] = 1
    kernel.on(device)[8](np.arange(8, dtype=np.float32), z, 2)
    assert (z == 28).all()


@pytest.mark.parametrize("relaxed", [True, False])
def test_fast_products_are_fused_where_the_engine_has_it(relaxed):
    madd, sizes, results = b"\xfd\x85\x02", [], []
    for math in ("exact", "fast"):
        device = WasmBackend(packets=4, cache=False, math=math)
        device._relaxed = device._relaxed and relaxed
        code = device.compile_to_wasm(PRODUCT.program, (4, 4, 1))
        assert (madd in code) is (relaxed and math == "fast")
        sizes.append(code)
        results.append(tiles.product(device, tiles.Tile(4, 2), 32, 24, 40))
    assert (sizes[0] == sizes[1]) is not relaxed
    (exact, wanted), (fast, _) = results
    assert np.abs(exact - wanted).max() < 1e-5
    assert np.abs(fast - wanted).max() < 1e-5


ROUNDS = """
def rounds(x: hg.Array[hg.f32], z: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    lane = hg.local_id()
    row = hg.block_id() * 8
    least, first, second, last = hg.f32(9), hg.f32(0), hg.f32(1), hg.u32(0)
    for k in range({rounds}):
        a = hg.exp(hg.tanh(x[row * {rounds} + 8 * k + lane]))
        least = min(least, a)
        first, second = second, a + hg.tanh(first)
        last = hg.u32(3 * k)
        z[row * {rounds} + 8 * k + lane] = a + first
    y[row + lane] = least + first / second + hg.f32(last)
"""


@pytest.mark.parametrize("rounds", [8, 66, 67])
@pytest.mark.parametrize("packets", [1, 4, 8, 16])
def test_rounds_that_go_together(rounds, packets):
    program = hg.kernel_from_source(ROUNDS.format(rounds=rounds)).program
    function = _function(program, (8, 1, 1))
    stores = [sum(node.op == "store" for node in f.nodes()) for f in (function, with_rounds_together(function))]
    assert stores == [2, {8: 5, 66: 3, 67: 2}[rounds]]
    values = np.random.default_rng(1).normal(size=3 * 8 * rounds).astype(np.float32)
    for short in (0, 5):  # elements that are missing: which lane faults where is the same
        found: list[Any] = []
        for device in (reference(), WasmBackend(packets=packets, cache=False)):
            x, z, y = (device.allocate_buffer(size) for size in (values.nbytes, values.nbytes - 4 * short, 96))
            device.view(x)[:] = values.view(np.uint8)
            shapes = {"x.shape0": values.size, "z.shape0": values.size - short, "y.shape0": 24}
            names = {param.name for param in program.params}
            given = {"x": x, "z": z, "y": y} | {name: size for name, size in shapes.items() if name in names}
            params = hg.ExecutionParams(hg.LaunchConfig(hg.GridDim(3, 1, 1), hg.BlockDim(8, 1, 1)), given)
            if short:
                with pytest.raises(hg.ExecutionError) as caught:
                    device.execute_program_with_params(program, params)
                found.append((caught.value.lane, caught.value.instruction))
            else:
                device.execute_program_with_params(program, params)
                found.append((bytes(device.view(z)), bytes(device.view(y))))
        assert found[0] == found[1]


SHARES = """
def shares(x: hg.Array[hg.f32], z: hg.Array[hg.f32]):
    lane = hg.local_id()
    most, total = x[lane], hg.f32(0)
    for k in range(40):
        most = max(most, x[8 * k + lane])
        total += hg.exp(hg.tanh(x[8 * k + lane]))
    z[lane] = most / hg.f32(3)
    z[8 + lane] = most / hg.f32(1e-40)
    for k in range(40):
        z[8 * k + 16 + lane] = hg.exp(x[8 * k + lane]) / total
"""


@pytest.mark.parametrize("packets", [1, 4, 8])
def test_fast_divisions_are_products_with_reciprocals(packets):
    program = hg.kernel_from_source(SHARES).program
    x, results, divisions = np.random.default_rng(2).normal(size=320).astype(np.float32), [], []
    for math in ("exact", "fast"):
        device = WasmBackend(packets=packets, cache=False, math=math)
        assert device._relaxed
        given: dict[str, Any] = {"x": device.allocate_buffer(x.nbytes), "z": device.allocate_buffer(4 * 336)}
        device.view(given["x"])[:] = x.view(np.uint8)
        given |= {"x.shape0": 320, "z.shape0": 336}
        given = {name: value for name, value in given.items() if name in {param.name for param in program.params}}
        device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(8, 8), given))
        results.append(device.view(given["z"]).view(np.float32).copy())
        function = _function(program, (8, 1, 1))
        function = with_reciprocals(function) if math == "fast" else function
        divisions.append([node.args[0].is_const for node in function.nodes() if node.op == "div"])
    exact, fast = results
    assert np.isinf(exact[8:16]).any()
    assert list(map(sorted, divisions)) == [[False] * 3, [False, True]]  # of 1e-40 there is no reciprocal
    some = np.isfinite(exact)
    np.testing.assert_array_equal(np.isfinite(fast), some)
    np.testing.assert_allclose(fast[some], exact[some], rtol=2e-6)


EXPS = """
def exps(x: hg.Array[hg.f32], z: hg.Array[hg.f32]):
    lane = hg.local_id()
    part = hg.shared(hg.f32, 16)
    total = hg.f32(0)
    for k in range(50):
        total = total + hg.exp(x[16 * k + lane])
    part[lane] = total
    hg.barrier()
    for k in range(50):
        z[16 * k + lane] = x[16 * k + lane] / part[15 - lane]
"""


def test_between_barriers_loops_that_call_functions_are_in_packets_of_eight_and_those_that_read_of_sixteen():
    alone = EXPS.replace("hg.exp(x[16 * k + lane])", "hg.exp(hg.f32(16 * k + lane))")
    many = EXPS.replace("hg.exp", "abs").replace("range(50)", "range(len(x) // 16)")  # else there is no loop left
    texts = (EXPS, many, alone, alone.replace("hg.exp", "abs"))
    program, *others = (hg.kernel_from_source(text).program for text in texts)
    assert [form_of(_function(program, (lanes, 1, 1))).width for lanes in (4, 8, 16)] == [4, 8, 16]
    assert [form_of(_function(other, (16, 1, 1))).width for other in others] == [16, 8, 4]
    x, found = np.random.default_rng(3).normal(size=800).astype(np.float32), []
    devices: list[Any] = [reference(), *(WasmBackend(packets=w, cache=False) for w in (None, 1, 4, 8, 16))]
    for device in devices:
        given = {name: device.allocate_buffer(x.nbytes) for name in "xz"}
        device.view(given["x"])[:] = x.view(np.uint8)
        sizes = {param.name: 800 for param in program.params if "." in param.name}
        device.execute_program_with_params(program, hg.ExecutionParams(hg.LaunchConfig.linear(16, 16), given | sizes))
        found.append(bytes(device.view(given["z"])))
    assert found == found[:1] * 6


SHIFTS = hg.kernel_from_source("""
def shifts(x: hg.Array[hg.u16], z: hg.Array[hg.u32, 2], n: hg.u32):
    i = hg.global_id(0)
    value = hg.u32(x[i])
    z[0, i] = value >> 8
    z[1, i] = value >> 16
    z[2, i] = value >> 20
    z[3, i] = value >> n
    z[4, i] = (value >> 15) << 31
    z[5, i] = (value & 3) << n
""")


@pytest.mark.parametrize("packets", [1, 4, 8, 16])
def test_values_of_few_bits_are_shifted_by_more(packets):
    """The fuzzer found `u32(x[i]) >> 20` shifted by 4 in vectors of 16 bits a lane."""
    device, lanes = WasmBackend(packets=packets, cache=False), 48
    numbers = np.random.default_rng(3).integers(0, 1 << 16, lanes).astype(np.uint16)
    x, z = device.allocate_buffer(2 * lanes), device.allocate_buffer(4 * 6 * lanes)
    device.view(x)[:] = numbers.view(np.uint8)
    value = numbers.astype(np.uint64)
    for n in (0, 5, 15, 16, 17, 21, 31):
        given = {"x": x, "z": z, "n": n, "x.shape0": lanes, "z.shape0": 6, "z.shape1": lanes}
        arguments = {param.name: given[param.name] for param in SHIFTS.program.params}
        config = hg.LaunchConfig.linear(lanes, 16)
        device.execute_program_with_params(SHIFTS.program, hg.ExecutionParams(config, arguments))
        found = np.frombuffer(bytes(device.view(z)), np.uint32).reshape(6, lanes)
        rows = [value >> 8, value >> 16, value >> 20, value >> n, (value >> 15) << 31, (value & 3) << n]
        assert np.array_equal(found, np.array(rows).astype(np.uint32)), n


def test_lanes_of_different_rounds_meet_in_packets():
    """Which nobody chooses for them: `python -m tests.widths` has all filetests."""
    assert differences(("wasm4", "wasm16"), cases("mixed_")) == (9, [])
