"""Compiled programs: a plan with its programs, saved to a `.holo` file, loaded, and run on a device."""

from __future__ import annotations

import os
from collections.abc import Callable, Container, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from math import prod
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..backends.protocol import Backend
from ..errors import ArtifactError, InvalidBuffer, IsaError, LaunchError, like, misfit, outermost, told
from ..extras import page_of
from ..isa.arguments import scalar_bits
from ..isa.elements import Element, axes_of, element_named
from ..isa.launch import checked_math
from ..isa.operands import Access, BufferHandle, PoolHandle
from ..isa.program import Program
from ..isa.verify import Analysis
from ..plan.builder import PlanBuilder
from ..plan.formula import Formula
from ..plan.plan import Plan, Port, bind_ports, calls_of, size_of
from ..store.store import compiled_store, key_of
from ..tensor.schedules import TRAITS
from . import arrays
from .executor import Buffer, Executor
from .making import beside

if TYPE_CHECKING:
    from ..plan.artifact import Artifact, Blob
    from .straight import BufferRun, StraightPlan

__all__ = ["CompiledProgram", "Fetch"]

ELEMENT, DEFAULT = "element.", "default."  # of the names of metadata, before that of a port
PRINTS = "prints"  # of the metadata
# Gives `length` bytes at `offset` of the file at a location relative to the artifact's.
Fetch = Callable[[str, int, int], bytes]


