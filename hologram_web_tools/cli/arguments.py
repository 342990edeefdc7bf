"""Arguments of the command line become scalars and arrays, results become files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hologram_web.errors import LaunchError
from hologram_web.isa.types import Type
from hologram_web.plan.plan import Port
from hologram_web.runtime.compiled import CompiledProgram

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["check_file", "check_output", "lengths", "named", "named_results", "parse", "write"]

IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp", ".tif", ".tiff")


def parse(compiled: CompiledProgram, arguments: Sequence[str]) -> dict[str, Any]:
    """The values of `name=value` by name. Raises LaunchError."""
    ports = {port.name: port for port in compiled.ports}
    listed = ", ".join(map(str, compiled.ports)) or "nothing"
    found: dict[str, Any] = {}
    for argument in arguments:
        name, equals, value = argument.partition("=")
        if not equals:
            raise LaunchError(f"{argument!r} is no argument: write name=value; it takes {listed}")
        if name not in ports:
            raise LaunchError(f"{name!r} is no port: it takes {listed}")
        if name in found:
            raise LaunchError(f"{name!r} is given twice")
        port = ports[name]
        found[name] = _number(port, value) if port.access is None else _array(port, value)
    return found


def named(pairs: Sequence[str], what: str) -> dict[str, str]:
    """The texts of `name=value` by name. Raises LaunchError."""
    found = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        if not equals or not all(part.isidentifier() for part in name.split(".")):
            raise LaunchError(f"{pair!r} is no {what}: write name=value")
        found[name] = value
    return found


def lengths(pairs: Sequence[str]) -> dict[str, int]:
    """The lengths of `name=1000` by name. Raises LaunchError."""
    found = named(pairs, "size")
    if wrong := [name for name, text in found.items() if not text.isdecimal()]:
        raise LaunchError(f"{wrong[0]}={found[wrong[0]]} is no length: an integer from 0 on is expected")
    return {name: int(text) for name, text in found.items()}


def _number(port: Port, value: str) -> int | float:
    try:
        return int(value, 0) if port.ty.is_integer else float(value)
    except ValueError:
        kind = "an integer" if port.ty.is_integer else "a number"
        raise LaunchError(f"{port} takes {kind}, not {value!r}") from None


def _array(port: Port, value: str) -> NDArray[Any]:
    import numpy as np

    suffix = Path(value).suffix.lower()
    if suffix == ".npy":
        try:
            return np.asarray(np.load(value, allow_pickle=False))
        except (ValueError, EOFError) as error:
            raise LaunchError(f"{value} is no .npy file: {error}") from None
    if suffix in IMAGES:
        return _image(port, value)
    try:
        return np.array([_number(port, part) for part in value.split(",")], port.ty.numpy)
    except LaunchError:
        raise LaunchError(
            f"{port} takes numbers with commas between them, a .npy file or an image, not {value!r}"
        ) from None
    except OverflowError as error:
        raise LaunchError(f"{port} cannot hold {value}: {error}") from None


def _pillow() -> Any:
    try:
        from PIL import Image
    except ImportError:
        raise LaunchError("images need pillow, which is not installed: pip install pillow, or use .npy files") from None
    return Image


def _image(port: Port, path: str) -> NDArray[Any]:
    """Grey levels for two dimensions; red, green and blue for three."""
    import numpy as np

    if port.ty is not Type.U8 or len(port.shape) not in (2, 3):
        raise LaunchError(f"{port} takes no image: images are u8, with two dimensions or three")
    image = _pillow()
    try:
        with image.open(path) as found:
            return np.asarray(found.convert("L" if len(port.shape) == 2 else "RGB"))
    except image.UnidentifiedImageError:
        raise LaunchError(f"{path} is no image that pillow knows") from None


def check_file(path: Path) -> None:
    """What can be known before of whether a file can be written. Raises LaunchError."""
    if path.is_dir() or not path.parent.is_dir():
        what = "is a folder" if path.is_dir() else f"cannot be written: there is no folder {path.parent}"
        raise LaunchError(f"{path} {what}")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise LaunchError(f"{path} cannot be written: permission denied")


def check_output(path: Path, ports: Sequence[Port]) -> None:
    """What can be known before a run of whether its results can be written. Raises LaunchError."""
    suffix = path.suffix.lower()
    if suffix not in (".npz", ".npy", ".png"):
        raise LaunchError(f"results are written to .npz, .npy or .png, not to {path.name}")
    check_file(path)
    results = [port for port in ports if port.access is not None and port.access.writes]
    if suffix == ".npz":
        return
    if len(results) != 1:
        names = ", ".join(port.name for port in results) or "none"
        raise LaunchError(f"{suffix} holds one array, and there are {names}: use .npz")
    if suffix == ".png":
        _pillow()
        if results[0].ty is not Type.U8 or len(results[0].shape) not in (2, 3):
            raise LaunchError(f"a .png holds u8 of [height, width] or [height, width, 3], not {results[0]}")


def named_results(compiled: CompiledProgram, found: Any) -> dict[str, NDArray[Any]]:
    """What a run gave, by name: of one written port it gives the array alone."""
    if isinstance(found, dict):
        return found
    return {port.name: found for port in compiled.ports if port.access is not None and port.access.writes}


def write(path: Path, results: Mapping[str, NDArray[Any]]) -> None:
    """Writes results to a .npz file, or one to a .npy or .png file, as `check_output` allows. Raises LaunchError."""
    import numpy as np

    suffix = path.suffix.lower()
    if suffix == ".npz":
        np.savez(path, **results)  # type: ignore[arg-type]  # NumPy types the names as flags
        return
    (array,) = results.values()
    if suffix == ".npy":
        np.save(path, array)
        return
    if array.ndim == 3 and array.shape[2] not in (3, 4):
        raise LaunchError(
            f"a .png holds u8 of [height, width] or [height, width, 3], not {array.dtype} of {list(array.shape)}"
        )
    _pillow().fromarray(array).save(path)
