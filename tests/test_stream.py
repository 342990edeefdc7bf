"""hg.Pool and hg.stream, and the Atlas on an Executor."""

from __future__ import annotations

import threading
import time
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import hologram_web as hg
from hologram_web.backends import DEVICES
from hologram_web.errors import ExecutionError, InvalidPool, LaunchError

XOR = hg.Program.from_text("""
.param p: pool
.param total: buffer u32 read_write

    mov_imm.u64 r10, 4
    mul.u64 r10, r255, r10
    pool_load.u32 r11, p, r10
    atom.add.u32 r12, [total], r11
    mov_imm.u32 r13, 0xffffffff
    xor.u32 r11, r11, r13
    pool_store.u32 p, r10, r11
""")


@given(st.integers(1, 20), st.lists(st.tuples(st.sampled_from("wcr"), st.binary(max_size=25), st.integers(0, 30))))
def test_a_pool_is_a_ring(capacity, steps):
    pool, kept, dropped = hg.Pool(capacity), b"", 0
    for step, data, number in steps:
        if step == "w" and len(data) <= capacity:
            pool.write(data)
            whole = kept + data
            kept = whole[max(len(whole) - capacity, 0) :]
            dropped += len(whole) - len(kept)
        elif step == "w":
            with pytest.raises(InvalidPool):
                pool.write(data)
        elif step == "c" and number <= len(kept):
            pool.consume(number)
            kept = kept[number:]
        elif step == "c":
            with pytest.raises(InvalidPool):
                pool.consume(number)
        assert len(pool) == len(kept)
        assert pool.dropped == dropped
        assert pool.read(0, len(kept)) == kept
        if number <= len(kept):
            assert pool.read(number, len(kept) - number) == kept[number:]


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: hg.Pool(0), "a pool has a capacity of at least one byte, not 0"),
        (lambda: hg.Pool(2).write(b"abc"), "3 bytes are more than the pool of 2 bytes: write parts"),
        (lambda: hg.Pool(2).read(1, 1), "1 bytes at offset 1 are not there: the pool keeps 0 bytes"),
        (lambda: hg.Pool(2).consume(1), "1 bytes cannot be consumed: the pool keeps 0 bytes"),
    ],
)
def test_what_a_pool_has_not(call, text):
    with pytest.raises(InvalidPool) as caught:
        call()
    assert str(caught.value) == text


@pytest.fixture(params=DEVICES)
def ex(request):
    with hg.Executor(request.param) as found:
        yield found


