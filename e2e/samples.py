"""Artifacts and what they give, for the tests of the TypeScript runtime.

    .venv/bin/python -m e2e.samples

`build/e2e/samples.json` has for each its file, the arguments of a run, and what comes out on the device `wasm`; arrays
are their type, shape and bytes. `build/e2e/stdlib` has some kernels of the standard library.
"""

from __future__ import annotations

import base64
import json
import random
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import hologram_web as hg
from examples.edges.pipeline import edges_plan
from examples.twelve.cases import cases
from hologram_web.errors import ArtifactError
from hologram_web.plan.artifact import Blob
from hologram_web.plan.reader import read
from hologram_web.plan.writer import write as write_artifact
from hologram_web.runtime.arrays import numbers, type_of
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.store.blake3 import blake3
from hologram_web.targets.wasm.check import check_modules
from hologram_web_tools import build_ops
from hologram_web_tools.build_ops import write_modules
from hologram_web_tools.build_stdlib import build
from tests.artifact.hostile import METADATA, MODULES, SHADERS, STATUSES, opcodes, with_code, with_shader
from tests.artifact.samples import collectives, counted, field, hosted, long_plan, powers, saxpy, whole_plan
from tests.artifact.slow import IDLE, SLOW
from tests.artifact.test_symbolic import GEMM
from tests.kept import kept

from . import crews, printed

PASSED = ("the argument ", "canonical form", "a module is there twice", "a piece of WGSL is there twice")
BUILD = Path(__file__).resolve().parent.parent / "build" / "e2e"

TYPES = {"float32": "f32", "uint32": "u32", "int32": "i32", "uint8": "u8", "uint16": "u16"}
HALVES = hg.Program.from_text("""
    .program halves                         ; f16, bf16, i64 and u8 in one program
    .param h: buffer f16 read
    .param b: buffer bf16 read
    .param n: buffer i64 read_write
    .param k: i64
    .param c: buffer u8 write
        ldg.f16 r10, [h + r255*2]
        cvt.f32.f16 r11, r10
        ldg.bf16 r12, [b + r255*2]
        cvt.f32.bf16 r13, r12
        add.f32 r11, r11, r13
        cvt.u8.f32 r14, r11
        stg.u8 [c + r255], r14
        ldg.i64 r15, [n + r255*8]
        add.i64 r15, r15, r4
        stg.i64 [n + r255*8], r15
""")
WEIGHED = hg.Program.from_text("""
    .program weighed                        ; y = a + b, which are constants
    .param a: buffer u32 read
    .param b: buffer u32 read
    .param y: buffer u32 write
        ldg.u32 r10, [a + r255*4]
        ldg.u32 r11, [b + r255*4]
        add.u32 r10, r10, r11
        stg.u32 [y + r255*4], r10
""")
WIDE = hg.Program.from_text("""
    .program wide                           ; x * x, modulo 2**256 and without a sign
    .param x: buffer i256 read
    .param y: buffer u256 write
        ldg.i256 r10, [x + r255*32]
        mul.i256 r10, r10, r10
        bitcast.u256.i256 r11, r10
        stg.u256 [y + r255*32], r11
""")
PAIR = hg.Program.from_text("""
    .program pair                           ; the sum of the rows of a matrix, and its doubles
    .param m: buffer u32 read
    .param total: buffer u32 write
    .param twice: buffer u32 write
    .param width: u32
        cvt.u32.u64 r10, r255
        mul.u32 r11, r10, r4
        mov r12, r4
        mov_imm.u32 r13, 0
    next:
        ldg.u32 r14, [m + r11*4]
        add.u32 r13, r13, r14
        add.u32 r15, r14, r14
        stg.u32 [twice + r11*4], r15
        mov_imm.u32 r16, 1
        add.u32 r11, r11, r16
        sub.u32 r12, r12, r16
        mov_imm.u32 r17, 0
        set.ne.u32 p0, r12, r17
        bra next, p0
        stg.u32 [total + r255*4], r13
""")
PICK = hg.Program.from_text("""
    .program pick                           ; y[i] = x[k[i]] + a
    .param x: buffer u32 read
    .param k: buffer u32 read
    .param y: buffer u32 write
    .param a: u32
        ldg.u32 r10, [k + r255*4]
        cvt.u64.u32 r10, r10
        ldg.u32 r11, [x + r10*4]
        add.u32 r11, r11, r4
        stg.u32 [y + r255*4], r11
""")
MEETING = hg.Program.from_text("""
.param x: buffer f32 read_write
    all_reduce.add.f32 [x], 3, devices=(0,1)
""")
SPREAD = hg.Program.from_text("""
    .program spread                         ; y[k[i]] = i + 1, and the others are as they were
    .param k: buffer u32 read
    .param y: buffer u32 write
        ldg.u32 r10, [k + r255*4]
        cvt.u64.u32 r10, r10
        cvt.u32.u64 r11, r255
        mov_imm.u32 r12, 1
        add.u32 r11, r11, r12
        stg.u32 [y + r10*4], r11
""")
TURNED = """
def turned(y: hg.Array[hg.u32], a: hg.u32):
    i, j = hg.u32(hg.global_id(0)), hg.u32(hg.global_id(1))
    y[((i << a) | (j >> a)) ^ a] = i  # no formula says where that is
"""
PRODUCT = hg.Program.from_text(GEMM)
LONG = hg.Program.from_text("""
    .program long                           ; three loops that are counted, in each other: a * b * c rounds
    .param a: u32
    .param b: u32
    .param c: u32
    .param x: buffer u32 read_write
        mov_imm.u32 r10, 0
        mov_imm.u32 r11, 1
        mov r12, r1
    outer:
        mov r13, r2
    middle:
        mov r14, r3
    inner:
        add.u32 r10, r10, r11
        loop r14, inner
        loop r13, middle
        loop r12, outer
        stg.u32 [x + r255*4], r10
""")


