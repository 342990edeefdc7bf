"""Stands for `hologram_web/__init__.py` in the wheel for pages: finds the modules in two compressed files.

Python in a page would compile them at each visit, which takes longer than all that they do when they are imported: the
first file has bytecode. The rest are sources, and read when one of them is imported; so is a third file, of the tensor
library and of arrays, which is a wheel of its own. Made by page_wheel.py.
"""

import builtins
import marshal
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

_HERE = Path(__file__).parent
_FILES = [
    _HERE / f"{part}.{sys.implementation.cache_tag}.{kind}"
    for part, kind in (("first", "zst"), ("rest", "bz2"), ("tensor", "bz2"))
]
if not _FILES[0].exists():
    raise ImportError(
        f"this wheel of hologram_web has the bytecode of another Python than {sys.version.split()[0]}: "
        "install hologram_web-*-py3-none-any.whl"
    )

from compression import zstd  # type: ignore[import-not-found]  # noqa: E402  # since Python 3.14

for _name, _text in marshal.loads(import_module("bz2").decompress((_HERE / "texts.bz2").read_bytes())).items():
    (_HERE / _name).parent.mkdir(exist_ok=True)
    (_HERE / _name).write_bytes(_text)


class _Modules:
    """Finder and loader of the modules in the files: by name, whether it is a package, and its marshalled code or its
    text, None where it was left out."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[bool, bytes | str | None]] = {}
        self.read()

    def read(self) -> None:
        """The next file."""
        file = _FILES.pop(0)
        unpack = zstd.decompress if file.suffix == ".zst" else import_module("bz2").decompress
        self.found |= marshal.loads(unpack(file.read_bytes()))

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not name.startswith(f"{__name__}."):
            return None
        if name not in self.found and len(_FILES) > 1:
            self.read()
        rooms = {"tensor", "array", "nn", "array_api", "atlas", "weights", "stream", "typed"}
        rooms |= {"collective_calls", "json_form", "host", "hosted", "hosting"}
        if name not in self.found and _FILES and not rooms.isdisjoint(name.split(".")):
            if not _FILES[0].exists():
                text = f"{name} is in hologram-web-tensor, which is not installed: "
                raise ModuleNotFoundError(f"{text}await micropip.install('hologram-web[tensor]')", name=name)
            self.read()
        if name not in self.found:
            return None
        package, code = self.found[name]
        if code is None:
            text = f"{name} is not in the wheel for pages, where it could do nothing: run this natively"
            raise ModuleNotFoundError(text, name=name)
        file = _HERE.parent / self.place(name)
        spec = ModuleSpec(name, self, origin=str(file), is_package=package)  # type: ignore[arg-type]
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [str(file.parent)]
        return spec

    def place(self, name: str) -> str:
        """Where tracebacks say that it is."""
        return name.replace(".", "/") + ("/__init__.py" if self.found[name][0] else ".py")

    def create_module(self, spec: ModuleSpec) -> None:
        """As Python does it."""

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)

    def get_source(self, name: str) -> str | None:
        """For linecache: functions that kernels call are read."""
        code = self.found[name][1]
        return code if isinstance(code, str) else None

    def get_data(self, path: str) -> bytes:
        """For pkgutil."""
        return Path(path).read_bytes()

    def get_code(self, name: str) -> CodeType:
        code = self.found[name][1]
        assert code is not None  # find_spec has told
        if isinstance(code, bytes):
            return marshal.loads(code)  # type: ignore[no-any-return]
        return builtins.compile(
            code, self.place(name), "exec", dont_inherit=True, optimize=0
        )  # compile is the package's


_modules = _Modules()
sys.meta_path.insert(0, _modules)
exec(_modules.get_code(__name__), globals())
