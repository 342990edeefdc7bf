"""The benchmark of libraries, with small sizes: all get the same results where they say they run. Nothing is timed."""

# mypy: ignore-errors

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from bench import checks
from bench.peers import report
from bench.peers.__main__ import WHERE, at_first, in_pages, natively
from bench.peers.cases import CASES, PEAKS, generated
from bench.peers.pages import FAST, HANDS, LIBRARIES, LOOPS, ONE, OURS, install, opened, orders
from bench.peers.processes import PARALLEL
from bench.peers.tensors import TENSORS
from bench.peers.training import TRAINING
from e2e.browser import CACHING, ROOT, Browser
from hologram_web.backends.wasm.crew import processors

SIZES = {
    **{key: {"n": 5000} for key in ("add", "add8", "fused8", "exp_chain", "exp_chain8", "tanh_sqrt")},
    **{key: {"n": 5000} for key in ("sum", "histogram", "search")},
    **{key: {"side": 8} for key in ("softmax", "layer_norm")},
    **{key: {"rounds": 100} for key in PEAKS},
    "mandelbrot": {"side": 32, "most": 50},
    "block_sum": {"n": 1024},
    "gray_scott": {"side": 16},
    "blur": {"side": 16},
    "call": {},
    "gemm64": {},
}
OPERATIONS = {
    "gemm1x1024": (1, 40, 30),
    "gemm_skinny": (50, 8, 8),
    "gemm_batched": (9, 5, 7, 3),
    "gemm_int8": (16,),
    "conv3x3": (3, 1, 4, 9),
    "conv_depthwise": (3, 64, 4, 9),
    "conv1x1": (1, 1, 4, 9),
    "attention": (2, 24),
    "fft65536": (64,),
    "fft100003": (101,),
}
GENERATED = {
    title: functools.partial(make, **({"n": 5000} if "side" not in title else {}))
    for title, make in generated(7).items()
}
CHAINS = {"add", "add8", "fused8", "exp_chain", "exp_chain8", "tanh_sqrt", "call"}
ROWS = {"softmax", "layer_norm"}
TWINS = {title for title in generated(7) if title.split("~")[0] not in ROWS}
OTHERS = {"mandelbrot", "block_sum", "histogram", "gray_scott", "blur", "search"}
ALL = CHAINS | ROWS | OTHERS | set(generated(7)) | {"sum", "gemm64"}
NODES = CHAINS | ROWS | set(generated(7)) | {"sum", "gemm64", "blur"}
FFT = {"fft65536", "fft100003"}
TENSORS_OF = {
    OURS: set(OPERATIONS),
    "jax-js": set(OPERATIONS) - {"gemm_int8"},
    "tfjs": set(OPERATIONS) - {"gemm_int8"} - FFT,
    "ort": set(OPERATIONS),
    "gpu.js": {"gemm1x1024", "gemm_skinny"},
    LOOPS: {"conv_depthwise"},
    **{name: {"gemm1x1024", "gemm_skinny", "conv1x1"} for name in HANDS},
}
DOES = {
    OURS: ALL,
    "jax-js": NODES | {"gray_scott"},
    "tfjs": NODES | {"gray_scott", "histogram"},
    "ort": NODES,
    "gpu.js": CHAINS | TWINS | {"gemm64", "blur", "gray_scott", "mandelbrot"},
    "JavaScript": {"add", "add8", "call"} | OTHERS - {"block_sum"} | {"sum"},
    "WGSL by hand": {"mandelbrot", "block_sum"},
    **{name: {"gemm64"} for name in HANDS},
}


def small():
    made = {title: functools.partial(CASES[title], **sizes) for title, sizes in SIZES.items()}
    for title, make in generated(7).items():
        made[title] = functools.partial(make, **({"side": 8} if title.split("~")[0] in ROWS else {"n": 5000}))
    return made


pytestmark = pytest.mark.timeout(600)  # npm and pip install the libraries, once


@pytest.fixture(scope="module")
def browser():
    install()
    with Browser(headers=CACHING) as browser:
        yield browser


