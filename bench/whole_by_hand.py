"""What an engine gives at all: whole operations by hand on vectors, `v128 by hand` in `python -m bench.peers`.

Matrix products and convolutions of 1 x 1 with both factors packed, and depthwise convolutions of 3 x 3, whose images
are copied between zeros: all of that is in each run. Sizes and places are numbers of the text; nothing is checked,
told, or may be cancelled. Sums of products run over k in increasing order, as ours do; `fused` takes relaxed SIMD.
"""

# mypy: ignore-errors

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .peers.cases import Case

__all__ = ["Written", "depthwise", "product", "written"]

_PAGE = 65_536
# Of a tile: rows and steps of a round, exactly and fused; its columns are two vectors. V8 has registers for these.
TILES = {False: (5, 4), True: (6, 2)}
DEPTH, ROWS = 256, 256  # of what is packed at once, at most
BENEATH = 4  # rows of pixels that a round of the depthwise loop makes, so that each row is read once for three of them


@dataclass(frozen=True)
class Written:
    """A module's text, with a memory of so many pages, whose `run` computes the array at `result` of those at
    `places`."""

    text: str
    places: dict[str, int]
    result: int
    pages: int


def written(case: Case, fused: bool) -> Written | None:
    """The loops by hand of a case, if there are any."""
    shapes = {name: value.shape for name, value in case.arrays.items()}
    if case.name == "gemm":
        (m, k), (_, n) = shapes["x"], shapes["y"]
        return product(m, n, k, fused)
    if case.name != "conv" or shapes["x"][0] != 1:
        return None
    (_, channels, height, width), (outs, inner, kernel, _) = shapes["x"], shapes["w"]
    if kernel == 1 and inner == channels:
        return product(outs, height * width, channels, fused, "wx")
    if kernel == 3 and inner == 1 and outs == channels and width % 4 == 0 and height % BENEATH == 0:
        return depthwise(channels, height, width, fused)
    return None


