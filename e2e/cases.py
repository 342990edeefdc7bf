"""Every run line of the filetests as an artifact with its arguments, for the TypeScript runtime.

    .venv/bin/python -m e2e.cases

writes `build/e2e/cases.json` and `cases.bin`; `judge` says what is wrong with what a runtime made of a case.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from hologram_web.backends.state import resonance_of
from hologram_web.errors import CompileError, ExecutionError, FaultKind
from hologram_web.isa import Type
from tests.artifact.holo_device import HoloDevice
from tests.artifact.test_filetests import LEFT_OUT
from tests.filetest import FOLDER, Case, Raises, load
from tests.filetest_run import check
from tests.kept import kept

ROOT = Path(__file__).resolve().parent.parent
BUILD = ROOT / "build" / "e2e"


_JUDGED: dict[bytes, str | None] = {}


class Answer(NamedTuple):
    """What a runtime made of a case: the bytes of written arrays, or its error."""

    outputs: dict[str, bytes]
    error: dict[str, Any] | None


class _Recorded(Exception):
    """Ends a run when its artifact and arguments are known."""


class _Recorder:
    """In the place of a runner: keeps what it is given."""

    last: tuple[bytes, dict[str, int], dict[str, Any], int]

    def __init__(self, raw: bytes, steps: int = 1 << 26, seconds: float = 10.0) -> None:
        self.raw, self.steps = raw, steps

    def run(self, scalars: dict[str, int], arrays: dict[str, Any]) -> Any:
        _Recorder.last = self.raw, scalars, arrays, self.steps
        raise _Recorded


class _Replay(HoloDevice):
    """A device that has its answer already."""

    name = "wasm"

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer

    def execute_program_with_params(self, program: Any, params: Any) -> None:
        if self.answer.error is not None:
            raise error_of(self.answer.error)
        for name, data in self.answer.outputs.items():
            if name == "$resonance":
                self.atlas.commit(resonance_of(data), params.launch.rules)
                continue
            self.memory[params.args[name]][:] = data


def error_of(found: dict[str, Any]) -> Exception:
    if found["name"] == "ExecutionError":
        place = {name: found[name] for name in ("lane", "buffer", "offset")}
        return ExecutionError(FaultKind(found["kind"]), found["instruction"], found["detail"], **place)
    return AssertionError(f"{found['name']}: {found['message']}")


@cache
def files() -> list[str]:
    return [path.relative_to(FOLDER).as_posix() for path in sorted(FOLDER.glob("**/*.atlas"))]


@cache
def cases() -> dict[str, Case]:
    """Run lines by id."""
    found = (case for path in files() for case in load(FOLDER / path).cases())
    return {case.id: case for case in found if case.run is not None and case.id not in LEFT_OUT}


def _record(path: str) -> Iterator[tuple[dict[str, Any], bytes, list[bytes]]]:
    """The cases of a file that an artifact can hold: their description, the artifact, the data of arrays."""
    for case in load(FOLDER / path).cases():
        if case.run is None or case.id in LEFT_OUT:
            continue
        launch = case.launch("wasm")
        try:
            check(launch, HoloDevice(_Recorder, kept="read"))
        except _Recorded:
            raw, scalars, arrays, steps = _Recorder.last
        except AssertionError as error:
            if isinstance(error.__cause__, CompileError):  # what artifacts do not run: tests/artifact knows
                continue
            raise
        else:  # refused when it is compiled, with the text that the filetest says
            assert isinstance(launch.expected, Raises), case.id
            continue
        types = {str(param.name): param.ty for param in launch.program.params if param.kind == "scalar"} | {
            "$x": Type.U32,
            **{name: Type.U32 for name in scalars if name.startswith(("$u", "$phase"))},
        }
        row = {
            "id": case.id,
            "steps": steps,
            "seconds": None if launch.limits is None else launch.limits.seconds,
            "webgpu": case.test.runs_on("webgpu"),
            "scalars": {name: [str(types[name]), f"{bits:x}"] for name, bits in scalars.items() if _is_port(raw, name)},
            "arrays": list(arrays),
        }
        yield row, raw, [data for data, _ in arrays.values()]


def _is_port(raw: bytes, name: str) -> bool:
    return name in _ports(raw)


@cache
def _ports(raw: bytes) -> set[str]:
    from hologram_web.plan.reader import read

    return {port.name for port in read(raw).plan.ports}


def _recorded(path: str) -> list[Any]:
    return list(_record(path))


def write(folder: Path = BUILD, only: str = "") -> int:
    """Writes the bundle; the number of cases. `only` is a part of the paths of files to take."""
    blob, places = bytearray(), {}

    def place(data: bytes) -> list[int]:
        if data not in places:
            blob.extend(bytes(-len(blob) % 16))
            places[data] = [len(blob), len(data)]
            blob.extend(data)
        return places[data]

    rows = []
    with ProcessPoolExecutor(2) as pool:
        for found in pool.map(_recorded, [path for path in files() if only in path], chunksize=8):
            for row, raw, arrays in found:
                row["holo"] = place(raw)
                row["arrays"] = dict(zip(row["arrays"], map(place, arrays), strict=True))
                rows.append(row)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "cases.json").write_text(json.dumps(rows))
    (folder / "cases.bin").write_bytes(blob)
    return len(rows)


def written() -> int:
    """As `write`, once for the sources as they are: minutes, if tests/artifact/test_filetests.py made no artifacts of
    them."""
    return len(json.loads(kept(BUILD / "cases.json", write).read_text()))


def judge(name: str, answer: Answer, device: str = "wasm") -> str | None:
    """What is wrong with an answer; None if it is what the filetest says. The same answer of another place is not
    compared once more."""
    seen = sha256(repr((name, device, answer.error)).encode())
    for key, data in sorted(answer.outputs.items()):
        seen.update(f"{key} {len(data)} ".encode() + data)
    if (kind := seen.digest()) not in _JUDGED:
        _JUDGED[kind] = _judge(name, answer, device)
    return _JUDGED[kind]


def _judge(name: str, answer: Answer, device: str) -> str | None:
    try:
        check(cases()[name].launch(device), _Replay(answer))
    except (AssertionError, ExecutionError) as error:  # the second where a result was expected
        return str(error)
    return None


if __name__ == "__main__":
    print(write(only=sys.argv[1] if len(sys.argv) > 1 else ""), "cases")
