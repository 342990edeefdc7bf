"""Random cases of convolutions, pools and resizes, for tests/shapes.py.

The bound of convolutions is that for sums of products, norm(b) by the greatest weight; of means and interpolated
pixels 8 units of the greatest element. The greatest of windows and the nearest pixels have the bits of `cpu`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hologram_web.isa.row import REQUIRED
from hologram_web.isa.table import BY_MNEMONIC
from hologram_web.tensor.families import operation
from hologram_web.tensor.operation import Operands

from .collective import UNIT, Array, Bound, Case, Chance, listed, near, random_of, run, whole
from .fuzz.devices import reference

__all__ = ["CASES"]

Numbers = dict[str, Any]


def _case(name: str, numbers: Numbers, arrays: dict[str, Array]) -> Case:
    """The text of an instruction whose numbers have these names, and room for as many elements as it makes."""
    row = BY_MNEMONIC[name]
    values = {operand.name: operand.default for operand in row.operands} | numbers | dict.fromkeys(arrays, True)
    made = int(operation(row.name).extents(Operands(values, {}))["output"])
    words = []
    for operand in row.operands:
        if operand.name == "output" or operand.name in arrays:
            word = f"[{operand.name}]"
        elif operand.name in numbers:
            given = numbers[operand.name]
            word = listed(given) if isinstance(given, list) else str(given).lower()
        else:
            continue
        words.append(word if operand.default is REQUIRED else f"{operand.name}={word}")
    return Case(", ".join(words), {"output": np.zeros(made), **arrays})


def _window(chance: Chance, large: bool) -> tuple[Numbers, tuple[int, int], int]:
    """What windows and images have, how many channels a group has before and after, and how many groups there are."""
    deep = (chance.randint(1, 24), chance.randint(1, 28)) if large else (chance.randint(0, 4), chance.randint(1, 5))
    numbers: Numbers = {"batch": chance.choice([1, 1, 2, 3])}
    numbers |= {name: chance.randint(0, 30 if large else 9) for name in ("height", "width")}
    numbers |= {name: chance.choice([1, 2, 3, 3, 5]) for name in ("kernel_h", "kernel_w")}
    numbers["stride"] = [chance.choice([1, 1, 2, 3]) for _ in "yx"]
    numbers["padding"] = [chance.choice([0, 0, 1, 2]) for _ in range(4)]
    numbers["dilation"] = [chance.choice([1, 1, 2]) for _ in "yx"]
    return numbers, deep, chance.choice([1, 1, 1, 2, 4])


def _image(chance: Chance, numbers: Numbers, channels: int) -> Array:
    return random_of(chance).standard_normal(numbers["batch"] * channels * numbers["height"] * numbers["width"])


def _convolution(chance: Chance, ty: str, large: bool, name: str) -> Case:
    numbers, (before, after), groups = _window(chance, large)
    if name == "conv2d" and chance.random() < 0.15:  # each channel by itself
        before, after, groups = 1, chance.choice([1, 1, 2]), chance.randint(1, 24)
    numbers |= {"in_channels": before * groups, "out_channels": after * groups, "groups": groups}
    if name != "conv2d" and chance.random() < 0.3:
        numbers["output_padding"] = [chance.randrange(step) for step in numbers["stride"]]
    weights = before * after * groups * numbers["kernel_h"] * numbers["kernel_w"]
    arrays = {"input": _image(chance, numbers, before * groups), "kernel": random_of(chance).standard_normal(weights)}
    about = _case(name, numbers, {"input": arrays["input"] ** 2, "kernel": np.ones(weights)})
    norms = np.sqrt(run(reference(), name, "f64", about)["output"][: about.arrays["output"].size])
    k = max(before * numbers["kernel_h"] * numbers["kernel_w"], 1)
    most = np.sqrt(k) * abs(arrays["kernel"]).max(initial=0)
    added: Any = 0.0
    if chance.random() < 0.3:
        arrays["bias"] = random_of(chance).standard_normal(after * groups)
        added = abs(arrays["bias"]).max(initial=0)
    if chance.random() < 0.3:
        numbers["activation"] = "relu"
    case = _case(name, numbers, arrays)
    case.bound["output"], case.sums = near(ty, k, norms * most + added), name
    return whole(chance, ty, case, *arrays)


def _units(ty: str, array: Array) -> Bound:
    return lambda wanted: np.full_like(wanted, 8 * UNIT[ty] * abs(array).max(initial=0))


def _pool(chance: Chance, ty: str, large: bool, mean: bool) -> Case:
    numbers, (channels, _), groups = _window(chance, large)
    numbers |= {"channels": channels * groups, "ceil_mode": chance.random() < 0.5}
    if mean:
        del numbers["dilation"]
        numbers["count_include_pad"] = chance.random() < 0.5
    arrays = {"input": _image(chance, numbers, channels * groups)}
    case = _case("avg_pool2d" if mean else "max_pool2d", numbers, arrays)
    if mean:
        case.bound["output"] = _units(ty, arrays["input"])
    return whole(chance, ty, case, "input")


def _resize(chance: Chance, ty: str, large: bool) -> Case:
    sizes, most = ("height", "width", "out_height", "out_width"), 70 if large else 12
    numbers: Numbers = {name: chance.randint(name in sizes[:2], most) for name in sizes}
    numbers |= {"batch": chance.randint(1, 3), "channels": chance.randint(1, 5)}
    numbers |= {name: chance.random() < 0.5 for name in ("linear", "align_corners")}
    numbers["linear"] &= ty in UNIT
    arrays = {"input": _image(chance, numbers, numbers["channels"])}
    case = _case("resize2d", numbers, arrays)
    if numbers["linear"]:
        case.bound["output"] = _units(ty, arrays["input"])
    return whole(chance, ty, case, "input")


CASES: dict[str, Callable[[Chance, str, bool], Case]] = {
    "conv2d": lambda chance, ty, large: _convolution(chance, ty, large, "conv2d"),
    "conv_transpose2d": lambda chance, ty, large: _convolution(chance, ty, large, "conv_transpose2d"),
    "max_pool2d": lambda chance, ty, large: _pool(chance, ty, large, False),
    "avg_pool2d": lambda chance, ty, large: _pool(chance, ty, large, True),
    "resize2d": _resize,
}
