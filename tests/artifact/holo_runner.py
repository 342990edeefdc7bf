"""Reads and runs artifacts with docs/artifact.md as the only help: nothing of the package but its errors.

The reader is written a second time here, and the stored modules run in wasmtime without the compiler, so that the page
and the file are known to be enough for runtimes in other languages.
"""

from __future__ import annotations

import json
import math
import struct
import time
from functools import cache
from pathlib import Path
from typing import Any

import wasmtime
from blake3 import blake3

from hologram_web.errors import ExecutionError, FaultKind, InvalidBuffer, LaunchError

from .holo_values import ARITY, OPERATIONS, SOURCED, compute, number_of

LARGEST = (1 << 53) - 1
SIZES = [2, 2, 4, 8, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1, 2, 4, 8, 16, 32, 64, 128, 256, 512]
TYPES = [
    "f16", "bf16", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "i256", "i512", "i1024", "i2048", "i4096",
    "u8", "u16", "u32", "u64", "u128", "u256", "u512", "u1024", "u2048", "u4096",
]  # fmt: skip
TYPE_NAMES = [*TYPES, "pred"]
KINDS = [
    "OutOfBounds", "DivisionByZero", "MisalignedAccess", "InvalidClass", "NeighborIllegal", "StepLimit",
    "DivergentBarrier", "PoolUseAfterFree", "Cancelled", "DataRace",
]  # fmt: skip
CLASS_BYTES, CLASSES = 12288, 96
ACCESS = ["scalar", "read", "write", "read_write"]


