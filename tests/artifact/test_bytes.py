"""The file format: the golden file, the second reader, and input that is damaged or hostile."""

from __future__ import annotations

import struct
import time
import tracemalloc
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hologram_web as hg
from hologram_web.errors import ArtifactError
from hologram_web.plan.artifact import Artifact, Blob
from hologram_web.plan.formula import Formula
from hologram_web.plan.plan import Argument, Copy, Plan, Port, ProgramCall, Repeat, Temporary
from hologram_web.plan.reader import head_length, read
from hologram_web.plan.validate import validate
from hologram_web.plan.writer import VERSION, write
from hologram_web.store.blake3 import blake3
from hologram_web.targets.wasm import ARGUMENTS, FAULT_KINDS
from hologram_web.targets.wgsl import FAULT_KINDS as WGSL_FAULT_KINDS
from hologram_web.targets.wgsl import STATUS_WORDS

from ..clock import within
from .holo_runner import KINDS, parse
from .samples import SAMPLES, long_plan, tiny
from .seal import SECTIONS, ranges, sealed, with_section

GOLDEN = Path(__file__).parent / "golden" / f"version_{VERSION}.txt"
FILES = {
    "tiny": write(tiny()),
    "long": write(long_plan()),
    **{name: make().to_bytes() for name, make in SAMPLES.items()},
}
ONE = Formula.of(1)


# What the format is


def hex_lines(raw: bytes) -> str:
    return "".join(f"{raw[k : k + 32].hex()}\n" for k in range(0, len(raw), 32))


def test_golden():
    """If this fails, the format or its meaning changed: raise VERSION, tell docs/artifact.md, and keep the old file.

    `python -m tests.artifact.test_bytes` writes the file of the present version.
    """
    assert hex_lines(FILES["tiny"]) == GOLDEN.read_text()
    assert read(bytes.fromhex(GOLDEN.read_text())) == _read_form(tiny())


@pytest.mark.parametrize("version", range(1, VERSION))
def test_files_of_older_versions_load(version):
    """They have what they had: a file of version 1 has no conditions."""
    raw = bytes.fromhex((GOLDEN.parent / f"version_{version}.txt").read_text())
    assert read(raw) == _read_form(tiny())
    assert write(read(raw)) == FILES["tiny"]


def _read_form(artifact: Artifact) -> Artifact:
    return replace(artifact, metadata=dict(sorted(artifact.metadata.items())))


@pytest.mark.parametrize("name", FILES)
def test_the_second_reader_sees_the_same(name):
    artifact, other = read(FILES[name]), parse(FILES[name])
    assert other["meta"] == artifact.metadata
    assert [port["name"] for port in other["ports"]] == [port.name for port in artifact.plan.ports]
    assert other["programs"] == [(p.to_bytes(), t) for p, t in zip(artifact.programs, artifact.texts, strict=True)]
    assert other["modules"] == list(artifact.modules)
    assert other["shaders"] == [artifact.shader(number) for number in range(len(artifact.shaders))]
    assert [(data, location) for data, location, _ in other["blobs"]] == [(b.data, b.location) for b in artifact.blobs]
    assert [kernel["name"] for kernel in other["kernels"]] == [kernel.name for kernel in artifact.kernels]
    assert len(other["steps"]) == len(artifact.plan.steps)


def test_the_page_says_what_kernels_expect():
    page = (Path(__file__).parents[2] / "docs" / "artifact.md").read_text(encoding="utf-8")
    fields = {"kind": "kind, i32", "at": "at, i32", "base": "base, i32", "lane": "lane, i32", "offset": "offset, i64"}
    fields |= {"cancel": "cancel, i32", "other": "other, i32", "alone": "alone, i32"}
    fields |= {"grid": "grid, 3 u32", "lanes": "lanes, 3 u32"}
    fields |= {"shared_size": "shared_size, u32", "shared": "shared, u32", "budget": "budget, i64"}
    fields |= {"spill": "spill, u32", "scratch": "scratch, u32", "need": "need, i64", "values": "values"}
    assert fields.keys() == ARGUMENTS.keys()
    for name, text in fields.items():
        assert f"| {ARGUMENTS[name]} | {text} |" in page, name
    assert list(map(str, FAULT_KINDS)) == list(map(str, WGSL_FAULT_KINDS)) == KINDS
    for number, kind in enumerate(FAULT_KINDS, 1):
        assert f"| {number} | {kind} |" in page
    assert STATUS_WORDS == ("kind", "at", "base", "lane", "offset", "offset_high", "need", "other")
    assert f"| 8 | u32 | version: {VERSION} |" in page


