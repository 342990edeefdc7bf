"""How long kernels on wasm go on between two looks at whether they are to end: whoever ends a launch waits so long.

Half a second is promised. What is measured is processor time of the thread that runs them, which other work on the
machine does not add to; so a loop, or a long straight part, without a look fails here however busy the machine is, and
none does because it is. `python -m bench.ends` tells what callers wait by the wall's clock, in pages, too.
"""

# mypy: ignore-errors

from __future__ import annotations

import time
from textwrap import dedent, indent

import pytest

import hologram_web as hg
from hologram_web.backends.wasm import WasmBackend
from hologram_web.backends.wasm import poll as polls
from hologram_web.targets.wasm.polls import FIRST_TICKS

from .interrupting import LOOPS

MOST = 0.1  # seconds between two looks; FIRST_TICKS are a millisecond, MOST_TICKS, which lanes may take, four
ENOUGH = 0.4  # seconds after which a launch is ended
MANY = 1 << 20

KERNELS = {
    "packets": "k = hg.u32(0)\nwhile k < n:\n    t = t * hg.u32(5) + hg.u32(i)\n    k += 1",
    "parted": """
        k = hg.u32(i & 7)
        while k < n:
            if (t ^ k) & 1 == 1:
                t += k * hg.u32(3)
            k += hg.u32(i & 3) + 1""",
    "functions": """
        v = hg.f32(i)
        for k in range(n):
            v = hg.sin(v) + hg.exp(-v * v)
        t = hg.u32(v > 0)""",
    "gathers": """
        k = hg.u32(0)
        while k < n:
            t += y[(t * hg.u32(2654435761) + k) % hg.u32(len(y))]
            k += 1""",
    "atomics": """
        k = hg.u32(0)
        while k < n:
            t += hg.atomic_add(y, t & 1023, 1)
            k += 1""",
    "barriers": """
        s = hg.shared(hg.u32, 256)
        for k in range(n):
            s[hg.local_id()] = t
            hg.barrier()
            t += s[(hg.local_id() + 1) & 255]
            hg.barrier()""",
    "loops in loops": """
        for a in range(n):
            for b in range(2):
                for c in range(2):
                    t = t * hg.u32(5) + hg.u32(c)""",
    "long numbers": """
        w = hg.u1024(i) + 3
        for k in range(n):
            w = ~w // (w * w + hg.u1024(k))
        t = hg.u32(w & 1)""",
}
PARAMS = """
.param c: buffer f32 read_write
.param a: buffer f32 read
.param b: buffer f32 read
.param p: buffer i32 read
"""
OPERATIONS = {
    "gemm": "gemm.f32 [c], [a], [b], 1024, 1024, 1024",
    "gemm, a lane for each element": "gemm.u64 [c], [a], [b], 512, 512, 700",
    "a matrix by a vector": "gemm.f32 [c], [a], [b], 1024, 1, 1024",
    "tensor_contract": "tensor_contract.f32 [c], [a], [b], (16, 64, 1024), (1024, 64, 16), (2:0, 1:1)",
    "conv2d": "conv2d.f32 [c], [a], [b], 4, 32, 32, 80, 80, 3, 3, padding=(1, 1, 1, 1)",
    "conv2d, depthwise": "conv2d.f32 [c], [a], [b], 8, 32, 32, 64, 64, 5, 5, groups=32",
    "attention": "attention.f32 [c], [a], [b], [a], 1, 4, 1024, 1024, 64",
    "fft, a prime": "fft.f32 [c], [a], 100003",
    "sort": f"sort.f32 [c], [a], 1, {MANY}",
    "cum_sum": f"cum_sum.f32 [c], [a], 1, {MANY}",
    "transpose": "transpose.f32 [c], [a], (1024, 1024), (1, 0)",
    "softmax": f"softmax.f32 [c], [a], 1, {MANY}",
    "parallel_map": f"parallel_map.erf.f32 [c], [a], {MANY}",
    "parallel_reduce": f"parallel_reduce.add.f32 [c], [a], {MANY}",
    "scatter": f"scatter.f32 [c], [a], [p], 1, {MANY}, 1, {MANY}, accumulate=true",
}


class Looks:
    """Seconds of the thread between looks. Each gives a kernel as many ticks as it begins with, and ends a launch that
    has taken ENOUGH."""

    def __init__(self) -> None:
        self.found, self.last = [], 0.0

    def begin(self) -> None:
        self.last = time.thread_time()

    def note(self) -> int:
        now = time.thread_time()
        self.found.append(now - self.last)
        self.last = now
        return polls.CANCELLED if sum(self.found) > ENOUGH else -FIRST_TICKS


@pytest.fixture
def looks(monkeypatch):
    found, start = Looks(), polls.Poll.start

    def started(self, *about):
        found.begin()
        return start(self, *about)

    monkeypatch.setattr(polls.Poll, "start", started)
    monkeypatch.setattr(polls.Poll, "_look", lambda self: found.note())
    return found


def longest(looks, device, program, config, **values):
    """The most seconds between looks of a launch, or from one to its end; and how many looks there were."""
    arguments = {param.name: values[param.name] for param in program.params}
    try:
        device.execute_program_with_params(program, hg.ExecutionParams(config, arguments))
    except hg.ExecutionError as error:
        if error.kind != "Cancelled":
            raise
    looks.note()
    return max(looks.found), len(looks.found)


@pytest.fixture(scope="module", params=[None, 1], ids=["chosen", "scalar"])
def device(request):
    with WasmBackend(threads=1, packets=request.param, limits=hg.Limits(steps=1 << 60, seconds=None)) as found:
        yield found


@pytest.mark.parametrize("name", KERNELS)
def test_kernels(looks, device, name):
    text = "def k(y: hg.Array[hg.u32], n: hg.i32):\n    i = hg.global_id()\n    t = hg.u32(i)\n"
    text += indent(dedent(KERNELS[name]), "    ") + "\n    y[i & 1023] = t\n"
    program = hg.kernel_from_source(text.replace("k < n", "k < hg.u32(n)")).program
    y = device.allocate_buffer(4 * MANY)
    config = hg.LaunchConfig.linear(1 << 16, 256)
    most, count = longest(looks, device, program, config, y=y, n=2_000_000_000, **{"y.shape0": MANY})
    device.free_buffer(y)
    assert count > 5
    assert most < MOST


@pytest.mark.parametrize("name", LOOPS)
def test_loops(looks, device, name):
    x = device.allocate_buffer(64)
    most, count = longest(looks, device, hg.Program.from_text(LOOPS[name]), hg.LaunchConfig.linear(12, 4), x=x)
    device.free_buffer(x)
    assert count > 5
    assert most < MOST


def test_many_lanes(looks, device):
    """Without a loop."""
    y = device.allocate_buffer(4 * MANY)
    program = hg.Program.from_text(".param x: buffer u32 read_write\n    stg.u32 [x], r252\n")
    most, count = longest(looks, device, program, hg.LaunchConfig.linear((1 << 31) - 256, 256), x=y)
    device.free_buffer(y)
    assert count > 5
    assert most < MOST


@pytest.mark.parametrize("name", OPERATIONS)
def test_operations(looks, name):
    """Of the tensor library, whole: of a chain of launches each begins anew."""
    with WasmBackend(threads=1) as device:
        buffers = {each: device.allocate_buffer(1 << 24) for each in "cabp"}
        program = hg.Program.from_text(f"{PARAMS}    {OPERATIONS[name]}")
        most, _ = longest(looks, device, program, hg.LaunchConfig.linear(1), **buffers)
    assert most < MOST
