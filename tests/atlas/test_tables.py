"""The pure functions of the Atlas: against tables made from the rules elsewhere, and the laws they have to keep."""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from itertools import product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hologram_web import atlas
from hologram_web.errors import LaunchError
from hologram_web.isa import Type

TABLES = json.loads((Path(__file__).parent / "classes.json").read_text())
TORUS = json.loads((Path(__file__).parent / "torus.json").read_text())
EVERY = range(96)
classes = st.sampled_from(EVERY)


def test_classes_are_those_of_the_tables():
    assert [list(atlas.label_of(c)) for c in EVERY] == TABLES["labels"]
    assert [list(atlas.neighbors(c)) for c in EVERY] == TABLES["neighbors"]
    assert [atlas.degree(c) for c in EVERY] == TABLES["degree"]
    assert [atlas.mirror(c) for c in EVERY] == TABLES["mirror"]
    assert [list(pair) for pair in atlas.mirror_pairs()] == TABLES["mirror_pairs"]
    assert list(atlas.UNITY) == TABLES["unity"]
    assert [atlas.component(c) for c in EVERY] == TABLES["component"]
    assert [atlas.sign_class(c) for c in EVERY] == TABLES["sign_class_8x12"]
    assert [atlas.r96(byte) for byte in range(256)] == TABLES["byte_to_class"]
    assert [atlas.canonical_byte(c) for c in EVERY] == TABLES["class_to_canonical_byte"]
    assert sorted([a, b] for a in EVERY for b in atlas.neighbors(a) if a < b) == TABLES["edges"]
    assert [atlas.orbit(c) for c in EVERY] == TABLES["orbit_mod32_of_class_id"]
    assert [int(atlas.crush(c)) for c in EVERY] == TABLES["crush_parity_of_class_id"]


def test_the_graph():
    assert all(atlas.class_of(atlas.label_of(c)) == c for c in EVERY)
    for a, b in product(EVERY, EVERY):
        assert atlas.are_adjacent(a, b) == atlas.are_adjacent(b, a) == (atlas.distance(a, b) == 1)
        assert atlas.are_adjacent(a, b) == atlas.are_adjacent(atlas.mirror(a), atlas.mirror(b))
    reached, work = {0}, [0]
    while work:
        new = set(atlas.neighbors(work.pop())) - reached
        reached |= new
        work += new
    assert reached == {c for c in EVERY if atlas.component(c) == 0}
    assert all(atlas.r96(byte ^ 0x10) == atlas.mirror(atlas.r96(byte)) for byte in range(256))


@given(classes, st.integers(0, 47), st.integers(0, 255))
def test_places_in_class_memory(class_id, page, byte):
    assert atlas.bound_split(atlas.bound_map(class_id, page, byte)) == (class_id, page, byte)
    assert atlas.phi_decode(atlas.phi_encode(page, byte)) == (page, byte)


def test_places_by_example():
    assert atlas.bound_map(1, 2, 3) == 12803
    assert atlas.bound_map(95, 47, 255) == 1_179_647
    assert atlas.phi_encode(7, 128) == 0x00800007


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: atlas.mirror(96), "class 96 does not exist: it is an integer from 0 to 95"),
        (lambda: atlas.r96(256), "byte 256 does not exist: it is an integer from 0 to 255"),
        (lambda: atlas.bound_map(0, 48, 0), "page 48 does not exist: it is an integer from 0 to 47"),
        (lambda: atlas.phi_decode(0x00800030), "page 48 does not exist: it is an integer from 0 to 47"),
        (lambda: atlas.bound_split(1_179_648), "offset 1179648 does not exist: it is an integer from 0 to 1179647"),
        (lambda: atlas.phase_parts(768), "phase 768 does not exist: it is from 0 to 767"),
        (lambda: atlas.char_product(32, 0), "character 32 does not exist: it is from 0 to 31"),
        (lambda: atlas.torus(Type.U8).split(2304), "point 2304 is outside the torus: it is from 0 to 2303"),
        (
            lambda: atlas.class_of(atlas.Label(0, 0, 0, 2, 0, 0)),
            "Label(e1=0, e2=0, e3=0, d45=2, e6=0, e7=0) is no label: d45 is -1, 0 or 1, the others are 0 or 1",
        ),
    ],
)
def test_what_does_not_exist(call, text):
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        call()


@given(st.integers(0, 767), st.integers(-(10**6), 10**6))
def test_phases(phase, delta):
    there, epochs = atlas.advance(phase, delta)
    assert 0 <= there < 768
    assert epochs * 768 + there == phase + delta
    class_id, place, pages = atlas.phase_parts(there)
    assert 8 * class_id + place == there
    assert list(pages) == list(range(6 * place, 6 * place + 6))
    assert sum(phase in atlas.Window(b, 100) for b in range(768)) == 100


