"""Mutants of artifacts through both readers, and those that are read through a run.

    python -m tests.artifact.mutants --count 100000 --run 20000
    python -m tests.artifact.mutants --seed 7 --count 1 --keep build/mutants      writes the mutant of a seed

A mutant is an artifact with damaged bytes, other numbers, lists or whole sections, those of another one among them;
then lengths, checksums, the table and the hash are made right again, so that readers have to find it out themselves.
The reader in Python, and the one in TypeScript in a process of Node, answer each within a second, with an artifact or
an ArtifactError, and they agree: what only a compiler looks at (`PASSED`) a runner of kernels may let pass. What is
read is run, on `cpu` and `wasm` through its programs and in Node through its kernels: the answer is a result or a
HologramError. Code that was changed may loop for ever, which only the end of its process ends, after some seconds.
"""

from __future__ import annotations

import argparse
import random
import struct
import sys
import time
import zlib
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import hologram_web as hg
from hologram_web.errors import ArtifactError
from hologram_web.plan.reader import read
from hologram_web.plan.writer import write
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.store.blake3 import blake3

from ..clock import within
from .mutants_run import Node, Ran, devices
from .samples import SAMPLES, tiny
from .seal import SECTIONS, files_sections, joined, sealed
from .slow import leb, unleb

__all__ = ["Report", "bases", "mutant", "run", "section"]

SECONDS = 1.0
WIDE = """
def wide(x: hg.Array[hg.u256], y: hg.Array[hg.u256], rounds: hg.i32):
    i = hg.global_id()
    for r in range(rounds):
        y[i] = x[i] * x[i] + hg.u256(r)
"""
TILES = """
def tiles(x: hg.Array[hg.u32], y: hg.Array[hg.u32]):
    tile = hg.shared(hg.u32, (256,))
    i = hg.local_id()
    tile[i] = x[hg.global_id()] + 1
    hg.barrier()
    y[hg.global_id()] = tile[255 - i] // x[hg.global_id()]
"""
# What a compiler looks at and a runner of kernels does not, besides programs: arguments of calls, and the form.
PASSED = (
    "the plan is wrong: the argument ", " arguments", "is passed as a buffer and as a pool",  # of calls
    "it is not in canonical form", " is there twice", "the metadata hold a lone surrogate",
)  # fmt: skip
NUMBERS = [0, 1, 2, 3, 127, 128, 255, 256, 1023, 1024, 1025, 4096, 65_535, 65_536, 1 << 24, (1 << 31) - 1, 1 << 31]
NUMBERS += [(1 << 32) - 1, 1 << 32, 1 << 48, (1 << 53) - 1, 1 << 53, (1 << 56) - 1, (1 << 64) - 1]
METAS = [
    b"[" * 1000, b'{"a":' * 5000, b'{"name":1}', b'{"name":"' + b"x" * 100_000 + b'"}', b"\xff", b"{}", b"null", b"",
    b'{"a":' + b"9" * 5000 + b"}", b'{"a":1e999}', b'{"name":"\\ud800"}', b'{"__proto__":"x"}', b'{"toString":"x"}',
    b'{"a":"b","a":"c"}', b"NaN", b'{"a": "b"}', b'{"b":"","a":""}', b'"x"', b"[]",
]  # fmt: skip


def bases() -> list[bytes]:
    """The artifacts that mutants are made of."""
    found = [make().to_bytes() for make in SAMPLES.values()]
    found += [
        hg.compile(hg.kernel_from_source(text), lanes="n", shapes={"x": ("n",), "y": ("n",)}).to_bytes()
        for text in (WIDE, TILES)
    ]
    return [*found, write(tiny())]


def damaged(source: random.Random, data: bytes, other: bytes, most: int = 8) -> bytes:
    """Some changes to bytes."""
    found = bytearray(data)
    for _ in range(source.choice([1, 1, 1, 1, 2, 4, most])):
        at = source.randrange(len(found) + 1)
        kind = source.randrange(9)
        if kind == 0 and at < len(found):
            found[at] ^= 1 << source.randrange(8)
        elif kind == 1:
            found[at : at + 1] = source.randbytes(1)
        elif kind == 2:
            found[at : at + 1] = bytes([source.choice([0, 1, 2, 3, 4, 5, 6, 127, 128, 255])])
        elif kind == 3:
            del found[at : at + source.randrange(1, 9)]
        elif kind == 4:
            found[at:at] = source.randbytes(source.randrange(1, 9))
        elif kind == 5:
            end = at
            while end < len(found) and found[end] > 127:
                end += 1
            found[at : end + 1] = leb(source.choice(NUMBERS))
        elif kind == 6 and other:
            there, count = source.randrange(len(other)), source.randrange(1, 64)
            found[at : at + count] = other[there : there + count]
        elif kind == 7:
            there = source.randrange(len(found) + 1)
            found[at:at] = found[there : there + source.randrange(1, 64)]
        elif at < len(found):
            found[at] = (found[at] + source.choice([1, -1])) & 255
    return bytes(found)


