"""Libraries in pages of headless Chromium: installing them, what a page is told of a case, and timing it."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import wasmtime
from playwright.sync_api import Error

from e2e.browser import ROOT, Browser
from examples.edges.chromium import bundle

from ..whole_by_hand import written
from .cases import Case
from .onnx import model

__all__ = [
    "FAST", "HANDS", "LIBRARIES", "LOOPS", "ONE", "OURS", "PagePeer", "first_results", "install", "loop_of", "opened",
    "orders",
]  # fmt: skip

HERE = Path(__file__).resolve().parent
HAND_CODE = HERE.parent / "hand"
FOLDER = ROOT / "build" / "peers_web"
LOCK = "package-lock.json"
OURS, FAST, LOOPS = "ours", "ours, fast", "v128 loop"
HANDS = {"v128 by hand": False, "v128 by hand, fused": True}  # whole operations, whether with relaxed SIMD
ONE = ", one thread"  # where others have more
# Side, its module here, and its package.
LIBRARIES = {
    OURS: ("ours", ""),
    FAST: ("ours", ""),
    "jax-js": ("jax", "@jax-js/jax"),
    "tfjs": ("tfjs", "@tensorflow/tfjs-core"),
    "ort": ("ort", "onnxruntime-web"),
    "gpu.js": ("gpu", "gpu.js"),
    "JavaScript": ("js", ""),
    "WGSL by hand": ("hand", ""),
    LOOPS: ("loops", ""),
    **dict.fromkeys(HANDS, ("whole", "")),
    **{name + ONE: (module, "") for name, module in ((OURS, "ours"), (FAST, "ours"), (LOOPS, "loops"))},
}
_OPEN = """async ([module, backend, threads]) => {
  globalThis.peer = await import("/build/peers_web/out/page.js");
  return peer.open(module, backend, threads);
}"""
_FIRST = """async ([module, backend, order]) => {
  const page = await import("/build/peers_web/out/page.js");
  return page.first(module, backend, order);
}"""
# What ONNX Runtime has a node for, with its operands' names.
_WHOLE: dict[str, list[tuple[str, str, str]]] = {
    "softmax": [("Softmax", "x", "z")],
    "layer_norm": [("LayerNormalization", "x scale bias", "z")],
    "sum": [("ReduceSum", "x", "z")],
    "gemm": [("MatMul", "x y", "z")],
    "blur": [("Conv", "x w", "z")],
    "batched": [("MatMul", "x y", "z")],
    "int8": [("MatMulInteger", "x y", "z")],
    "conv": [("Conv", "x w", "z")],
    "attention": [
        ("Transpose", "y", "t"), ("MatMul", "x t", "s"), ("Mul", "s 0.125", "m"), ("Softmax", "m", "p"),
        ("MatMul", "p w", "z"),
    ],
    "fft": [("DFT", "x", "z")],
}  # fmt: skip
_ON_WASM = ("int8", "fft")  # which ONNX Runtime has no shader for


def install() -> None:
    """The libraries, from the versions of package-lock.json, and the modules of their pages, bundled."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    before = FOLDER / "node_modules" / ".package-lock.json"
    wanted = (HERE / LOCK).read_bytes()
    if not before.is_file() or (FOLDER / LOCK).read_bytes() != wanted:
        for name in ("package.json", LOCK):
            shutil.copy(HERE / name, FOLDER)
        # GPU.js has addons for Node that would be built.
        options = ["--ignore-scripts", "--omit=optional", "--no-audit", "--no-fund", "--loglevel=error"]
        subprocess.run(["npm", "ci", *options], cwd=FOLDER, check=True)
    entries = [str(path) for path in sorted(HERE.glob("*.mjs"))]
    options = ["--bundle", "--format=esm", "--log-level=error", "--external:/web/*"]
    environment = {**os.environ, "NODE_PATH": str(FOLDER / "node_modules")}
    esbuild = str(ROOT / "node_modules" / ".bin" / "esbuild")
    subprocess.run([esbuild, *entries, *options, f"--outdir={FOLDER / 'out'}"], env=environment, check=True)
    bundle()


