"""Serve the documentation at /, with the playground at /playground/, the gallery at /gallery/, the latest report at
/report/, the live page at /live/ and the notebooks at /notebooks/, on this machine only.

python3 tools/serve.py [port]
"""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hologram_web_tools.cli.clean import cleaned  # noqa: E402
from hologram_web_tools.cli.server import Mount, serve  # noqa: E402

MOUNTS = {
    "/": Mount(ROOT / "build" / "site", "the documentation", "make docs"),
    "/gallery/": Mount(ROOT / "build" / "gallery", "the gallery", "make serve"),
    "/live/": Mount(ROOT / "build" / "live", "the live page", "make serve"),
    "/notebooks/": Mount(ROOT / "build" / "notebooks" / "site", "the notebooks", "make notebooks"),
    "/report/": Mount(ROOT / "build" / "report", "the report of the latest run", "make run"),
}

if __name__ == "__main__":
    try:
        serve(MOUNTS, int(sys.argv[1]) if len(sys.argv) > 1 else 8000)
    except (OSError, ValueError) as error:
        told = error.strerror if isinstance(error, OSError) else error
        sys.exit(f"tools/serve.py: {cleaned(str(told))}")
