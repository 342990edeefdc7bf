"""What is done when a wheel of hologram_web is built. Installed as editable, the folder of the tools lies beside it."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface  # type: ignore[import-not-found]
from hatchling.metadata.plugin.interface import MetadataHookInterface  # type: ignore[import-not-found]

_CODE = re.compile(r"(^```.*?^```$)", re.M | re.S)
_LINK = re.compile(r"(!?)\[((?:[^\[\]]|`[^`]*`)*)\]\((?!https?:|#)([^)]+)\)")


class Hook(BuildHookInterface):  # type: ignore[misc]
    """Native installs depend on the tools, of the same version; in a page the extra `tools` asks for them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            needed = f"hologram-web-tools=={self.metadata.version}; sys_platform != 'emscripten'"
            build_data["dependencies"].append(needed)


class Readme(MetadataHookInterface):  # type: ignore[misc]
    """What PyPI shows."""

    def update(self, metadata: dict[str, Any]) -> None:
        text = readme(Path(self.root), metadata["version"])
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def readme(root: Path, version: str) -> str:
    """README.md for places where its links to files of the tree lead nowhere, such as PyPI and npm.

    With `HOLOGRAM_WEB_HOME`, the repository's address on GitHub, they lead there. Without it such a link is its words,
    and pictures of the tree are left out.
    """
    home = os.environ.get("HOLOGRAM_WEB_HOME", "").rstrip("/")

    def link(match: re.Match[str]) -> str:
        picture, words, path = match.groups()
        if not home:
            return "" if picture else words
        return f"{picture}[{words}]({home}/{'raw' if picture else 'blob'}/v{version}/{path})"

    parts = _CODE.split((root / "README.md").read_text(encoding="utf-8"))  # every other one is code
    return "".join(part if k % 2 else _LINK.sub(link, part) for k, part in enumerate(parts))