def write(name: str, data: bytes) -> str:
    """Where a page finds these bytes."""
    path = FOLDER / "data" / name
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(data)
    return f"/build/peers_web/data/{name}"


def loop_of(case: Case) -> dict[str, Any] | None:
    """The loop by hand that stands beside a case: as many bytes, half of them written if it copies."""
    if case.bound in ("mul_add", "fma"):
        return {"name": case.bound, "bytes": 1 << 16, "rounds": case.calls}
    if not case.bound:
        return None
    size = case.moved // 2 if case.bound == "copy" else case.moved
    small = size < 1 << 18  # no thread is told of so little
    return {"name": case.bound, "bytes": size // 128 * 128, "rounds": 1, "small": small}


def _modules(name: str) -> dict[str, str]:
    """The module with a loop, for memory of a page's own and for memory that its workers share."""
    text = (HAND_CODE / ("v128_relaxed.wat" if name == "fma" else "v128.wat")).read_text(encoding="utf-8")
    shared = text.replace("(memory 1 65536)", "(memory 1 65536 shared)")
    return {
        key: write(f"{name}.{key}.wasm", bytes(wasmtime.wat2wasm(code)))
        for key, code in (("module", text), ("shared", shared))
    }


def orders(title: str, case: Case) -> dict[str, dict[str, Any]]:
    """What a page is told of a case, by side."""
    arrays = {
        name: {"path": write(f"{title}.{name}", value.tobytes()), "dtype": value.dtype.name, "shape": value.shape}
        for name, value in case.arrays.items()
    }
    wanted = case.wanted.astype(np.float64)
    order: dict[str, Any] = {
        "title": title,
        "name": case.name,
        "calls": case.calls,
        "size": case.wanted.size,
        "result": case.result,
        "shape": case.wanted.shape,
        "arrays": arrays,
        "wanted": write(f"{title}.wanted", wanted.tobytes()),
        "tolerance": case.tolerance,
        "least": float(np.abs(wanted).max(initial=0)) * 1e-2 or 1.0,  # relative to this, where a result is smaller
        "scalars": case.scalars,
        "nodes": case.nodes,
        "columns": case.columns,
    }
    found = {"jax-js": order, "tfjs": order, "gpu.js": order, "JavaScript": order}
    write("empty.html", b"<!doctype html>")
    if case.bound not in ("mul_add", "fma"):
        exact, fast = (case.ours(math).to_bytes() for math in ("exact", "fast"))
        found[OURS] = found[OURS + ONE] = order | {"holo": write(f"{title}.holo", exact)}
        if code_of(exact) != code_of(fast):
            found[FAST] = found[FAST + ONE] = order | {"holo": write(f"{title}.fast.holo", fast)}
    nodes = _WHOLE.get(case.name) or case.nodes
    if nodes:
        shapes = {name: value.shape for name, value in case.arrays.items()}
        result: Sequence[int] = () if case.name == "sum" else case.wanted.shape
        given: dict[str, dict[str, int | list[int]]] = {}
        if case.name == "blur":
            shapes, result = {"x": (1, 1, *shapes["x"]), "w": (1, 1, 3, 3)}, (1, 1, *case.wanted.shape)
        elif case.name == "conv":
            given["Conv"] = {"pads": [shapes["w"][2] // 2] * 4, "group": shapes["x"][1] // shapes["w"][1]}
        elif case.name == "attention":
            given["Transpose"] = {"perm": [0, 2, 1]}
        elif case.name == "fft":
            given["DFT"], shapes, result = {"axis": 1}, {"x": (1, *shapes["x"])}, (1, *result)
        elif case.name == "int8":
            shapes.pop("s")
        reshaped = {name: arrays[name] | {"shape": shape} for name, shape in shapes.items()}
        dtypes = ("int8", "int32") if case.name == "int8" else ("float32", "float32")
        made = write(f"{title}.onnx", model(nodes, shapes, result, given, dtypes))
        found["ort"] = order | {"arrays": reshaped, "model": made, "shaders": case.name not in _ON_WASM}
    if case.name == "conv":
        found["tfjs"] = order | _channels_last(title, case)
    if case.lanes:
        uniforms = [("f32" if name == "step" else "u32", value) for name, value in case.scalars.items()]
        shader = write(f"{title}.wgsl", (HAND_CODE / f"{case.name}.wgsl").read_bytes())
        found["WGSL by hand"] = order | {"shader": shader, "uniforms": uniforms, "lanes": case.lanes}
    if loop := loop_of(case):
        found[LOOPS] = found[LOOPS + ONE] = order | {"arrays": {}, "loop": loop | _modules(loop["name"])}
    for name, fused in HANDS.items():
        if hand := written(case, fused):
            module = write(f"{title}.hand.{fused:d}.wasm", bytes(wasmtime.wat2wasm(hand.text)))
            told = {"module": module, "places": hand.places, "result": hand.result, "pages": hand.pages}
            found[name] = order | {"hand": told}
    return found


def _channels_last(title: str, case: Case) -> dict[str, Any]:
    """Arrays of a convolution as TensorFlow has them, and what comes out."""
    x, w = case.arrays["x"], case.arrays["w"]
    there = {"x": x.transpose(0, 2, 3, 1), "w": w.transpose(2, 3, 1, 0) if w.shape[1] > 1 else w.transpose(2, 3, 0, 1)}
    arrays = {
        name: {"path": write(f"{title}.last.{name}", value.tobytes()), "dtype": value.dtype.name, "shape": value.shape}
        for name, value in there.items()
    }
    wanted = case.wanted.astype(np.float64).transpose(0, 2, 3, 1)
    return {"arrays": arrays, "wanted": write(f"{title}.last.wanted", wanted.tobytes())}


def code_of(raw: bytes) -> Any:
    """The modules of an artifact, without which its bytes may differ in the name of the mathematics only."""
    from hologram_web.plan.reader import read

    file = read(raw)
    return file.modules, [kernel.wgsl for kernel in file.kernels]


class WrongResults(Exception):
    """Results that are not those of a case, which nobody has to beat."""


@dataclass
class PagePeer:
    """A library on a backend, in its page."""

    name: str
    version: str
    page: Any
    backend: str
    cores: int  # that it may use: one where pages are not isolated
    spent: Callable[[], int] | None = None  # nanoseconds of the processors that count, instead of the page's clock

    def does(self, order: dict[str, Any]) -> bool:
        return bool(self.page.evaluate("order => peer.does(order)", order))

    def prepare(self, order: dict[str, Any], strays: float, milliseconds: float, least: float) -> str:
        """Checks a case and warms it up; what it ran on. Raises WrongResults. Ends the benchmark where it is from
        elsewhere."""
        title, size = order["title"], order["size"]
        try:
            found = self.page.evaluate("order => peer.prepare(order)", order)
        except Error as error:
            sys.exit(f"{title}, {self.name}: {error.message}")
        if found["wrong"] > strays * size:
            raise WrongResults(f"{title}, {self.name}: {found['wrong']:,} are wrong, by {found['worst']:.3g}")
        on_gpu = self.backend == "webgpu"
        if (found["dispatches"] > 0) != on_gpu or (on_gpu and len(set(found["adapters"])) != 1):
            sys.exit(
                f"{title}, {self.name}: {found['dispatches']} dispatches on {found['adapters']}: not {self.backend}"
            )
        if milliseconds:
            self.page.evaluate("given => peer.warm(...given)", [title, milliseconds, least])
        return str(found["adapters"][0]) if on_gpu else "WebAssembly"

    def threads(self, title: str) -> int:
        """How many threads computed a case, as the library says; 0 on a GPU. Ends the benchmark where workers are
        missing that would be these, and in pages that are to have one."""
        found = self.page.evaluate("title => peer.threads(title)", title)
        if self.backend == "webgpu":
            return 0
        if found["threads"] > min(found["workers"] + 1, self.cores) or (self.cores == 1 and found["workers"]):
            sys.exit(
                f"{title}, {self.name}: {found['threads']} threads, {found['workers']} workers, {self.cores} cores"
            )
        return int(found["threads"])

    def time(self, title: str) -> float:
        """Milliseconds of a run, by the page's clock or of the processors."""
        begun = self.spent() if self.spent else 0
        ms, repeats = self.page.evaluate(
            "title => peer.time(title, 1).then(([ms]) => [ms, peer.repeats(title)])", title
        )
        return (self.spent() - begun) / 1e6 / repeats if self.spent else float(ms)

    def forget(self, title: str) -> None:
        self.page.evaluate("title => peer.forget(title)", title)


def versions() -> dict[str, str]:
    packages = json.loads((HERE / LOCK).read_text(encoding="utf-8"))["packages"]
    return {
        name: packages[f"node_modules/{package}"]["version"] if package else ""
        for name, (_, package) in LIBRARIES.items()
    }


def of_gpu_process() -> Callable[[], int]:
    """What tells how long the processors were in the GPU process of the browser that this process started: there all
    threads of a software adapter are."""
    parents, found = {}, []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it may have ended meanwhile
            parents[process.name] = (process / "stat").read_text(errors="replace").rpartition(")")[2].split()[1]
            if "--type=gpu-process" in (process / "cmdline").read_text(errors="replace"):
                found.append(process)
    ours = [process for process in found if str(os.getpid()) in _ancestors(process.name, parents)]
    if len(ours) != 1:
        sys.exit(f"the browser has {len(ours)} GPU processes: nothing is timed")
    tasks = ours[0] / "task"
    return lambda: sum(int((task / "schedstat").read_text().split()[0]) for task in tasks.iterdir())


def _ancestors(process: str, parents: dict[str, str]) -> Iterator[str]:
    while process in parents:
        process = parents[process]
        yield process


@contextmanager
def opened(
    browser: Browser, backend: str, plain: bool, names: Iterable[str], processor: bool = False
) -> Iterator[list[PagePeer]]:
    """A page for each library. Ends the benchmark where pages are not isolated, or are and should not be."""
    peers, told = [], versions()
    try:
        for name in names:
            alone = name.endswith(ONE)
            if name == ("WGSL by hand" if backend == "wasm" else "JavaScript"):
                continue
            if (backend == "webgpu" and name.startswith("v128")) or (alone and (plain or backend == "webgpu")):
                continue
            page = browser.page(f"/e2e/page.html{'?plain' if plain else ''}")
            module = f"/build/peers_web/out/{LIBRARIES[name][0]}.js"
            found = page.evaluate(_OPEN, [module, backend, 1 if alone else None])
            if found["isolated"] == plain:
                sys.exit(f"{name}: the page is {'' if plain else 'not '}isolated")
            spent = of_gpu_process() if processor else None
            peers.append(PagePeer(name, told[name], page, backend, 1 if plain or alone else found["cores"], spent))
        yield peers
    finally:
        for peer in peers:
            peer.page.close()


def first_results(browser: Browser, backend: str, name: str, order: dict[str, Any]) -> tuple[float, int, int]:
    """Milliseconds from nothing kept to a first result, in a page of a new window; bytes it took, and compressed."""
    asked: set[str] = set()
    with browser.tabs() as visit:
        page = visit("/e2e/README.md")
        page.on("request", lambda request: asked.add(request.url))
        page.goto(f"{browser.address}/build/peers_web/data/empty.html")
        found = page.evaluate(_FIRST, [f"/build/peers_web/out/{LIBRARIES[name][0]}.js", backend, order])
    paths = [ROOT / url.removeprefix(browser.address).split("?")[0].lstrip("/") for url in asked]
    files = [path.read_bytes() for path in paths if path.is_file() and FOLDER / "data" not in path.parents]
    return found["ms"], sum(map(len, files)), sum(len(gzip.compress(data, 9)) for data in files)
