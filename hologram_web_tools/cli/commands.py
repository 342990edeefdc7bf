"""The commands `run`, `inspect`, `optimize`, `cache`, `serve` and `build-stdlib`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import click
from rich.table import Table

from hologram_web import __version__
from hologram_web.backends import DEVICES
from hologram_web.backends.selection import open_backend
from hologram_web.errors import HologramError, IsaError, LaunchError
from hologram_web.isa.program import Program
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.runtime.making import compile, load
from hologram_web.store.disk import KINDS, DiskStore
from hologram_web.store.store import folder
from hologram_web_tools.stdlib import NAMES

from ..optimizer import ProgramOptimizer
from .arguments import parse, write
from .clean import brief, cleaned
from .console import console, shown
from .inspection import show
from .server import Mount, serve

__all__ = ["commands"]

FILE = click.Path(path_type=Path)


class _Wrong(click.ClickException):
    exit_code = 2

    def format_message(self) -> str:
        return brief(cleaned(self.message, lines=True))


class _Group(click.Group):
    """What is raised for input that is wrong becomes a message."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except HologramError as error:
            raise _Wrong(f"{type(error).__name__}: {error}") from error
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            raise _Wrong(f"{where}{error.strerror or error}") from error


@click.group(cls=_Group)
@click.version_option(__version__, prog_name="hologram-web")
def commands() -> None:
    """Runs, shows and serves programs for WebGPU and WebAssembly."""


def _program(file: Path) -> Program:
    try:
        return Program.from_text(file.read_text(encoding="utf-8"))
    except UnicodeDecodeError as error:
        raise IsaError(f"{file} is no text: {error}") from None


def _compiled(file: Path) -> CompiledProgram:
    """An artifact, or the program of a text as a plan of one launch. Raises ArtifactError, IsaError."""
    if file.suffix != ".atlas":
        return load(file)
    program = _program(file)
    program.validate()
    try:
        return compile(program)
    except LaunchError:  # it writes no array that would say how many lanes there are
        return compile(program, grid=1)


@commands.command("run")
@click.argument("file", type=FILE)
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--device", default="auto", type=click.Choice(["auto", *DEVICES]), help="Where it runs.")
@click.option(
    "--math",
    default="exact",
    type=click.Choice(["exact", "fast", "strict"]),
    help="How GPUs compute floats, if the file does not say.",
)
@click.option("-o", "--output", type=FILE, help="Write the results: .npz, .npy, or .png of u8.")
@click.option("--rounds", default=1, type=click.IntRange(1), help="How often it runs; the median is told.")
def run_file(file: Path, arguments: tuple[str, ...], device: str, math: str, output: Path | None, rounds: int) -> None:
    """Run an artifact (.holo) or a program (.atlas).

    An argument is a number, or for an array numbers with commas between them, a .npy file, or an image, if pillow is
    there. What is only written may be left out.
    """
    out = console()
    compiled, read = _timed(lambda: _compiled(file))
    given = parse(compiled, arguments)
    (backend, selection), opened = _timed(lambda: open_backend(device, math=math))
    try:
        found, first = _timed(lambda: compiled.run(backend, **given))
        times = [_timed(lambda: compiled.run(backend, **given))[1] for _ in range(rounds - 1)]
    finally:
        backend.close()
    results = found if isinstance(found, dict) else {next(_written(compiled), ""): found}
    out.print(f"{shown(compiled.name or file.name)} on [bold]{selection.selected}[/]: {shown(selection.reason)}")
    again = f", then {median(times):.2f} ms (median of {len(times)})" if times else ""
    out.print(f"read {read:.1f} ms, device {opened:.1f} ms, first run with compiling {first:.1f} ms{again}")
    if output is not None:
        write(output, results)
        out.print(f"written: {shown(output)}")
        return
    table = Table("result", "type", "shape", "least", "most", "mean", "first elements", box=None, header_style="bold")
    for name, array in results.items():
        flat = array.reshape(-1).astype("f8")
        ends = (flat.min(), flat.max(), flat.mean()) if flat.size else ()
        shape, start = " x ".join(map(str, array.shape)), " ".join(f"{number:g}" for number in flat[:8])
        table.add_row(shown(name), str(array.dtype), shape, *([f"{end:g}" for end in ends] or "---"), start)
    out.print(table)


