"""The fuzzer of Python kernels: its oracle, what its kernels are like, and the seeded bugs that they show."""

from __future__ import annotations

import ast
import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest

from hologram_web.backends.webgpu import WebGpuBackend
from hologram_web.isa import Type

from .fuzz.case import execute
from .fuzz.devices import Failure, Opponent, open_devices, reference
from .fuzz.mutant import Mutant, sound_device
from .fuzz.python_kernels import numbers
from .fuzz.python_kernels.case import Array, KernelCase, expected, launch_of
from .fuzz.python_kernels.check import check_kernel
from .fuzz.python_kernels.compounds import Complex
from .fuzz.python_kernels.generator import generate
from .fuzz.python_kernels.mutants import SEEDED, shows
from .fuzz.python_kernels.namespace import _philox
from .fuzz.python_kernels.numbers import TYPES, Num, OracleError
from .fuzz.python_kernels.shrink import smallest_kernel
from .fuzz.runner import run_seeds


@pytest.mark.parametrize("start", range(0, 40, 10))
def test_devices_do_what_python_does(start):
    jobs = [("python", seed) for seed in range(start, start + 10)] + [("python-gpu", start)]
    assert run_seeds(jobs, open_devices(["wasm", "cpu"])) == ([], {})


def test_the_optimizer_and_files_do_what_python_does():
    assert run_seeds([("python", seed) for seed in range(40, 50)], open_devices(["optimized", "file"])) == ([], {})


def test_lanes_of_a_block_do_together_what_python_does():
    jobs = [("python-blocks", seed) for seed in range(8)] + [("python-blocks-gpu", 0)]
    assert run_seeds(jobs, open_devices(["wasm", "file"])) == ([], {})


def test_lanes_that_share_rows_do_what_python_does():
    """And a loop whose whole rounds are done twice is seen."""
    opponents = [Opponent("wasm", sound_device("wasm"))]
    assert run_seeds([("python-rows", seed) for seed in range(1, 5)], opponents) == ([], {})
    twice = 'put("mul", ty, whole, number(step))', "number(0)"
    with Mutant("", "compiler.whole_rounds:_write", *twice, "wasm").applied():
        failures, _ = run_seeds([("python-rows", 1)], [Opponent("wasm", sound_device("wasm"))])
    assert [failure.kind for failure in failures] == ["differs"]


def test_values_with_parts_are_what_python_says():
    jobs = [("python-parts", seed) for seed in range(12)] + [("python-parts-gpu", seed) for seed in range(2)]
    assert run_seeds(jobs, open_devices(["wasm", "optimized", "file"])) == ([], {})


def test_kernels_with_many_ways_to_leave_are_no_megabytes():
    """As packets of lanes they were, so that readers of artifacts refused them."""
    assert run_seeds([("python", seed) for seed in (408235, 408887)], open_devices(["file"])) == ([], {})


def test_shaders_that_may_be_rewritten_do_what_python_does():
    """Under math="fast", where a sum once lost its parentheses: then a kernel differs."""
    assert run_seeds([("python-fast", seed) for seed in range(3)], open_devices(["webgpu", "file-webgpu"])) == ([], {})
    lost = Mutant("", "targets.wgsl.floats:Floats.compute", 'return bare and f"({bare})"', "return bare", "wgsl")
    with lost.applied():
        WebGpuBackend.forget_kernels()
        failures, _ = run_seeds([("python-fast", 1)], open_devices(["webgpu"]))
    WebGpuBackend.forget_kernels()
    assert [failure.kind for failure in failures] == ["differs"]


def test_kernels_have_everything():
    """Of 150 kernels, how many have each construct."""
    texts = [generate(seed).text for seed in range(150)]
    words = (
        "elif ", "else:", "while ", "break", "continue", "return\n", "-> hg.", " and ", " or ", "not ", " in (", " if ",
        "//", " % ", " ** ", "<<", ">>", " & ", " | ", " ^ ", "~", "min(", "max(", "abs(", "round(", "hg.select(",
        "hg.popcount(", "hg.clz(", "hg.rotl(", "hg.bitcast(", "hg.shared(", "hg.local(", "hg.barrier()", "hg.fma(",
        "hg.atomic_add(", "hg.atomic_cas(D, i", ", 2]", "hg.i128", "hg.bf16", "hg.f16", "hg.u8", "hg.i8", "range(hg.",
        ", -2)", "= v", "hg.global_id(1)", "len(T", "len(m", ".shape[",
    )  # fmt: skip
    counts = {word: sum(word in text for text in texts) for word in words}
    assert {word: count for word, count in counts.items() if count < 3} == {}


