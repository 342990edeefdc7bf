"""The frame of a file: its sections taken out, and put back with a table and a hash that fit."""

from __future__ import annotations

import struct

from hologram_web.plan.writer import VERSION
from hologram_web.store.blake3 import blake3

__all__ = ["SECTIONS", "files_sections", "joined", "ranges", "sealed", "with_section"]

SECTIONS = ("META", "PLAN", "PROG", "KERN", "WASM", "WGSL", "DATA")


def sealed(raw: bytes) -> bytes:
    """The bytes with a hash that fits."""
    length = min(struct.unpack("<I", raw[12:16])[0], len(raw)) if len(raw) >= 64 else len(raw)
    return raw[:32] + blake3(raw[:32] + raw[64:length]) + raw[64:]


def ranges(raw: bytes) -> dict[str, tuple[int, int]]:
    return {tag: struct.unpack("<2I", raw[68 + 16 * k :][:8]) for k, tag in enumerate(SECTIONS)}


def files_sections(raw: bytes) -> dict[str, bytes]:
    """The bytes of each section."""
    return {name: raw[start : start + length] for name, (start, length) in ranges(raw).items()}


def joined(parts: dict[str, bytes], blobs: bytes = b"") -> bytes:
    """The file of these sections, and of what follows the head."""
    table, body = b"", b""
    for name, part in parts.items():
        body += bytes(-len(body) % 8)
        table += struct.pack("<4s3I", name.encode(), 176 + len(body), len(part), 0)
        body += part
    body += bytes(-(176 + len(body)) % 64)
    size = 176 + len(body)
    first = b"HOLO\r\n\x1a\n" + struct.pack("<2IQ2I", VERSION, size, size + len(blobs), 7, 0)
    return sealed(first + bytes(32) + table + body + blobs)


def with_section(raw: bytes, tag: str, data: bytes) -> bytes:
    """The file with another section in the place of one."""
    return joined(files_sections(raw) | {tag: data}, raw[struct.unpack("<I", raw[12:16])[0] :])