def _placed(*sizes: int) -> tuple[list[int], int]:
    """Where arrays of so many bytes lie, and the pages of all. None begins at the same part of a page as another."""
    places, end = [], _PAGE
    for number, size in enumerate(sizes):
        places.append(end + 320 * number)
        end += -(-(size + 320 * number + 64) // _PAGE) * _PAGE
    return places, end // _PAGE


def _module(parts: list[str]) -> str:
    return "\n".join(["(module", '(import "env" "memory" (memory 1))', *parts, ")"])


def _get(name: str) -> str:
    return f"(local.get ${name})"


def _more(name: str, by: int | str) -> str:
    """A local grows."""
    return f"(local.set ${name} (i32.add {_get(name)} {by if isinstance(by, str) else f'(i32.const {by})'}))"


def _times(count: str, label: str, *body: str) -> list[str]:
    """A loop that goes as often as a local says, which is more than 0."""
    again = f"(br_if ${label} (local.tee ${count} (i32.sub {_get(count)} (i32.const 1))))"
    return [f"(loop ${label}", *body, again + ")"]


def _if(name: str, *body: str) -> list[str]:
    return [f"(if {_get(name)} (then", *body, "))"]


def _added(total: str, x: str, y: str, fused: bool) -> str:
    if fused:
        return f"(local.set ${total} (f32x4.relaxed_madd {_get(x)} {_get(y)} {_get(total)}))"
    return f"(local.set ${total} (f32x4.add {_get(total)} (f32x4.mul {_get(x)} {_get(y)})))"


# Products


def _tile(rows: int, steps: int, fused: bool) -> list[str]:
    """Adds to a tile of `rows` and eight columns, or makes it anew: the factors are packed."""
    sums = [(f"s{i}0", f"s{i}1") for i in range(rows)]
    of_rows = [
        [f"(local.set ${name} (v128.load offset={16 * j} {_get('at')}))" for j, name in enumerate(row)] for row in sums
    ]
    stores = [[f"(v128.store offset={16 * j} {_get('at')} {_get(name)})" for j, name in enumerate(row)] for row in sums]

    def each_row(lines: list[list[str]]) -> list[str]:
        found = [f"(local.set $at {_get('c')})"]
        for row in lines:
            found += [*row, _more("at", _get("stride"))]
        return found

    def together(count: int) -> list[str]:
        found = []
        for step in range(count):
            found += [f"(local.set $y{j} (v128.load offset={32 * step + 16 * j} {_get('b')}))" for j in (0, 1)]
            for i, row in enumerate(sums):
                found.append(f"(local.set $x (v128.load32_splat offset={4 * (step * rows + i)} {_get('a')}))")
                found += [_added(name, "x", f"y{j}", fused) for j, name in enumerate(row)]
        return [*found, _more("a", 4 * rows * count), _more("b", 32 * count)]

    names = " ".join(f"(param ${name} i32)" for name in ("a", "b", "c", "depth", "stride", "more"))
    locals_ = " ".join(f"(local ${name} v128)" for name in ("x", "y0", "y1", *(name for row in sums for name in row)))
    return [
        f"(func $tile{rows} {names} {locals_} (local $at i32) (local $left i32)",
        *_if("more", *each_row(of_rows)),
        f"(local.set $left (i32.div_u {_get('depth')} (i32.const {steps})))",
        *_if("left", *_times("left", "rounds", *together(steps))),
        f"(local.set $left (i32.rem_u {_get('depth')} (i32.const {steps})))",
        *_if("left", *_times("left", "rest", *together(1))),
        *each_row(stores),
        ")",
    ]


def _shuffled(one: str, other: str, words: tuple[int, ...]) -> str:
    lanes = " ".join(str(4 * word + byte) for word in words for byte in range(4))
    return f"(i8x16.shuffle {lanes} {_get(one)} {_get(other)})"


def _strip(rows: int, k: int) -> list[str]:
    """Packs `rows` rows of a matrix with rows of k numbers, column after column."""
    low, high, first, second = (0, 4, 1, 5), (2, 6, 3, 7), (0, 1, 4, 5), (2, 3, 6, 7)
    four = [f"(local.set $r{i} (v128.load offset={4 * k * i} {_get('from')}))" for i in range(rows)]
    if rows >= 4:
        for name, one, other, words in (("t0", "r0", "r1", low), ("t1", "r0", "r1", high), ("t2", "r2", "r3", low),
                                        ("t3", "r2", "r3", high)):  # fmt: skip
            four.append(f"(local.set ${name} {_shuffled(one, other, words)})")
        columns = (("t0", "t2", first), ("t0", "t2", second), ("t1", "t3", first), ("t1", "t3", second))
        four += [
            f"(v128.store offset={4 * rows * q} {_get('to')} {_shuffled(*column)})" for q, column in enumerate(columns)
        ]
    for i in range(4 if rows >= 4 else 0, rows):
        four += [f"(v128.store32_lane offset={4 * (rows * q + i)} {q} {_get('to')} {_get(f'r{i}')})" for q in range(4)]
    one = [f"(f32.store offset={4 * i} {_get('to')} (f32.load offset={4 * k * i} {_get('from')}))" for i in range(rows)]
    locals_ = " ".join(f"(local ${name} v128)" for name in (*(f"r{i}" for i in range(rows)), "t0", "t1", "t2", "t3"))
    return [
        f"(func $strip{rows} (param $from i32) (param $to i32) (param $depth i32) (local $left i32) {locals_}",
        f"(local.set $left (i32.shr_u {_get('depth')} (i32.const 2)))",
        *_if("left", *_times("left", "fours", *four, _more("from", 16), _more("to", 16 * rows))),
        f"(local.set $left (i32.and {_get('depth')} (i32.const 3)))",
        *_if("left", *_times("left", "ones", *one, _more("from", 4), _more("to", 4 * rows))),
        ")",
    ]


def _panel(n: int) -> list[str]:
    """Packs eight columns of a matrix with rows of n numbers; behind the last column it reads what is there."""
    moved = [f"(v128.store offset={at} {_get('to')} (v128.load offset={at} {_get('from')}))" for at in (0, 16)]
    return [
        "(func $panel (param $from i32) (param $to i32) (param $depth i32)",
        *_times("depth", "next", *moved, _more("from", 4 * n), _more("to", 32)),
        ")",
    ]


def product(m: int, n: int, k: int, fused: bool, names: str = "xy") -> Written:
    """The product of matrices of m x k and k x n."""
    rows, steps = TILES[fused]
    depths, blocks = -(-k // DEPTH), -(-m // ROWS)
    depth, height = -(-k // depths // 4) * 4, -(-m // blocks // rows) * rows
    rest, left, panels = m % rows, n % 8, n // 8
    sizes = (4 * m * k, 4 * k * n, 4 * m * n, 4 * height * depth, 32 * (panels + 1) * depth, 32 * m)
    (a, b, c, strips, packed, narrow), pages = _placed(*sizes)
    further = f"(i32.mul {_get('depth')} (i32.const {4 * rows}))"

    def tiles(to: str, stride: int) -> list[str]:
        """A panel by all strips of the block."""
        given = f"{_get('pa')} {_get('pb')} {_get('to')} {_get('depth')} (i32.const {stride}) {_get('more')}"
        starts = ("pa", f"(i32.const {strips})"), ("to", _get(to)), ("i", _get("count"))
        found = [f"(local.set ${name} {value})" for name, value in starts]
        step = [f"(call $tile{rows} {given})", _more("pa", further), _more("to", rows * stride)]
        found += _if("i", *_times("i", f"strips_{to}", *step))
        return found + (_if("rest", f"(call $tile{rest} {given})") if rest else [])

    brought = _if("pack", f"(call $panel {_get('b')} {_get('pb')} {_get('depth')})")
    # Packed once for all blocks of rows; where there is one, each panel is used while it is in the first cache.
    following = [_more("pb", f"(i32.shl {_get('depth')} (i32.const 5))")] if blocks > 1 else []
    params = " ".join(
        f"(param ${name} i32)" for name in ("a", "b", "c", "narrow", "count", "rest", "depth", "more", "pack")
    )
    block = [
        f"(func $block {params} (local $i i32) (local $left i32) (local $pa i32) (local $pb i32) (local $to i32)",
        f"(local.set $pa (i32.const {strips}))",
        f"(local.set $i {_get('count')})",
        *_if("i", *_times("i", "pack_strips", f"(call $strip{rows} {_get('a')} {_get('pa')} {_get('depth')})",
                          _more("a", 4 * k * rows), _more("pa", further))),
        *(_if("rest", f"(call $strip{rest} {_get('a')} {_get('pa')} {_get('depth')})") if rest else []),
        f"(local.set $pb (i32.const {packed}))",
    ]  # fmt: skip
    if panels:
        block.append(f"(local.set $left (i32.const {panels}))")
        each = [*brought, *tiles("c", 4 * n), _more("b", 32), _more("c", 32), *following]
        block += _times("left", "panels", *each)
    if left:
        block += [*brought, *tiles("narrow", 32)]
    block.append(")")
    run = ['(func (export "run") (local $from i32) (local $to i32) (local $i i32)']
    for start in range(0, k, depth):
        for top in range(0, m, height):
            here, deep = min(height, m - top), min(depth, k - start)
            given = (a + 4 * (top * k + start), b + 4 * start * n, c + 4 * top * n, narrow + 32 * top, here // rows,
                     int(here % rows > 0), deep, int(start > 0), int(top == 0))  # fmt: skip
            run.append(f"(call $block {' '.join(f'(i32.const {number})' for number in given)})")
    if left:
        ends = [
            f"(f32.store offset={4 * j} {_get('to')} (f32.load offset={4 * j} {_get('from')}))" for j in range(left)
        ]
        run += [f"(local.set $from (i32.const {narrow}))", f"(local.set $to (i32.const {c + 32 * panels}))"]
        run += [f"(local.set $i (i32.const {m}))"]
        run += _times("i", "ends", *ends, _more("from", 32), _more("to", 4 * n))
    run.append(")")
    heights = sorted({rows, rest} - {0})
    parts = [line for each in heights for line in (*_tile(each, steps, fused), *_strip(each, k))]
    return Written(_module([*parts, *_panel(n), *block, *run]), dict(zip(names, (a, b), strict=True)), c, pages)


# Depthwise convolutions


def depthwise(channels: int, height: int, width: int, fused: bool) -> Written:
    """Each channel by a kernel of 3 x 3 of its own, with a zero at each edge. A channel is copied between zeros, which
    stay in the first cache, and nothing else is brought twice."""
    image, row, wide = 4 * height * width, 4 * width, 4 * (width + 8)
    (x, w, z, padded), pages = _placed(channels * image, 36 * channels, channels * image, (height + 2) * wide)
    copied = [
        f"(v128.store offset={16 * v} {_get('to')} (v128.load offset={16 * v} {_get('x')}))" for v in range(width // 4)
    ]
    round_ = []
    for line in range(BENEATH + 2):
        for kx in range(3):
            round_.append(f"(local.set $p (v128.load offset={line * wide + 4 * kx} {_get('at')}))")
            for i in range(max(line - 2, 0), min(line + 1, BENEATH)):
                tap = 3 * (line - i) + kx
                if tap == 0:
                    round_.append(f"(local.set $s{i} (f32x4.mul {_get('p')} {_get('w0')}))")
                else:
                    round_.append(_added(f"s{i}", "p", f"w{tap}", fused))
    round_ += [f"(v128.store offset={row * i} {_get('z')} {_get(f's{i}')})" for i in range(BENEATH)]
    columns = _times("column", "columns", *round_, _more("at", 16), _more("z", 16))
    names = ("p", *(f"w{k}" for k in range(9)), *(f"s{i}" for i in range(BENEATH)))
    numbers = ("x", "kernel", "z", "to", "at", "channel", "left", "column")
    body = [
        '(func (export "run")',
        *(f"(local ${name} i32)" for name in numbers),
        *(f"(local ${name} v128)" for name in names),
        *(f"(local.set ${name} (i32.const {place}))" for name, place in (("x", x), ("kernel", w), ("z", z))),
        f"(local.set $channel (i32.const {channels}))",
        *_times(
            "channel",
            "channels",
            f"(local.set $to (i32.const {padded + wide + 16}))",
            f"(local.set $left (i32.const {height}))",
            *_times("left", "rows", *copied, _more("x", row), _more("to", wide)),
            *(f"(local.set $w{k} (v128.load32_splat offset={4 * k} {_get('kernel')}))" for k in range(9)),
            _more("kernel", 36),
            f"(local.set $at (i32.const {padded + 12}))",
            f"(local.set $left (i32.const {height // BENEATH}))",
            *_times(
                "left",
                "groups",
                f"(local.set $column (i32.const {width // 4}))",
                *columns,
                _more("at", BENEATH * wide - row),
                _more("z", (BENEATH - 1) * row),
            ),
        ),
        ")",
    ]
    return Written(_module(body), {"x": x, "w": w}, z, pages)