def test_shaders_declare_what_the_page_says():
    code = read(FILES["collectives"]).shader(0)
    assert "struct Arguments { grid: vec4u, lanes: vec4u, misc: vec4u, spare: vec4u,\nwords: array<vec4u" in code
    assert "@group(0) @binding(0) var<storage, read_write> status: Status;" in code
    assert "@group(0) @binding(1) var<uniform> arguments: Arguments;" in code
    assert "let block = arguments.spare.y + group.x + group.y * 65535u;" in code
    assert "if (block >= arguments.misc.x) {" in code
    files = map(read, FILES.values())
    codes = [file.shader(number) for file in files for number in range(len(file.shaders))]
    assert any("budget = arguments.misc.y;" in code for code in codes)  # not in packets, which take no steps


# Damage


def attempt(raw: bytes) -> Artifact | None:
    """What reading gives: an artifact that writes these bytes, or nothing; soon and in little memory."""
    start = time.process_time()
    try:
        artifact = read(raw)
    except ArtifactError:
        artifact = None
    assert within(time.process_time() - start, 3)
    if artifact is not None:
        assert write(artifact) == raw
    return artifact


@pytest.mark.parametrize("name", FILES)
def test_cut_off_anywhere(name):
    raw = FILES[name]
    for length in [*range(0, min(len(raw), 400)), *range(400, len(raw), 37), len(raw) - 1]:
        assert attempt(raw[:length]) is None
        assert attempt(sealed(raw[:length])) is None
    assert attempt(raw + b"\0") is None
    assert attempt(raw + bytes(64)) is None


@given(st.sampled_from(list(FILES)), st.data())
def test_a_flipped_bit_is_seen(name, data):
    raw = bytearray(FILES[name])
    raw[data.draw(st.integers(0, len(raw) - 1))] ^= 1 << data.draw(st.integers(0, 7))
    assert attempt(bytes(raw)) is None


HUGE = [
    b"\xff" * 9 + b"\x01",
    b"\xff" * 7 + b"\x0f",
    b"\xff" * 4 + b"\x0f",
    b"\x80" * 20 + b"\x01",
    b"\x80\0",
    b"\xff" * 99,
]


@given(st.sampled_from(list(FILES)), st.sampled_from(SECTIONS), st.data())
def test_damage_under_a_hash_that_fits(name, tag, data):
    """Bytes of a section changed, taken out or put in; the table and the hash are made to fit."""
    raw = FILES[name]
    start, length = ranges(raw)[tag]
    section = bytearray(raw[start : start + length])
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(section)))
        piece = data.draw(st.one_of(st.binary(max_size=4), st.sampled_from(HUGE)))
        section[place : place + data.draw(st.integers(0, 4))] = piece
    attempt(with_section(raw, tag, bytes(section)))


def test_a_section_put_back_is_the_file():
    for raw in FILES.values():
        for tag, (start, length) in ranges(raw).items():
            assert with_section(raw, tag, raw[start : start + length]) == raw


@given(
    st.sampled_from(list(FILES)),
    st.sampled_from([8, 12, 16, 20, 24, 28, *range(64, 176, 4)]),
    st.one_of(st.sampled_from([*range(0, 256, 16), 63, (1 << 28) + 64, 1 << 31, (1 << 32) - 1]), st.integers(0, 4096)),
)
def test_headers_that_lie(name, place, number):
    raw = FILES[name]
    changed = raw[:place] + struct.pack("<I", number) + raw[place + 4 :]
    if changed != raw:
        assert attempt(sealed(changed)) is None


@pytest.mark.parametrize("size", [1 << 63, (1 << 64) - 1, 0])
def test_a_file_length_of_2_63(size):
    raw = FILES["tiny"]
    assert attempt(sealed(raw[:16] + struct.pack("<Q", size) + raw[24:])) is None


def test_sections_that_overlap_or_go_round():
    raw = FILES["saxpy"]
    for a in range(7):
        for b in range(7):
            if a != b:
                there = raw[64 + 16 * b :][4:12]
                assert attempt(sealed(raw[: 68 + 16 * a] + there + raw[76 + 16 * a :])) is None