def test_kernels_have_all_of_the_second_part():
    """Of 120 kernels of the profile `python-parts`, how many have each construct."""
    texts = [generate(seed, "python-parts").text for seed in range(120)]
    words = (
        "hg.vec2(", "hg.vec3[", "hg.vec4(", ".load(", ".store(", "hg.dot(", "hg.cross(", "hg.registers(", "hg.conj(",
        "hg.static_range(", "hg.complex64(", "hg.complex128(", "2j", "(NamedTuple):", "@dataclass", "frozen=True",
        "hg.Array[P", "hg.Array[bool", "hg.Array[hg.vec", "hg.Array[hg.complex", ", 8]", ", :]", "[:, ", "K0: ",
        "hg.random(", "hg.random_integers(", "hg.random_uniform(", "Constant[int]", "Constant[bool]", "Constant[str]",
        "Constant[float]", "Constant[type]", "Constant[tuple]", "Constant[Callable]", "lambda x", "*more", "sum(e",
        "divmod(", "enumerate(", "zip(", "reversed(", "for e", " == q", " != q", "        break\n    else:",
    )  # fmt: skip
    counts = {word: sum(word in text for text in texts) for word in words}
    assert {word: count for word, count in counts.items() if count < 2} == {}


def test_a_seed_gives_the_same_kernel_in_every_process():
    words = [sys.executable, "-c", "from tests.fuzz.python_kernels.generator import generate; print(generate(7))"]
    found = subprocess.run(words, capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "7"})
    assert found.stdout == f"{generate(7)}\n"


# The oracle by itself


def _lane(body: str, arrays: dict[str, tuple[str, list[int]]]) -> list[int]:
    """What the lines leave in y: its bits."""
    parameters = ", ".join(f"{name}: hg.Array[hg.{ty}]" for name, (ty, _) in arrays.items())
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    given = tuple(Array(name, ty, (len(bits),), tuple(bits)) for name, (ty, bits) in arrays.items())
    case = KernelCase(f"def k({parameters}):\n{lines}", (1,), (1,), given)
    ours = expected(case)
    assert execute(reference(), launch_of(case)).memories == ours.memories
    size = TYPES[arrays["y"][0]].bits // 8
    left = ours.memories[list(arrays).index("y")]
    return [int.from_bytes(left[at : at + size], "little") for at in range(0, len(left), size)]


@pytest.mark.parametrize(
    ("body", "expected_bits"),
    [
        ("y[0] = x[0] + x[1]", 44),
        ("y[0] = x[0] + 100 - 300 * (x[1] > 7)", 0),
        ("y[0] = hg.i8(x[0]) >> 9", 0xFFFFFFE4),
        ("y[0] = -7 // hg.i32(x[2]) * 10 + -7 % hg.i32(x[2])", (-4 * 10 + 1) % 2**32),
        ("v: hg.u8 = 7\nv = x[0] * hg.i32(3)\ny[0] = v", 88),
        ("v = x[0]\nv = hg.i32(1000)\nv = x[0]\ny[0] = v + 100", 300),
        ("y[0] = (1 if x[0] > 7 else hg.i32(5)) - 2", 0xFFFFFFFF),
        ("n = 0\nfor j in range(5, -4, -3):\n    n = n * 10 + j\ny[0] = n", 519),
        ("y[0] = 1 if x[0] < x[1] < x[0] / 0 or not x[2] == 2 else 2", 2),
    ],
)
def test_the_oracle_knows_the_rules(body, expected_bits):
    assert _lane(body, {"x": ("u8", [200, 100, 2]), "y": ("i32", [0])}) == [expected_bits]


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_numbers_are_rounded_as_types_are(name):
    ty, own = TYPES[name], Type.named(name)
    for value in (
        0.1,
        1 / 3,
        65519.99,
        65520.0,
        3e38,
        3.4e38,
        3.5e38,
        1e-45,
        7e-46,
        1.00390625,
        1e308,
        -2.5e-8,
        5e-324,
    ):
        bits = numbers.bits_of(ty, numbers.rounded(ty, value))
        assert bits == own.encode(value)
        assert numbers.bits_of(ty, numbers.rounded(ty, Fraction(value))) == bits
    assert math.isinf(numbers.rounded(ty, 2**2000))