SLOPE = """
def slope(x: hg.Array[hg.f32, 2], y: hg.Array[hg.f32, 2]):
    r, c = hg.global_id(1), hg.global_id(0)
    y[r, c] = x[r, c + 1] - x[r, c]
"""


WAVES = """
def waves(z: hg.Array[hg.complex64], out: hg.Array[hg.complex64], up: hg.Array[bool]):
    i = hg.global_id()
    out[i] = z[i] * z[i] + 1j
    up[i] = z[i].imag > 0
"""


SCALED = """
def scaled(x: hg.Array[hg.f32], by: hg.f32 = 0.5, more: hg.i64 = -3):
    i = hg.global_id()
    x[i] = x[i] * by + hg.f32(more)
"""


TOTAL = """
def total(x: hg.Array[hg.f32], z: hg.Array[hg.f32], n: hg.u32):
    hg.parallel_reduce(x, z, "sum", n)
"""


OPERATIONS = (
    *(
        "add",
        "relu",
        "matmul",
        "softmax",
        "layer_norm",
        "causal_attention",
        "arg_max",
        "conv2d",
        "linear",
        "sum",
        "transpose",
        "group_norm",
    ),
    *("add_i32", "and_i32", "gather", "gather_i32", "concat", "slice", "pad", "top_k", "random", "scatter_add", "flip"),
)
BEYOND = """\
import hologram_web as hg

def beyond(x: hg.Array[hg.f32], y: hg.Array[hg.f32]):
    i = hg.global_id()
    y[i] = x[i + 1]
"""


def scaled() -> CompiledProgram:
    return hg.compile(hg.kernel_from_source(SCALED), grid="n", shapes={"x": ("n",)})


def waves() -> CompiledProgram:
    kernel = hg.kernel_from_source(WAVES)
    return hg.compile(kernel, grid="n", shapes={"z": ("n",), "out": ("n",), "up": ("n",)})


def total() -> CompiledProgram:
    return hg.compile(hg.kernel_from_source(TOTAL), grid=1, shapes={"x": ("m",), "z": (1,)})


def slope() -> CompiledProgram:
    shapes = {"x": ("h", "w"), "y": ("h", "w")}
    kernel = hg.kernel_from_source(SLOPE)
    return hg.compile(kernel, grid=("columns", "h"), block=(16, 4), shapes=shapes, scalars={"columns": hg.u32})


def pair() -> CompiledProgram:
    shapes = {"m": ("h", "w"), "total": ("h",), "twice": ("h", "w")}
    builder = hg.PlanBuilder("pair", shapes=shapes)
    builder.launch(PAIR, "h", args={"width": "w"})
    return CompiledProgram.from_builder(builder)


