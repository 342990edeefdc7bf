"""Hand-made hostile files: a table for each section of a module, and what else an artifact may lie about.

`MODULES` has modules that are not a kernel's, with what `hologram_web` says of them, and some that are, with None.
`e2e/samples.py` writes the table for the reader in TypeScript, which has to agree.
"""

from __future__ import annotations

import random
from collections.abc import Iterable

from hologram_web.targets.wasm.encoder import signed, unsigned

from .samples import EMPTY_KERNEL
from .seal import with_section

__all__ = ["LIE", "METADATA", "MODULES", "SHADERS", "STATUSES", "body", "module", "opcodes", "with_code", "with_shader"]

I32, I64, V128, FUNCREF = b"\x7f", b"\x7e", b"\x7b", b"\x70"
KERNEL = b"\x60\3\x7f\x7f\x7f\0"
NOTHING = b"\x60\0\0"
MEMORY = b"\3env\6memory\2\1\1\x80\x80\4"
POLL = b"\3env\4poll\0"


def vector(*items: bytes) -> bytes:
    return unsigned(len(items)) + b"".join(items)


def section(number: int, content: bytes) -> bytes:
    return bytes([number]) + unsigned(len(content)) + content


def body(*code: bytes, locals_: Iterable[tuple[int, bytes]] = ()) -> bytes:
    """A function: its size, groups of locals, code and end."""
    content = vector(*(unsigned(count) + ty for count, ty in locals_)) + b"".join(code) + b"\x0b"
    return unsigned(len(content)) + content


def module(*more: bytes, before: dict[int, bytes] | None = None, **changed: bytes | None) -> bytes:
    """A module of one kernel that does nothing, with other sections (None: without), and more `before` the section of
    a number and behind all."""
    sections = {
        "types": (1, vector(KERNEL)),
        "imports": (2, vector(MEMORY)),
        "functions": (3, vector(b"\0")),
        "exports": (7, vector(b"\6kernel\0\0")),
        "code": (10, vector(body())),
    }
    found = [b"\0asm\1\0\0\0"]
    for name, (number, content) in sections.items():
        found.append((before or {}).get(number, b""))
        given = changed.get(name, content)
        if given is not None:
            found.append(section(number, given))
    return b"".join([*found, *more])


def inserted(number: int, content: bytes) -> bytes:
    return module(before={number: content})


def code(*instructions: bytes, locals_: Iterable[tuple[int, bytes]] = ()) -> bytes:
    return module(code=vector(body(*instructions, locals_=locals_)))


_OPCODE = "is not one that kernels have"
_IMPORTS = "kernels import env.memory, of 1 to 65,536 pages, and env.poll"
_EXPORTS = "a kernel exports its function kernel once, and nothing else"
_FUNCTION = "a kernel is a function of three i32 and no result"
_ONCE = "a kernel imports env.memory once, and env.poll at most once"
_I0 = b"\x41\0"  # i32.const 0
_V0 = b"\xfd\x0c" + bytes(16)

