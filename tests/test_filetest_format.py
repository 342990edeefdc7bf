"""The filetests themselves: what is wrong in one is told with file and line, and what fails is told in numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hologram_web import ExecutionError
from hologram_web.backends import BlockDim, CpuBackend, GridDim, LaunchConfig, Limits
from hologram_web.compiler.passes import PASSES
from hologram_web.compiler.passes.fold import RULES
from hologram_web.isa import Address, BufferHandle, Immediate, Instruction, Param, Program, Type, r
from hologram_web.isa.lift import lift
from hologram_web_tools.lane_listing import COUNTED

from .filetest import Case, Fault, FileTestError, Launch, Raises, format_filetest, parse
from .filetest_run import check, check_compiled, check_problems
from .filetest_values import ANYTHING, ELEMENTS, Alias, Permutation, difference

COPY = """\
.param x: buffer f32 read
.param y: buffer f32 write
.param n: u32
    ldg.f32 r10, [x + r255*4]
    stg.f32 [y + r255*4], r10
"""


def _case(text):
    cases = list(parse(text, "some.atlas").cases())
    assert len(cases) == 1
    return cases[0]


def _run(line, program=COPY, head=""):
    case = _case(f"{head}{program}; run: {line}\n")
    check(case.launch("cpu"), CpuBackend())


GOOD = "f(2, x=[1, 2], y=zeros(2), n=3)"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("; nothing\n", "some.atlas:1: nothing is tested: there is no `; run:` and no `; error:` line"),
        (
            "; prose\n; runs: f(1) == 1\n",
            "some.atlas:2: unknown directive 'runs': "
            "there are types, from, devices, limits, passes, ir, lanes, let, run, error",
        ),
        (
            "; run: f(1) \\\nadd\n",
            "some.atlas:1: a backslash at the end, and the next line is no comment",
        ),
        ("; run: f(1) \\", "some.atlas:1: a backslash at the end, and the next line is no comment"),
        (
            "; types: i8 i9\n; run: f(1) == 1\n",
            "some.atlas:1: unknown word 'i9' in 'types': there are f16, bf16, f32, f64, i8, i16, i32, i64, i128, i256, "
            "i512, i1024, i2048, i4096, u8, u16, u32, u64, u128, u256, u512, u1024, u2048, u4096",
        ),
        ("\n    add.f99 r1, r2, r3\n; run: f(1) == 1\n", "some.atlas:2: line 2, column 5: unknown type 'f99'"),
        (
            COPY + "; run: f(1, x=[1])\n",
            "some.atlas:6: write `f(lanes, name=value, ...) == value`, `... faults Kind(...)` or `... raises "
            "Error(...)`",
        ),
        (COPY + "; run: f(1, x=[1) == 3\n", "some.atlas:6: write `f(lanes, name=value, ...) == value`"),
        (
            COPY + "; run: f(x=[1]) == 3\n",
            "some.atlas:6: f takes one number of lanes or LaunchConfig, and a keyword for each parameter",
        ),
        (
            COPY + "; run: f('a', x=[1]) == 3\n",
            "some.atlas:6: the first argument of f is a number of lanes or a LaunchConfig, not 'a'",
        ),
        (
            COPY + "; run: f(-1, x=[1]) == 3\n",
            "some.atlas:6: the first argument of f is a number of lanes or a LaunchConfig, not -1",
        ),
        (
            COPY + "; run: f(1, z=[1]) == 3\n",
            "some.atlas:6: unknown parameter 'z': there are x: buffer f32 read, y: buffer f32 write, n: u32",
        ),
        (COPY + "; run: f(1, x=[1], y=[2]) == 3\n", "some.atlas:6: parameter 'n' is missing: there are x: buffer f32"),
        (
            COPY + "; run: f(1, x=[1], y=[2], n=0.5) == 3\n",
            "some.atlas:6: the argument n: 0.5 is no integer, and u32 is an integer type: convert it first",
        ),
        (COPY + "; run: f(1, x=[1], y=[2], n=-1) == 3\n", "some.atlas:6: the argument n: -1 does not fit u32"),
        (COPY + "; run: f(1, x=[1], y=alias('z'), n=1) == 3\n", "some.atlas:6: the argument y: 'z'"),
        (COPY + "; run: f(1, x=nothing, y=[2]) == 3\n", "some.atlas:6: NameError: name 'nothing' is not defined"),
        (COPY + "; run: f(1, x=1/0, y=[2]) == 3\n", "some.atlas:6: ZeroDivisionError: division by zero, in: 1 / 0"),
        (COPY + "; let: a = b\n; run: f(1) == 3\n", "some.atlas:6: NameError: name 'b' is not defined, in: a = b"),
        (COPY + f"; run: {GOOD} == [1\n", "some.atlas:6: cannot read '[1'"),
        (COPY + f"; run: {GOOD} == z\n", "some.atlas:6: NameError: name 'z' is not defined, in: z"),
        (COPY + f"; run: {GOOD} == {{z: 1}}\n", "some.atlas:6: 'z' is no buffer and no pool: there are x: buffer f32"),
        (COPY + f"; run: {GOOD} == {{n: 1}}\n", "some.atlas:6: 'n' is no buffer and no pool: there are x: buffer f32"),
        (
            COPY + f"; run: {GOOD} == ['a']\n",
            "some.atlas:6: the expected value of y: bad operand type for abs(): 'str'",
        ),
        (COPY + f"; run: {GOOD} faults Outside\n", "some.atlas:6: unknown error 'Outside' after faults: there are Out"),
        (COPY + f"; run: {GOOD} raises Outside\n", "some.atlas:6: unknown error 'Outside' after raises: there are All"),
        (
            ".param x: pool\n.param y: pool\n; run: f(1, x=b'', y=b'') == b''\n",
            "some.atlas:3: the program can write 2 parameters: expect {name: value}",
        ),
        (
            COPY + f"; limits: steps 5\n; run: {GOOD} == x\n",
            "some.atlas:7: cannot read the limits 'steps 5': write steps=100, seconds=1.5",
        ),
        (
            COPY + f"; passes: licm > 0\n; run: {GOOD} == x\n",
            "some.atlas:6: cannot read 'licm > 0': write `fold >= 1, ",
        ),
        (
            COPY + f"; passes: lcm == 0\n; run: {GOOD} == x\n",
            "some.atlas:6: unknown word 'lcm' in 'passes': there are fold, bra",
        ),
        (COPY + f"; limits: step=5\n; run: {GOOD} == x\n", "some.atlas:7: TypeError: Limits.__init__() got an unex"),
    ],
)
def test_a_wrong_filetest_is_told_with_its_line(text, message):
    def read():
        test = parse(text, "some.atlas")
        test.counters([*PASSES, *RULES])
        test.counters(COUNTED, "lanes")
        for case in test.cases():
            case.launch("cpu")

    with pytest.raises(FileTestError) as caught:
        read()
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (f"{GOOD} == [1, 3]", "y: 1 of 2 elements are wrong:\n  [1] is 2.0 (0x40000000), expected 3.0 (0x40400000)"),
        (f"{GOOD} == [1]", "y: 1 elements are expected, there are 2"),
        (f"{GOOD} == [1, nan]", "y: 1 of 2 elements are wrong:\n  [1] is 2.0 (0x40000000), expected nan (0x7fc00000)"),
        (
            "f(1, x=[-0.0], y=[1], n=1) == [0.0]",
            "y: 1 of 1 elements are wrong:\n  [0] is -0.0 (0x80000000), expected 0.0 (0x0)",
        ),
        (
            "f(12, x=arange(12), y=zeros(12), n=3) == ones(12)",
            "y: 11 of 12 elements are wrong:\n  [0] is 0.0 (0x0), expected 1.0 (0x3f800000)\n"
            "  [2] is 2.0 (0x40000000), expected 1.0 (0x3f800000)\n",
        ),
        (f"{GOOD} == permutation([2, 2])", "y: 1 of 2 elements are wrong:\n  [0] is 1.0 (0x3f800000), expected 2.0"),
        (f"{GOOD} == bytes(8)", "y: 3 of 8 elements are wrong:\n  [2] is 128, expected 0"),
        (f"{GOOD} == {{}}", "y was changed, and nothing is expected of it"),
        (f"{GOOD} == {{x: [1, 3], y: [1, 2]}}", "x: 1 of 2 elements are wrong:"),
        (f"{GOOD} faults StepLimit", "the fault StepLimit is expected, not None"),
        (f"{GOOD} raises LaunchError", "LaunchError is expected, not None"),
        (
            "f(3, x=[1, 2], y=zeros(2), n=3) faults OutOfBounds(lane=1)",
            "{'lane': 1} is expected, not {'lane': 2}: OutOfBounds at instruction 0, lane 2: 4 bytes at offset 8",
        ),
        ("f(3, x=[1, 2], y=zeros(2), n=3) faults StepLimit", "the fault StepLimit is expected, not ExecutionError("),
        ("f(3, x=[1, 2], y=zeros(2), n=3) raises LaunchError", "LaunchError is expected, not ExecutionError("),
        (
            "f(3, x=[1, 2], y=zeros(2), n=3) raises ExecutionError('x')",
            "the text is another one: OutOfBounds at instruction 0, lane 2",
        ),
        ("f(1, x=[1.25], y=[1], n=3) == f32.bits(f32.pattern([1.25]) + 3) within 2 ulp", "y: 1 of 1 elements are"),
        ("f(1, x=[1.25], y=[1], n=3) == f32.bits(f32.pattern([1.25]) + 1) within 2 ulp on webgpu", "y: 1 of 1"),
        ("f(1, x=[1.25], y=[1], n=3) == [nan] within 99999999 ulp", "y: 1 of 1 elements are wrong:"),
    ],
)
def test_a_wrong_result_is_told(line, message):
    with pytest.raises(AssertionError) as caught:
        _run(line)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "line",
    [
        f"{GOOD} == x",
        f"{GOOD} == {{y: x, x: [1, 2]}}",
        f"{GOOD} == anything",
        f"{GOOD} == permutation([2, 1])",
        f"{GOOD} == x.tobytes()",
        "f(2, x=[nan, -nan], y=zeros(2), n=1) == f32.bits([0x7FC00000, 0xFF800001])",
        "f(2, x=[5, 5], y=zeros(2), n=1) == 5.0",
        "f(1, x=[1.25], y=[1], n=3) == f32.bits(f32.pattern([1.25]) + 2) within 2 ulp",
        "f(1, x=[1.25], y=[1], n=3) == f32.bits(f32.pattern([1.25]) - 2) within 2 ulp on webgpu cpu",
        "f(1, x=f32.bits([0x80000001]), y=[1], n=3) == f32.bits([1]) within 2 ulp",
        "f(3, x=[1, 2], y=zeros(3), n=1) faults OutOfBounds",
        "f(3, x=[1, 2], y=zeros(3), n=1) raises ExecutionError",
        "f((3), x=(1, 2), y=alias('x'), n=1) faults OutOfBounds(buffer='buffer x', detail='4 bytes at offset 8 "
        "(index 2) are outside buffer x, which has 8 bytes (2 elements): check the index against the length, "
        "in ldg.f32 r10, [x + r255*4]')",
    ],
)
def test_a_right_result_passes(line):
    _run(line)


def test_an_unexpected_fault_goes_through():
    with pytest.raises(ExecutionError):
        _run("f(3, x=[1, 2], y=zeros(3), n=3) == x")


def test_types_are_filled_in_everywhere():
    text = """; types: i8 f64