def halves() -> CompiledProgram:
    return hg.compile(HALVES, grid="n", shapes={"h": ("n",), "b": ("n",), "n": ("n",), "c": ("n",)})


FOUR = np.full(1, 4, np.uint32)


def twelve() -> dict[str, tuple[CompiledProgram, dict[str, Any]]]:
    """Kernels as one writes them on the first day."""
    made = [(hg.compile(case.kernel, lanes=case.lanes, block=case.block), case.args) for case in cases()]
    return {compiled.name: (compiled, args) for compiled, args in made}


def samples() -> dict[str, tuple[CompiledProgram, dict[str, Any]]]:
    source = np.random.default_rng(7)
    x = source.random(100_000, np.float32)
    return {
        **twelve(),
        "saxpy": (saxpy(), {"a": 2.5, "x": x, "y": x[::-1].copy()}),
        "collectives": (collectives(), {"x": np.arange(50, dtype=np.int32), "n": 50, "rounds": 3}),
        "powers": (powers(), {"count": 5, "x": np.arange(4, dtype=np.uint32)}),
        "hosted": (hosted(), {"x": np.arange(12, dtype=np.int32), "n": 6, "scale": 0.25, "key": 3**33}),
        "counted": (
            counted(),
            {"x": np.array([2**32 - 10, 5, 7], np.uint32), "left": FOUR, "other": np.zeros(1, np.uint32)},
        ),
        "edges": (
            edges_plan(),
            {"rgb": source.integers(0, 256, (130, 250, 3), np.uint8), "low": 1536, "high": 2560, "rounds": 3},
        ),
        "slope": (
            slope(),
            {"x": source.random((7, 40), np.float32), "y": np.zeros((7, 40), np.float32), "columns": 39},
        ),
        "scaled": (scaled(), {"x": np.array([8, -2], np.float32)}),
        "waves": (waves(), {"z": np.array([1 + 2j, 3 - 4j, 0.5], np.complex64)}),
        "total": (total(), {"x": np.arange(9, dtype=np.float32), "n": 8}),
        "pair": (pair(), {"m": np.arange(15, dtype=np.uint32).reshape(3, 5)}),
    }


def _packed(value: Any) -> Any:
    if not isinstance(value, np.ndarray):
        return value
    value = numbers(value, type_of(value))
    data = base64.b64encode(value.tobytes()).decode()
    return {"type": TYPES[str(value.dtype)], "shape": value.shape, "data": data}


def _rehashed(raw: bytes) -> bytes:
    (head,) = struct.unpack("<I", raw[12:16])
    return raw[:32] + blake3(raw[:32] + raw[64:head]) + raw[64:]


def damaged(raw: bytes, count: int = 2000) -> list[tuple[int, int, bool | None]]:
    """Places of the head, what to put there, and whether the file is still one, its hash made right; None if what is
    wrong is an argument of a call, or only the form, which a runner of kernels looks past."""
    source = random.Random(1)
    found: list[tuple[int, int, bool | None]] = []
    fine: bool | None
    head = struct.unpack("<I", raw[12:16])[0]
    for _ in range(count):
        place = source.randrange(64, head)
        value = source.choice((0, 1, 2, 127, 128, 255, raw[place] ^ 1, (raw[place] + 1) % 256, (raw[place] - 1) % 256))
        try:
            read(_rehashed(raw[:place] + bytes([value]) + raw[place + 1 :]))
            fine = True
        except ArtifactError as error:
            fine = None if any(part in str(error) for part in PASSED) else False
        found.append((place, value, fine))
    return found


def hostile(raw: bytes) -> dict[str, Any]:
    """Modules that kernels may and may not be, with Python's verdict; a file of each in which some lie."""

    def text(code: bytes) -> str:
        return base64.b64encode(code).decode()

    def fine(code: bytes) -> bool:
        try:
            check_modules([code])
        except ArtifactError:
            return False
        return True

    modules = [(name, text(code), fine(code)) for name, (code, _) in MODULES.items()]
    modules += [(code.hex(), text(code), fine(code)) for code in opcodes()]
    files = [(name, text(with_code(raw, code)), reason is None) for name, (code, reason) in MODULES.items()]
    statuses = [(name, text(with_code(raw, code)), told) for name, (code, told) in STATUSES.items()]
    return {"modules": modules, "files": files, "statuses": statuses}