def test_steps_nested_too_deeply():
    plan = b"\0" + b"\1" + b"\1\0\1" + b"\0\0\0" + b"\1"  # a formula; no ports, ... ; one step
    for depth in (20, 1_000_000):
        assert attempt(with_section(FILES["tiny"], "PLAN", plan + b"\1\0\0\1" * depth)) is None


def test_formulas_that_are_too_large():
    for tokens in (b"\xff" * 4 + b"\x0f" + b"\0\1" * 10, b"\xac\x02" + b"\0\1" * 300, b"\x21" + b"\0\1" * 33, b"\1\3"):
        assert attempt(with_section(FILES["tiny"], "PLAN", b"\0\1" + tokens + b"\0" * 8)) is None


def test_texts_that_are_none():
    raw = FILES["tiny"]
    few = b"", b"[]", b"{", b'{"a":1}', b'{"a": "b"}', b'{"b":"","a":""}', b'{"a":"\xff"}', b'{"a":"\\ud800"}'
    many = b"[" * 100_000, b'{"a":' + b"9" * 10_000 + b"}", b'{"a":"","a":""}', b'{"a":"' + b"x" * (1 << 20) + b'"}'
    for meta in few + many:
        assert attempt(with_section(raw, "META", meta)) is None
    assert attempt(with_section(raw, "WGSL", b"\1\2\xc3\x28\0")) is None


def test_a_shader_of_many_large_pieces():
    """A megabyte named a thousand times would be a gigabyte."""
    piece = "x" * (1 << 20)
    artifact = replace(tiny(), pieces=(piece, "y"), shaders=((0,) * 1000, (1,)))
    with pytest.raises(ArtifactError, match="a shader is too large"):
        write(artifact)


def test_bits_of_wide_integers_are_written_in_one_way():
    """Eight bytes where they hold them, else as many as the number has; no more than the type."""
    long = (3**150).to_bytes(30, "little")
    raw = FILES["long"]
    start, length = ranges(raw)["PLAN"]
    plan = raw[start : start + length]
    assert plan.count(b"\x05\x1e" + long) == 3
    for wrong, what in (
        (b"\x05\x1f" + long + b"\0", "not in canonical form"),
        (b"\x05\x08" + long[:8], "not in canonical form"),
        (b"\x05\x41" + bytes(64) + b"\1", "the argument v of p has not 512 bits"),
        (b"\x05\x81\x04" + bytes(512) + b"\1", "a number is not below 513"),
    ):
        with pytest.raises(ArtifactError, match=what):
            read(with_section(raw, "PLAN", plan.replace(b"\x05\x1e" + long, wrong)))


def test_memory_stays_small():
    hostile = [with_section(FILES["tiny"], tag, b"\xff\xff\xff\xff\x0f" * 3) for tag in SECTIONS[1:]]
    tracemalloc.start()
    for raw in hostile:
        assert attempt(raw) is None
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


def test_what_is_no_artifact():
    for data in (b"", b"HOLO", bytes(64), bytes(200), b"\0asm\1\0\0\0" * 30):
        with pytest.raises(ArtifactError):
            read(data)
    with pytest.raises(ArtifactError, match="is read from bytes, not from int"):
        read(3)
    newer = FILES["tiny"][:8] + struct.pack("<I", VERSION + 1) + FILES["tiny"][12:]
    with pytest.raises(
        ArtifactError, match=f"has version {VERSION + 1}; this release reads 1 to {VERSION}: compile it again"
    ):
        read(sealed(newer))
    assert head_length(FILES["powers"][:64]) < len(FILES["powers"])


# Plans that are wrong


def plan_of(*steps, ports=(), temporaries=(), constants=()):
    return Plan(tuple(ports), tuple(temporaries), tuple(constants), tuple(steps))


X = Port("x", hg.u32, hg.Access.READ, (Formula.of("n"),))
Y = Port("y", hg.u32, hg.Access.READ_WRITE, (Formula.of("n"),))
GRID = (ONE, ONE, ONE)
PROGRAM = hg.Program.from_text(".param p: buffer u32 read_write\n.param k: u32\n    stg.u32 [p], r2\n")


def call(*args, program=0, block=(1, 1, 1), shared=0, grid=GRID, code=()):
    return ProgramCall(program, block, shared, grid, grid, args, code)


P, K = Argument("buffer", "y"), Argument("bits", 3)


