"""Making compiled programs: `hg.compile` and `hg.load`. What they need is imported when they are called."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import ArtifactError, LaunchError, outermost
from ..isa.launch import checked_math
from ..isa.types import Type

if TYPE_CHECKING:
    from ..plan.formula import FormulaLike
    from .compiled import CompiledProgram, Fetch

__all__ = ["beside", "compile", "load"]


@outermost
def compile(  # sdk.md's name
    program: Any,
    *,
    lanes: Any = None,
    grid: Any = None,
    block: Any = None,
    name: str = "",
    shapes: Mapping[str, Sequence[FormulaLike]] | None = None,
    temporaries: Mapping[str, FormulaLike | tuple[FormulaLike | Sequence[FormulaLike], Type]] | None = None,
    constants: Mapping[str, Any] | None = None,
    scalars: Mapping[str, Type] | None = None,
    shared_memory: int = 0,
    metadata: Mapping[str, str] | None = None,
    math: str | None = None,
    checks: str | None = None,
    **choices: Any,
) -> CompiledProgram:
    """A plan of one launch, or of a list of them.

    `program` is a Program, an object with one as `.program`, or a list of (program, grid, block, args), of which the
    last three may be left out. `lanes` (or `grid`), `block` and `args` are those of `PlanBuilder.launch`; `shapes`
    and `constants` those of PlanBuilder; `temporaries` gives sizes in bytes, or pairs of a shape and a type;
    `scalars` types of scalars that only formulas use. `math` is "exact", "fast" or "strict": how floats are computed
    on GPUs. `checks` is "axis" or "buffer", as `hg.kernel` takes it, for all kernels among the programs. Other
    names are constants and types of a kernel, as `specialize` takes them: `hg.compile(product, BM=32)`.

    Raises LaunchError, IsaError, ArtifactError.
    """
    from ..plan.builder import PlanBuilder
    from .compiled import CompiledProgram

    if choices:
        if not hasattr(program, "specialize"):
            raise TypeError(f"compile() got an unexpected keyword argument {next(iter(choices))!r}")
        program = program.specialize(**choices)
    if lanes is not None and grid is not None:
        raise LaunchError("lanes= and grid= both say how many lanes there are: give one of them")
    grid = grid if lanes is None else lanes
    launches = program if isinstance(program, (list, tuple)) else [(program, grid, block)]
    if not name and len(launches) == 1:
        kernel = launches[0][0] if isinstance(launches[0], (list, tuple)) else launches[0]
        name = getattr(getattr(getattr(kernel, "program", kernel), "metadata", None), "name", "")
    builder = PlanBuilder(name, shapes=shapes)
    for key, ty in (scalars or {}).items():
        builder.scalar(key, ty)
    for key, size in (temporaries or {}).items():
        builder.temporary(key, *(size if isinstance(size, tuple) else (size,)))
    for key, data in (constants or {}).items():
        builder.constant(key, data)
    for launch in launches:
        first, *rest = launch if isinstance(launch, (list, tuple)) else (launch,)
        if checks is not None and hasattr(first, "checking"):
            first = first.checking(checks)
        builder.launch(first, *rest, shared_memory=shared_memory)
    told = {} if math is None else {"math": checked_math(math)}
    return CompiledProgram.from_builder(builder, {**(metadata or {}), **told})


@outermost
def load(
    source: str | os.PathLike[str] | bytes,
    *,
    weights: str | os.PathLike[str] | bytes | bytearray | memoryview | None = None,
    fetch: Fetch | None = None,
) -> CompiledProgram:
    """Reads a file, or its bytes. Raises ArtifactError for contents that are not what `save` writes.

    Constants outside it are in files beside it, or in `weights`, a file's path or its bytes, or come from
    `fetch(location, offset, length)`: when they are first needed.
    """
    from ..plan.reader import read
    from ..plan.sources import unpack
    from .compiled import CompiledProgram

    data = source
    if isinstance(source, (str, os.PathLike)):
        path = Path(source)
        data = path.read_bytes()
        fetch = fetch or (lambda location, *part: _part(beside(path, location), *part))
    artifact = read(data)
    if weights is not None:
        places = sorted({blob.location for blob in artifact.blobs} - {""})
        if len(places) != 1:
            raise ArtifactError(f"weights= is one file; the artifact has constants in {places or 'no other file'}")
        if isinstance(weights, (str, os.PathLike)):
            file = Path(weights)
            fetch = lambda _, *part: _part(file, *part)  # noqa: E731
        else:
            whole = memoryview(weights).cast("B")
            fetch = lambda _, offset, length: bytes(whole[offset : offset + length])  # noqa: E731
    unpack(artifact.metadata.get("source"), artifact.programs)
    return CompiledProgram(
        artifact.plan, artifact.programs, artifact.blobs, artifact.metadata, artifact=artifact, fetch=fetch
    )


def beside(path: Path, location: str) -> Path:
    """The file of that name in the artifact's folder. Raises ArtifactError for any other place."""
    if location != Path(location).name or location in ("", ".", "..") or set(location) & set("\\:\0"):
        raise ArtifactError(f"a constant is in {location!r}, which is no file beside {path.name}: give `fetch`")
    return path.parent / location


def _part(file: Path, offset: int, length: int) -> bytes:
    """These bytes of a file, as many as there are. Raises OSError."""
    with file.open("rb") as stream:
        length = min(length, stream.seek(0, os.SEEK_END) - offset)
        stream.seek(offset)
        return stream.read(max(length, 0))