def write(folder: Path = BUILD) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    backend = hg.backends.WasmBackend()
    found = {}
    hg.compile(LONG, grid="n", shapes={"x": ("n",)}).save(folder / "long.holo")
    for name, (compiled, arguments) in samples().items():
        result = compiled.run(backend, **arguments)
        outputs = result if isinstance(result, dict) else {"": result}
        found[name] = {
            "holo": base64.b64encode(compiled.to_bytes()).decode(),
            "args": {key: _packed(value) for key, value in arguments.items()},
            "results": {key: _packed(value) for key, value in outputs.items()},
        }
        compiled.save(folder / f"{name}.holo")
    field().save(folder / "field.holo")
    hg.compile(hg.kernel_from_source(BEYOND, file="beyond.py")).save(folder / "beyond.holo")
    build(folder / "stdlib", ["vector_add", "softmax"])
    build(folder / "stdlib", ["vector_add", "softmax", "matmul"], modules=True)
    write_modules(
        folder / "ops", ((name, build_ops.compiled(*build_ops.files()[name]).to_bytes()) for name in OPERATIONS)
    )
    powers().save(folder / "outside.holo", weights="outside.safetensors", least=0)
    numbers_of = np.arange(100_000, dtype="u4")
    weights = {"a": numbers_of * 3, "b": numbers_of ^ 5}
    weighed = hg.compile(WEIGHED, grid=100_000, shapes={"y": (100_000,)}, constants=weights)
    weighed.save(folder / "weighed.holo", weights="weighed.safetensors")
    halves().save(folder / "halves.holo")
    hg.compile(WIDE, grid="n", shapes={"x": ("n",), "y": ("n",)}).save(folder / "wide.holo")
    whole = replace(whole_plan(), blobs=(Blob.of(b"abc"), Blob.of(b"12345")))
    hg.compile(SPREAD, grid="n", shapes={"k": ("n",), "y": ("n",)}).save(folder / "spread.holo")
    hg.compile(MEETING, grid=1, shapes={"x": (3,)}).save(folder / "meeting.holo")
    hg.compile(PICK, grid="n", shapes={"x": ("m",), "k": ("n",), "y": ("n",)}).save(folder / "pick.holo")
    turned = hg.kernel_from_source(TURNED, file="turned.py")
    hg.compile(turned, grid=("n", 1), shapes={"y": ("n",)}).save(folder / "turned.holo")
    sides = {"a": ("m", "k"), "b": ("k", "n"), "c": ("m", "n")}
    hg.compile(PRODUCT, shapes=sides).save(folder / "product.holo")
    rows = hg.function(lambda x: x.sum(axis=1)).compile(hg.Array[hg.f32, "rows", "columns"])
    rows.save(folder / "rows.holo")
    raw = write_artifact(whole)
    found["everything"] = {"holo": base64.b64encode(raw).decode(), "args": {}, "results": {}}
    long = write_artifact(long_plan())
    found["long"] = {"holo": base64.b64encode(long).decode(), "args": {}, "results": {}}
    crews.write()
    (folder / "damaged.json").write_text(json.dumps({"everything": damaged(raw), "long": damaged(long)}))
    named = [replace(whole, metadata=dict(sorted(metadata.items()))) for metadata in METADATA]
    pairs = [(base64.b64encode(write_artifact(each)).decode(), list(each.metadata.items())) for each in named]
    (folder / "metadata.json").write_text(json.dumps(pairs))
    shaders = [
        (name, base64.b64encode(with_shader(saxpy().to_bytes(), text)).decode(), told)
        for name, (text, told) in SHADERS.items()
    ]
    (folder / "shaders.json").write_text(json.dumps(shaders))
    for name, make in {**SLOW, **IDLE}.items():
        (folder / f"{name}.holo").write_bytes(make())
    printed.printed().save(folder / "printed.holo")
    (folder / "printed.json").write_text(json.dumps(printed.logs()))
    (folder / "hostile.json").write_text(json.dumps(hostile(saxpy().to_bytes())))
    (folder / "samples.json").write_text(json.dumps(found))


def written() -> None:
    """As `write`, once for the sources as they are."""
    kept(BUILD / "samples.json", write)


if __name__ == "__main__":
    written()