def _written(compiled: CompiledProgram) -> Any:
    return (port.name for port in compiled.ports if port.access is not None and port.access.writes)


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    start = perf_counter()
    found = work()
    return found, 1000 * (perf_counter() - start)


@commands.command("inspect")
@click.argument("file", type=FILE)
@click.option("--isa", "texts", flag_value="isa", multiple=True, help="The instructions of its programs.")
@click.option("--ir", "texts", flag_value="ir", multiple=True, help="What the compiler makes of them.")
@click.option("--lanes", "texts", flag_value="lanes", multiple=True, help="The same, with how lanes differ in it.")
@click.option("--wgsl", "texts", flag_value="wgsl", multiple=True, help="The shaders.")
@click.option("--wat", "texts", flag_value="wat", multiple=True, help="The WebAssembly modules, as text.")
def inspect_file(file: Path, texts: tuple[str, ...]) -> None:
    """Show what an artifact (.holo) or a program (.atlas) takes, does and holds."""
    show(console(), file, _compiled(file), texts)


@commands.command("optimize")
@click.argument("file", type=FILE)
@click.option("--pass", "passes", multiple=True, help="One of the passes; by default all of them run.")
@click.option("-o", "--output", type=FILE, help="Write the program there.")
def optimize_file(file: Path, passes: tuple[str, ...], output: Path | None) -> None:
    """Make a program (.atlas) smaller, and show it."""
    program, optimizer = _program(file), ProgramOptimizer(passes or None)
    better = optimizer.optimize(program)
    fired = ", ".join(f"{name} {count}" for name, count in optimizer.counters.items() if count) or "nothing to do"
    text = f"; {len(program)} instructions, now {len(better)}: {fired}\n{better.to_text()}"
    if output is None:
        click.echo(cleaned(text, lines=True), nl=False)
    else:
        output.write_text(text, encoding="utf-8")
        console().print(f"written: {shown(output)}")


@commands.group("cache")
def cache_group() -> None:
    """What was compiled and is kept for the next time."""


def _disk() -> DiskStore:
    return DiskStore(folder())


@cache_group.command("info")
def cache_info() -> None:
    """Show where it is, and how much."""
    store, out = _disk(), console()
    out.print(f"{shown(store.folder)}, at most {store.limit / 1e6:.0f} MB")
    table = Table("what", "files", "KB", box=None, header_style="bold")
    found = store.info()
    for kind, what in KINDS.items():
        number, size = found.get(kind, (0, 0))
        table.add_row(what, str(number), f"{size / 1000:.1f}")
    out.print(table)


@cache_group.command("clear")
def cache_clear() -> None:
    """Remove all of it."""
    store = _disk()
    console().print(f"removed {store.clear()} files from {shown(store.folder)}")


@commands.command("serve")
@click.argument("folder", default=".", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--port", default=8000, type=click.IntRange(0, 65535), help="0 takes one that is free.")
def serve_folder(folder: Path, port: int) -> None:
    """Serve a folder on 127.0.0.1, its pages cross-origin isolated."""
    serve({"/": Mount(folder, str(folder))}, port)


@commands.command("build-stdlib")
@click.option("--output", default="stdlib", type=FILE, help="The folder to write to; by default stdlib.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
def build_stdlib(output: Path, names: tuple[str, ...]) -> None:
    """Write the standard library, or some of it, as artifacts with an index."""
    from ..build_stdlib import build

    with click.progressbar(length=len(names or NAMES), label="kernels", file=sys.stderr) as bar:
        size = build(output, names or NAMES, lambda: bar.update(1))
    console().print(f"{len(names or NAMES)} kernels, {size:,} bytes: {shown(output)}")
