"""Stands for `hologram_web/__init__.py` in the wheel for pages: finds the modules in one compressed file of bytecode.

Python in a page would compile them at each visit, which takes longer than all that they do when they are imported; and
in files of their own they would be half as large again. Made by page_wheel.py.
"""

import marshal
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import CodeType, ModuleType

_HERE = Path(__file__).parent
_FILE = _HERE / f"modules.{sys.implementation.cache_tag}.zst"
if not _FILE.exists():
    raise ImportError(
        f"this wheel of hologram_web has the bytecode of another Python than {sys.version.split()[0]}: "
        "install hologram_web-*-py3-none-any.whl"
    )

from compression import zstd  # type: ignore[import-not-found]  # noqa: E402  # since Python 3.14


class _Modules:
    """Finder and loader of the modules in the file: by name, whether it is a package, and its marshalled code, None
    where it was left out."""

    def __init__(self) -> None:
        self.found: dict[str, tuple[bool, bytes | None]] = marshal.loads(zstd.decompress(_FILE.read_bytes()))

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if name not in self.found:
            return None
        package, code = self.found[name]
        if code is None:
            text = f"{name} is not in the wheel for pages, where it could do nothing: run this natively"
            raise ModuleNotFoundError(text, name=name)
        file = _HERE.parent.joinpath(*name.split("."), *(["__init__"] if package else []))
        spec = ModuleSpec(name, self, origin=f"{file}.py", is_package=package)  # type: ignore[arg-type]
        spec.has_location = True
        if package:
            spec.submodule_search_locations = [str(file.parent)]
        return spec

    def create_module(self, spec: ModuleSpec) -> None:
        """As Python does it."""

    def exec_module(self, module: ModuleType) -> None:
        exec(self.get_code(module.__name__), module.__dict__)

    def get_data(self, path: str) -> bytes:
        """For pkgutil."""
        return Path(path).read_bytes()

    def get_code(self, name: str) -> CodeType:
        return marshal.loads(self.found[name][1])  # type: ignore[arg-type,no-any-return]


_modules = _Modules()
sys.meta_path.insert(0, _modules)
exec(_modules.get_code(__name__), globals())