; from: u16
; let: size = $size
.param x: buffer $from read
.param $tyx: buffer u$bits write
    cvt.$ty.$from r10, r11                   ; $from_size $from_bits $device
; run: f(1, x=[$from_bits]) == [size + $bits]
; error: some $ty
"""
    cases = list(parse(text, "folder/some.atlas").cases())
    assert [case.id for case in cases] == [
        "folder/some.atlas:i8:u16:8",
        "folder/some.atlas:i8:u16:7",
        "folder/some.atlas:f64:u16:8",
        "folder/some.atlas:f64:u16:7",
    ]
    assert (
        cases[3].fill(cases[3].test.text)
        == """; types: i8 f64
; from: u16
; let: size = 8
.param x: buffer u16 read
.param $tyx: buffer u64 write
    cvt.f64.u16 r10, r11                   ; 2 16 $device
; run: f(1, x=[16]) == [size + 64]
; error: some f64
"""
    )


def test_without_types_nothing_is_filled_in():
    case = _case(".param $ty: buffer f32 write\n; run: f(1, **{'$ty': [1]}) == {'$ty': [1]}\n")
    assert case.id == "some.atlas:2"
    check(case.launch(), CpuBackend())


@pytest.mark.parametrize(
    ("line", "devices"),
    [
        ("", ["cpu", "wasm", "webgpu"]),
        ("; devices: all\n", ["cpu", "wasm", "webgpu"]),
        ("; devices: cpu wasm\n", ["cpu", "wasm"]),
        ("; devices: all but webgpu wasm\n", ["cpu"]),
    ],
)
def test_devices(line, devices):
    test = parse(line + "; run: f(1) == 1\n", "some.atlas")
    assert [name for name in ("cpu", "wasm", "webgpu") if test.runs_on(name)] == devices


def test_limits_hold_while_the_program_runs():
    backend = CpuBackend(limits=Limits(seconds=5))
    case = _case("; limits: steps=3, seconds=9.5\nagain:\n    bra again\n; run: f(1) faults StepLimit\n")
    launch = case.launch()
    assert launch.limits == Limits(3, 9.5)
    check(launch, backend)
    assert backend.limits == Limits(seconds=5)


def test_the_name_of_the_device_is_filled_in():
    case = _case("    exp.f32 r10, r11\n; run: f(1) raises LaunchError('on $device')\n")
    assert case.launch("wasm").expected == Raises("LaunchError", "on wasm")


def test_problems_are_compared_as_a_whole():
    text = "    ret\n    ret\n; error: instruction 0 (ret): RET outside a function: end the lane with EXIT\n"
    check_problems(_case(text))
    with pytest.raises(AssertionError, match="the problems of the program are other ones:\n  none"):
        check_problems(_case("    exit\n; error: instruction 0 (exit): something\n"))


def test_passes_are_counted():
    text = COPY + "; passes: fold == 2, dce >= {}\n; run: f(3, x=[1, 2], y=zeros(3), n=3) == x\n"
    check_compiled(_case(text.format(1)))
    with pytest.raises(AssertionError, match=r"^dce fired 1 times, not >= 9 \(fold 2 \(idle-clamp 2\), branches 2, "):
        check_compiled(_case(text.format(9)))


def test_handles_are_freed_in_the_end():
    backend = CpuBackend()
    case = _case(COPY + "; run: f(3, x=[1, 2], y=zeros(3), n=3) == x\n")
    with pytest.raises(ExecutionError):
        check(case.launch(), backend)
    assert backend.native == {}


# Elements


@pytest.mark.parametrize("name", ["f16", "bf16", "f32", "f64"])
def test_rounding_of_exact_numbers_is_right(name):
    """`Element.round` against NumPy and ml_dtypes, which round in other ways."""
    pytest.importorskip("ml_dtypes")
    element = ELEMENTS[name]
    narrow = element if element.ty.bits == 16 else ELEMENTS["bf16"]
    values = np.concatenate([ELEMENTS["f32"].patterns(4000), ELEMENTS["f32"].ties(narrow)])
    values = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        assert (element.pattern(element.round(values)) == element.pattern(values.astype(element.dtype))).all()
    assert (
        element.pattern(element.round([-0.0, math.inf, -math.inf])).tolist()
        == element.pattern([-0.0, math.inf, -math.inf]).tolist()
    )


def test_integers_have_to_fit():
    assert ELEMENTS["u64"]([2**64 - 1, 0]).tolist() == [2**64 - 1, 0]
    assert ELEMENTS["i8"](np.array([1.0, -128.0])).tolist() == [1, -128]
    assert ELEMENTS["i8"].wrap([255, -129]).tolist() == [-1, 127]
    assert ELEMENTS["i8"].saturate([1e9, -1e9, math.nan, -1.9, math.inf]).tolist() == [127, -128, 0, -1, 127]
    for wrong in ([128], [-129], [0.5], np.array([math.nan]), np.array([300], np.int64)):
        with pytest.raises(ValueError, match=r"does not fit i8|is no integer"):
            ELEMENTS["i8"](wrong)


def test_differences_in_units_of_the_last_place():
    f32 = ELEMENTS["f32"]
    smallest = f32.bits([1])
    assert difference(f32, -smallest, smallest.tobytes(), 2) is None
    assert difference(f32, -smallest, smallest.tobytes(), 1) is not None
    assert difference(f32, f32([math.inf]), f32([f32.max]).tobytes(), 1) is None
    assert difference(f32, ANYTHING, b"", 0) is None
    assert difference(f32, Permutation(f32([1, 2])), f32([2, 1]).tobytes(), 0) is None


# Writing


def _round_trip(program, config, arguments, expected):
    text = format_filetest(program, config, arguments, expected)
    test = parse(text, "written.atlas")
    (case,) = test.cases()
    assert isinstance(case, Case)
    launch = case.launch()
    assert case.program() == program == launch.program
    assert launch.config == config
    assert launch.arguments.keys() == arguments.keys()
    for name, value in arguments.items():
        _equal(launch.arguments[name], value)
    if isinstance(expected, dict):
        assert isinstance(launch.expected, dict)
        assert launch.expected.keys() == expected.keys()
        for name, value in expected.items():
            _equal(launch.expected[name], value)
    else:
        assert launch.expected == expected
    assert format_filetest(program, launch.config, launch.arguments, launch.expected) == text
    return text


def _equal(found, value):
    if isinstance(value, np.ndarray):
        assert found.dtype == value.dtype
        assert found.tobytes() == value.tobytes()
    elif isinstance(value, float) and math.isnan(value):
        assert math.isnan(found)
    else:
        assert repr(found) == repr(value)


def _copy_program(ty):
    return Program(
        [
            Instruction.LDG(ty, r(10), Address.Register("x", r(255), scale=ty.size_bytes)),
            Instruction.STG(ty, Address.Register("in", r(255), scale=ty.size_bytes), r(10)),
        ],
        params=[Param("x", "buffer", ty, _access("read")), Param("in", "buffer", ty, _access("write"))],
    )


def _access(name):
    from hologram_web.isa import Access

    return Access(name)


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=str)
def test_every_bit_of_every_type_round_trips(element):
    if element.ty is Type.BF16:
        pytest.importorskip("ml_dtypes")
    x = np.concatenate([element.specials, element.patterns(50)])
    program = _copy_program(element.ty)
    arguments = {"x": x, "in": element([0] * x.size)}
    text = _round_trip(program, LaunchConfig.linear(x.size), arguments, {"in": x})
    (case,) = parse(text, "written.atlas").cases()
    check(case.launch(), CpuBackend())


@pytest.mark.parametrize(
    "config",
    [
        LaunchConfig(),
        LaunchConfig(GridDim(2, 3, 4), BlockDim(5, 6, 7), 128),
        LaunchConfig.linear(1000),
        LaunchConfig.linear(1000, 32),
        LaunchConfig.linear(0),
        LaunchConfig.linear(9, shared_memory=16),
        LaunchConfig.grid_2d(5, 3),
        LaunchConfig.grid_3d(5, 0, 7, (2, 2, 2)),
    ],
)
@pytest.mark.parametrize(
    "expected",
    [
        {"b": np.array([1.5], np.float32)},
        {},
        Fault("StepLimit"),
        Fault("OutOfBounds", {"instruction": 1, "lane": 0, "buffer": "buffer b", "offset": -4, "detail": 'it\'s "so"'}),
        Raises("UnsupportedType", 'text with "quotes" and \\ and \n'),
        Raises("LaunchError"),
    ],
)
def test_configurations_arguments_and_endings_round_trip(config, expected):
    program = Program.from_text(
        """