def test_windows():
    assert [p for p in range(768) if p in atlas.Window(100, 50)] == list(range(100, 150))
    assert [p for p in range(768) if p in atlas.Window(760, 250)] == [*range(242), *range(760, 768)]
    assert not any(p in atlas.Window(3, 0) for p in range(768))
    assert all(p in atlas.Window(3, 768) for p in range(768))


@given(st.lists(st.fractions(), max_size=5))
def test_neutrality_and_ratios(deltas):
    assert atlas.is_neutral([*deltas, -sum(deltas, Fraction(0))])
    assert atlas.is_neutral(deltas) == (sum(deltas) == 0)
    assert all(atlas.ratio_from_bytes(atlas.ratio_to_bytes(ratio)) == ratio for ratio in deltas)


def test_ratios_by_example():
    assert atlas.is_neutral([(1, 1), (-2, 2), (1, 2), (1, -2)])
    assert not atlas.is_neutral([(1, 2), (1, 3)])
    with pytest.raises(ZeroDivisionError):
        atlas.is_neutral([(1, 0)])
    for ratio, text in (
        (Fraction(-3, 4), "01000100ff0304"),
        (Fraction(0), "000001000001"),
        (Fraction(1000, 7), "020001000103e807"),
    ):
        assert atlas.ratio_to_bytes(ratio).hex() == text
    for bad in ("01000100ff0204", "010001000003", "0200010001000307", "", "010000000103"):
        with pytest.raises(ValueError, match="ratio"):
            atlas.ratio_from_bytes(bytes.fromhex(bad))


def test_residues():
    for a, b in product(EVERY, EVERY):
        assert atlas.crush(atlas.residue_add(a, b)) == atlas.crush(a) ^ atlas.crush(b)
        assert atlas.crush(atlas.residue_mul(a, b)) == (atlas.crush(a) and atlas.crush(b))
    for a in EVERY:
        assert atlas.resonate(atlas.lift(a)) == a
        assert atlas.residue_add(a, atlas.residue_neg(a)) == 0
        x, y = atlas.lift(a), atlas.lift(50)
        convolution = [sum(x[i] * y[(k - i) % 96] for i in EVERY) for k in EVERY]
        assert tuple(convolution) == atlas.lift(atlas.residue_add(a, 50))
    assert atlas.resonate([1.0] * 96) == 0
    with pytest.raises(ValueError, match="resonate takes 96 finite numbers"):
        atlas.resonate([math.nan] * 96)