MODULES: dict[str, tuple[bytes, str | None]] = {
    "nothing": (module(), None),
    "sample": (EMPTY_KERNEL, None),
    "no bytes": (b"", "a module starts with \\0asm and the version 1"),
    "version 2": (b"\0asm\2" + module()[5:], "a module starts with \\0asm and the version 1"),
    "component": (b"\0asm\x0d\0\1\0", "a module starts with \\0asm and the version 1"),
    "only the head": (module()[:8], _ONCE),
    "cut off": (module()[:-1], "do not fit into"),
    "bytes behind": (module() + b"\1\0", "section 1 may not stand behind section 10"),
    # custom sections
    "custom sections": (module(section(0, b"\4name\0"), section(0, b"\0" * 9)), None),
    "custom section in front": (inserted(1, section(0, b"\1x")), None),
    "custom section without a name": (module(section(0, b"")), "1 more bytes should follow"),
    "custom section with a long name": (module(section(0, b"\5name")), "5 bytes of a name do not fit into the 4"),
    "custom section past the end": (module(b"\0\x7f\4name"), "127 bytes of a section do not fit into the 5"),
    # types
    "a type twice": (module(types=vector(KERNEL, KERNEL)), None),
    "a struct type": (module(types=vector(KERNEL, b"\x5f\0")), "a type that is not a function's"),
    "a recursive type": (module(types=b"\1\x4e\1" + KERNEL), "a type that is not a function's"),
    "a vector type": (module(types=vector(KERNEL, b"\x60\1" + V128 + b"\0")), None),
    "a packed type": (module(types=vector(KERNEL, b"\x60\1\x78\0")), "the value type 0x78 is not known"),
    "a reference type": (module(types=vector(KERNEL, b"\x60\0\1" + FUNCREF)), "the value type 0x70 is not known"),
    "too few types": (module(types=b"\2" + KERNEL), "1 more bytes should follow"),
    "types without end": (module(types=b"\xff\xff\xff\xff\x0f" + KERNEL), "4294967295 items do not fit into"),
    "a type with a tail": (module(types=vector(KERNEL) + b"\0"), "section 1 ends here, but 1 bytes are left"),
    "types twice": (inserted(2, section(1, vector(KERNEL))), "section 1 may not stand behind section 1"),
    # imports
    "no imports": (module(imports=None), _ONCE),
    "no memory": (module(imports=vector()), _ONCE),
    "memory twice": (module(imports=vector(MEMORY, MEMORY)), _ONCE),
    "a memory without maximum": (module(imports=vector(b"\3env\6memory\2\0\1")), _IMPORTS),
    "a memory of 60,000 pages": (module(imports=vector(b"\3env\6memory\2\1\xe0\xd4\3\x80\x80\4")), _IMPORTS),
    "a shared memory": (module(imports=vector(b"\3env\6memory\2\3\1\x80\x80\4")), _IMPORTS),
    "a memory of 64 bits": (module(imports=vector(b"\3env\6memory\2\5\1\x80\x80\4")), _IMPORTS),
    "a memory of another name": (module(imports=vector(b"\3env\6menory\2\1\1\x80\x80\4")), _IMPORTS),
    "a name in the long form": (module(imports=vector(b"\x83\0env\6memory\2\1\1\x80\x80\4")), _IMPORTS),
    "poll": (module(types=vector(KERNEL, b"\x60\0\1\x7f"), imports=vector(MEMORY, POLL + b"\1"),
                    exports=vector(b"\6kernel\0\1")), None),
    "poll first": (module(types=vector(KERNEL, b"\x60\0\1\x7f"), imports=vector(POLL + b"\1", MEMORY),
                          exports=vector(b"\6kernel\0\1")), None),
    "poll without result": (module(types=vector(KERNEL, NOTHING), imports=vector(MEMORY, POLL + b"\1"),
                                   exports=vector(b"\6kernel\0\1")), None),
    "poll of another type": (module(imports=vector(MEMORY, POLL + b"\0"), exports=vector(b"\6kernel\0\1")),
                             "env.poll takes nothing and gives nothing or an i32"),
    "poll of no type": (module(imports=vector(MEMORY, POLL + b"\7")), "type 7 of 1"),
    "poll twice": (module(types=vector(KERNEL, b"\x60\0\1\x7f"), imports=vector(MEMORY, POLL + b"\1", POLL + b"\1"),
                          exports=vector(b"\6kernel\0\2")), _ONCE),
    "poll as the kernel": (module(types=vector(KERNEL, b"\x60\0\1\x7f"), imports=vector(MEMORY, POLL + b"\1")),
                           _FUNCTION),
    "another function": (module(imports=vector(MEMORY, b"\3env\1f\0\0")), _IMPORTS),
    "a function of another module": (module(imports=vector(MEMORY, b"\2js\4eval\0\0")), _IMPORTS),
    "a table": (module(imports=vector(MEMORY, b"\3env\1t\1\x70\0\1")), _IMPORTS),
    "a global": (module(imports=vector(MEMORY, b"\3env\1g\3\x7f\0")), _IMPORTS),
    "a tag": (module(imports=vector(MEMORY, b"\3env\1e\4\0\0")), _IMPORTS),
    # functions
    "no functions": (module(functions=None, code=None), _FUNCTION),
    "a function of no type": (module(functions=vector(b"\1")), "type 1 of 1"),
    "functions without end": (module(functions=b"\xff\xff\3" + b"\0" * 9), "65535 items do not fit into the 9"),
    "a function without code": (module(functions=vector(b"\0", b"\0")), "2 functions are declared, but 1 have code"),
    "code without a function": (module(code=vector(body(), body())), "1 functions are declared, and more have code"),
    "no code": (module(code=None), "1 functions are declared, but 0 have code"),
    # sections that kernels do not have
    "60 tables": (inserted(7, section(4, vector(*([b"\x70\0" + unsigned(10_000_000)] * 60)))), "section 4 is not one"),
    "an empty table section": (inserted(7, section(4, b"\0")), "section 4 is not one that kernels have"),
    "a second memory": (inserted(7, section(5, vector(b"\0\1"))), "section 5 is not one that kernels have"),
    "a tag section": (inserted(7, section(13, vector(b"\0\0"))), "section 13 is not one that kernels have"),
    "a constant": (inserted(7, section(6, vector(b"\x7b\0" + _V0 + b"\x0b"))), None),
    "a number as a constant": (inserted(7, section(6, vector(b"\x7f\1\x41\0\x0b"))), "globals of kernels are constant"),
    "a vector that changes": (inserted(7, section(6, vector(b"\x7b\1" + _V0 + b"\x0b"))), "globals of kernels"),
    "a constant that goes on": (inserted(7, section(6, vector(b"\x7b\0" + _V0 + b"\1\x0b"))), "globals of kernels are"),
    "half a constant": (inserted(7, section(6, vector(b"\x7b\0" + _V0[:10]))), "17 more bytes should follow"),
    "start": (inserted(10, section(8, b"\0")), "section 8 is not one that kernels have"),
    "elements": (inserted(10, section(9, vector(b"\1\0\0"))), "section 9 is not one that kernels have"),
    "a count of data": (inserted(10, section(12, b"\0")), "section 12 is not one that kernels have"),
    "data": (module(section(11, vector(b"\0\x41\0\x0b\1x"))), "section 11 is not one that kernels have"),
    "section 14": (module(section(14, b"")), "section 14 is not one that kernels have"),
    "section 128": (module(b"\x80\0"), "section 128 is not one that kernels have"),
    # exports
    "no exports": (module(exports=None), _EXPORTS),
    "no export": (module(exports=vector()), _EXPORTS),
    "kernel twice": (module(exports=vector(b"\6kernel\0\0", b"\6kernel\0\0")), _EXPORTS),
    "another export": (module(exports=vector(b"\6kernel\0\0", b"\6memory\2\0")), _EXPORTS),
    "another name": (module(exports=vector(b"\6kernal\0\0")), _EXPORTS),
    "the memory as kernel": (module(exports=vector(b"\6kernel\2\0")), _EXPORTS),
    "a kernel that is not there": (module(exports=vector(b"\6kernel\0\7")), _FUNCTION),
    "a kernel of i64": (module(types=vector(b"\x60\3\x7e\x7e\x7e\0")), _FUNCTION),
    "a kernel of two": (module(types=vector(b"\x60\2\x7f\x7f\0")), _FUNCTION),
    "a kernel with a result": (module(types=vector(b"\x60\3\x7f\x7f\x7f\1\x7f")), _FUNCTION),
    # code
    "a store": (code(b"\x20\0", _I0, b"\x36\2\0"), None),
    "br_table": (code(b"\2\x40", _I0, b"\x0e\2\0\1\0\x0b"), None),
    "a loop that does not end": (code(b"\3\x40\x0c\0\x0b"), None),  # a module like any other: runs are ended
    "memory.grow": (code(_I0, b"\x40\0\x1a"), f"the opcode 0x40 {_OPCODE}"),
    "memory.size": (code(b"\x3f\0\x1a"), f"the opcode 0x3f {_OPCODE}"),
    "memory.grow behind a constant": (code(b"\x42\x80\x80\x40\x1a", _I0, b"\x40\0\x1a"), f"the opcode 0x40 {_OPCODE}"),
    "grow in a constant": (code(b"\x41\xc0\0\x1a"), None),
    "grow in an immediate": (code(b"\x44" + b"\x40\0" * 4 + b"\x1a"), None),
    "memory.init": (code(b"\xfc\x08\0\0"), f"the opcode 0xfc {_OPCODE}"),
    "table.grow": (code(b"\xfc\x0f\0"), f"the opcode 0xfc {_OPCODE}"),
    "a prefix in the long form": (code(b"\xfc\x80\0"), f"the opcode 0xfc {_OPCODE}"),
    "memory.atomic.wait32": (code(_I0, _I0, b"\x42\0\xfe\1\2\0\x1a"), f"the opcode 0xfe {_OPCODE}"),
    "call_indirect": (code(b"\x11\0\0"), f"the opcode 0x11 {_OPCODE}"),
    "return_call": (code(b"\x12\0"), f"the opcode 0x12 {_OPCODE}"),
    "throw": (code(b"\x08\0"), f"the opcode 0x08 {_OPCODE}"),
    "a vector": (code(_V0, b"\x1a"), None),
    "a lane of a vector": (code(_V0, b"\xfd\x1b\3\x1a"), None),
    "any lane of a vector": (code(_V0, b"\xfd\x63\x1a"), None),
    "a vector of sums": (code(*[_V0] * 2, b"\xfd\xae\1\x1a"), None),
    "an instruction of vectors that is not": (code(*[_V0] * 3, b"\xfd\x85\3\x1a"), f"the opcode 0xfd {_OPCODE}"),
    "lane 32 of a vector": (code(_V0, b"\xfd\x1b\x20\x1a"), f"the opcode 0xfd {_OPCODE}"),
    "a lane from memory 1": (code(_I0, _V0, b"\xfd\x56\x42\1\0\0\x1a"), f"the opcode 0xfd {_OPCODE}"),
    "global.set": (code(_V0, b"\x24\0"), f"the opcode 0x24 {_OPCODE}"),
    "ref.null": (code(b"\xd0\x70\x1a"), f"the opcode 0xd0 {_OPCODE}"),
    "a block with the type of a function": (code(b"\2\0\x0b"), f"the opcode 0x02 {_OPCODE}"),
    "a load from memory 1": (code(_I0, b"\x28\x42\1\0\x1a"), f"the opcode 0x28 {_OPCODE}"),
    "memory.copy between memories": (code(_I0, _I0, _I0, b"\xfc\x0a\0\1"), f"the opcode 0xfc {_OPCODE}"),
    "a constant of 6 bytes": (code(b"\x41" + b"\x80" * 5 + b"\0\x1a"), f"the opcode 0x41 {_OPCODE}"),
    "an instruction over the end": (module(code=b"\1\3\0\x41\x80"), f"the opcode 0x41 {_OPCODE}"),
    "a table of labels over the end": (module(code=vector(b"\4\0\x0e\x7f\0")), "127 labels do not fit into the 1"),
    "a function over the end": (module(code=b"\1\x7f\0\x0b"), "127 bytes of a function do not fit into the 2"),
    "a local of no type": (code(locals_=[(1, b"\x40")]), "the value type 0x40 is not known"),
    "many locals and blocks": (
        code(*[b"\3\x40\x0b"] * 1000, locals_=[(10_000, I32)]), "its functions have too many locals and blocks"
    ),
    "four billion locals": (
        code(b"\2\x40\x0b", locals_=[(0xFFFFFFFF, I64)] * 9), "its functions have too many locals and blocks"
    ),
    "many locals": (code(locals_=[(40_000, I32)]), None),
}  # fmt: skip


