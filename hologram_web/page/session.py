"""The way to the TypeScript runtime (web/src/pyodide.ts): its module, its sessions, waiting for it, and its errors."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import js  # type: ignore[import-not-found]
import pyodide_js  # type: ignore[import-not-found]
from pyodide.ffi import JsException, can_run_sync, run_sync, to_js  # type: ignore[import-not-found]

from .. import errors
from ..errors import BackendUnavailable, CompileError, ExecutionError, FaultKind, HologramError

__all__ = ["error_of", "hash_in_page", "open_session", "prepare", "real_gpu", "runtime_module", "wait"]

_MODULE = "hologram_web_runtime"
_FIELDS = ("name", "message", "kind", "instruction", "detail", "lane", "buffer", "offset", "backend", "reason")
_prepared: dict[Any, list[Any]] = {}  # sessions that `prepare` opened, by what was asked for
_runtime: list[Any] = []


def runtime_module() -> Any:
    """The runtime's module: the one that the page registered, else the copy in this package.

    Raises BackendUnavailable.
    """
    if not _runtime:
        _runtime.append(_load())
    return _runtime[0]


def _load() -> Any:
    try:
        import hologram_web_runtime  # type: ignore[import-not-found]
    except ImportError:
        pass
    else:
        return hologram_web_runtime
    file = Path(__file__).with_name("runtime.js")
    register = f"pyodide.registerJsModule({_MODULE!r}, await import('.../pyodide.js')), of the npm package hologram-web"
    if not file.exists():
        raise BackendUnavailable("wasm", f"this package was built without the runtime of pages: call {register}")
    from pyodide.code import run_js  # type: ignore[import-not-found]

    try:
        return run_js(file.read_text())
    except JsException as error:
        raise BackendUnavailable(
            "wasm",
            f"the page's content security policy keeps Python from loading the runtime ({error}): call {register}",
        ) from None


def hash_in_page(data: bytes) -> bytes:
    """BLAKE3 by the runtime's WebAssembly, of wasm/blake3.wat."""
    return bytes.fromhex(runtime_module().blake3(to_js(data)))


def _new(requested: str, threads: int | None = None) -> Any:
    asked = {"backend": requested} | ({} if threads is None else {"threads": threads})
    options = to_js(asked, dict_converter=js.Object.fromEntries)
    session = runtime_module().Session.new(options)
    session.host = pyodide_js._module  # there is no other way to the buffer of pyodide.setInterruptBuffer
    return session


async def prepare(requested: str, threads: int | None = None) -> None:
    """Opens what a device of that name, or "auto", needs: making it need not wait then. Raises BackendUnavailable."""
    session = _new(requested, threads)
    try:
        await session.ready
    except JsException as error:
        raise error_of(error) from None
    _prepared.setdefault((requested, threads), []).append(session)


def open_session(requested: str, threads: int | None = None) -> Any:
    """A session; one on wasm opens with its first batch. Raises BackendUnavailable."""
    if _prepared.get((requested, threads)):
        return _prepared[requested, threads].pop()
    session = _new(requested, threads)
    if requested != "wasm":
        wait(session.ready, f"await hg.Executor.open({requested!r})")
    return session


def real_gpu() -> Any:
    """A session on a real GPU. Raises BackendUnavailable where there is none."""
    session = open_session("auto")
    if session.info.selected != "webgpu":
        raise BackendUnavailable("webgpu", session.info.reason)
    return session


def wait(promise: Any, instead: str) -> Any:
    """What a promise gives. Raises BackendUnavailable where Python cannot wait, and the runtime's errors."""
    if not can_run_sync():
        why = (
            "this code was not entered by runPythonAsync or callPromising"
            if hasattr(js.WebAssembly, "Suspending")
            else "the browser has no JSPI (WebAssembly.Suspending)"
        )
        raise BackendUnavailable("wasm", f"Python cannot wait here, because {why}: use {instead}")
    try:
        return run_sync(promise)
    except JsException as error:
        raise error_of(error) from None


def error_of(found: Any) -> Exception:
    """An error of the runtime, or its fields, as the error of the same name here."""
    if not isinstance(found, Mapping):
        found = {field: getattr(found, field, None) for field in _FIELDS}
    cls = getattr(errors, str(found["name"]), None)
    if not isinstance(cls, type) or not issubclass(cls, HologramError):
        return RuntimeError(f"{found['name']}: {found['message']}")
    if cls is ExecutionError:
        place = {name: found[name] for name in ("lane", "buffer", "offset")}
        return ExecutionError(FaultKind(found["kind"]), found["instruction"], found["detail"], **place)
    if issubclass(cls, CompileError):
        return cls(found["instruction"], found["reason"])
    return cls(found["backend"], found["reason"]) if cls is BackendUnavailable else cls(found["message"])