.program "a name"
.param b: buffer f32 read_write
.param c: buffer f32 read
.param p: pool
.param q: pool
.param s: f32
.param t: u64
.param u: f64
.param a.b: i8
.shared 64
.entry main
main:
    exit
end:
"""
    )
    arguments = {
        "b": np.array([1.0, math.nan, -0.0], np.float32),
        "c": Alias("b"),
        "p": b"\0\xff'\"\\",
        "q": Alias("p"),
        "s": -0.0,
        "t": 2**64 - 1,
        "u": math.nan if isinstance(expected, dict) else -math.inf,
        "a.b": -128,
    }
    _round_trip(program, config, arguments, expected)


def test_lifted_programs_round_trip():
    program, args = lift(
        Program([Instruction.ParallelMap("neg", Address.Buffer(BufferHandle(7)), Address.Buffer(BufferHandle(8)), 3)])
    )
    assert args == {"$b0": BufferHandle(7), "$b1": BufferHandle(8), "$n0": 3}
    arrays = {name: np.array([1, 2, 3], np.float32) for name in ("$b0", "$b1")}
    text = _round_trip(program, LaunchConfig(), {**arrays, "$n0": 3}, {"$b0": -arrays["$b1"]})
    (case,) = parse(text, "written.atlas").cases()
    check(case.launch(), CpuBackend())


@given(st.floats(width=32), st.integers(0, 2**32 - 1))
def test_scalars_round_trip(number, bits):
    program = Program.from_text(".param a: f32\n.param b: u32\n")
    value = float(np.float32(number))
    _round_trip(program, LaunchConfig(), {"a": value, "b": bits}, {})
    text = format_filetest(program, LaunchConfig(), {"a": Immediate(Type.F32, bits), "b": np.uint32(bits)}, {})
    launch: Launch = next(parse(text, "written.atlas").cases()).launch()
    assert launch.arguments["b"] == bits
