"""Hostile artifacts, by hand: each lie has its own typed error, soon."""

from __future__ import annotations

import signal
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import hologram_web as hg
from hologram_web.backends.compiled import Words
from hologram_web.backends.wasm import WasmBackend
from hologram_web.errors import ArtifactError, ExecutionError, HologramError
from hologram_web.isa.verify import analyze
from hologram_web.plan.artifact import Artifact, Blob
from hologram_web.plan.plan import Plan
from hologram_web.plan.reader import read
from hologram_web.plan.writer import write
from hologram_web.targets.wasm.check import MOST_WORK, check_modules

from ..clock import Heart, within
from .hostile import LIE, METADATA, MODULES, STATUSES, body, module, opcodes, with_code
from .samples import SAXPY, saxpy
from .seal import with_section
from .slow import IDLE
from .test_bytes import FILES


def verdict(code: bytes) -> str | None:
    try:
        check_modules([code])
    except ArtifactError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", MODULES)
def test_modules(name):
    code, reason = MODULES[name]
    found = verdict(code)
    if reason is None:
        assert found is None
    else:
        assert found is not None
        assert found.startswith("module 0 of the artifact is none of a kernel: byte ")
        assert reason in found


@pytest.mark.parametrize("name", [name for name, (_, reason) in MODULES.items() if reason is not None])
def test_files_with_such_modules(name):
    code, reason = MODULES[name]
    with pytest.raises(ArtifactError, match="module 0 of the artifact is none of a kernel"):
        read(with_code(FILES["saxpy"], code))
    assert reason


def test_the_table_names_every_section_and_more():
    told = " ".join(str(reason) for _, reason in MODULES.values())
    assert all(f"section {number} " in told for number in (4, 5, 8, 9, 11, 12, 13))
    assert sum(verdict(code) is None for code in opcodes()) > 100
    assert sum(verdict(code) is not None for code in opcodes()) > 1000


def test_a_megabyte_of_code_is_gone_through_soon():
    many = module(code=b"\1" + body(b"\x42\1\x1a" * 350_000))
    blocks = module(code=b"\1" + body(b"\2\x40\x0b" * 350_000))
    labels = module(code=b"\1" + body(b"\x41\0\x0e\x90\x4e" + b"\0" * 10_001, *[b"\x0e\x90\x4e" + b"\0" * 10_001] * 99))
    start = time.process_time()
    check_modules([many, labels])
    assert verdict(blocks) is None
    assert within(time.process_time() - start, 3)


def test_locals_and_blocks_of_all_modules_count_together():
    heavy = module(code=b"\1" + body(b"\3\x40\x0b" * 300, locals_=[(10_000, b"\x7f")]))
    check_modules([heavy])
    with pytest.raises(ArtifactError) as error:
        check_modules([heavy, heavy])
    assert str(error.value) == (
        f"module 1 of the artifact is none of a kernel: byte {len(heavy)}: "
        f"its functions have too many locals and blocks: more than {MOST_WORK:,}"
    )


# Status words: the device `wasm` runs what a cache may hold


class Lying(WasmBackend):
    """A device whose compiler's modules are another one."""

    code = b""

    def _compile(self, *args):
        return replace(super()._compile(*args), code=self.code)


@pytest.mark.parametrize("name", STATUSES)
def test_status_words(name):
    code, told = STATUSES[name]
    device = Lying(cache=False)
    device.code = code
    x = np.zeros(4, np.float32)
    with pytest.raises(HologramError) as error:
        saxpy().run(device, 2, x, x)
    assert type(error.value) is (ArtifactError if told == LIE else ExecutionError)
    assert told in str(error.value)
    good = WasmBackend(cache=False)
    assert saxpy().run(good, 2, x, x).tolist() == [0, 0, 0, 0]


def told_by(words: Words) -> str:
    status = words.status([("buffer x", 16)], 0, 64)
    return str(status.error(analyze(SAXPY), hg.Limits(), 64))


def test_status_words_of_a_gpu():
    for words in (Words(99, 0, 0, 0, 0, 0, 0), Words(1, 0, -1, 0, 0, 4, 0), Words(7, 0, -1, 0, 64, 0, 0)):
        with pytest.raises(ArtifactError, match=LIE) as error:
            told_by(words)
    assert str(error.value) == (
        "a kernel reports a fault that there is not (kind 7, at 0, base -1, lane 0, offset 64, need 0, other 0): "
        "its code is damaged or hostile"
    )


# Plans that launch nothing


