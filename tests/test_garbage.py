"""Python looks for cycles seldom while it compiles, and as before once it has looked afterwards."""

from __future__ import annotations

import gc
import threading
from collections.abc import Iterator

import pytest

import hologram_web as hg
from hologram_web.garbage import seldom_collected

AS_BEFORE = (701, 11, 12)


@pytest.fixture(autouse=True)
def threshold() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*AS_BEFORE)
    yield
    gc.set_threshold(*before)


def as_before() -> bool:
    """Whether what stays is no reason to look, and all is as it was when Python has looked."""
    (most, *rest), new = gc.get_threshold(), gc.get_count()[0]
    gc.collect(0)
    return new < most < 10_000 and (701, *rest) == AS_BEFORE == gc.get_threshold()


def test_blocks_in_one_another_and_errors_leave_it_as_it_was() -> None:
    with seldom_collected():
        assert gc.get_threshold()[0] > 10_000
        with pytest.raises(ValueError, match="of the inner one"), seldom_collected():
            raise ValueError("of the inner one")
        assert gc.get_threshold()[0] > 10_000
    assert as_before()


def test_threads_whose_blocks_end_in_another_order() -> None:
    entered, leave = threading.Event(), threading.Event()

    def other() -> None:
        with seldom_collected():
            entered.set()
            leave.wait()

    with seldom_collected():
        thread = threading.Thread(target=other)
        thread.start()
        entered.wait()
    assert gc.get_threshold()[0] > 10_000  # the other one is inside
    leave.set()
    thread.join()
    assert as_before()


@pytest.mark.parametrize("least", [0, 1_000_000])
def test_whoever_wants_fewer_or_none_has_them(least: int) -> None:
    gc.set_threshold(least)
    with seldom_collected():
        assert gc.get_threshold()[0] == least
    assert gc.get_threshold()[0] == least


def test_what_the_caller_changes_inside_stays() -> None:
    with seldom_collected():
        gc.set_threshold(5, 6, 7)
    assert gc.get_threshold() == (5, 6, 7)


def test_what_the_caller_changes_behind_it_stays() -> None:
    with seldom_collected():
        pass
    gc.set_threshold(5, 6, 7)
    gc.collect(0)
    assert gc.get_threshold() == (5, 6, 7)


def test_blocks_one_after_the_other_leave_it_as_it_was() -> None:
    for _ in range(3):
        with seldom_collected():
            kept: list[list[int]] = [[] for _ in range(3_000)]
        assert gc.get_count()[0] >= len(kept)  # it has not looked
    assert as_before()


def test_it_is_so_where_kernels_are_compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOLOGRAM_WEB_CACHE", "off")
    found = []
    monkeypatch.setattr("hologram_web.targets.wasm.kernel.check_supported", lambda _: found.append(gc.get_threshold()))
    kernel = hg.kernel_from_source("def f(x: hg.Array[hg.f32]):\n    x[hg.global_id()] = 1.0")
    hg.compile(kernel, grid="x.len").to_bytes()
    assert found
    assert found[0][0] > 10_000
    assert as_before()