class CompiledProgram:
    """A plan with its programs. `hg.compile` and `hg.load` make it.

    On a device it runs through its programs, which the device compiles and caches; the code in the file is for
    runtimes without a compiler. It is made when `artifact`, `to_bytes` or `save` ask for it.
    """

    def __init__(
        self,
        plan: Plan,
        programs: Sequence[Program],
        blobs: Sequence[Blob] = (),
        metadata: Mapping[str, str] | None = None,
        *,
        artifact: Artifact | None = None,
        fetch: Fetch | None = None,
        analyses: Sequence[Analysis] = (),
    ) -> None:
        self.plan, self.programs, self.blobs = plan, tuple(programs), tuple(blobs)
        self.metadata = dict(metadata or {})
        self._artifact, self._fetch, self._analyses = artifact, fetch, analyses
        self._fetched: dict[int, bytes] = {}
        self._straight: StraightPlan | None = None
        self._checked: BufferRun | None = None  # the last run on Buffers

    @classmethod
    def from_builder(cls, builder: PlanBuilder, metadata: Mapping[str, str] | None = None) -> CompiledProgram:
        """What a PlanBuilder collected. Raises ArtifactError for a plan that is wrong."""
        from ..plan.sources import packed

        elements = {ELEMENT + name: str(element) for name, element in builder.elements.items()}
        elements |= {DEFAULT + name: repr(value) for name, value in builder.defaults.items()}
        if builder.prints:
            from ..isa.logs import packed as listed

            elements[PRINTS] = listed(builder.prints)
        programs, blobs, plan = list(builder.programs), list(builder.blobs.values()), builder.build()
        for number, call in enumerate(calls_of(plan.steps) if builder.whys else ()):
            if why := builder.whys.get(call):
                elements[f"why.call.{number}"] = why
        named = {**({"name": builder.name} if builder.name else {}), **elements, **packed(programs), **(metadata or {})}
        return cls(plan, programs, blobs, named, analyses=builder.analyses)

    @property
    def name(self) -> str:
        return self.metadata.get("name", "")

    @property
    def math(self) -> str | None:
        """How its floats are computed: kept in the metadata; None leaves it to the device."""
        return self.metadata.get("math")

    @property
    def ports(self) -> tuple[Port, ...]:
        """What a run takes: scalars and arrays, in order."""
        return self.plan.ports

    @cached_property
    def elements(self) -> dict[str, Element]:
        """What elements of ports are besides numbers: kept in the metadata. Raises ArtifactError."""
        try:
            found = {
                key.removeprefix(ELEMENT): element_named(text)
                for key, text in self.metadata.items()
                if key.startswith(ELEMENT)
            }
        except IsaError as error:
            raise ArtifactError(f"damaged artifact: {error}") from None
        for name, element in found.items():
            port = self.plan.arrays.get(name)
            last = () if element.width is None else (Formula.of(element.width),)
            if port is None or port.ty is not element.storage or port.shape[len(port.shape) - len(last) :] != last:
                raise ArtifactError(f"damaged artifact: {name!r} has no elements of {element}")
        return found

    @cached_property
    def defaults(self) -> dict[str, int | float]:
        """The values of scalars that a run need not give: kept in the metadata. Raises ArtifactError."""
        found: dict[str, int | float] = {}
        for name, port in self.plan.scalars.items():
            text = self.metadata.get(DEFAULT + name)
            try:
                if text is not None:
                    found[name] = float(text) if port.ty.is_float else int(text)
                    scalar_bits(name, port.ty, found[name])
            except (ValueError, LaunchError) as error:
                raise ArtifactError(f"damaged artifact: the default of {port}: {error}") from None
        return found

    @property
    def artifact(self) -> Artifact:
        """All that a file holds, with the kernels for WebAssembly and WGSL. Raises CompileError."""
        if self._artifact is None:
            from ..plan.reader import read  # files: who defines kernels and runs them needs none
            from ..plan.writer import write

            store = compiled_store()
            key = b"" if store is None else self._key()
            kept = None if store is None else store.get("holo", key)
            if kept is not None:
                with suppress(ArtifactError):  # of the right checksum, and yet no artifact: it is made anew
                    self._artifact = read(kept)
                    return self._artifact
            from ..plan.lowering import lower_plan  # the compiler: a run does not need it

            math = checked_math(self.math or "exact")
            self._artifact = lower_plan(
                self.plan, self.programs, self.blobs, self.metadata, analyses=self._analyses, math=math
            )
            if store is not None:
                store.put("holo", key, write(self._artifact))
        return self._artifact

    def _key(self) -> bytes:
        blobs = [(blob.length, blob.hash, blob.data is None, blob.location, blob.offset) for blob in self.blobs]
        programs = [program.to_bytes() for program in self.programs]
        options = self.math or "exact", TRAITS
        return key_of((self.plan, programs, blobs, sorted(self.metadata.items())), "", options)

    @outermost
    def to_bytes(self) -> bytes:
        """The file; equal plans, programs and metadata give equal bytes. Raises CompileError."""
        from ..plan.writer import write

        return write(self.artifact)

    @outermost
    def save(self, path: str | os.PathLike[str], *, weights: str | None = None, least: int = 4096) -> None:
        """Writes the file. `weights` names a safetensors file beside it for constants of `least` bytes and more. Raises
        CompileError, ArtifactError."""
        from ..plan.writer import write

        path, artifact = Path(path), self.artifact
        if weights is not None:
            from .weights import apart

            artifact = replace(artifact, blobs=apart(self, beside(path, weights), least))
        path.write_bytes(write(artifact))

    @outermost
    def run(self, backend: Backend | Executor, /, *args: Any, **named: Any) -> Any:
        """Runs it on a device, or an executor's, with scalars and arrays, by position or name, and gives the written
        arrays: NumPy's, or memoryviews in a page without NumPy.

        One written port: its array; several: a dict by name. Arrays that are only written may be left out where their
        shape follows from the other arguments; given, they say what is in them before, and are not changed.

        A Buffer of an executor on this device is not copied: a written one is changed in place, and is the result. One
        that is given for two ports, one of them written, is copied for the other; both written is InvalidBuffer. Raises
        LaunchError for arguments that do not fit, and what the device raises.
        """
        if isinstance(backend, str):
            raise LaunchError(f"a device or an Executor runs it, not a name: give hg.Executor({backend!r})")
        device: Backend = backend.device if isinstance(backend, Executor) else backend
        if self._checked is not None and (known := self._checked.given(device, args, named)) is not None:
            of_ports, bits, variables = known
            for name in self._checked.written:
                of_ports[name].changes()
            self.execute(device, {name: buffer.handle for name, buffer in of_ports.items()}, bits, variables)
            return self._checked.results(of_ports)
        values = self._arguments(args, named)
        if getattr(device, "records", False):
            for name in self.plan.arrays:
                if not isinstance(values.get(name), Buffer):
                    raise LaunchError(f"{name}: a recording takes Buffers, which it reads and writes in place")
        pools = self.plan.pools(self.programs)
        buffers = {name: value for name, value in values.items() if isinstance(value, Buffer)}
        here = self._in_place(device, buffers, pools)
        values |= {name: buffer.numpy() for name, buffer in buffers.items() if name not in here}
        scalars = {name: scalar_bits(name, port.ty, values[name]) for name, port in self.plan.scalars.items()}
        given = {
            name: value if name in here else _array(self.plan.arrays[name], value, self.elements.get(name))
            for name, value in values.items()
            if name not in scalars
        }
        numbers = {
            name: int(port.ty.decode(scalars[name])) for name, port in self.plan.scalars.items() if port.ty.is_integer
        }
        variables, shapes = bind_ports(self.plan, numbers, {name: _shape(array) for name, array in given.items()})
        handles: dict[str, BufferHandle | PoolHandle] = {}
        try:
            for name, shape in shapes.items():
                if name in here:
                    continue
                port = self.plan.arrays[name]
                array = given.get(name)
                size = port.ty.size_bytes * prod(shape) if array is None else array.nbytes
                handles[name] = _allocate(device, size, array, name in pools)
            needed = self.plan.named
            for temporary in self.plan.temporaries:
                if temporary.name in needed:
                    name = temporary.name
                    handles[name] = _allocate(device, size_of(temporary, variables), None, name in pools)
            for name, number in self.plan.constants:
                data = self.data(number)
                handles[name] = _allocate(device, len(data), memoryview(data), name in pools)
            self.execute(device, {**handles, **here}, scalars, variables)
            found: dict[str, Any] = {}
            for name, port in self.plan.arrays.items():
                if port.access is not Access.READ and name not in here:
                    found[name] = arrays.empty(shapes[name], port.ty)
                    _read(device, handles[name], arrays.raw(found[name]))
                    found[name] = arrays.elements(found[name], self.elements.get(name, port.ty))
                if port.access is not Access.READ and name in buffers:
                    found[name] = buffers[name] if name in here else buffers[name].from_numpy(found[name])
            if len(here) == len(self.plan.arrays):
                from .straight import BufferRun

                self._checked = BufferRun.of(self.plan, args, named, variables)
            return next(iter(found.values())) if len(found) == 1 else found
        finally:
            for handle in handles.values():
                (device.free_pool if isinstance(handle, PoolHandle) else device.free_buffer)(handle)  # type: ignore[arg-type]

    def _in_place(
        self, backend: Backend, buffers: Mapping[str, Buffer], pools: Container[str]
    ) -> dict[str, BufferHandle]:
        """The handles of the Buffers that a run works on itself. Raises LaunchError and InvalidBuffer."""
        found: dict[str, BufferHandle] = {}
        writers: dict[BufferHandle, str] = {}
        for name, buffer in buffers.items():
            port = self.plan.arrays.get(name)
            if port is None:
                raise LaunchError(f"{name} is a Buffer; {self.plan.scalars[name].ty} is expected, a number")
            if buffer.executor.device is not backend:
                raise LaunchError(f"{port} takes a Buffer of the device that runs, not of {buffer.executor!r}: copy it")
            if buffer.dtype not in (port.ty, self.elements.get(name)):
                rank = len(port.shape)
                raise LaunchError(misfit(name, buffer.dtype, rank, self.elements.get(name) or port.ty, rank))
            if port.access is not Access.READ:
                buffer.changes()
                other = writers.setdefault(buffer.handle, name)
                if other != name:
                    raise InvalidBuffer(f"{other!r} and {name!r} are both written: give two Buffers, not one for both")
            if name not in pools:  # the device has other memory for those
                found[name] = buffer.handle
        return {name: handle for name, handle in found.items() if writers.get(handle, name) == name}

    def execute(
        self,
        backend: Backend,
        handles: Mapping[str, BufferHandle | PoolHandle],
        scalars: Mapping[str, int],
        variables: Mapping[str, int],
    ) -> None:
        """Runs the steps over buffers that are there: a handle for each buffer that calls name.

        `scalars` are the bits of scalar ports, `variables` what `plan.bind_ports` gives. Ports are separate memories.
        To `cancel` and to the limit of seconds it is one launch.
        """
        if PRINTS in self.metadata:
            from .printing import printing

            with printing(self, backend, handles):
                self._execute(backend, handles, scalars, variables)
        else:
            self._execute(backend, handles, scalars, variables)

    def _execute(self, backend: Backend, *given: Any) -> None:
        if self._straight is None:
            from .straight import StraightPlan  # making an artifact runs nothing

            self._straight = StraightPlan(self)
        if self._straight.run(backend, *given):
            return
        from .walking import LaunchWalk

        with backend.together():
            LaunchWalk(self, backend, *given).run(self.plan.steps)

    def _arguments(self, args: tuple[Any, ...], named: Mapping[str, Any]) -> dict[str, Any]:
        ports = [port.name for port in self.plan.ports]
        listed = ", ".join(map(str, self.plan.ports)) or "nothing"
        if len(args) > len(ports):
            raise LaunchError(
                f"{len(args)} arguments are given; {len(ports)} are expected: {self.name or 'the plan'} takes {listed}"
            )
        values = dict(zip(ports, args, strict=False))
        for name, value in named.items():
            if name not in ports or name in values:
                what = "is given twice:" if name in values else f"is no port{like(name, ports) or ':'}"
                raise LaunchError(f"{name!r} {what} {self.name or 'the plan'} takes {listed}")
            values[name] = value
        for port in self.plan.ports:
            if port.name not in values and port.name in self.defaults:
                values[port.name] = self.defaults[port.name]
            elif port.name not in values and port.access is not Access.WRITE:
                raise LaunchError(f"{port.name!r} is missing: {self.name or 'the plan'} takes {listed}")
        return values

    def data(self, number: int) -> bytes:
        """The bytes of a constant; those outside the file are fetched and checked once. Raises ArtifactError."""
        blob = self.blobs[number]
        found = self._fetched.get(number, blob.data)
        if found is None:
            what = " or ".join(name for name, of in self.plan.constants if of == number)
            place = f"the constant {what} is in {blob.location!r}"
            if self._fetch is None:
                raise ArtifactError(f"{place}: load the artifact from its path, or with `weights` or `fetch`")
            try:
                found = bytes(self._fetch(blob.location, blob.offset, blob.length))
            except OSError as error:
                text = "put that file beside the artifact, or say by `weights` where it is"
                raise ArtifactError(f"{place}, which cannot be read: {error}: {text}") from None
            self._fetched[number] = blob.checked(found, what)
        return found

    def _repr_html_(self) -> str | None:
        return page_of(self)

    def __repr__(self) -> str:
        return f"<CompiledProgram {self.name or 'without name'}: {', '.join(map(str, self.plan.ports))}>"