def test_a_stream_goes_through_a_pool_of_fixed_size(ex):
    data = np.random.default_rng(1).integers(0, 1 << 32, 12_345, dtype="u4")
    raw, total, out, seen = data.tobytes(), ex.zeros(1, hg.u32), bytearray(), []
    before = ex.stats()["live_bytes"]
    chunks = (raw[at : at + 999] for at in range(0, len(raw), 999))
    report = hg.stream(
        XOR, chunks, 8_196, executor=ex, args={"total": total}, sink=out.extend, progress=lambda r: seen.append(r.bytes)
    )
    assert np.array_equal(np.frombuffer(bytes(out), "u4"), ~data)
    assert total.numpy()[0] == data.sum(dtype="u4")
    assert (report.bytes, report.pool_bytes, report.cancelled) == (len(raw), 8_196, False)
    assert report.launches == -(-len(raw) // 4096) == len(seen)
    assert seen == sorted(seen)
    assert ex.stats()["live_bytes"] == before
    assert report.gb_per_s == report.bytes / report.seconds / 1e9


def test_pieces_that_take_long_are_fetched_by_a_thread():
    threads, out = [], bytearray()

    def slow():
        for number in range(6):
            time.sleep(0.005)
            threads.append(threading.get_ident())
            yield bytes([number]) * 400

    with hg.Executor("wasm") as ex:
        hg.stream(XOR, slow(), 800, executor=ex, args={"total": ex.zeros(1, hg.u32)}, sink=out.extend)
    assert out == b"".join(bytes([255 - number]) * 400 for number in range(6))
    assert threads[0] == threading.get_ident()
    assert set(threads[1:]).isdisjoint(threads[:1])


def test_a_stream_can_be_cancelled(ex):
    cancel, total = threading.Event(), ex.zeros(1, hg.u32)

    def endless():
        while True:
            yield bytes(4096)

    def progress(report):
        if report.launches == 5:
            cancel.set()

    report = hg.stream(XOR, endless(), executor=ex, args={"total": total}, progress=progress, cancel=cancel)
    assert report.cancelled
    assert report.launches == 5
    assert report.bytes == 5 * 18_432


def test_what_streams_raise(ex):
    with pytest.raises(LaunchError, match="one pool parameter, and it has 0"):
        hg.stream(hg.Program.from_text("exit"), [b""], executor=ex)
    with pytest.raises(LaunchError, match="a pool of 7 bytes has no two halves of items of 4 bytes"):
        hg.stream(XOR, [b""], 7, executor=ex)

    def broken():
        yield bytes(50_000)
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        hg.stream(XOR, broken(), executor=ex, args={"total": ex.zeros(1, hg.u32)})
    assert hg.stream(XOR, [], executor=ex, args={"total": ex.zeros(1, hg.u32)}).gb_per_s == 0


ACCUMULATE = hg.Program.from_text("""
.param x: buffer f32 read

    cls_get r10
    ldg.f32 r11, [x + r255*4]
    res_accum.f32 r10, r11
""")
UNITY = hg.Program.from_text("""
.param e: f32
.param y: buffer u32 write

    mov_imm.u32 r20, 1
    mov_imm.u32 r21, 0
    check_unity p0
    sel.u32 r22, p0, r20, r21
    stg.u32 [y], r22
    check_unity p0, epsilon=e
    sel.u32 r22, p0, r20, r21
    stg.u32 [y + 4], r22
""")


def test_resonance_is_kept_and_committed_only_on_success(ex):
    x = ex.array(np.array([1.5, -1.5, 2**-149, 3e38], "f4"))
    y = ex.zeros(2, hg.u32)
    config = hg.LaunchConfig.linear(4, 1)
    ex.run(ACCUMULATE, config, x=x)
    once = [Fraction(float(v)) for v in x.numpy()]
    assert list(ex.resonance()[:5]) == [*once, 0]
    with pytest.raises(ExecutionError):
        ex.run(ACCUMULATE, hg.LaunchConfig.linear(5, 1), x=x)
    ex.run(ACCUMULATE, config, x=x)
    assert list(ex.resonance()[:4]) == [2 * v for v in once]
    ex.reset_resonance()
    ex.run(ACCUMULATE, hg.LaunchConfig.linear(3, 1), x=x)
    for e, wanted in ((0.0, [0, 0]), (2**-149, [0, 0]), (2**-148, [0, 1]), (1.0, [0, 1])):
        ex.run(UNITY, e=e, y=y)
        assert y.numpy().tolist() == wanted
    with pytest.raises(LaunchError, match=r"epsilon is -1.0: it is a number from 0 on"):
        ex.run(UNITY, e=-1.0, y=y)
    ex.reset_resonance()
    ex.run(UNITY, e=0.0, y=y)
    assert y.numpy().tolist() == [1, 1]


def test_rules_of_a_launch(ex):
    x = ex.array(np.array([1.5, -1.5, 0.25], "f4"))
    ex.run(ACCUMULATE, hg.LaunchConfig.linear(2, 1).with_rules(unity_neutral=True, classes=[0, 1]), x=x)
    with pytest.raises(LaunchError, match=r"adds up to 1/4: it stays added, with reset_resonance\(\) it goes"):
        ex.run(ACCUMULATE, hg.LaunchConfig.linear(3, 1).with_rules(unity_neutral=True), x=x)
    assert ex.resonance()[:3] == (3, -3, Fraction(1, 4))
    with pytest.raises(LaunchError, match="block 2 is of class 2, which is not among the classes of the launch"):
        ex.run(ACCUMULATE, hg.LaunchConfig.linear(3, 1).with_rules(classes=[0, 1]), x=x)
    assert ex.resonance()[:3] == (3, -3, Fraction(1, 4))
    window = hg.atlas.Window(100, 50)
    with pytest.raises(LaunchError, match="the device is at phase 0, and the launch has the window of 50 phases"):
        ex.run(ACCUMULATE, hg.LaunchConfig.linear(1, 1).with_rules(window=window), x=x)
    assert ex.advance_phase(768 + 120) == ex.phase == 120
    ex.run(ACCUMULATE, hg.LaunchConfig.linear(1, 1).with_rules(window=window), x=x)


PHASE = hg.Program.from_text("""
.param y: buffer u32 write
    phase_get r10
    stg.u32 [y + r255*4], r10
""")
CLASS_FIVE = hg.Program.from_text("""
    mov_imm.f32 r10, 2.5
    stg.f32 [class 5 + 8], r10
    stg.f32 [phi 5, 0, 12], r10
""")


def test_phase_and_bound_classes(ex):
    y = ex.zeros(4, hg.u32)
    ex.advance_phase(766)
    ex.run(PHASE, hg.LaunchConfig.linear(4, 1), y=y)
    assert y.numpy().tolist() == [766, 767, 0, 1]
    bound = ex.allocate_boundary(5, 2, 2)
    assert ex.buffer_for_class(5) is bound
    assert ex.get_buffer_handle(5) == bound.handle
    ex.run(CLASS_FIVE)
    assert bound.numpy().tolist() == [[0, 0], [2.5, 0]]
    assert np.asarray(ex.class_memory(5))[:16].view("f4").tolist() == [0, 0, 0, 2.5]
    bound.free()
    assert ex.buffer_for_class(5) is None
    ex.run(CLASS_FIVE)
    assert np.asarray(ex.class_memory(5))[:16].view("f4").tolist() == [0, 0, 2.5, 2.5]
    ex.reset_class_memory()
    assert not np.asarray(ex.class_memory(5)).any()
    with pytest.raises(LaunchError, match="class 96 does not exist: classes are 0 to 95"):
        ex.bind_class(96, None)
    assert ex.default_launch_config(300) == hg.LaunchConfig.linear(300)


LOCAL = hg.Program.from_text("""
.param n: u32
    pool_alloc #7, n
    mov_imm.u32 r10, 1
    pool_store.u32 #7, 4, r10
    pool_free #7
""")


def test_faults_of_a_pool_of_the_program_name_it_as_written(ex):
    ex.run(LOCAL, n=8)

    def late():
        ex.run(LOCAL, n=7)
        ex.sync()

    with pytest.raises(ExecutionError) as caught:
        late()
    error = caught.value
    assert (error.kind, error.instruction, error.buffer, error.offset) == ("OutOfBounds", 2, "pool #7", 4)
    assert error.detail.startswith(
        "4 bytes at offset 4 (index 1) "
        "are outside pool #7, which has 7 bytes (1 element): check the index against the length, in "
        "pool_store.u32 #7, 4, r10"
    )


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1, max_size=50), st.randoms())
def test_the_sum_is_exact_in_any_order(numbers, random):
    sums = set()
    for device in ("cpu", "wasm"):
        random.shuffle(numbers)
        with hg.Executor(device) as found:
            found.run(ACCUMULATE, hg.LaunchConfig.linear(len(numbers), 64), x=found.array(np.array(numbers, "f4")))
            sums.add(found.resonance())
    assert sums == {(sum(map(Fraction, numbers)), *[Fraction(0)] * 95)}