def reporting(**words: int) -> bytes:
    """A module whose kernel leaves these status words, and nothing else."""
    fields = {"kind": 0, "at": 4, "base": 8, "lane": 12, "other": 28}
    stores = [
        b"\x20\0\x41" + signed(words.get(name, 0)) + b"\x36\2" + unsigned(place) for name, place in fields.items()
    ]
    longs = {"offset": 16, "need": 80}
    stores += [
        b"\x20\0\x42" + signed(words.get(name, 0)) + b"\x37\3" + unsigned(place) for name, place in longs.items()
    ]
    return code(*stores)


LIE = "reports a fault that there is not"
_LEAST, _MOST = -(1 << 31), (1 << 31) - 1

# Status words of saxpy, which has five instructions and runs in a block of 256 lanes, and what is told of them.
_WORDS: dict[str, tuple[dict[str, int], str]] = {
    "kind 11": ({"kind": 11}, LIE),
    "kind -1": ({"kind": -1}, LIE),
    "the least kind": ({"kind": _LEAST}, LIE),
    "DataRace": ({"kind": 10}, LIE),
    "instruction 5": ({"kind": 1, "at": 5, "need": 4}, LIE),
    "instruction -2": ({"kind": 6, "at": -2}, LIE),
    "memory 4": ({"kind": 1, "base": 4, "need": 4}, LIE),
    "memory -2": ({"kind": 1, "base": -2, "need": 4}, LIE),
    "lane 256": ({"kind": 6, "lane": 256}, LIE),
    "lane -2": ({"kind": 6, "lane": -2}, LIE),
    "the last lane": ({"kind": 6, "lane": 255}, "StepLimit at instruction 0, lane 255"),
    "the largest lane": ({"kind": 6, "lane": _MOST}, LIE),
    "need -1": ({"kind": 1, "need": -1}, LIE),
    "note 14": ({"kind": 4, "other": 14}, LIE),
    "note -1": ({"kind": 5, "other": -1}, LIE),
    "a note of a divisor": ({"kind": 2, "other": 99}, LIE),
    "a barrier at no place": ({"kind": 7, "at": -1}, LIE),
    "a barrier at instruction 5": ({"kind": 7, "other": 5}, LIE),
    "a barrier of lane 256": ({"kind": 7, "other": 1, "offset": 256}, LIE),
    "a crooked access at no place": ({"kind": 3, "at": -1}, LIE),
    "a crooked access of no memory": ({"kind": 3, "base": -1}, LIE),
    "bytes outside no memory": ({"kind": 1, "base": -1, "need": 4}, LIE),
    "an access outside": (
        {"kind": 1, "base": 1, "need": 4, "offset": 400},
        "4 bytes at offset 400 (index 100) are outside buffer y",
    ),
    "a note": ({"kind": 4, "base": -1, "other": 0, "offset": 96}, "class 96 does not exist"),
    "a step limit": ({"kind": 6}, "a lane went around loops more than"),
}
STATUSES = {name: (reporting(**words), told) for name, (words, told) in _WORDS.items()}