def _shape(array: Any) -> tuple[int, ...]:
    """The shape of an argument as ports have it."""
    return (*array.shape, *(axes_of(array.dtype) if isinstance(array, Buffer) else ()))


def _array(port: Port, value: Any, element: Element | None) -> Any:
    """The argument for an array, as numbers. Raises LaunchError."""
    if not hasattr(value, "dtype") and isinstance(value, (list, tuple, int, float)):
        try:
            return arrays.numbers(arrays.array(value, element or port.ty), element or port.ty)
        except (TypeError, ValueError, OverflowError) as error:
            raise LaunchError(f"{port.name} is {told(value)}; an array of {port.ty} is expected: {error}") from None
    try:
        found = arrays.array(value)
    except (TypeError, ValueError) as error:
        raise LaunchError(f"{port.name} is {told(value)}; an array of {port.ty} is expected: {error}") from None
    for ty in (element, port.ty) if element else (port.ty,):
        fitting = arrays.of_type(found, ty)
        if fitting is not None:
            return arrays.numbers(fitting, ty)
    wanted, plain, rank = element or port.ty, isinstance(found, memoryview), len(port.shape)
    how = "" if plain else f": give {port.name}.astype({str(wanted.numpy)!r})"
    have = arrays.type_of(found) if plain else found.dtype
    raise LaunchError(misfit(port.name, have, found.ndim if element is None else rank, wanted, rank, how))


def _allocate(backend: Backend, size: int, data: Any, pool: bool) -> BufferHandle | PoolHandle:
    """Memory on the device with these bytes, or zeroed."""
    if pool:
        handle = backend.allocate_pool(size)
        if data is not None and data.nbytes:
            backend.copy_to_pool(handle, 0, data)
        return handle
    buffer = backend.allocate_buffer(size)
    if data is not None and data.nbytes:
        backend.copy_to_buffer(buffer, data)
    return buffer


def _read(backend: Backend, handle: BufferHandle | PoolHandle, out: memoryview) -> None:
    if not out.nbytes:
        return
    if isinstance(handle, PoolHandle):
        backend.copy_from_pool(handle, 0, out)
    else:
        backend.copy_from_buffer(handle, out)
