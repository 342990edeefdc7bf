"""Threads of the runtime in Chromium: in isolated pages, in a worker, in a plain page, where no worker may start."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from . import cases, crews
from .browser import HEADERS, ROOT, WITH_WORKERS, Browser, NoBrowser, Result
from .test_runtime import answers_of, wrong_of

pytestmark = pytest.mark.timeout(300)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    crews.write()
    try:
        with Browser(headers=WITH_WORKERS) as found:
            yield found
    except NoBrowser as error:
        pytest.skip(str(error))


def is_right(found: dict[str, Any]) -> None:
    """Whatever the number of threads."""
    numbers = ("0", "65", "1.5", "2", "null")
    assert found["wrong"] == [f"LaunchError: threads is a number of threads, 1 to 64, not {asked}" for asked in numbers]
    for name in ("chain", "mandelbrot", "counted", "plain", "afterAborted", "afterLate"):
        assert found[name] is True, name
    assert found["faults"] == [True] * 5
    assert (found["aborted"]["kind"], found["late"]["kind"]) == ("Cancelled", "StepLimit")
    for name in ("aborted", "late"):
        assert found[name]["milliseconds"] < 20_000  # half a second, where nobody else works


@pytest.mark.parametrize("where", ["page", "worker"])
@pytest.mark.parametrize("shared", ["what is long", "all"])
def test_threads_of_isolated_pages(browser: Browser, where: str, shared: str) -> None:
    options = {"all": True, "runtime": crews.all_shared()} if shared == "all" else {}
    found = browser.run("threads.mjs", where, 240, number=3, **options).json
    assert found["isolated"] is True
    assert found["threads"] == {"number": 3, "reason": "it was asked for"}
    assert found.get("met", False) == (shared == "all"), "blocks run at the same time"
    assert (found["workers"], found["left"]) == (2, 0)
    is_right(found)


def test_processors_say_how_many(browser: Browser) -> None:
    script = """async () => {
        const { Runtime } = await import("/web/dist/index.js");
        const [runtime, gpu] = [await Runtime.create({ backend: "wasm" }), await Runtime.create({ backend: "webgpu" })];
        return [{ ...runtime.threads }, navigator.hardwareConcurrency, gpu.threads ?? null];
    }"""
    with browser.tabs() as opened:
        threads, processors, gpu = opened("/e2e/README.md").evaluate(script)
    assert threads == {"number": min(processors, 8), "reason": f"of {processors} processors"}
    assert gpu is None


def test_workers_take_all_blocks_while_the_page_waits(browser: Browser) -> None:
    """Of the fuzzer's `chromium-threads`; the bytes are those of one thread."""
    path = crews.on_workers()
    script = """async (path) => {
        const { Runtime, taken } = await import(`/${path}`);
        const file = await (await fetch("/build/e2e/threads/chain.holo")).arrayBuffer();
        const x = Float32Array.from({ length: 4096 }, (_, k) => k / 512);
        const found = [];
        for (const threads of [1, 3, 3]) {
            const runtime = await Runtime.create({ backend: "wasm", threads });
            const program = await runtime.load(new Uint8Array(file));
            const y = new Float32Array(4096);
            for (let time = 0; time < 5; time++) found.push(`${await program.run({ x, y, "y.shape0": 4096 })}`);
            found.push(taken().reduce((sum, number) => sum + number, 0));
        }
        return found;
    }"""
    with browser.tabs() as opened:
        found = opened("/e2e/page.html").evaluate(script, path)
    assert len({answer for answer in found if isinstance(answer, str)}) == 1
    assert found[5] == 0
    assert min(found[11], found[17]) >= 5


def test_plain_pages_have_one_and_say_why(browser: Browser) -> None:
    with browser.tabs() as opened:
        page = opened("/e2e/page.html?plain")
        script = """async () => {
            const hologram = await import("/web/dist/index.js");
            const { default: threads } = await import("/e2e/jobs/threads.mjs");
            const get = async (path) => (await fetch(path)).arrayBuffer();
            return (await threads({ hologram, get }, { number: 2 })).json;
        }"""
        found = page.evaluate(script)
    assert found["isolated"] is False
    assert found["threads"] == {"number": 1, "reason": "the page is not isolated: COOP and COEP"}
    assert (found["workers"], found["left"]) == (0, 0)
    is_right(found)


def test_a_policy_that_refuses_workers_leaves_one_thread(browser: Browser) -> None:
    script = """async () => {
        const { Runtime } = await import("/web/dist/index.js");
        const runtime = await Runtime.create({ backend: "wasm", threads: 2 });
        const slow = await runtime.load("/build/e2e/threads/slow.holo");
        const asked = { ...runtime.threads };
        let right = true;
        for (let turn = 0; turn < 50 && runtime.threads.number > 1; turn++) {
            const y = await slow.run({ y: new Uint32Array(1 << 18), n: 2000 }, { seconds: 60 });
            right &&= y.every((value) => value === 0);
        }
        return { asked, right, found: { ...runtime.threads } };
    }"""
    browser.headers = HEADERS
    try:
        with browser.tabs() as opened:
            found = opened("/e2e/README.md").evaluate(script)
    finally:
        browser.headers = WITH_WORKERS
    assert found["right"]
    assert found["asked"]["number"] == 2
    assert found["found"]["number"] == 1
    assert "worker-src blob:" in found["found"]["reason"]


def in_node(folder: Path, job: str, **args: Any) -> Result:
    """What a job gives in Node, where all launches of several blocks are shared."""
    out, given = folder / "answers", json.dumps({"backend": "wasm", "runtime": crews.all_shared(), **args})
    subprocess.run(["node", "e2e/node.mjs", job, given, out], cwd=ROOT, check=True)
    raw = out.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    return Result(json.loads(raw[8 : 8 + size]), raw[8 + size :])


def test_workers_that_wait_take_no_processor(tmp_path: Path) -> None:
    """Of Node, whose threads are one process. One that looked for work all the time would take a second of each."""
    crews.write()
    found = in_node(tmp_path, "idle.mjs", threads=4, seconds=1).json
    assert found["number"] == 4
    assert found["spent"] < 0.3


@pytest.mark.timeout(1600)
def test_filetests_shared_by_two(tmp_path: Path) -> None:
    """All launches of several blocks, of each second line, in Node."""
    count = cases.written()
    answers = answers_of(in_node(tmp_path, "conformance.mjs", threads=2, step=2))
    assert len(answers) == -(-count // 2) > 1250
    assert not wrong_of(answers, "wasm")
