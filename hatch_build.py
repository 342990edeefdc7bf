"""What is done when a wheel of hologram_web is built. Installed as editable, the folder of the tools lies beside it."""

from __future__ import annotations

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface  # type: ignore[import-not-found]


class Hook(BuildHookInterface):  # type: ignore[misc]
    """Native installs depend on the tools, of the same version; in a page the extra `tools` asks for them."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version != "editable":
            needed = f"hologram-web-tools=={self.metadata.version}; sys_platform != 'emscripten'"
            build_data["dependencies"].append(needed)
