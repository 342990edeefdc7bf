"""What is compiled once for all visits: the records of web/src/kept.ts, in IndexedDB."""

from __future__ import annotations

from functools import cache

from pyodide.ffi import to_js  # type: ignore[import-not-found]

from ..page.session import runtime_module
from .store import sealed, unsealed

__all__ = ["PageStore", "page_store"]


class PageStore:
    """Values by key, with a checksum. They are found once the runtime has read them, which opening a device waits
    for."""

    def __init__(self) -> None:
        """Raises BackendUnavailable where there is no runtime."""
        self._kept = runtime_module().kept
        self.found = self.made = 0

    def get(self, kind: str, key: bytes) -> bytes | None:
        name = f"{key.hex()}.{kind}"
        found = self._kept.get(name)
        if found is None:
            return None
        value = unsealed(kind, key, bytes(found.to_bytes()))
        if value is None:
            self._kept.delete(name)
        else:
            self.found += 1
        return value

    def put(self, kind: str, key: bytes, value: bytes) -> None:
        self.made += 1
        self._kept.put(f"{key.hex()}.{kind}", to_js(sealed(kind, key, value)))

    def info(self) -> tuple[int, int]:
        """Number and bytes of the values."""
        return self._kept.size, self._kept.bytes

    def clear(self) -> None:
        """Lets go of all values."""
        self._kept.clear()

    async def settled(self) -> None:
        """Waits until all that was written is in the database: a visit that ends earlier may lose it."""
        await self._kept.settled


@cache
def page_store() -> PageStore:
    """The store of this page."""
    return PageStore()
