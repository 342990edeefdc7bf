"""Timelines: what ran on a device, when, and how long."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter
from typing import Any, NamedTuple

from ..backends.selection import device_named
from ..extras import page_of
from ..isa.launch import ExecutionParams
from ..isa.operands import BufferHandle
from ..isa.program import Program

__all__ = ["Timeline", "TimelineSpan"]

_NO_CLOCK = "no GPU ms: the adapter has no timestamp-query"


class TimelineSpan(NamedTuple):
    """A launch, or the making of a plan: `start` is in seconds from the timeline's beginning, `nbytes` the memory of
    its buffers, `gpu_seconds` what the GPU's own clock counted, in pages in steps of 0.1 ms; None where there is
    none."""

    name: str
    kind: str
    device: str
    start: float
    seconds: float
    lanes: int = 0
    nbytes: int = 0
    gpu_seconds: float | None = None


class Timeline:
    """What `Executor.trace` found: `spans` in the order of their ends, on a device whose `adapter` is what it says of
    itself (None where there is none). Each launch is waited for, so that its time is its own; a plan's launches are
    made one by one."""

    def __init__(self, adapter: Mapping[str, Any] | None = None) -> None:
        self.adapter = adapter
        self.spans: list[TimelineSpan] = []
        self._began = perf_counter()

    @contextmanager
    def span(self, name: str, kind: str, device: str, lanes: int = 0, nbytes: int = 0) -> Iterator[None]:
        """What is done in the `with`."""
        start = perf_counter()
        try:
            yield
        finally:
            self.spans.append(
                TimelineSpan(name, kind, device, start - self._began, perf_counter() - start, lanes, nbytes)
            )

    def launched(self, device: Any, program: Program, params: ExecutionParams, launch: Callable[[], None]) -> None:
        """Launches, and waits for it. Raises its faults."""
        handles = {value for value in params.args.values() if isinstance(value, BufferHandle)}
        nbytes = sum(map(device.buffer_size, handles))
        device.sync()  # what went before
        name = program.metadata.name or "program"
        with self.span(name, "launch", device.name, params.launch.total_threads(), nbytes):
            clocked = device.clocked(launch)
        self.spans[-1] = self.spans[-1]._replace(gpu_seconds=clocked)

    def devices(self) -> dict[str, str]:
        """The devices of the spans, with their adapter as people say it."""
        return {span.device: device_named(span.device, self.adapter) for span in self.spans}

    def totals(self) -> dict[str, tuple[int, float]]:
        """How often each name comes, and its seconds together; what took longest first."""
        found: dict[str, tuple[int, float]] = {}
        for span in self.spans:
            times, seconds = found.get(span.name, (0, 0.0))
            found[span.name] = times + 1, seconds + span.seconds
        return dict(sorted(found.items(), key=lambda each: -each[1][1]))

    def to_chrome(self) -> dict[str, Any]:
        """The events that chrome://tracing and Perfetto show: a process for each device."""
        devices = list(self.devices())
        kinds = ("launch", "plan")
        named: list[dict[str, Any]] = []
        for number, device in enumerate(self.devices().values()):
            named.append({"ph": "M", "name": "process_name", "pid": number, "args": {"name": device}})
            named += [
                {"ph": "M", "name": "thread_name", "pid": number, "tid": tid, "args": {"name": kind}}
                for tid, kind in enumerate(kinds)
            ]
        events = [
            {
                "ph": "X", "name": span.name, "cat": span.kind, "pid": devices.index(span.device),
                "tid": kinds.index(span.kind),
                "ts": 1e6 * span.start, "dur": 1e6 * span.seconds,
                "args": _facts(span) if span.kind == "launch" else {},
            }
            for span in self.spans
        ]  # fmt: skip
        return {"traceEvents": [*named, *events], "displayTimeUnit": "ms"}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes those events as JSON."""
        Path(path).write_text(json.dumps(self.to_chrome()), encoding="utf-8")

    def __str__(self) -> str:
        rows = [("name", "kind", "device", "ms", "GPU ms", "lanes", "bytes")]
        rows += [
            (
                span.name,
                span.kind,
                span.device,
                _ms(span.seconds),
                _ms(span.gpu_seconds),
                str(span.lanes),
                str(span.nbytes),
            )
            for span in self.spans
        ]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row[:3], widths, strict=False))
            + "".join(cell.rjust(width + 2) for cell, width in zip(row[3:], widths[3:], strict=True))
            for row in rows
        )
        gpu = [span.gpu_seconds for span in self.spans if (span.device, span.kind) == ("webgpu", "launch")]
        notes = [
            *(self.devices().values() if self.adapter else ()),
            *([_NO_CLOCK] if gpu and all(ms is None for ms in gpu) else []),
        ]
        return "\n".join([*lines, *notes])

    def _repr_html_(self) -> str | None:
        return page_of(self)

    def __repr__(self) -> str:
        return f"<Timeline of {len(self.spans)} spans>"


def _ms(seconds: float | None) -> str:
    return "-" if seconds is None else f"{1e3 * seconds:.3f}"


def _facts(span: TimelineSpan) -> dict[str, float]:
    """What tells of a launch beside its name and times."""
    clock = {} if span.gpu_seconds is None else {"gpu_ms": 1e3 * span.gpu_seconds}
    return {"lanes": span.lanes, "bytes": span.nbytes, **clock}