@pytest.mark.parametrize(
    ("plan", "what"),
    [
        (plan_of(ports=[X, X]), "'x' is there twice"),
        (plan_of(ports=[Port("a b", hg.u32)]), "'a b' is no name"),
        (plan_of(ports=[Port("min", hg.u32)]), "'min' is no name"),
        (plan_of(ports=[Port("w", hg.u128, None, (Formula((3,)),))]), "the scalar w: u128 has a shape"),
        (plan_of(ports=[Port("z", hg.f32, hg.Access.READ, (ONE,) * 9)]), "z has more than 8 dimensions"),
        (plan_of(ports=[Port("z", hg.f32, hg.Access.READ, (Formula.of("q + 1"),))]), "the shape of z uses q"),
        (plan_of(temporaries=[Temporary("t", Formula.of("n"))]), "the size of t uses n"),
        (plan_of(constants=[("c", 0)]), "the constant c has no data"),
        (plan_of(Repeat(Formula.of("n"), "i", ())), "the count of a repeat uses n"),
        (plan_of(Repeat(ONE, "i", (Repeat(ONE, "i", ()),))), "'i' cannot count a repeat"),
        (plan_of(Repeat(ONE, "n", ()), ports=[Port("n", hg.f32)]), "'n' cannot count a repeat"),
        (plan_of(Copy("y", "x"), ports=[X, Y]), "a launch, copy or bounds stands outside a call"),
        (plan_of(call(P, K, program=1), ports=[Y]), "there is no program 1"),
        (plan_of(call(P, K, block=(64, 32, 1)), ports=[Y]), r"a block of \(64, 32, 1\) has not 1 to 1024 lanes"),
        (plan_of(call(P, K, block=(1, 0, 1)), ports=[Y]), "has not 1 to 1024 lanes"),
        (plan_of(call(P, K, shared=1 << 25), ports=[Y]), "at most 2\\*\\*24 are allowed"),
        (plan_of(call(P), ports=[Y]), "program 0 takes 2 arguments"),
        (plan_of(call(K, P), ports=[Y]), "the argument p of program 0 is a buffer, not a number"),
        (plan_of(call(P, P), ports=[Y]), "the argument k of program 0 is a number, not a buffer"),
        (plan_of(call(P, Argument("bits", 1 << 32)), ports=[Y]), "has not 32 bits"),
        (plan_of(call(P, Argument("port", "f")), ports=[Y, Port("f", hg.f32)]), "is u32, and f is no scalar of that"),
        (plan_of(call(P, Argument("cell", "t")), ports=[Y], temporaries=[Temporary("t", ONE)]), "is read from memory"),
        (plan_of(call(Argument("buffer", "x"), K), ports=[X]), "is written, and x is read only"),
        (plan_of(call(Argument("buffer", "q"), K)), "there is no buffer 'q'"),
        (plan_of(call(P, K, code=(call(P, K),)), ports=[Y]), "a call stands in a call"),
        (plan_of(call(P, K, code=(Copy("x", "y"),)), ports=[X, Y]), "a copy is written, and x is read only"),
        (plan_of(call(P, K, code=(Copy("y", "y"),)), ports=[Y]), "y is copied onto itself"),
    ],
)
def test_plans_that_are_wrong(plan, what):
    with pytest.raises(ArtifactError, match=what):
        validate(plan, [PROGRAM])


def test_nesting_has_a_limit():
    steps: tuple = ()
    for depth in range(66):
        if depth == 65:
            with pytest.raises(ArtifactError, match="nested more than 64 deep"):
                validate(plan_of(*steps), [])
        steps = (Repeat(ONE, f"i{depth}", steps),)


def test_blobs():
    for blobs, what in [
        ((Blob.of(b"a"), Blob.of(b"a")), "a constant is there twice"),
        ((Blob(1, blake3(b"a"), b"a", "", 4),), "has an offset"),
    ]:
        with pytest.raises(ArtifactError, match=what):
            write(Artifact(Plan(), blobs=blobs))


if __name__ == "__main__":
    GOLDEN.parent.mkdir(exist_ok=True)
    GOLDEN.write_text(hex_lines(FILES["tiny"]))


def test_long_shapes_become_texts_only_where_they_are_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of 69 KB, whose 4,094 arrays had one formula of 255 tokens for eight axes each, took 1.7 s to be read."""
    shape = (sum((Formula.of("n") for _ in range(127)), Formula.of("n")),) * 8
    plan = Plan((Port("n", hg.u32), Port("x", hg.f32, hg.Access.READ, shape)))
    monkeypatch.setattr(Formula, "__str__", lambda formula: pytest.fail("a text was made"))
    validate(plan, [])
