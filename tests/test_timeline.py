"""Executor.trace: what was launched, where, and how long; and what explanations draw."""

# mypy: allow-untyped-defs, allow-untyped-calls, disable-error-code="name-defined"

from __future__ import annotations

import json

import numpy as np
import pytest

import hologram_web as hg
from hologram_web import array_api as xp
from hologram_web.backends.selection import device_named


@hg.kernel
def twice(x: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(x):
        x[i] = x[i] * 2


def test_a_timeline_has_each_launch(ex: hg.Executor, tmp_path) -> None:
    x = ex.array(np.ones((4, 300), "f4"))
    y = ex.array(np.ones(10, "f4"))
    function = hg.function(lambda x: (x * 2 + 1).sum(axis=0), device=ex)
    for _ in range(3):  # the short ways that later launches go
        function(x)
        ex.run(twice, x=y)
    with ex.trace() as timeline:
        for _ in range(2):
            function(x)
            ex.run(twice, x=y)
        (x - 1).numpy()
        hg.function(lambda x: x @ x.T, device=ex, name="squares")(x)
    ex.run(twice, x=y)
    function(x)
    assert y.numpy()[0] == 64
    launches = [span for span in timeline.spans if span.kind == "launch"]
    names = [span.name for span in launches]
    assert names[:4] == ["reduce_columns", "twice"] * 2
    assert names[4] == "map"
    assert "gemm" in names[-1]
    assert launches[0].lanes == 64  # which have 512 columns
    assert launches[0].nbytes == 4 * 300 * 5
    assert {span.device for span in timeline.spans} == {ex.backend.selected}
    assert "squares" in [span.name for span in timeline.spans if span.kind == "plan"]
    ends = [span.start + span.seconds for span in timeline.spans]
    assert ends == sorted(ends)
    assert all(span.seconds > 0 and span.start >= 0 for span in timeline.spans)
    assert timeline.totals()["twice"][0] == 2
    assert str(timeline).splitlines()[1].startswith("reduce_columns")
    timeline.save(tmp_path / "trace.json")
    events = json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
    assert len([each for each in events if each["ph"] == "X"]) == len(timeline.spans)
    named = device_named(ex.backend.selected, ex.backend.adapter)
    assert {each["args"]["name"] for each in events if each["ph"] == "M"} == {named, "launch", "plan"}
    assert timeline.devices() == {ex.backend.selected: named}
    assert timeline.adapter == ex.backend.adapter
    assert (named in str(timeline).splitlines()[1:]) is (ex.backend.adapter is not None)


def test_a_fault_comes_out_of_a_trace(wasm: hg.Executor) -> None:
    @hg.kernel
    def beyond(x: hg.Array[hg.f32]):
        x[hg.global_id() + len(x)] = hg.f32(1)

    x = wasm.zeros(4)
    with pytest.raises(hg.ExecutionError, match="outside"), wasm.trace() as timeline:
        wasm.run(beyond, 4, x=x)
    assert [span.name for span in timeline.spans] == ["beyond"]
    wasm.run(twice, x=x)
    assert len(timeline.spans) == 1


def test_an_explanation_draws_the_graph(wasm: hg.Executor) -> None:
    x = xp.asarray(np.ones((2, 3), "f4"), device=wasm)
    graph, _, _ = xp.softmax((x * x + 1.0).T[:, :1]).explain().partition("\n\n")
    assert graph.splitlines() == [
        "%0: f32[2, 3]", "%1: f32[2, 3] = multiply(%0, %0)", "%2: f32[2, 3] = add(%1, 1.0)",
        "%3: f32[3, 1] = view(%2)", "%4: f32[3, 1] = Softmax(%3)",
    ]  # fmt: skip
    graph, _, _ = hg.function(lambda x, by: xp.sort(x * by), device=wasm).explain(x, 2.0).partition("\n\n")
    assert graph.splitlines()[1:] == ["%1: f32[2, 3] = multiply(%0, by)", "%2: f32[2, 3] = Sort(%1)"]