@functools.cache
def measured(browser, where):
    return list(in_pages(browser, where, small(), list(LIBRARIES), 1, 0, []))


def done(rows):
    found = {}
    for row in rows:
        found.setdefault(row["by"], set()).add(row["case"])
    return found


@pytest.mark.parametrize("where", ["wasm", "wasm-plain", "webgpu"])
def test_every_library_gets_the_same(browser, where):
    rows = measured(browser, where)
    found = done(rows)
    alone = {name: found.pop(name + ONE, set()) for name in (OURS, FAST, LOOPS)}
    loops = found.pop(LOOPS, set())
    fast = found.pop(FAST, set())
    assert fast <= ALL
    absent = {"JavaScript", *HANDS} if where == "webgpu" else {"WGSL by hand"}
    wanted = {name: cases for name, cases in DOES.items() if name not in absent}
    assert found == wanted
    assert alone == ({OURS: ALL, FAST: fast, LOOPS: loops} if where == "wasm" else {name: set() for name in alone})
    assert loops == (set() if where == "webgpu" else CHAINS | ROWS | set(generated(7)) | {"sum", *PEAKS})
    for row in rows:
        if where == "wasm-plain":
            assert row["threads"] == 1


def test_a_library_with_wrong_results_is_told_and_the_rest_goes_on(browser):
    def other():
        case = CASES["add"](n=5000)
        return dataclasses.replace(case, wanted=case.wanted + 1)

    refused = []
    rows = list(in_pages(browser, "wasm-plain", {"add": other, "call": CASES["call"]}, ["jax-js"], 1, 0, refused))
    assert {row["case"] for row in rows} == {"call"}
    (told,) = refused
    assert told.startswith("add, jax-js: 5,000 are wrong, by ")
    with pytest.raises(SystemExit, match=r"add, ours: 5,000 are wrong, by .*: nothing was timed"):
        list(in_pages(browser, "wasm-plain", {"add": other}, [OURS], 1, 0, []))


def test_steps_of_training(browser):
    sizes = {"mlp": (8, 12, 16), "convnet": (4, 9, (2, 3))}
    made = {title: functools.partial(TRAINING[title], *sizes[title]) for title in TRAINING}
    found = done(in_pages(browser, "wasm-plain", made, [OURS, "jax-js"], 1, 0, []))
    assert found == {OURS: set(TRAINING), "jax-js": set(TRAINING)}


@pytest.mark.parametrize("where", ["wasm-plain", "webgpu"])
def test_operations_of_the_tensor_library(browser, where):
    of = {title: getattr(TENSORS[title], "func", TENSORS[title]) for title in OPERATIONS}
    made = {title: functools.partial(of[title], *sizes) for title, sizes in OPERATIONS.items()}
    libraries = list(LIBRARIES) if where == "wasm-plain" else [OURS]  # others take eight minutes on SwiftShader
    found = done(in_pages(browser, where, made, libraries, 1, 0, []))
    found.pop(FAST, None)
    assert found == {library: TENSORS_OF[library] for library in libraries if library in TENSORS_OF}


BUSY = {
    "jax-js": "gemm512",
    "tfjs": "gemm512",
    "ort": "gemm512",
    OURS: "gemm512",
    "JavaScript": "mandelbrot",
    LOOPS: "add",
}


@functools.cache
def busy_orders(title):
    return orders(title, CASES[title]())


