"""What a `.holo` file holds, and that its parts fit together. `writer.py` and `reader.py` have the file itself.

Standard library only.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from ..errors import ArtifactError
from ..isa.program import Program
from ..store.blake3 import blake3
from ..targets.wasm.check import check_modules
from .plan import KernelCode, Plan
from .validate import validate

__all__ = ["Artifact", "Blob"]

_MAX_SHADER, _MAX_SHADERS = 1 << 24, 1 << 26


@dataclass(frozen=True)
class Blob:
    """The data of a constant: in the file (`data`), or `length` bytes at `offset` of the file `location` beside it."""

    length: int
    hash: bytes
    data: bytes | None = None
    location: str = ""
    offset: int = 0

    @classmethod
    def of(cls, data: bytes) -> Blob:
        return cls(len(data), blake3(data), data)

    def checked(self, data: bytes, what: str = "") -> bytes:
        """`data`, if it is what the hash is of; `what` is the constant's name. Raises ArtifactError."""
        place = f"in {self.location!r}" if self.location else "of the file"
        of = f"the constant {what} {place}" if what else f"a constant {place}"
        if len(data) < self.length:
            cut = f"{self.length} bytes at {self.offset}, are not all there: was the file cut off? get it again"
            raise ArtifactError(f"{of}, {cut}")
        if len(data) > self.length or blake3(data) != self.hash:
            again = ": get the file again that was saved with the artifact" if self.location else ""
            raise ArtifactError(f"{of} is damaged: its {self.length} bytes do not have the hash they had{again}")
        return data


@dataclass(frozen=True)
class Artifact:
    """What a file holds. `texts` are the instructions of each program, a line each; a shader is a list of `pieces`."""

    plan: Plan
    programs: tuple[Program, ...] = ()
    texts: tuple[str, ...] = ()
    kernels: tuple[KernelCode, ...] = ()
    modules: tuple[bytes, ...] = ()
    pieces: tuple[str, ...] = ()
    shaders: tuple[tuple[int, ...], ...] = ()
    blobs: tuple[Blob, ...] = ()
    metadata: dict[str, str] = field(default_factory=dict)
    sources: tuple[bytes, ...] = field(default=(), compare=False, repr=False)  # the bytes of programs, if known

    def shader(self, number: int) -> str:
        """The WGSL of a shader."""
        return "".join(self.pieces[piece] for piece in self.shaders[number])

    def validate(self) -> None:
        """Raises ArtifactError if parts do not fit together."""

        def must(holds: bool, what: str) -> None:
            if not holds:
                raise ArtifactError(f"the artifact is wrong: {what}")

        for what, items in (("module", self.modules), ("piece of WGSL", self.pieces)):
            must(len(set(items)) == len(items), f"a {what} is there twice")
        check_modules(self.modules)
        inside = [item.hash for item in self.blobs if not item.location]
        must(len(set(inside)) == len(inside), "a constant is there twice")
        must(all(item.location or not item.offset for item in self.blobs), "a constant of the file has an offset")
        sizes = [len(piece.encode()) for piece in self.pieces]
        total = 0
        for shader in self.shaders:
            must(max(shader, default=0) < len(sizes) or not shader, "a shader names a piece that is not there")
            size = sum(map(sizes.__getitem__, shader))
            total += size
            must(size <= _MAX_SHADER and total <= _MAX_SHADERS, "a shader is too large")
        for kernel in self.kernels:
            kernel.validate(len(self.programs), len(self.modules), len(self.shaders))
        validate(self.plan, self.programs, self.kernels, len(self.blobs))
