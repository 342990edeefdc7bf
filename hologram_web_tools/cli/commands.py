"""The commands; looks.py has what `doctor` and `selftest` find. With `--json` errors are objects, too."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import nullcontext, redirect_stdout
from dataclasses import asdict
from pathlib import Path
from statistics import median
from time import perf_counter
from typing import Any

import click
from rich.table import Table

from hologram_web import __version__
from hologram_web.backends import DEVICES
from hologram_web.backends.selection import open_backend
from hologram_web.errors import HologramError, LaunchError
from hologram_web.isa.types import Type
from hologram_web.runtime.compiled import CompiledProgram
from hologram_web.runtime.making import compile, load
from hologram_web.store.disk import KINDS, DiskStore
from hologram_web.store.store import folder
from hologram_web_tools.stdlib import NAMES

from ..browsers import device_named
from ..contents import held
from ..declarations import declaration, type_name
from ..optimizer import ProgramOptimizer
from .arguments import check_file, check_output, lengths, named_results, parse, write
from .bundling import bundle
from .clean import brief, cleaned
from .console import STDOUT, as_json, console, shown, tell, working
from .definitions import compile_named, program_named, program_of, split
from .inspection import show
from .looks import look_around, try_devices
from .server import Mount, serve
from .side_by_side import drawn, side_by_side

__all__ = ["commands"]

FILE = click.Path(path_type=Path)
MATH = ("exact", "fast", "strict")


class _Wrong(click.ClickException):
    exit_code = 2

    def format_message(self) -> str:
        return brief(cleaned(self.message, lines=True))


class _Group(click.Group):
    """What is raised for input that is wrong becomes a message."""

    def invoke(self, ctx: click.Context) -> Any:
        given = list(ctx.args)  # what stands behind the command's name
        ctx.meta[STDOUT] = sys.stdout  # with --json for the object alone, whatever else prints
        try:
            with redirect_stdout(sys.stderr) if "--json" in given else nullcontext():
                return super().invoke(ctx)
        except HologramError as error:
            kind, text = type(error).__name__, str(error)
            message = f"{kind}: {text}"
        except OSError as error:
            where = f"{error.filename}: " if error.filename else ""
            kind, message = type(error).__name__, f"{where}{error.strerror or error}"
            text = message
        except click.UsageError as error:  # of the line itself, which click tells with the usage
            if "--json" not in given:
                raise
            tell(error={"type": type(error).__name__, "message": error.format_message()})
            ctx.exit(_Wrong.exit_code)
        if ctx.obj:
            tell(error={"type": kind, "message": text})
            ctx.exit(_Wrong.exit_code)
        raise _Wrong(message)


@click.group(cls=_Group)
@click.version_option(__version__, prog_name="hologram-web")
def commands() -> None:
    """Runs, shows and serves programs for WebGPU and WebAssembly."""


def _compiled(file: Path) -> CompiledProgram:
    """An artifact, what a Python file defines, or the program of a text as a plan of one launch."""
    if split(str(file))[0].suffix == ".py":
        return compile_named(str(file))
    if file.suffix != ".atlas":
        return load(file)
    program = program_of(file)
    program.validate()
    try:
        return compile(program)
    except LaunchError:  # it writes no array that would say how many lanes there are
        return compile(program, grid=1)


@commands.command("compile")
@click.argument("source", metavar="FILE[:NAME]")
@click.option("-o", "--output", type=FILE, help="The artifact; by default the name with .holo.")
@click.option("--lanes", default="", help="How many: formulas such as n or w,ceildiv(h,2).")
@click.option("--block", default="", help="Lanes of a block: 256 or 16,16.")
@click.option("--shape", "shapes", multiple=True, metavar="PORT=h,w", help="The lengths of an array's axes.")
@click.option("--set", "constants", multiple=True, metavar="NAME=VALUE", help="A constant or type of a kernel.")
@click.option("--math", type=click.Choice(MATH), help="How GPUs compute floats.")
@click.option("--weights", metavar="NAME", help="A file beside the artifact for constants of 4,096 bytes and more.")
@as_json
def compile_file(
    source: str,
    output: Path | None,
    lanes: str,
    block: str,
    shapes: tuple[str, ...],
    constants: tuple[str, ...],
    math: str | None,
    weights: str | None,
    as_json: bool,
) -> None:
    """Compile what a Python file defines to an artifact (.holo). A program (.atlas) is taken, too.

    NAME is a kernel, a function of arrays, a program or a plan; a file that defines one needs none.
    """
    if output is not None:
        check_file(output)
    made = compile_named(source, lanes=lanes, block=block, shapes=shapes, constants=constants, math=math)
    output = output or Path(split(source)[1] or split(source)[0].stem).with_suffix(".holo")
    with working(f"compiles {shown(made.name)}"):
        _, took = _timed(lambda: made.save(output, weights=weights))
    files = [output, *([output.with_name(weights)] if weights else [])]
    size = sum(file.stat().st_size for file in files)
    if as_json:
        more = {"weights": files[1]} if weights else {}
        tell(name=made.name, written=output, bytes=size, ms=took, ports=[str(port) for port in made.ports], **more)
    else:
        ports = ", ".join(map(str, made.ports))
        written = " and ".join(map(str, files))
        console().print(f"{shown(made.name)}({shown(ports)}): {size:,} bytes, {took:.1f} ms: {shown(written)}")


@commands.command("bench")
@click.argument("file", type=FILE)
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@click.option(
    "--device",
    "devices",
    multiple=True,
    type=click.Choice([*DEVICES]),
    help="By default wasm, and webgpu if it is here.",
)
@click.option("--size", "sizes", multiple=True, metavar="NAME=LENGTH", help="A name in the shapes of arrays.")
@click.option("--rounds", default=20, type=click.IntRange(1))
@click.option("--math", default="exact", type=click.Choice(MATH), help="How GPUs compute floats.")
@as_json
def bench_file(
    file: Path,
    arguments: tuple[str, ...],
    devices: tuple[str, ...],
    sizes: tuple[str, ...],
    rounds: int,
    math: str,
    as_json: bool,
) -> None:
    """Time a file on several devices, in turns. Their results are compared first; ends with 1 where they differ.

    Arrays that are read and not given are drawn, the same each time: floats from 0 to 1, integers below 100.
    """
    compiled = _compiled(file)
    given = drawn(compiled, parse(compiled, arguments), lengths(sizes))
    with working("opens devices") as doing:
        missing: dict[str, str] = {}
        asked = (devices, None) if devices else (("wasm", "webgpu"), missing)
        found, moved = side_by_side(compiled, given, asked[0], rounds, math, doing, asked[1])
    if as_json:
        tell(name=compiled.name, bytes=moved, rounds=rounds, devices=[asdict(each) for each in found], missing=missing)
    else:
        table = Table(
            "device", "results", "first ms", "on buffers", "from arrays", "GB/s", "", header_style="bold", box=None
        )
        for each in found:
            cells = map(_three, (each.first, each.median, median(each.arrays), moved / each.median / 1e6))
            faster = f"{_three(found[0].median / each.median)} of {found[0].device}'s speed"
            ratio = "" if each is found[0] or each.agrees == "differs" else faster
            table.add_row(shown(each.told), each.agrees, *cells, ratio)
        console().print(f"{shown(compiled.name or file.name)}: {moved:,} bytes, medians of {rounds} in turns")
        console().print(table)
        for name, reason in missing.items():
            console().print(f"without {name}: {shown(reason)}")
    if any(each.agrees == "differs" for each in found):
        sys.exit(1)


def _three(number: float) -> str:
    """With three digits, or as many as it has before the point."""
    return f"{number:,.0f}" if number >= 100 else f"{number:.3g}"


@commands.command("bundle")
@click.argument("folder", type=FILE)
@click.argument("program", type=FILE, required=False)
@click.option("--pyodide", type=FILE, help="Pyodide's folder; by default of node_modules.")
@click.option("--pages", type=FILE, help="A release's hologram_web-*-pages.zip; by default of dist.")
@click.option("--with", "packages", multiple=True, default=["numpy"], help="A package of Pyodide's; by default numpy.")
@as_json
def bundle_site(
    folder: Path,
    program: Path | None,
    pyodide: Path | None,
    pages: Path | None,
    packages: tuple[str, ...],
    as_json: bool,
) -> None:
    """Write a static site that runs a Python program offline. It has Pyodide, our wheels, packages, and a page."""
    with working(f"writes {shown(folder)}"):
        made = bundle(folder, program=program, pyodide=pyodide, pages=pages, packages=packages)
    if as_json:
        tell(folder=folder, **made._asdict())
        return
    listed = ", ".join(f"{name} {version}" for name, version in made.packages.items())
    console().print(f"{made.files} files, {made.size:,} bytes: {shown(folder)} with {shown(listed)}")
    for name, reason in made.missing.items():
        console().print(f"without {shown(name)}: {shown(reason)}")
    console().print(f"look at it: hologram-web serve {shown(folder)}")


@commands.command("run")
@click.argument("file", type=FILE)
@click.argument("arguments", nargs=-1, metavar="[NAME=VALUE]...")
@click.option("--device", default="auto", type=click.Choice(["auto", *DEVICES]), help="Where it runs.")
@click.option(
    "--math",
    default="exact",
    type=click.Choice(MATH),
    help="How GPUs compute floats, if the file does not say.",
)
@click.option("-o", "--output", type=FILE, help="Write the results: .npz, .npy, or .png of u8.")
@click.option("--rounds", default=1, type=click.IntRange(1), help="How often it runs; the median is told.")
@as_json
def run_file(
    file: Path, arguments: tuple[str, ...], device: str, math: str, output: Path | None, rounds: int, as_json: bool
) -> None:
    """Run an artifact (.holo) or a program (.atlas).

    An argument is a number, or for an array numbers with commas between them, a .npy file, or an image, if pillow is
    there. What is only written may be left out.
    """
    out = console()
    compiled, read = _timed(lambda: _compiled(file))
    given = parse(compiled, arguments)
    if output is not None:
        check_output(output, compiled.ports)
    with working("opens a device") as doing:
        (backend, selection), opened = _timed(lambda: open_backend(device, math=math))
        try:
            doing(f"runs on {selection.selected}")
            found, first = _timed(lambda: compiled.run(backend, **given))
            times = []
            for turn in range(2, rounds + 1):
                doing(f"round {turn} of {rounds} on {selection.selected}")
                times.append(_timed(lambda: compiled.run(backend, **given))[1])
        finally:
            backend.close()
    results = named_results(compiled, found)
    if output is not None:
        write(output, results)
    if as_json:
        tell(
            program=compiled.name or file.name,
            device=selection.selected,
            reason=selection.reason,
            adapter=selection.adapter,
            ms={"read": read, "device": opened, "first": first, "again": median(times) if times else None},
            results={name: _summary(array) for name, array in results.items()},
            written=output,
        )
        return
    where = shown(device_named(selection.selected, selection.adapter))
    out.print(f"{shown(compiled.name or file.name)} on [bold]{where}[/]: {shown(selection.reason)}")
    again = f", then {median(times):.2f} ms (median of {len(times)})" if times else ""
    out.print(f"read {read:.1f} ms, device {opened:.1f} ms, first run with compiling {first:.1f} ms{again}")
    if output is not None:
        out.print(f"written: {shown(output)}")
        return
    table = Table("result", "type", "shape", "least", "most", "mean", "first elements", box=None, header_style="bold")
    for name, array in results.items():
        told = _summary(array)
        ends = ("-" if told[end] is None else f"{told[end]:g}" for end in ("least", "most", "mean"))
        shape, start = " x ".join(map(str, array.shape)) or "-", " ".join(f"{number:g}" for number in told["head"])
        table.add_row(shown(name), str(array.dtype), shape, *ends, start)
    out.print(table)


def _summary(array: Any) -> dict[str, Any]:
    flat = array.reshape(-1).astype("f8")
    ends = map(float, (flat.min(), flat.max(), flat.mean())) if flat.size else (None, None, None)
    found = dict(zip(("least", "most", "mean"), ends, strict=True))
    return {"dtype": str(array.dtype), "shape": list(array.shape), **found, "head": flat[:8].tolist()}


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
@click.option("--variants", "texts", flag_value="variants", multiple=True, help="Which code launches take, and when.")
@as_json
def inspect_file(file: Path, texts: tuple[str, ...], as_json: bool) -> None:
    """Show what a file (.holo or .atlas) takes, does and holds."""
    if as_json:
        tell(**held(file, _compiled(file), texts))
        return
    show(console(), file, _compiled(file), texts)


@commands.command("optimize")
@click.argument("source", metavar="FILE[:NAME]")
@click.option("--set", "constants", multiple=True, metavar="NAME=VALUE", help="A constant or type of a kernel.")
@click.option("--pass", "passes", multiple=True, help="One of the passes; by default all of them run.")
@click.option("-o", "--output", type=FILE, help="Write the program there.")
@as_json
def optimize_file(
    source: str, constants: tuple[str, ...], passes: tuple[str, ...], output: Path | None, as_json: bool
) -> None:
    """Make a program (.atlas) smaller, and show it. A kernel of a Python file is taken, too."""
    if output is not None:
        check_file(output)
    program, optimizer = program_named(source, constants), ProgramOptimizer(passes or None)
    better = optimizer.optimize(program)
    counts = {name: count for name, count in optimizer.counters.items() if count}
    fired = ", ".join(f"{name} {count}" for name, count in counts.items()) or "nothing to do"
    text = f"; {len(program)} instructions, now {len(better)}: {fired}\n{better.to_text()}"
    if output is not None:
        output.write_text(text, encoding="utf-8")
    if as_json:
        tell(instructions=[len(program), len(better)], passes=counts, program=better.to_text(), written=output)
    elif output is None:
        click.echo(cleaned(text, lines=True), nl=False)
    else:
        console().print(f"written: {shown(output)}")


@commands.command("types")
@click.argument("file", type=FILE)
@click.option("--name", help="The name of the type; by default made of the program's, or the file's.")
@click.option("-o", "--output", type=FILE, help="Write a .d.ts file.")
@as_json
def types_of_file(file: Path, name: str | None, output: Path | None, as_json: bool) -> None:
    """Show what run takes and gives, for TypeScript. With it runtime.load<NAME>(address) is typed."""
    if output is not None:
        check_file(output)
    compiled = _compiled(file)
    name = name or type_name(compiled.name or file.stem)
    if name != type_name(name):
        raise LaunchError(f"{name!r} is no name of a type: {type_name(name)} would be one")
    text = declaration(compiled, name)
    if output is not None:
        output.write_text(text, encoding="utf-8")
    if as_json:
        tell(name=name, text=text, written=output)
    elif output is None:
        click.echo(cleaned(text, lines=True), nl=False)
    else:
        console().print(f"written: {shown(output)}")


@commands.command("doctor")
@as_json
def doctor(as_json: bool) -> None:
    """Show what this machine has, what is missing, and what to do. Ends with 1 if nothing can run."""
    with working("looks around; browsers are started without a window"):
        found = list(look_around())
    if as_json:
        tell(found=[asdict(each) for each in found])
    else:
        table = Table("", "", "what", "what to do", box=None, header_style="bold")
        marks = {"there": "ok", "note": "note", "missing": "missing"}
        for each in found:
            table.add_row(marks[each.state], each.what, shown(each.found), shown(each.advice))
        console().print(table)
    if any(each.state == "missing" and each.needed for each in found):
        sys.exit(1)


@commands.command("selftest")
@as_json
def selftest(as_json: bool) -> None:
    """Compare every device here with the reference. A few programs run on each; ends with 1 if one differs."""
    with working("compares every device with the reference"):
        found = list(try_devices())
    if as_json:
        tell(found=[asdict(each) for each in found])
    else:
        table = Table("device", "check", "", "ms", "", box=None, header_style="bold")
        for each in found:
            named = shown(device_named(each.device, each.adapter))
            table.add_row(named, each.check, each.state, f"{each.ms:g}" if each.check else "", shown(each.detail))
        console().print(table)
    if any(each.state in ("differs", "failed") for each in found):
        sys.exit(1)


@commands.group("cache")
def cache_group() -> None:
    """What was compiled and is kept for the next time."""


def _disk() -> DiskStore:
    return DiskStore(folder())


@cache_group.command("info")
@as_json
def cache_info(as_json: bool) -> None:
    """Show where it is, and how much."""
    store, out = _disk(), console()
    found = store.info()
    if as_json:
        kinds = {what: found.get(kind, (0, 0)) for kind, what in KINDS.items()}
        held = [{"what": what, "files": number, "bytes": size} for what, (number, size) in kinds.items()]
        tell(folder=store.folder, limit=store.limit, held=held)
        return
    out.print(f"{shown(store.folder)}, at most {store.limit / 1e6:.0f} MB")
    table = Table("what", "files", "KB", box=None, header_style="bold")
    for kind, what in KINDS.items():
        number, size = found.get(kind, (0, 0))
        table.add_row(what, str(number), f"{size / 1000:.1f}")
    out.print(table)


@cache_group.command("clear")
@as_json
def cache_clear(as_json: bool) -> None:
    """Remove all of it."""
    store = _disk()
    removed = store.clear()
    if as_json:
        tell(folder=store.folder, removed=removed)
    else:
        console().print(f"removed {removed} files from {shown(store.folder)}")


@commands.command("serve")
@click.argument("folder", default=".", type=click.Path(path_type=Path, exists=True, file_okay=False))
@click.option("--port", default=8000, type=click.IntRange(0, 65535), help="0 takes one that is free.")
@as_json
def serve_folder(folder: Path, port: int, as_json: bool) -> None:
    """Serve a folder on 127.0.0.1, cross-origin isolated."""

    def told(port: int) -> None:
        tell(folder=folder, address=f"http://127.0.0.1:{port}/")

    serve({"/": Mount(folder, str(folder))}, port, told if as_json else None)


@commands.command("tune")
@click.argument("operation")
@click.argument("numbers", nargs=-1, metavar="NAME=NUMBER...")
@click.option("--device", default="wasm", type=click.Choice(["wasm", "webgpu"]), help="By default wasm.")
@click.option("--type", "dtype", default="f32", help="Of the elements, by default f32.")
@click.option("--seconds", default=1.0, type=click.FloatRange(0.0), help="How long schedules are timed.")
@click.option("--again", is_flag=True, help="Times what is known already.")
@as_json
def tune_operation(
    operation: str, numbers: tuple[str, ...], device: str, dtype: str, seconds: float, again: bool, as_json: bool
) -> None:
    """Time an operation's schedules, and keep the fastest. It is one of the tensor library: GEMM m=384 n=77 k=1000."""
    from ..tune import tune

    shapes: dict[str, Any] = {}
    for word in numbers:
        name, _, value = word.partition("=")
        try:
            whole = [int({"true": 1, "false": 0}.get(part, part)) for part in value.split(",")]
        except ValueError:
            raise LaunchError(f"{word!r} says no number: write m=384, padding=1,1,1,1, trans_b=true") from None
        shapes[name] = tuple(whole) if len(whole) > 1 else whole[0]
    with working(f"times schedules on {device}"):
        found = tune(operation, shapes, Type.named(dtype), DEVICES[device](), seconds=seconds, again=again)
    if as_json:
        rows = [
            {"schedule": each.choice[0], **dict(each.choice[1]), "seconds": each.seconds, "refused": each.refused}
            for each in found.candidates
        ]
        tell(key=found.key, device=found.device, schedule=found.choice[0], **dict(found.choice[1]), candidates=rows)
    else:
        console().print(str(found), highlight=False)