def ticks(processes):
    """What the main thread and the workers of renderers have used of the processor, by process and thread."""
    found = {}
    for process in processes:
        for task in Path(f"/proc/{process}/task").glob("*"):
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):  # it ended
                name, rest = (task / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
                if task.name == str(process) or name.startswith("DedicatedWorker"):
                    found[process, task.name] = sum(map(int, rest.split()[11:13]))
    return found


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="what threads used of the processor is in /proc")
@pytest.mark.parametrize("name", BUSY)
@pytest.mark.parametrize("where", ["isolated", "plain"])
def test_as_many_threads_compute_as_the_table_says(browser, name, where):
    session = browser._browser.new_browser_cdp_session()
    title = BUSY[name]
    with opened(browser, "wasm", where == "plain", [name]) as (peer,):
        peer.prepare(busy_orders(title)[name], 0, 100, 1)
        told = session.send("SystemInfo.getProcessInfo")["processInfo"]
        processes = [process["id"] for process in told if process["type"] == "renderer"]
        before, used = ticks(processes), {}
        while max(used.values(), default=0) < 40:  # hundredths of a second, however long that takes here
            peer.page.evaluate("given => peer.warm(...given)", [title, 300, 8])
            used = {thread: now - before.get(thread, 0) for thread, now in ticks(processes).items()}
        page, _ = max(used, key=lambda thread: used[thread])  # the browser's own pages are renderers, too
        busy = [
            (process, task)
            for (process, task), spent in used.items()
            if process == page and spent > 0.3 * max(used.values())
        ]
        threads = peer.threads(title)
    assert len(busy) <= threads, used
    if where == "plain" or name == "JavaScript" or peer.cores == 1:
        assert threads == 1
    elif name == OURS:  # which goes by what it finds: with others on the processors one thread may be faster
        assert threads <= peer.cores
    else:
        assert 1 < len(busy) <= threads <= peer.cores, used  # of many threads some may get little


def test_outside_a_browser():
    rows = list(natively(small(), list(LIBRARIES), 1, 0, []))
    found = done(rows)
    assert found[OURS] == found[OURS + PARALLEL] == found["NumPy"] | {"block_sum"} == ALL
    assert found.get(FAST) == found.get(FAST + PARALLEL)
    threads = {row["by"]: row["threads"] for row in rows}
    assert threads[OURS] == threads["NumPy"] == threads["Numba"] == 1
    assert threads[OURS + PARALLEL] == threads["Numba, parallel"] == processors()
    assert found["numexpr"] == CHAINS | TWINS
    assert found["Numba"] == ALL - {"block_sum"}
    assert found["Numba, parallel"] == ALL - {"block_sum", "sum", "histogram"}


def test_a_first_result_and_a_report(browser):
    rows = list(at_first(browser, CASES["call"], list(LIBRARIES), 1)) + measured(browser, "wasm-plain")
    first = {row["by"]: row for row in rows if row["where"] == "start"}
    assert set(first) >= {OURS, "jax-js", "tfjs", "ort", "gpu.js"}
    for name in (OURS, "jax-js", "tfjs", "ort", "gpu.js"):
        assert first[name]["transferred"] > first[name]["gzip"] > 10_000
    run = {
        "date": "",
        "machine": "",
        "python": "",
        "load": [0],
        "load after": [0],
        "rounds": 1,
        "seeds": [7],
        "refused": ["a case, a library: 3 are wrong, by 1"],
        "chromium": "",
    }
    text = report.page(run, json.loads(json.dumps(rows)), rows)
    beside = report.summary(measured(browser, "wasm-plain"))
    assert {line[0] for line in beside} == ALL
    assert all(line[6] for line in beside if "~" in line[0])
    assert all(row["of the named"] for row in rows if row["named"] and row["by"].startswith(OURS))
    lost = sum(bool(line[5]) and float(line[5]) > 1 for line in beside)
    assert text.count("<tr class=lost") == lost
    assert text.count("<tr") == len(rows) + 2 + len(beside) + 1
    assert "times the older run&#x27;s" in text
    twin = next(row for row in rows if row["named"])
    assert (twin["where"], twin["named"], OURS) in {(row["where"], row["case"], row["by"]) for row in rows}


def test_gathers_with_less_and_less_of_a_check():
    """All give the right elements, and tell no fault. In its own process: here a browser is open."""
    command = [sys.executable, "-m", "bench.checks", "--rounds", "1"]
    said = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    names = [line.split("|")[1].strip() for line in said.splitlines() if line.startswith("| ")]
    assert names[1:] == list(checks.shaders())


def test_places():
    assert set(WHERE) == {"wasm", "wasm-plain", "webgpu", "native", "start"}