_MAIN = "@compute @workgroup_size(256) fn main() {{ {} }}"
_MANY = 1_000_000

# Shaders in the place of saxpy's, and what a run, or loading, says. Bindings: 0 status, 1 arguments, 2 x, 3 y.
SHADERS: dict[str, tuple[str, str]] = {
    "no WGSL": ("this is no shader", "CompileError: the WGSL of saxpy is refused: "),
    "nothing": ("", "CompileError: the WGSL of saxpy is refused: "),
    "no entry point": ("fn other() {}", "CompileError: the WGSL of saxpy is refused: "),
    "another entry point": ("@compute @workgroup_size(1) fn mine() {}", "CompileError: the WGSL of saxpy is refused: "),
    "a vertex shader": (
        "@vertex fn main() -> @builtin(position) vec4f { return vec4f(); }",
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "much workgroup memory": (
        f"var<workgroup> m: array<u32, {_MANY}>;\n" + _MAIN.format("m[0] = 1u;"),
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "a large workgroup": (
        "@compute @workgroup_size(65536) fn main() {}",
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "a binding that is not there": (
        "@group(0) @binding(9) var<storage, read_write> z: array<u32>;\n" + _MAIN.format("z[0] = 1u;"),
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "another group": (
        "@group(1) @binding(0) var<storage, read_write> z: array<u32>;\n" + _MAIN.format("z[0] = 1u;"),
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "a binding that is only read": (
        "@group(0) @binding(2) var<storage, read_write> z: array<u32>;\n" + _MAIN.format("z[0] = 1u;"),
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "a binding of another kind": (
        "@group(0) @binding(2) var z: texture_2d<f32>;\n" + _MAIN.format("_ = textureLoad(z, vec2i(), 0);"),
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "arguments that are larger": (
        "@group(0) @binding(1) var<uniform> z: array<vec4u, 4000>;\n" + _MAIN.format("_ = z[3999];"),
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "an override without a value": (
        "override size: u32;\n@compute @workgroup_size(size) fn main() {}",
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "deep parentheses": (
        _MAIN.format(f"_ = {'(' * 5000}1u{')' * 5000};"),
        "CompileError: the WGSL of saxpy is refused: ",
    ),
    "a status that lies": (
        "@group(0) @binding(0) var<storage, read_write> status: array<atomic<u32>, 8>;\n"
        + _MAIN.format("atomicStore(&status[0], 99u);"),
        f"ArtifactError: saxpy {LIE} (kind 99, ",
    ),
}


def with_shader(raw: bytes, text: str) -> bytes:
    """The file of saxpy with that shader instead of its own three."""
    piece = text.encode()
    return with_section(raw, "WGSL", vector(unsigned(len(piece)) + piece) + vector(*[vector(b"\0")] * 3))


# Names of metadata that JavaScript's objects have, too
METADATA: list[dict[str, str]] = [
    {"toString": "x"},
    {"valueOf": "", "then": "", "__proto__": "x", "constructor": "x", "length": "9"},
]


def opcodes(count: int = 3000, seed: int = 1) -> list[bytes]:
    """Modules with every opcode of one byte and after the prefixes, with random bytes behind it, and some of random
    bytes: whether they are a kernel's is for both readers to say alike."""
    source = random.Random(seed)
    starts = [bytes([opcode]) for opcode in range(256)]
    starts += [bytes([prefix, opcode]) for prefix in (0xFC, 0xFD, 0xFE) for opcode in range(256)]
    starts += [b""] * max(count - len(starts), 0)
    common = bytes(range(0x20, 0x23)) + bytes([0, 0, 0x41, 0x6A, 0x36, 0x0B, 0x80])
    tails = [bytes(source.choices(common, k=source.randrange(12))) + source.randbytes(3) for _ in starts]
    return [code(start, tail) for start, tail in zip(starts, tails, strict=True)]


def with_code(raw: bytes, found: bytes) -> bytes:
    """The file with that module instead of its own."""
    return with_section(raw, "WASM", vector(unsigned(len(found)) + found))