def idle(name: str, device: WasmBackend) -> None:
    x = np.zeros(4, np.float32)
    hg.load(IDLE[name]()).run(device, a=1, m=0, x=x, y=x)


def test_a_plan_that_launches_nothing_ends_by_the_deadline():
    device = WasmBackend(limits=hg.Limits(seconds=0.3), cache=False)
    with Heart() as heart, pytest.raises(ExecutionError) as error:
        idle("idle_calls", device)
    assert heart.seconds < 3
    assert str(error.value) == (
        "StepLimit: the launch did not end within 0.3 seconds: does a loop not end? "
        "Limits(seconds=...) allows more time"
    )
    assert error.value.kind is hg.FaultKind.STEP_LIMIT
    x = np.zeros(4, np.float32)
    assert saxpy().run(device, 2, x, x).tolist() == [0, 0, 0, 0]


def test_a_plan_that_launches_nothing_can_be_interrupted():
    def ring(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, ring)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with Heart() as heart, pytest.raises(KeyboardInterrupt):
            idle("idle_calls", WasmBackend(cache=False))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert heart.seconds < 2


def test_steps_of_a_plan_are_counted():
    with pytest.raises(ExecutionError, match="a plan runs at most 1048576 steps: split the work, or repeat less"):
        idle("idle_repeats", WasmBackend(cache=False))


# Metadata, constants, messages


@pytest.mark.parametrize("metadata", METADATA)
def test_metadata_may_be_called_anything(metadata):
    """`web/test/hostile.test.mjs` reads the same."""
    artifact = replace(read(FILES["tiny"]), metadata=metadata)
    assert read(write(artifact)).metadata == metadata


def test_metadata_have_a_limit_before_they_are_read():
    tracemalloc.start()
    with pytest.raises(ArtifactError) as error:
        read(with_section(FILES["tiny"], "META", b'{"a":[' + b"[]," * 2_000_000 + b"[]]}"))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert str(error.value) == "damaged artifact: the metadata have 6000010 bytes: at most 1048576 are allowed"
    assert peak < 64 << 20  # the lists would be 130 MB


def test_the_location_of_a_constant_is_no_path(tmp_path):
    path = tmp_path / "tiny.holo"
    for location in ("a\0b", "../weights.bin", "/etc/passwd", "a\\b", "file:x", "."):
        blob = Blob(1, bytes(32), None, location, 0)
        path.write_bytes(write(Artifact(Plan((), (), (("c", 0),)), blobs=(blob,))))
        with pytest.raises(ArtifactError) as error:
            hg.load(path).run(WasmBackend(cache=False))
        assert str(error.value) == f"a constant is in {location!r}, which is no file beside tiny.holo: give `fetch`"


def told(work: Callable[[], object]) -> str:
    with pytest.raises(HologramError) as error:
        work()
    return str(error.value)


LONG = "x" * 3_000_000
TEXTS: Any = {"a": [LONG]}


@pytest.mark.parametrize(
    "work",
    [
        lambda: hg.Program.from_text(LONG),
        lambda: hg.Program.from_text(f"add.u32 {LONG}"),
        lambda: hg.Program.from_text(f".param {LONG}: u32"),
        lambda: hg.Program.from_text(f"ldg.u32 r1, [{LONG}]"),
        lambda: hg.Program.from_text(f"mov_imm.u32 r1, {'9' * 3_000_000}"),
        lambda: hg.Program.from_text(f".program {'a b ' * 1_000_000}"),
        lambda: hg.kernel_from_source(f"def k(x: {LONG}): pass"),
        lambda: hg.compile(SAXPY, shapes={"x": ("n",), "y": ("n",)}, metadata=TEXTS).to_bytes(),
        lambda: hg.PlanBuilder("p", shapes={"x": ("+" * 4000,)}),
    ],
)
def test_messages_do_not_repeat_the_input(work):
    assert len(told(work)) < 4100


def test_a_message_keeps_how_it_begins_and_ends():
    name, what = "y" * 300, "write letters, digits, '_', '$' and '.'"
    assert str(ArtifactError(f"'{name}' is no name: {what}")) == f"'{'y' * 179}...{'y' * 19}' is no name: {what}"
    error = ExecutionError(hg.FaultKind.CANCELLED, None, "a b " * 10_000 + what)
    assert str(error).startswith("Cancelled: a b a b ")
    assert str(error).endswith(f"... a b {what}".rpartition("...")[2])
    assert len(str(error)) == 4003
    assert len(error.detail) == 4003
