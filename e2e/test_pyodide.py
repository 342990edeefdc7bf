"""Python in pages and Node where it cannot wait, and how long it takes where it can."""

from __future__ import annotations

import json

import pytest

from bench import first
from examples.edges import kernels
from tests.where import in_node, write_bundle

from .browser import Browser

pytestmark = pytest.mark.timeout(600)

KERNEL = """
from array import array
import hologram_web as hg

@hg.kernel
def double(x: hg.Array[hg.i32]):
    x[hg.global_id()] *= 2

x = array("i", [1, 2, 3])
"""
WAITING = (
    KERNEL
    + """
told = []
for work in (lambda: double[3](x), lambda: hg.Executor("wasm").array(x).numpy(), lambda: hg.Executor("webgpu")):
    try:
        work()
    except hg.BackendUnavailable as error:
        told.append(str(error))
"""
)
HERE = "backend 'wasm' is not available: Python cannot wait here, because "
INSTEAD = (
    ": use await device.collect_async({}), or await buffer.read()",
    ": use await buffer.read(), or await device.read_async(handle)",
    ": use await hg.Executor.open('webgpu')",
)


@pytest.fixture(scope="module", autouse=True)
def bundle() -> None:
    write_bundle(expected=False)


def test_without_jspi_what_blocks_is_told_and_what_is_awaited_works() -> None:
    code = WAITING + "x = array('i', [1, 2, 3])\nawait double.launch_async(3, x)\n(told, x.tolist())"
    told, doubled = in_node("python.mjs", {"code": code}, jspi=False)
    if told:  # JSPI is off in this Node
        why = "the browser has no JSPI (WebAssembly.Suspending)"
        assert told == [f"{HERE}{why}{instead}" for instead in INSTEAD]
        assert doubled == [2, 4, 6]


def test_first_calls_are_timed() -> None:
    for cache in first.CACHES.values():  # without the library of pages, and with it
        whole, importing, engine = first.in_pyodide("layer_norm", cache)
        assert min(importing, engine) >= 0  # each of the processor
        assert importing + engine < whole


@pytest.mark.parametrize("where", ["page", "worker"])
def test_where_javascript_called_python_it_cannot_wait(browser: Browser, where: str) -> None:
    found = browser.run("python.mjs", where, code=WAITING + "told", sync=True)
    why = "this code was not entered by runPythonAsync or callPromising"
    assert found.json == [f"{HERE}{why}{instead}" for instead in INSTEAD]


def test_a_strict_policy_needs_the_runtime_registered(browser: Browser) -> None:
    code = KERNEL + "try:\n    double[3](x)\nexcept hg.BackendUnavailable as error:\n    told = str(error)\ntold"
    told = browser.run("python.mjs", code=code, packaged=True).json
    assert told.startswith(
        "backend 'wasm' is not available: the page's content security policy keeps Python from loading the runtime ("
    )
    assert told.endswith(
        "): call pyodide.registerJsModule('hologram_web_runtime', await import('.../pyodide.js')), of the npm package "
        "hologram-web"
    )


TIMES = """
from time import perf_counter
times = {}
start = perf_counter()

def mark(name):
    times[name] = round(1e3 * (perf_counter() - start), 2)

import hologram_web as hg
mark("import")
hg.kernel, hg.Executor, hg.f32
mark("import, and hg.kernel and hg.Executor")
import hologram_web.backends.page.launch_artifact
mark("import, and all that compiles")

side = 64
device = hg.backends.WasmBackend()
luma, blurred = device.allocate_buffer(2 * side * side), device.allocate_buffer(2 * side * side)
args = {"luma": luma, "blur_rows": blurred}
args |= {f"{name}.shape{axis}": side for name in ("luma", "blur_rows") for axis in (0, 1)}
params = hg.ExecutionParams(hg.LaunchConfig.grid_2d(side, side, (16, 16)), args)
compiling, running = [], []
for number in range(15):
    program = hg.Program.from_text(SOURCE.replace('"gaussian_rows"', f'"gaussian{number}"'))
    for kept in (compiling, running):
        start = perf_counter()
        device.execute_program_with_params(program, params)
        device.copy_from_buffer(blurred)
        kept.append(1e3 * (perf_counter() - start))
times["Gaussian, first: verify, compile, launch, read"] = round(compiling[0], 2)
times["Gaussian, later, median"] = round(sorted(compiling)[7], 2)
times["launch and read, median"] = round(sorted(running)[7], 2)

from array import array
saxpy = hg.kernel_from_source(SAXPY)
ex = hg.Executor("wasm")
x, y, z = (ex.array(array("f", range(1000))) for _ in range(3))
launch, taken = saxpy[1000], []
for number in range(40):
    start = perf_counter()
    for _ in range(50):
        launch(2.0, x, y, z)
    ex.sync()
    taken.append((perf_counter() - start) / 50)
assert z.numpy()[999] == 2997
times["bound launch on Buffers, median, us"] = round(1e6 * sorted(taken[5:])[17], 1)
times
"""


SAXPY = """
def saxpy(a: hg.f32, x: hg.Array[hg.f32], y: hg.Array[hg.f32], z: hg.Array[hg.f32]):
    i = hg.global_id()
    if i < len(z):
        z[i] = a * x[i] + y[i]
"""


def test_importing_compiling_and_launching_are_timed(browser: Browser) -> None:
    """Prints milliseconds in a worker; nothing is asserted on times."""
    code = f"SOURCE = {kernels.gaussian_rows.program.to_text()!r}\nSAXPY = {SAXPY!r}\n{TIMES}"
    found = browser.run("python.mjs", "worker", code=code).json
    print(json.dumps(found))
    assert len(found) == 7


def test_a_second_visit_compiles_nothing(browser: Browser) -> None:
    """What Python compiled is in IndexedDB; a value that was spoiled is made anew."""
    code = (
        KERNEL
        + """
await double.launch_async(3, x)
from hologram_web.kernels.launch import default_device
from hologram_web.store.page import page_store
device = default_device()
told = [x.tolist(), device.stats.kernels, device.stats.stored, *page_store().info()]
await page_store().settled()
"""
    )
    spoil = """
from js import Uint8Array
from hologram_web.store.page import page_store
kept = page_store()._kept
for name in list(kept.names()):
    kept.put(name, Uint8Array.new(40))
await page_store().settled()
"""
    clear = "page_store().clear()\ntold += page_store().info()\nawait page_store().settled()\n"
    emptied = "from hologram_web.store.page import page_store\npage_store().clear()\nawait page_store().settled()"
    browser.run("python.mjs", code=emptied)  # of other tests
    doubled, compiled, stored, entries, size = browser.run("python.mjs", code=code + "told").json
    assert (doubled, compiled, stored) == ([2, 4, 6], 1, 0)
    browser.reload()
    assert browser.run("python.mjs", code=code + spoil + "told").json == [doubled, 0, 1, entries, size]
    browser.reload()
    assert browser.run("python.mjs", code=code + clear + "told").json == [doubled, 1, 0, entries, size, 0, 0]
    browser.reload()
    assert browser.run("python.mjs", code=code + "told").json == [doubled, 1, 0, entries, size]
