"""Damaged and hostile JSON gives a Program or an IsaError and nothing else, soon and in little memory."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hologram_web.errors import IsaError
from hologram_web.isa import Program
from hologram_web.isa.row import Row
from hologram_web.isa.table import ROWS
from tests.property.hostile import attempt, attempt_in_memory
from tests.samples import sample_instruction, small
from tests.strategies import awkward_text, programs

SMALL = json.loads(small().to_json())
LABELS = {"start": 0, "end": 1, "$end.2": 1}
DEEP: Any = []
for _ in range(50):
    DEEP = [DEEP]

# Values of every JSON type, most of which fit nowhere.
WRONG: list[Any] = [
    None,
    True,
    0,
    -1,
    1.5,
    10**30,
    float("nan"),
    "",
    "x",
    "r1",
    "\ud800",
    [],
    ["x"],
    {},
    {"a": 1},
    DEEP,
]


def paths(tree: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every value in the tree."""
    yield path
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield from paths(value, (*path, key))


def put(tree: Any, path: tuple[Any, ...], value: Any) -> Any:
    """A copy of the tree with another value at a path."""
    if not path:
        return value
    changed = copy.copy(tree)
    changed[path[0]] = put(tree[path[0]], path[1:], value)
    return changed


def get(tree: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        tree = tree[key]
    return tree


def read(tree: Any) -> Program | IsaError:
    return attempt(Program.from_json, json.dumps(tree))


def test_every_value_replaced_by_every_wrong_one() -> None:
    for path in paths(SMALL):
        for wrong in WRONG:
            read(put(SMALL, path, wrong))


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_every_operand_replaced_by_every_wrong_one(row: Row) -> None:
    tree = json.loads(Program([sample_instruction(row)], LABELS).to_json())
    for key in tree["instructions"][0]:
        for wrong in WRONG:
            path = ("instructions", 0, key)
            result = read(put(tree, path, wrong))
            if type(wrong) is not type(get(tree, path)) and not (isinstance(wrong, list)):
                assert isinstance(result, IsaError), f"{key} of {row.name} can be {wrong!r}"


@pytest.mark.parametrize("key", list(SMALL))
def test_the_top_level_takes_no_other_type(key: str) -> None:
    for wrong in WRONG:
        result = read({**SMALL, key: wrong})
        if type(wrong) is not type(SMALL[key]) and not (key == "entry" and wrong is None):
            assert isinstance(result, IsaError), f"{key} can be {wrong!r}"


def test_every_value_left_out_or_said_twice() -> None:
    for path in paths(SMALL):
        if not path:
            continue
        parent = get(SMALL, path[:-1])
        if isinstance(parent, dict):
            fewer: Any = {key: value for key, value in parent.items() if key != path[-1]}
            more: Any = {**parent, f"{path[-1]}_": parent[path[-1]]}
        else:
            fewer = parent[: path[-1]] + parent[path[-1] + 1 :]
            more = parent + parent[path[-1] :]
        read(put(SMALL, path[:-1], fewer))
        read(put(SMALL, path[:-1], more))


@given(programs(max_size=3), st.data())
def test_text_replaced_by_other_text(program: Program, data: st.DataObject) -> None:
    tree = json.loads(program.to_json())
    texts = [path for path in paths(tree) if isinstance(get(tree, path), str)]
    read(put(tree, data.draw(st.sampled_from(texts)), data.draw(awkward_text)))


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5)),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=4), inner, max_size=4)),
)


@given(_JSON)
def test_any_json(tree: Any) -> None:
    assert isinstance(read(tree), IsaError)
    assert isinstance(read({**SMALL, "instructions": [tree]}), IsaError)


@given(st.text(max_size=60), st.binary(max_size=60))
def test_garbage(text: str, data: bytes) -> None:
    assert isinstance(attempt(Program.from_json, text), IsaError)
    assert isinstance(attempt(Program.from_json, data), IsaError)


def test_cut_off_anywhere() -> None:
    text = small().to_json()
    for length in range(len(text)):
        assert isinstance(attempt(Program.from_json, text[:length]), IsaError)
        assert isinstance(attempt(Program.from_json, text.encode()[:length]), IsaError)


@pytest.mark.parametrize("pair", ["[]", '{"a":}'], ids=["lists", "objects"])
@pytest.mark.parametrize("key", ["", "name", "params", "metadata", "entry", "labels", "op", "ty", "dst", "value"])
def test_nested_too_deeply(key: str, pair: str) -> None:
    """At every depth near the interpreter's limit, where reading just works and writing a message may not."""
    text = json.dumps({**SMALL, "instructions": [{"op": "mov_imm", "ty": "f32", "dst": "r1", "value": "1"}]})
    for depth in [1, 50, *range(850, 1010, 3), 3000, 100_000]:
        nest = pair[:-1] * depth + "1" + pair[-1] * depth
        if not key:
            hostile = nest
        elif key in SMALL:
            hostile = json.dumps({**SMALL, key: "@"}).replace('"@"', nest)
        else:
            old = text[text.index(f'"{key}": ') :].split(",")[0].rstrip("]}")
            hostile = text.replace(old, f'"{key}": {nest}')
        assert isinstance(attempt(Program.from_json, hostile), IsaError)


HOSTILE = {
    "a huge integer": json.dumps(SMALL).replace('"shared_memory": 64', f'"shared_memory": {"9" * 4000}'),
    "an integer that Python refuses": json.dumps(SMALL).replace(
        '"shared_memory": 64', f'"shared_memory": {"9" * 9999}'
    ),
    "many instructions": json.dumps({**SMALL, "instructions": [{"op": "exit"}] * 70_000}),
    "many labels": json.dumps({**SMALL, "labels": {f"L{number}": 0 for number in range(140_000)}}),
    "many parameters": json.dumps({**SMALL, "params": ["x: pool"] * 140_000}),
    "much metadata": json.dumps({**SMALL, "metadata": {"a": "x" * 1_100_000}}),
    "a long name": json.dumps({**SMALL, "entry": "x" * 1_000_000}),
    "a long operand": json.dumps(
        {**SMALL, "instructions": [{"op": "transpose", "shape": "(" + "1," * 500_000 + "1)"}]}
    ),
    "a long list": json.dumps({**SMALL, "instructions": [{"op": "transpose", "shape": [1] * 500_000}]}),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_sizes(text: str) -> None:
    assert isinstance(attempt(Program.from_json, text), IsaError)
    assert isinstance(attempt_in_memory(Program.from_json, text, 60_000_000), IsaError)


def test_too_much_json() -> None:
    assert isinstance(attempt_in_memory(Program.from_json, " " * ((1 << 25) + 1), 100_000), IsaError)