@commands.command("build-stdlib")
@click.option("--output", default="stdlib", type=FILE, help="The folder to write to; by default stdlib.")
@click.option("--modules", is_flag=True, help="As modules of JavaScript, which bundlers find.")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@as_json
def build_stdlib(output: Path, modules: bool, names: tuple[str, ...], as_json: bool) -> None:
    """Write the standard library as artifacts with an index. Without names it is all of it."""
    from ..build_stdlib import build

    with click.progressbar(length=len(names or NAMES), label="kernels", file=sys.stderr) as bar:
        size = build(output, names or NAMES, lambda: bar.update(1), modules=modules)
    if as_json:
        tell(kernels=list(names or NAMES), bytes=size, folder=output)
    else:
        console().print(f"{len(names or NAMES)} kernels, {size:,} bytes: {shown(output)}")


@commands.command("build-ops")
@click.option("--output", default="ops", type=FILE, help="The folder to write to; by default ops.")
@click.option("--types", type=FILE, help="Write the types of TypeScript to this file, and no modules.")
@as_json
def build_ops(output: Path, types: Path | None, as_json: bool) -> None:
    """Write the tensor library's operations for JavaScript."""
    from ..build_ops import OPERATIONS, build, files, typescript

    size = 0
    if types:
        output = types
        size = types.write_text(typescript(), encoding="utf-8")
    else:
        with click.progressbar(length=len(files()), label="operations", file=sys.stderr) as bar:
            size = build(output, lambda: bar.update(1))
    if as_json:
        tell(operations=list(OPERATIONS), bytes=size, folder=output)
    else:
        console().print(f"{len(OPERATIONS)} operations, {size:,} bytes: {shown(output)}")
