"""Constants of compiled programs in a file of their own, and the format of such files, safetensors: a header in JSON,
then elements."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..errors import ArtifactError
from ..isa.elements import ElementType, bool_
from ..isa.types import Type
from ..plan.artifact import Blob
from ..plan.plan import calls_of

if TYPE_CHECKING:
    from .compiled import CompiledProgram

__all__ = ["CONSTANT", "NAMES", "TYPES", "Tensor", "apart", "described", "header_of", "read_header"]

CONSTANT = "constant."  # of the names of metadata, before that of a constant
_SAID = re.compile(r"(\w+)\[(\d{1,15}(?:, \d{1,15})*)?\]")
_MOST = 100_000_000  # bytes of a header, as the format says
_NUMBERS = ("F16", "BF16", "F32", "F64", "I8", "I16", "I32", "I64", "U8", "U16", "U32", "U64")
TYPES: dict[str, ElementType] = {**{name: Type[name] for name in _NUMBERS}, "BOOL": bool_}
NAMES = {ty: name for name, ty in TYPES.items()}
_BY_TEXT = {str(ty): ty for ty in NAMES}


class Tensor(NamedTuple):
    """What the format says of an array."""

    dtype: str
    shape: tuple[int, ...]
    size: int  # in bytes


def header_of(tensors: Mapping[str, Tensor], metadata: Mapping[str, str] | None = None) -> bytes:
    """The bytes before the elements, which lie in the same order without gaps."""
    header: dict[str, Any] = {"__metadata__": dict(metadata)} if metadata else {}
    at = 0
    for name, each in tensors.items():
        header[name] = {"dtype": each.dtype, "shape": list(each.shape), "data_offsets": [at, at + each.size]}
        at += each.size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text


def read_header(data: bytes) -> tuple[dict[str, Any], int]:
    """The header, checked, and where elements begin. Raises ArtifactError."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(_MOST, len(data) - 8):
        raise ArtifactError("damaged safetensors: it is shorter than its header")
    try:
        header = json.loads(data[8 : 8 + length])
        header.pop("__metadata__", None)
        ends = sorted((*map(int, each["data_offsets"]), name) for name, each in header.items())
        at = 0
        for first, last, name in ends:
            shape, ty = header[name]["shape"], TYPES[header[name]["dtype"]]
            wanted = prod(shape) * ty.size_bytes if all(type(n) is int and n >= 0 for n in shape) else -1
            if first != at or last - first != wanted:
                raise ValueError(f"{name} is not where the one before it ends")
            at = last
        if at != len(data) - 8 - length:
            raise ValueError("elements are missing or too many")
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise ArtifactError(f"damaged safetensors: its header does not say what follows ({error!r})") from None
    return header, 8 + length


def described(compiled: CompiledProgram) -> dict[str, tuple[ElementType, tuple[int, ...]]]:
    """The type and the shape of each constant: what the metadata say, else numbers of the type that programs take."""
    taken = {
        arg.value: param.ty
        for call in calls_of(compiled.plan.steps)
        for param, arg in zip(compiled.programs[call.program].params, call.args, strict=True)
        if arg.kind == "buffer" and param.ty is not None
    }
    found: dict[str, tuple[ElementType, tuple[int, ...]]] = {}
    for name, number in compiled.plan.constants:
        length = compiled.blobs[number].length
        ty: ElementType = taken.get(name, Type.U8)
        shape: tuple[int, ...] = (length // ty.size_bytes,)
        said = _SAID.fullmatch(compiled.metadata.get(CONSTANT + name, ""))
        if said and said[1] in _BY_TEXT:
            ty, shape = _BY_TEXT[said[1]], tuple(map(int, (said[2] or "").split(", "))) if said[2] else ()
        fits = prod(shape) * ty.size_bytes == length
        found[name] = (ty, shape) if fits else (Type.U8, (length,))
    return found


def _tensor(ty: ElementType, shape: tuple[int, ...], size: int) -> Tensor:
    """A type that the format has not is bytes along a further axis."""
    if ty not in NAMES:
        return Tensor("U8", (*shape, ty.size_bytes), size)
    return Tensor(NAMES[ty], shape, size)


def apart(compiled: CompiledProgram, path: Path, least: int) -> tuple[Blob, ...]:
    """Writes constants of at least so many bytes to a file; gives what the artifact says of all constants then."""
    says = described(compiled)
    names: dict[int, str] = {}
    for name, number in compiled.plan.constants:
        if compiled.blobs[number].length >= least:
            names.setdefault(number, name)
    # Larger elements first, as other writers of the format do: so each is aligned, where the header is.
    order = sorted(names, key=lambda number: -says[names[number]][0].size_bytes)
    tensors = {names[number]: _tensor(*says[names[number]], compiled.blobs[number].length) for number in order}
    head = header_of(tensors)
    blobs, at = list(compiled.blobs), len(head)
    parts: Sequence[bytes] = [head, *map(compiled.data, order)]
    for number in range(len(blobs)):  # what lay in another file, and is small, comes back
        data = compiled.data(number)
        blobs[number] = Blob(len(data), blobs[number].hash, data)
    for number in order:
        blobs[number] = Blob(blobs[number].length, blobs[number].hash, None, path.name, at)
        at += blobs[number].length
    with path.open("wb") as file:
        file.writelines(parts)
    return tuple(blobs)