def small(source: random.Random, data: bytes) -> bytes:
    """One byte a little larger or smaller: most of the time it is still one of the kind."""
    found = bytearray(data)
    if found:
        at = source.randrange(len(found))
        found[at] = (found[at] + source.choice([1, -1, 2, -2, 16])) & 127
    return bytes(found)


def listed(data: bytes, parts: int) -> list[bytes]:
    """The `bytes` of a list of items, so many in each. Raises IndexError."""
    count, at = unleb(data, 0)
    found = []
    for _ in range(min(count * parts, len(data))):
        size, at = unleb(data, at)
        found.append(data[at : at + size])
        at += size
    return found


def in_item(source: random.Random, data: bytes, other: bytes, programs: bool) -> bytes:
    """A module, or a program, damaged inside, with its length (and the program's checksum) made right."""
    try:
        items = listed(data, 1 + programs)
        number = source.randrange(len(items) // (1 + programs)) * (1 + programs)
        item = items[number]
        change = small if source.random() < 0.6 else lambda s, d: damaged(s, d, other)
        if programs:
            item = item[:6] + change(source, item[6:-4])
            item += zlib.crc32(item).to_bytes(4, "little")
        else:
            item = item[:8] + change(source, item[8:])
        items[number] = item
        return leb(len(items) // (1 + programs)) + b"".join(leb(len(each)) + each for each in items)
    except (IndexError, ValueError):
        return data


def mutant(seed: int, pool: list[bytes]) -> bytes:
    """The mutant of a seed."""
    source = random.Random(seed)
    raw, other = source.choice(pool), source.choice(pool)
    kind = source.random()
    if kind < 0.05:
        return damaged(source, raw, other)
    if kind < 0.08:
        return raw[: source.randrange(len(raw))]
    if kind < 0.14:  # the header and the table
        at = source.randrange(8, 172)
        number = struct.pack("<I", source.choice(NUMBERS) & 0xFFFFFFFF)
        return sealed(raw[:at] + number + raw[at + 4 :])
    (head,) = struct.unpack("<I", raw[12:16])
    parts, others, blobs = files_sections(raw), files_sections(other), raw[head:]
    if kind < 0.20:  # sections of another one
        for tag in SECTIONS[:6]:
            if source.random() < 0.3:
                parts[tag] = others[tag]
    elif kind < 0.23:
        a, b = source.sample(SECTIONS, 2)
        parts[a], parts[b] = parts[b], parts[a]
    elif kind < 0.26:
        blobs = damaged(source, blobs, other[:64])
    elif kind < 0.31:
        parts["META"] = source.choice(METAS)
    elif kind < 0.36:  # constants of other bytes, whose hashes are right
        data = parts["DATA"]
        for size in (16, 3, 22):
            place = data.find(blake3(blobs[:size]))
            if place >= 0:
                changed = small(source, blobs[:size])
                parts["DATA"] = data[:place] + blake3(changed) + data[place + 32 :]
                blobs = changed + blobs[size:]
                break
    elif kind < 0.46:
        parts["PROG"] = in_item(source, parts["PROG"], others["PROG"], programs=True)
    elif kind < 0.64:
        parts["WASM"] = in_item(source, parts["WASM"], others["WASM"], programs=False)
    else:
        tag = source.choice(["META", "PLAN", "PLAN", "PLAN", "KERN", "KERN", "WASM", "WGSL", "WGSL", "WGSL", "DATA"])
        change = source.random()
        parts[tag] = small(source, parts[tag]) if change < 0.5 else damaged(source, parts[tag], others[tag])
    return joined(parts, blobs)


@dataclass
class Report:
    """What happened."""

    mutants: int = 0
    read: int = 0
    slowest: dict[str, float] = field(default_factory=dict)  # by reader, in seconds
    answers: Counter[str] = field(default_factory=Counter)  # of runs
    looked_past: Counter[str] = field(default_factory=Counter)
    runs: int = 0
    ended: int = 0  # runs of changed code, by the end of their process
    failures: list[str] = field(default_factory=list)

    def took(self, who: str, seconds: float) -> None:
        self.slowest[who] = max(self.slowest.get(who, 0), seconds)

    def __str__(self) -> str:
        slow = ", ".join(f"{who} {seconds:.2f} s" for who, seconds in self.slowest.items())
        answers = ", ".join(f"{name} {count:,}" for name, count in self.answers.most_common())
        past = sum(self.looked_past.values())
        return (
            f"{self.mutants:,} mutants, of which both read {self.read:,}; {self.runs:,} run ({answers}); "
            f"{self.ended:,} runs of changed code ended with their process; TypeScript looked past {past:,}; "
            f"slowest: {slow}; {len(self.failures)} failures"
        )


def run(count: int, runs: int, seed: int = 0, keep: Path | None = None, seconds: float | None = None) -> Report:
    """Makes mutants, reads all and runs so many of those that are read."""
    report, pool = Report(), bases()
    code, programs = ({section(raw, tag) for raw in pool} for tag in ("WASM", "PROG"))
    made = devices()
    start = time.monotonic()
    with Node() as node:
        for number in range(seed, seed + count):
            if seconds is not None and time.monotonic() - start > seconds:
                break
            raw = mutant(number, pool)
            report.mutants += 1

            def failed(what: str, number: int = number, raw: bytes = raw) -> None:
                report.failures.append(f"mutant {number}: {what[:500]}")
                print(report.failures[-1], file=sys.stderr, flush=True)
                if keep is not None:
                    keep.mkdir(parents=True, exist_ok=True)
                    (keep / f"{number}.holo").write_bytes(raw)

            compiled, reason = None, ""
            before = time.process_time()
            try:
                artifact = read(raw)
                compiled = CompiledProgram(
                    artifact.plan, artifact.programs, artifact.blobs, artifact.metadata, artifact=artifact
                )
            except ArtifactError as error:
                reason = str(error)
            except Exception as error:
                failed(f"Python: {type(error).__name__}: {error}")
            spent = time.process_time() - before
            report.took("Python", spent)
            wanted = report.runs < runs
            answer = node.ask(raw, wanted)
            report.took("TypeScript", answer.seconds)
            if not within(max(spent, answer.seconds), SECONDS):
                failed(f"reading took {spent:.2f} s in Python, {answer.seconds:.2f} s in TypeScript")
            if answer.refusal not in (None, "ArtifactError"):
                failed(f"TypeScript: {answer.refusal}: {answer.text}")
            if compiled is not None and answer.refusal is not None:
                failed(f"Python reads it, TypeScript does not: {answer.text}")
            if compiled is None and answer.refusal is None:
                if not any(part in reason for part in PASSED) and section(raw, "PROG") in programs:
                    failed(f"TypeScript reads it, Python does not: {reason}")
                report.looked_past[reason[:80]] += 1
            report.read += compiled is not None and answer.refusal is None
            if not wanted or (compiled is None and answer.refusal is not None):
                continue
            report.runs += 1
            outcomes = [answer.ran] if answer.refusal is None else []
            if compiled is not None:
                outcomes += [Ran.of(device, compiled) for device in made]
            for ran in outcomes:
                assert ran is not None
                if ran.hung and section(raw, "WASM") not in code:
                    report.ended += 1
                elif not ran.typed:
                    failed(f"{ran.where}: {ran.answer}")
                report.answers[ran.answer.partition(":")[0]] += 1
                report.took(f"runs on {ran.where}", 0 if ran.hung else ran.seconds)
                if not ran.hung and not within(ran.seconds, SECONDS):
                    failed(f"the run on {ran.where} took {ran.seconds:.2f} s: {ran.answer}")
    return report


def section(raw: bytes, tag: str) -> bytes | None:
    """A section, if the table still has it."""
    try:
        return files_sections(raw)[tag]
    except struct.error:
        return None


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.artifact.mutants", description=__doc__)
    parser.add_argument("--count", type=int, default=3000, help="mutants (%(default)s)")
    parser.add_argument("--run", type=int, default=300, help="of those that are read, how many run (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="first seed (%(default)s)")
    parser.add_argument("--seconds", type=float, help="make no new mutant after so many seconds")
    parser.add_argument("--keep", type=Path, help="folder for mutants that fail")
    options = parser.parse_args(words)
    if options.count == 1 and options.keep is not None:
        options.keep.mkdir(parents=True, exist_ok=True)
        (options.keep / f"{options.seed}.holo").write_bytes(mutant(options.seed, bases()))
    report = run(options.count, options.run, options.seed, options.keep, options.seconds)
    print(report)
    for reason, count in report.looked_past.most_common(40):
        print(f"  {count:,} looked past: {reason}")
    return 1 if report.failures else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