class Bytes:
    """Takes values off a section."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        self.at += count
        assert self.at <= len(self.data)
        return self.data[self.at - count : self.at]

    def u8(self):
        return self.take(1)[0]

    def uint(self):
        value, scale = 0, 1
        while True:
            byte = self.u8()
            value += byte % 128 * scale
            scale *= 128
            if byte < 128:
                return value

    def string(self):
        return self.take(self.uint()).decode()

    def list(self, read):
        return [read() for _ in range(self.uint())]

    def uints(self):
        return self.list(self.uint)


def parse(raw):
    """The parts of a file as plain dicts, lists and tuples."""
    assert raw[:8] == b"HOLO\r\n\x1a\n"
    version, head, file, count, zero = struct.unpack("<2IQ2I", raw[8:32])
    assert (version, count, zero, file) == (5, 7, 0, len(raw))
    assert raw[32:64] == blake3(raw[:32] + raw[64:head]).digest()
    sections = {}
    for number in range(count):
        tag, offset, length, _ = struct.unpack("<4s3I", raw[64 + 16 * number :][:16])
        sections[tag.decode()] = Bytes(raw[offset : offset + length])
    s = sections["PLAN"]

    def token(source):
        kind = source.u8()
        return (kind, source.uint() if kind < 3 else None)

    variables, formulas = s.list(s.string), s.list(lambda: s.list(lambda: token(s)))
    ports = []
    for _ in range(s.uint()):
        port = {"name": s.string(), "type": s.u8(), "access": ACCESS[s.u8()]}
        port["shape"] = None if port["access"] == "scalar" else s.uints()
        ports.append(port)
    temporaries = s.list(lambda: (s.string(), s.uint()))
    constants = s.list(lambda: (s.string(), s.uint()))
    k = sections["KERN"]

    def memory():
        kind = k.u8()
        base = None if kind == 3 else k.uint() if kind == 2 else k.string()
        return (kind, base, k.u8())

    def binding():
        kind = k.u8()
        return (kind, k.uints() if kind < 2 else 4 * k.uint())

    def fast():
        while number := k.uint():
            blocks, counts = 1 + k.uint(), k.u8()
            assert counts < 2
            yield (number - 1, blocks, k.list(lambda: k.list(lambda: token(k))))

    def kernel():
        found = {"name": k.string(), "program": k.uint() - 1, "block": (k.uint(), k.uint(), k.uint())}
        found |= {"shared": k.uint(), "scalars": k.list(lambda: (k.string(), k.u8())), "memories": k.list(memory)}
        found |= {"parallel": k.u8(), "module": k.uint() - 1}
        if found["module"] < 0:
            found["why"] = k.string()
        else:
            found |= {"spill": k.uint(), "scalar_order": k.uints(), "memory_order": k.uints(), "relaxed": k.uint() - 1}
        found["wgsl"] = k.list(
            lambda: {
                "shader": k.uint(),
                "counts": k.u8(),
                "size": k.uint(),
                "scalars": k.uints(),
                "bindings": k.list(binding),
                "fast": list(fast()),
            }
        )
        if not found["wgsl"]:
            found["why_wgsl"] = k.string()
        return found

    kernels = k.list(kernel)

    def argument():
        kind = s.u8()
        if kind == 5:
            return (0, int.from_bytes(s.take(s.uint()), "little"))
        return (kind, struct.unpack("<Q", s.take(8))[0] if kind == 0 else s.uint())

    def let():
        value, ty, op = s.uint(), s.u8(), OPERATIONS[s.u8()]
        source, args = s.u8(), s.list(argument)
        assert len(args) == ARITY.get(op, 1)
        return ("let", value, ty, op, source, args)

    def several(count):
        return [s.uint() for _ in range(count)]

    def step():
        kind = s.u8()
        if kind == 1:
            return ("repeat", s.uint(), s.uint(), s.list(step))
        if kind == 2:
            head = several(5), several(3), several(3), s.list(argument)
            return ("call", *head, s.list(step))
        if kind == 3:
            number, variant, origin = several(3)
            grid, lanes = several(3), several(3)
            scalars = [argument() for _ in kernels[number]["scalars"]]
            return ("launch", number, variant, origin, grid, lanes, scalars, several(len(kernels[number]["memories"])))
        if kind == 6:
            return ("target", s.u8(), s.list(step))
        if kind == 4:
            return ("copy", s.uint(), s.uint())
        if kind == 7:
            return let()
        if kind == 8:
            return ("read", s.uint(), s.u8(), s.uint(), s.uint())
        if kind == 9:
            return ("when", (6, s.uint()), s.list(step), s.list(step))
        if kind in (10, 11):
            return ("loop" if kind == 11 else "nest", s.list(step))
        if kind == 12:
            return ("branch", s.uint())
        assert kind == 5
        return ("bounds", several(3), s.u8(), s.uint(), s.string())

    steps = s.list(step)
    p, w, g, d = (sections[tag] for tag in ("PROG", "WASM", "WGSL", "DATA"))
    programs = p.list(lambda: (p.take(p.uint()), p.string()))
    modules = w.list(lambda: w.take(w.uint()))
    pieces = g.list(g.string)
    shaders = ["".join(pieces[n] for n in numbers) for numbers in g.list(g.uints)]
    blobs, place = [], head
    for length, digest, location, offset in d.list(lambda: (d.uint(), d.take(32), d.string(), d.uint())):
        data = None
        if not location:
            data, place = raw[place : place + length], place + -(-length // 64) * 64
            assert blake3(data).digest() == digest
        blobs.append((data, location, offset))
    assert place == file
    assert all(part.at == len(part.data) for tag, part in sections.items() if tag != "META")
    return {
        "meta": json.loads(sections["META"].data), "variables": variables, "formulas": formulas, "ports": ports,
        "temporaries": temporaries, "constants": constants, "steps": steps, "programs": programs, "kernels": kernels,
        "modules": modules, "shaders": shaders, "blobs": blobs,
    }  # fmt: skip


ENGINE = wasmtime.Engine()
MODULES: dict = {}  # by their bytes, for all runners


class Runner:
    """Runs a file's WebAssembly. Arrays are bytes with a shape."""

    target = 0

    def __init__(self, raw, steps=1 << 26, seconds=10.0, relaxed=False):
        self.file, self.steps, self.seconds, self.relaxed = parse(raw), steps, seconds, relaxed
        self.until = time.monotonic() + seconds
        self.block = 0  # where the arguments of the kernel are that runs
        self.store = wasmtime.Store(ENGINE)
        self.memory = wasmtime.Memory(self.store, wasmtime.MemoryType(wasmtime.Limits(16, 65536)))
        self.poll = wasmtime.Func(self.store, wasmtime.FuncType([], []), self.answer)
        self.top, self.functions = 64, {}
        self.classes = self.allocate(CLASS_BYTES * CLASSES)
        self.scratch = self.allocate(1024)

    def answer(self):
        """What `poll` does: the kernel ends when the time is up."""
        if time.monotonic() > self.until:
            self.put(self.block + 24, struct.pack("<i", 1))

    def allocate(self, size):
        address, self.top = self.top, self.top + max(-(-size // 64) * 64, 64)
        have = self.memory.data_len(self.store)
        if self.top > have:
            self.memory.grow(self.store, -(-(self.top - have) // 65536))
        return address

    def get(self, address, size):
        return bytes(self.memory.read(self.store, address, address + size))

    def put(self, address, data):
        self.memory.write(self.store, data, address)

    def put_copy(self, target, source, size):
        self.put(target, self.get(source, size))

    def formula(self, number, values, most=LARGEST):
        return self.evaluate(self.file["formulas"][number], self.file["variables"], values, most)

    def evaluate(self, tokens, names, values, most=LARGEST):
        stack: list = []
        for kind, value in tokens:
            if kind < 2:
                result = -value if kind else value
            elif kind == 2:
                name = names[value]
                if name not in values:
                    raise LaunchError(f"{name} has no value")
                result = values[name]
            else:
                b, a = stack.pop(), stack.pop()
                if kind in (6, 7):
                    if b == 0:
                        raise LaunchError("division by zero")
                    r = abs(a) % abs(b) * (1 if a >= 0 else -1)  # as in JavaScript
                    t = abs(a - r) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
                    if kind == 6:
                        result = t if r == 0 or (r < 0) == (b < 0) else t - 1
                    else:
                        result = t if r == 0 or (r < 0) != (b < 0) else t + 1
                else:
                    result = {3: a + b, 4: a - b, 5: a * b, 8: min(a, b), 9: max(a, b)}[kind]
            if abs(result) > most:
                raise LaunchError("out of range")
            stack.append(result)
        return stack[0]

    def run(self, scalars, arrays):
        """`scalars`: bits by name; `arrays`: (bytes, shape) by name. Gives the written arrays in the same way."""
        file, values = self.file, {}
        ports = [port for port in file["ports"] if port["shape"] is not None]
        for port in file["ports"]:
            if port["shape"] is None and port["type"] > 3:
                bits, width = scalars[port["name"]], 8 * SIZES[port["type"]]
                signed = port["type"] < 14
                values[port["name"]] = bits - (1 << width) if signed and bits >> (width - 1) else bits
        for port in ports:
            if port["name"] in arrays:
                assert len(arrays[port["name"]][1]) == len(port["shape"])
                for number, length in zip(port["shape"], arrays[port["name"]][1], strict=True):
                    tokens = file["formulas"][number]
                    if len(tokens) == 1 and tokens[0][0] == 2:
                        values.setdefault(file["variables"][tokens[0][1]], length)
        self.values: dict[str, int] = {}  # bits of what steps computed
        self.scalars, self.buffers = scalars, []  # address and size of each buffer
        shapes = []
        for port in ports:
            shape = tuple(self.formula(number, values) for number in port["shape"])
            size = SIZES[port["type"]]
            for length in shape:
                size *= length
            data, given = arrays.get(port["name"], (bytes(size), shape))
            if tuple(given) != shape:
                raise LaunchError(f"{port['name']} has the shape {shape}, not {given}")
            assert len(data) == size
            shapes.append(shape)
            self.add(data)
        for _, number in file["temporaries"]:
            self.add(bytes(self.formula(number, values)))
        for _, blob in file["constants"]:
            self.add(file["blobs"][blob][0])
        self.buffers.append((self.classes, CLASS_BYTES * CLASSES))
        self.left, self.call = 1 << 20, None
        self.walk(file["steps"], values)
        return {
            port["name"]: (self.get(*self.buffers[n]), shapes[n])
            for n, port in enumerate(ports)
            if port["access"] in ("write", "read_write")
        }

    def add(self, data):
        address = self.allocate(len(data))
        self.put(address, data)
        self.buffers.append((address, len(data)))

    def walk(self, steps, values):
        """How many nests and loops further out the steps go on at, or -1."""
        for step in steps:
            self.take()
            levels = self.step(step, values)
            if levels >= 0:
                return levels
        return -1

    def step(self, step, values):
        kind, *rest = step
        if kind == "repeat":
            count, variable, body = rest
            for k in range(self.formula(count, values)):
                self.take()
                values[self.file["variables"][variable]] = k
                if (levels := self.walk(body, values)) >= 0:
                    return levels
        elif kind == "call":
            self.call = rest[0][0]
            self.walk(rest[-1], values)
        elif kind == "target":
            return self.walk(rest[1], values) if rest[0] == self.target else -1
        elif kind == "when":
            return self.walk(rest[1] if self.bits(rest[0], 16, values) else rest[2], values)
        elif kind == "branch":
            return rest[0]
        elif kind == "nest":
            return max(self.walk(rest[0], values) - 1, -1)
        elif kind == "loop":
            while (levels := self.walk(rest[0], values)) == 0:
                self.take()
            return max(levels - 1, -1)
        else:
            self.leaf(kind, rest, values)
        return -1

    def leaf(self, kind, rest, values):
        if kind == "let":
            name, ty, op, source, args = rest
            self.let(name, TYPE_NAMES[ty], op, TYPE_NAMES[source], args, values)
        elif kind == "read":
            name, ty, buffer, offset = rest
            at, size = self.formula(offset, values), SIZES[ty]
            if not 0 <= at <= self.buffers[buffer][1] - size:
                raise LaunchError(f"no {size} bytes at {at}")
            whole = self.get(*self.buffers[buffer])
            self.keep(name, TYPES[ty], int.from_bytes(whole[at:][:size], "little"), values)
        elif kind == "copy":
            (target, size), (source, other) = (self.buffers[n] for n in rest)
            if size != other:
                raise LaunchError("a copy of other size")
            self.put_copy(target, source, size)
        elif kind == "bounds":
            numbers, ty, instruction, memory = rest
            need, offset, size = (self.formula(number, values, math.inf) for number in numbers)
            if need > 0 and not 0 <= offset <= size - need:
                fault = "OutOfBounds", outside(need, offset, memory, size, TYPES[ty])
            elif need > 0 and offset % min(SIZES[ty], 16):
                fault = "MisalignedAccess", misaligned(TYPES[ty], offset, memory)
            else:
                return
            detail = f"{fault[1]}, in {self.text(instruction)}"
            raise ExecutionError(FaultKind(fault[0]), instruction, detail, buffer=memory, offset=offset)
        else:
            launch: Any = self.launch
            launch(*rest, values)

    def let(self, name, ty, op, source, args, values):
        types = {"select": ["pred", ty, ty], "pand": ["pred"] * 2, "por": ["pred"] * 2, "pnot": ["pred"]}
        types |= {shift: [ty, "u32"] for shift in ("shl", "shr", "rotl")}
        kinds = types.get(op, [source if op in SOURCED else ty] * len(args))
        bits = [self.bits(a, TYPES.index(k) if k != "pred" else 16, values) for a, k in zip(args, kinds, strict=True)]
        self.keep(name, ty, compute(op, ty, source, bits), values)

    def keep(self, name, ty, bits, values):
        name = self.file["variables"][name]
        self.values[name] = bits
        if ty[0] not in "fb":
            values[name] = bits if ty == "pred" else number_of(ty, bits)

    def take(self):
        self.left -= 1
        if self.left < 0:
            raise ExecutionError(FaultKind.STEP_LIMIT, None, "too many steps")

    def bits(self, argument, ty, values):
        kind, value = argument
        if kind == 0:
            return value
        if kind == 1:
            return self.scalars[self.file["ports"][value]["name"]]
        if kind == 6:
            if self.file["variables"][value] not in self.values:
                raise LaunchError("a value that is not there yet")
            return self.values[self.file["variables"][value]]
        if kind == 3:
            return int.from_bytes(self.get(self.buffers[value][0], max(SIZES[ty], 8)), "little")
        number, width, signed = self.formula(value, values), 8 * SIZES[ty], ty < 14
        if not -(signed << (width - 1)) <= number < 1 << (width - signed):
            raise LaunchError(f"{number} does not fit")
        return number % (1 << width)

    def launch(self, number, _variant, origin, grid, lanes, scalars, memories, values):
        kernel = self.file["kernels"][number]
        grid, lanes = ([self.formula(n, values) for n in three] for three in (grid, lanes))
        x, y, z = kernel["block"]
        asked = zip(lanes, grid, (x, y, z), strict=True)
        if min(*grid, *lanes) < 0 or max(*grid, *lanes) >= 1 << 32 or any(on > g * b for on, g, b in asked):
            raise LaunchError(f"{lanes} lanes in {grid} blocks")
        blocks = grid[0] * grid[1] * grid[2]
        last = [(on - 1) % b for on, b in zip(lanes, (x, y, z), strict=True)]
        if (blocks - 1) * x * y * z + last[0] + x * (last[1] + y * last[2]) + 1 >= 1 << 31:
            raise LaunchError(f"{grid} blocks are too many")
        if 0 in (*grid, *lanes):
            return
        if kernel["module"] < 0:
            raise LaunchError(kernel["why"])
        shared = self.allocate(kernel["shared"])
        spill = self.allocate(kernel["spill"] * x * y * z)
        block = bytearray(88)
        struct.pack_into(
            "<3I3I2Iq2I", block, 32, *grid, *lanes, kernel["shared"], shared, self.steps + 1, spill, self.scratch
        )
        for place in kernel["scalar_order"]:
            ty = kernel["scalars"][place][1]
            block += self.bits(scalars[place], ty, values).to_bytes(max(SIZES[ty], 8), "little")
        self.sizes = {}
        for place in kernel["memory_order"]:
            kind, base, _ = kernel["memories"][place]
            address, size = self.buffers[memories[place]]
            if kind == 2:
                address, size = address + CLASS_BYTES * base, CLASS_BYTES
            self.sizes[place] = size
            block += struct.pack("<2I", address, size)
        arguments = self.block = self.allocate(len(block))
        self.put(arguments, bytes(block))
        self.function(kernel)(self.store, arguments, 0, blocks)
        self.top = shared
        self.fault(kernel, origin, self.get(arguments, 88))

    def function(self, kernel):
        number = kernel["module"]
        if self.relaxed and kernel["relaxed"] >= 0:
            number = kernel["relaxed"]
        if number not in self.functions:
            code = self.file["modules"][number]
            module = MODULES.get(code) or MODULES.setdefault(code, wasmtime.Module(ENGINE, code))
            given: dict[str, Any] = {"memory": self.memory, "poll": self.poll}
            assert {i.module for i in module.imports} == {"env"}
            instance = wasmtime.Instance(self.store, module, [given[i.name] for i in module.imports])
            self.functions[number] = instance.exports(self.store)["kernel"]
        return self.functions[number]

    def text(self, instruction):
        return self.file["programs"][self.call][1].split("\n")[instruction]

    def fault(self, kernel, origin, block):
        kind, at, base, lane, offset, _, other = struct.unpack("<4iq2i", block[:32])
        (need,) = struct.unpack("<q", block[80:88])
        if not kind:
            return
        kind, buffer, size = KINDS[kind - 1], None, kernel["shared"]
        if origin:
            at = origin - 1
        elif base >= 0:
            order = kernel["memory_order"]
            buffer = "shared memory"
            if base > len(order):
                buffer, size = "local memory", other
            elif base < len(order):
                place = order[base]
                of, name, _ = kernel["memories"][place]
                buffer = [f"buffer {name}", f"pool {name}", f"class {name}", "class memory"][of]
                size = self.sizes[place]
        if kind == "DivergentBarrier":
            (at, lane), (other, last) = sorted([(at, lane), (other, offset)])
            lanes = kernel["block"][0] * kernel["block"][1] * kernel["block"][2]
            detail = (
                f"lanes of block {lane // lanes} wait at different places: lane {lane} at instruction {at}, "
                f"lane {last} at instruction {other}; let all lanes of a block reach the same bar_sync"
            )
        elif kind == "DivisionByZero" and not other:
            detail = f"the divisor of element {lane} is zero" if origin else "the divisor is zero: test it before"
        elif kind == "StepLimit":
            detail = f"a lane went around loops more than {self.steps} times: does a loop not end?"
        elif kind == "Cancelled":  # what ends it is the time
            kind, lane, detail = "StepLimit", None, f"the launch did not end within {self.seconds} seconds"
        elif kind == "MisalignedAccess":
            detail = misaligned(self.text(at).split()[0].rpartition(".")[2], offset, buffer)
        elif self.text(at).startswith("chk "):
            array, axis = self.text(at).split(", ")[2:4]
            what = f"index {offset} of axis {axis} of {array}"
            length = need + (other << 32)
            wrong = f"is beyond its length, which is {length}"
            wrong = f"is negative, and the length is {length}" if offset < 0 else wrong
            detail = f"{what} {wrong}: check the index against the length"
        elif need:
            detail = outside(need, offset, buffer, size, self.text(at).split()[0].rpartition(".")[2])
        else:
            detail = notes()[other].replace("{}", str(offset))
        detail += f", in {self.text(at)}" if at >= 0 else ""
        where = offset if buffer else None
        raise ExecutionError(kind, at if at >= 0 else None, detail, lane=lane, buffer=buffer, offset=where)


@cache
def notes():
    """The texts of faults that docs/artifact.md lists."""
    text = (Path(__file__).parents[2] / "docs" / "artifact.md").read_text()
    return text.partition("The notes of the last kind")[2].split("```")[1].split("\n")[1:-1]


def outside(need, offset, memory, size, ty):
    element, index, elements = SIZES[TYPES.index(ty)], "", ""
    if need == element and offset % need == 0:
        index, elements = f" (index {offset // need})", f" ({size // need} element{'s' * (size // need != 1)})"
    what = f"{need} bytes at offset {offset}{index} are outside {memory}, which has {size} bytes{elements}"
    return f"{what}: check the index against the length"


def misaligned(ty, offset, memory):
    alignment = min(SIZES[TYPES.index(ty)], 16)
    return f"{ty} at offset {offset} of {memory} is not aligned: the offset has to be a multiple of {alignment}"


def check_aliases(ports):
    """What the page says of ports that share memory: those to copy first. `ports`: (name, written, memory)."""
    groups: dict[object, list[tuple[str, bool]]] = {}
    for name, written, memory in ports:
        groups.setdefault(memory, []).append((name, written))
    copied = []
    for group in groups.values():
        written = [name for name, writes in group if writes]
        if len(written) > 1:
            raise InvalidBuffer(f"{', '.join(written)} are one buffer, and more than one of them is written")
        if written:
            copied += [name for name, writes in group if not writes]
    return copied
