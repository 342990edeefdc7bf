"""Builds the gallery into build/gallery, a folder that any server can give.

.venv/bin/python -m examples.gallery
"""

from __future__ import annotations

import shutil
from html import escape
from pathlib import Path
from string import Template

from PIL import Image

from examples.edges.chromium import ROOT, bundle
from examples.edges.highlight import highlight_python
from examples.edges.live.__main__ import place_runtime
from examples.edges.pictures import photograph

from . import NAMES, module

__all__ = ["FOLDER", "build"]

HERE = Path(__file__).parent
FOLDER = ROOT / "build" / "gallery"
SHARED = ("harness.mjs", "media.mjs", "style.css")


def build(folder: Path = FOLDER) -> Path:
    """Writes the pages; gives the folder. Raises OSError, HologramError and subprocess.CalledProcessError."""
    bundle()
    for part in ("programs", "source", "pictures"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    place_runtime(folder)
    shutil.copyfile(ROOT / "examples" / "edges" / "live" / "icon.svg", folder / "icon.svg")
    for name in (*SHARED, *(f"{name}.mjs" for name in NAMES)):
        shutil.copyfile(HERE / "page" / name, folder / name)
    shutil.copyfile(ROOT / "examples" / "bignum" / "live" / "bigint.mjs", folder / "bigint.mjs")
    Image.fromarray(photograph()).save(folder / "photo.webp", quality=90)
    for picture in (HERE / "pictures").glob("*.webp"):
        shutil.copyfile(picture, folder / "pictures" / picture.name)
    for name in NAMES:
        _place(name, folder)
    cards = "\n".join(_card(name) for name in NAMES)
    _write("index.html", folder / "index.html", count=str(len(NAMES)), cards=cards)
    return folder


def _place(name: str, folder: Path) -> None:
    """The page of an example, with its programs and its source."""
    example = module(name)
    size = 0
    for program, compiled in example.programs().items():
        path = folder / "programs" / f"{name}.{program}.holo"
        compiled.save(path)
        size += path.stat().st_size
    source = (HERE / f"{name}.py").read_text(encoding="utf-8")
    (folder / "source" / f"{name}.py").write_text(source, encoding="utf-8")
    place = NAMES.index(name)
    before, after = NAMES[place - 1], NAMES[(place + 1) % len(NAMES)]
    texts = {
        "name": name,
        "title": example.TITLE,
        "summary": example.SUMMARY,
        "keys": example.KEYS,
        "hint": example.HINT,
        "width": str(example.SIZE[0]),
        "height": str(example.SIZE[1]),
        "shape": "square" if example.SIZE[0] == example.SIZE[1] else "wide",
        "before": before,
        "before_title": module(before).TITLE,
        "after": after,
        "after_title": module(after).TITLE,
        "lines": str(len(source.splitlines())),
        "kilobytes": f"{size / 1000:.0f}",
    }
    escaped = {key: escape(text) for key, text in texts.items()}
    _write("page.html", folder / f"{name}.html", source=highlight_python(source), **escaped)


def _card(name: str) -> str:
    example = module(name)
    title, summary = escape(example.TITLE), escape(example.SUMMARY)
    picture = f'<img src="pictures/{name}.webp" width="480" height="360" alt="" loading="lazy">'
    return f'<li><a href="{name}.html">{picture}<h2>{title}</h2><p>{summary}</p></a></li>'


def _write(template: str, path: Path, **texts: str) -> None:
    text = (HERE / "page" / template).read_text(encoding="utf-8")
    path.write_text(Template(text).substitute(texts), encoding="utf-8")


if __name__ == "__main__":
    print(f"the gallery: {build()}")
