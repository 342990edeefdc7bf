"""Devices in Chromium: every launch is an artifact, which one page runs on its WebGPU (SwiftShader) or WebAssembly.

The page is kept from program to program. One that crashes or does not answer in time is a failure of that program, and
the next one gets another browser; so does one after some hundred programs.
"""

from __future__ import annotations

import atexit
import os
from functools import cache
from typing import Any

from e2e import crews
from e2e.browser import ROOT, WITH_WORKERS, Browser, JobFailed, NoBrowser
from e2e.cases import error_of
from examples.edges.chromium import bundle
from hologram_web.backends import Limits
from hologram_web.errors import BackendUnavailable, LaunchError, UnsupportedType
from hologram_web.plan.reader import read

from .filed import HeldDevice, in_packets

__all__ = ["ChromiumPackets", "ChromiumThreads", "ChromiumWasm", "ChromiumWebGpu"]

_SECONDS = 300.0  # for a program
_PROGRAMS = 300  # of one browser


class _Page:
    """The page of this process, which all its devices share."""

    def __init__(self) -> None:
        self.browser: Browser | None = None
        self.programs = 0
        self.path = ROOT / "build" / "fuzz" / f"page-{os.getpid()}.bin"
        atexit.register(self.close)

    def run(self, blob: bytes, **args: Any) -> Any:
        """What the job gives. Raises JobFailed, TimeoutError, RuntimeError, NoBrowser."""
        if self.programs >= _PROGRAMS:
            self.close()  # and removes the file
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_bytes(blob)
        if self.browser is None:
            bundle()
            self.browser, self.programs = Browser(headers=WITH_WORKERS).__enter__(), 0
        self.programs += 1
        path = f"/{self.path.relative_to(ROOT).as_posix()}"
        try:
            return self.browser.run("fuzz.mjs", seconds=_SECONDS, path=path, **args)
        except JobFailed:
            raise
        except Exception:  # the page is gone, or hangs
            self.close()
            raise

    def close(self) -> None:
        browser, self.browser = self.browser, None
        self.path.unlink(missing_ok=True)
        if browser is not None:
            browser.__exit__()


_PAGE = _Page()


class _Runner:
    """In the place of a runner of artifacts: a file, and the browser to run it in."""

    def __init__(self, device: _Chromium, raw: bytes, steps: int, seconds: float) -> None:
        self.device, self.raw = device, raw
        self.ends = {"steps": steps, "seconds": seconds}

    def run(self, scalars: dict[str, int], arrays: dict[str, Any]) -> dict[str, Any]:
        types = {port.name: str(port.ty) for port in read(self.raw).plan.ports}
        blob, places = bytearray(), {}
        for name, data in (("", self.raw), *((name, data) for name, (data, _) in arrays.items())):
            blob.extend(bytes(-len(blob) % 16))
            places[name] = [len(blob), len(data)]
            blob.extend(data)
        given = {name: [types[name], f"{bits:x}"] for name, bits in scalars.items() if name in types}
        holo = places.pop("")
        found = self.device.answer(bytes(blob), holo=holo, scalars=given, arrays=places, ends=self.ends)
        if (error := found.json["error"]) is not None:
            if error["name"] == "CompileError":  # the file says why it has no code; of what WGSL has not, all are types
                raise UnsupportedType(None, error["message"])
            raise LaunchError(error["message"]) if error["name"] == "LaunchError" else error_of(error)
        outputs = found.json["outputs"].items()
        return {name: (found.blob[start : start + size], None) for name, (start, size) in outputs}


class _Chromium(HeldDevice):
    """A device of the page. Raises BackendUnavailable where there is no Chromium."""

    backend = ""

    def __init__(self, limits: Limits | None = None) -> None:
        super().__init__(lambda raw, steps, seconds: _Runner(self, raw, steps, min(seconds, _SECONDS / 2)), limits)
        self.info: Any = None

    def answer(self, blob: bytes, **args: Any) -> Any:
        try:
            found = _PAGE.run(blob, backend=self.backend, **args)
        except NoBrowser as error:
            raise BackendUnavailable(self.name, str(error)) from None
        self.info = found.json["info"]
        return found


class ChromiumWebGpu(_Chromium):
    name, backend = "chromium-webgpu", "webgpu"


@cache
def _on_workers() -> str:
    return crews.on_workers()


class ChromiumWasm(_Chromium):
    """With two `threads` two workers take the blocks of every launch of several, while the page waits; `taken` says how
    many launches each of them took part in, of those of this page."""

    name, backend = "chromium-wasm", "wasm"
    threads = 1
    taken: tuple[int, ...] = ()

    def answer(self, blob: bytes, **args: Any) -> Any:
        if self.threads == 1:
            return super().answer(blob, **args)
        found = super().answer(blob, threads=self.threads + 1, runtime=_on_workers(), **args)
        self.taken = tuple(found.json.get("taken", self.taken))
        return found


class ChromiumThreads(ChromiumWasm):
    name, threads = "chromium-threads", 2


class ChromiumPackets(ChromiumWasm):
    """Files are made in packets of so many lanes, wherever they can be."""

    def __init__(self, packets: int, threads: int, limits: Limits | None = None) -> None:
        super().__init__(limits)
        self.packets, self.threads = packets, threads
        self.name = f"chromium-wasm{packets}{'x2' * (threads > 1)}"

    def execute_program_with_params(self, program: Any, params: Any) -> None:
        with in_packets(self.packets):
            super().execute_program_with_params(program, params)