def test_floats_are_divided_as_python_does():
    """The oracle had infinity for inf // 7.25, where Python and the devices have NaN (seed 3573)."""
    values = (math.inf, -math.inf, math.nan, 0.0, -0.0, 7.25, -7.25, 1e300, 0.1)
    for a, b in ((a, b) for a in values for b in values if b):
        x, y = (Num(TYPES["f64"], value) for value in (a, b))
        assert repr(((x // y).v, (x % y).v)) == repr((a // b, a % b)), (a, b)


def test_the_oracle_refuses_what_it_cannot_speak_about():
    byte = Num(TYPES["u8"], 1)
    for compute in (lambda: byte + 300, lambda: byte // 0, lambda: Num(TYPES["f32"], 1.0) << 1):
        with pytest.raises(OracleError):
            compute()


def test_both_comparisons_of_a_chain_run():
    """A known one rules out its branch, whose assignments then have no part in types (seed 406081)."""
    found = 0
    for seed in range(60):
        for node in ast.walk(ast.parse(generate(seed).text)):
            if isinstance(node, ast.Compare) and len(node.ops) == 2:
                parts = list(ast.walk(node.comparators[0]))
                names = {part.id for part in parts if isinstance(part, ast.Name)} - {"hg"}
                ids = {part.attr for part in parts if isinstance(part, ast.Attribute)} & {"local_id", "global_id"}
                assert names or ids, ast.unparse(node)
                found += 1
    assert found > 20


def test_the_oracle_knows_random_numbers():
    """Known answers of Random123."""
    zeros, ones = _philox(0, 0, 0), _philox(2**64 - 1, 2**64 - 1, 2**64 - 1)
    assert [f"{word:08x}" for word in zeros] == ["6627e8d5", "e169c58d", "bc57ac4c", "9b00dbd8"]
    assert [f"{word:08x}" for word in ones] == ["408f276d", "41c83b0e", "a20bc7c6", "6d5451fd"]


def test_the_oracle_knows_complex_numbers():
    ty = TYPES["f64"]
    numbers = [complex(*pair) for pair in ((3, -2), (0.1, 7), (-1e200, 1e-3), (0, 0.5))]
    for a, b in ((a, b) for a in numbers for b in numbers):
        x, y = (Complex(Num(ty, n.real), Num(ty, n.imag)) for n in (a, b))
        for ours, theirs in ((x * y, a * b), (x - y, a - b), (x / y, np.complex128(a) / np.complex128(b))):
            assert (ours.real.v, ours.imag.v) == pytest.approx((theirs.real, theirs.imag), rel=1e-15, abs=0)


# Seeded bugs


@pytest.mark.parametrize("seeded", SEEDED, ids=[seeded.mutant.name for seeded in SEEDED])
def test_seeded_bugs_are_found(seeded):
    assert shows(seeded.mutant, seeded.seed, seeded.profile)


def test_a_kernel_that_shows_a_bug_is_made_small(tmp_path):
    seeded = next(one for one in SEEDED if one.mutant.name == "the other side of a conditional")
    with seeded.mutant.applied():
        _, _, failures, _ = check_kernel("python", seeded.seed, reference(), [])
        assert [(failure.device, failure.kind) for failure in failures] == [("cpu", "differs")]
        path, case = smallest_kernel(failures[0], Opponent("cpu", reference()), tmp_path, 120.0)
    text = path.read_text(encoding="utf-8")
    assert text.startswith(f"# {Failure(seeded.seed, 'python', 'cpu', 'differs', failures[0].detail)}")
    assert len(text) < len(str(generate(seeded.seed))) / 2
    assert " if " in text
    assert len(case.program) < 60