@pytest.mark.parametrize("name", TORUS["configs"])
def test_the_torus_of_a_type(name):
    found, wanted = atlas.torus(Type.named(name)), TORUS["configs"][name]
    assert (found.pages, found.residues, found.elements) == tuple(
        wanted[k] for k in ("PAGE_MOD", "RES_MOD", "ELEMENTS")
    )
    assert found.error_bound == Fraction(*wanted["error_bound"])
    for point in (0, 1, found.elements // 3, found.elements - 1):
        assert found.join(*found.split(point)) == point
        assert found.bound_map(95, *found.split(point)) == 95 * found.elements + point


@given(st.sampled_from([Type.I8, Type.I16, Type.U32, Type.I64]), st.data())
def test_the_ring_of_a_torus(ty, data):
    ring = atlas.torus(ty)
    a, b = (data.draw(st.integers(0, ring.elements - 1)) for _ in range(2))
    for made, exact in ((ring.add(a, b), a + b), (ring.sub(a, b), a - b), (ring.mul(a, b), a * b)):
        assert made == exact % ring.elements
        assert all(made % size == exact % size for size in (ring.residues, 96, 32, 3, 2))
    if atlas.is_unit(b, ring.elements):
        assert ring.mul(ring.div(a, b), b) == a
    number = data.draw(st.integers(-(2**70), 2**70))
    assert ring.unembed(ring.embed(number), number + data.draw(st.integers(0, ring.elements - 1))) == number


@given(st.sampled_from([Type.F16, Type.BF16, Type.F32, Type.F64]), st.data())
def test_floats_on_a_torus(ty, data):
    ring = atlas.torus(ty)
    half = ring.pages // 2
    value = data.draw(st.floats(-half, half, exclude_max=True))
    assert 0 <= Fraction(value) - Fraction(ring.unembed(ring.embed(value))) < ring.error_bound


def test_embedding_by_example():
    integers, floats = atlas.torus(Type.I32), atlas.torus(Type.F32)
    assert [integers.unembed(integers.embed(n)) for n in (20000, 12345, -5)] == [1568, -6087, -5]
    assert floats.split(floats.embed(3.14159)) == (3, 27)
    assert floats.unembed(floats.embed(-1.5)) == -1.5
    assert floats.unembed(floats.embed(48.0)) == -48
    assert floats.unembed(floats.mul(floats.embed(1.5), floats.embed(-2.0))) == -3
    with pytest.raises(ValueError, match="nan has no point on the torus"):
        floats.embed(math.nan)


def test_orbits():
    size = atlas.torus(Type.U8).elements
    assert sorted(q for o in range(32) for q in atlas.orbit_members(o, size)) == list(range(size))
    assert all(len(atlas.orbit_members(o, size)) == size // 32 for o in range(32))
    assert len({atlas.unit_orbit(q, size) for q in range(size)}) == 27


def test_units_and_characters():
    assert list(atlas.units(96)) == TORUS["units_mod_96"]
    assert {str(u): atlas.inverse(u, 96) for u in atlas.units(96)} == TORUS["inverse_mod_96"]
    assert [atlas.inverse(u, 18432) for u in (5, 7, 18431, 12345)] == [7373, 15799, 18431, None]
    assert atlas.inverse(1, 1) is None
    table = TORUS["dirichlet_mod_96"]
    values = [[atlas.char_value(i, u) for u in table["units_order"]] for i in range(32)]
    assert values == table["exponents"]
    for i, j in product(range(32), range(32)):
        both = [(x + y) % 8 for x, y in zip(values[i], values[j], strict=True)]
        assert values[atlas.char_product(i, j)] == both
    assert all(atlas.char_value(i, v) == 0xFF for i in range(32) for v in range(256) if v % 2 == 0 or v % 3 == 0)
    assert abs(sum(atlas.additive_character(5, x) for x in EVERY)) < 1e-9
    assert abs(atlas.additive_character(1, 24) - 1j) < 1e-12


def test_the_framework_has_288_kernels():
    assert len(atlas.KERNELS) == 288
    assert atlas.KERNELS["Add", Type.F32] == ("element-wise", "ElementWise", "TorusAdd", "Standard")
    assert atlas.KERNELS["ReduceMean", Type.I8].operate == "OrbitMean"
    assert atlas.KERNELS["Split", Type.BF16].operate == "SplitIndices"
    assert {phases.category for phases in atlas.KERNELS.values()} == {"element-wise", "matrix", "reduction", "shape"}


RULES = [
    (
        lambda: atlas.Window(768, 1),
        "the phase window begins at 768 and spans 1: it begins below 768 and spans at most 768",
    ),
    (
        lambda: atlas.Footprint(page_max=48),
        "the footprint has pages 0 to 48 and bytes 0 to 255: the first is not after the last, pages are below 48, "
        "bytes below 256",
    ),
    (
        lambda: atlas.Footprint(byte_min=9, byte_max=8),
        "the footprint has pages 0 to 47 and bytes 9 to 8: the first is not after the last, pages are below 48, "
        "bytes below 256",
    ),
    (lambda: atlas.LaunchRules(classes=()), "the launch may run in no class: name at least one"),
    (lambda: atlas.LaunchRules(classes=[5, 96]), "class 96 does not exist: classes are 0 to 95"),
    (
        lambda: atlas.LaunchRules(window=atlas.Window(100, 50)).check(150, 1, ()),
        "the device is at phase 150, and the launch has the window of 50 phases from 100 on: advance the phase, or "
        "widen the window",
    ),
    (
        lambda: atlas.LaunchRules(classes=[0, 1, 4], mirror_safe=True).check(0, 1, ()),
        "the launch is to be mirror safe, and class 3, the mirror of 0, is not among its classes: add it",
    ),
    (
        lambda: atlas.LaunchRules(classes=[0, 1]).check(0, 3, ()),
        "block 2 is of class 2, which is not among the classes of the launch: add it, or make the grid smaller along x",
    ),
    (
        lambda: atlas.LaunchRules(classes=[0, 1]).check(0, 1, [0, 1]),
        "block 0 stores to class 6, its neighbour 1, which is not among the classes of the launch: add it",
    ),
    (
        lambda: atlas.LaunchRules(classes=[0]).check_classes([0, Fraction(1, 2)]),
        "the launch changed the resonance of class 1, which is not among its classes: nothing was added",
    ),
    (
        lambda: atlas.LaunchRules(unity_neutral=True).check_neutral([Fraction(1, 2), Fraction(1, 3)]),
        "the launch is to be unity neutral, and what it added to the resonance adds up to 5/6: it stays added, with "
        "reset_resonance() it goes",
    ),
]


@pytest.mark.parametrize(("call", "text"), RULES)
def test_launch_rules_that_are_broken(call, text):
    with pytest.raises(LaunchError) as caught:
        call()
    assert str(caught.value) == text


def test_launch_rules_that_are_kept():
    atlas.LaunchRules().check(767, 10**6, range(6))
    atlas.LaunchRules(classes=[0, 3, 1, 4], mirror_safe=True).check(0, 2, ())
    atlas.LaunchRules(classes=[0, 1], unity_neutral=True).check_neutral([Fraction(1, 2), Fraction(-1, 2), 0])
    atlas.LaunchRules(window=atlas.Window(760, 20)).check(3, 1, ())
