"""The report: one page with every stage's pictures, times and program, which asks nothing of the network."""

from __future__ import annotations

import platform
from collections.abc import Mapping, Sequence
from html import escape
from importlib.metadata import version
from pathlib import Path
from string import Template

from numpy.typing import NDArray
from PIL import Image

import hologram_web as hg

from .highlight import highlight
from .pictures import COMPASS, PLANES, difference
from .pipeline import STAGES, Result, Stage
from .reference import Planes

__all__ = ["write_report"]

_REFERENCE = "scipy"
# The row of small pictures on top: plane, what it is called there, and the stage to jump to.
_STRIP = (
    ("rgb", "photograph", ""),
    ("luma", "luminance", "luminance"),
    ("smooth", "blur", "gaussian_cols"),
    ("direction", "gradient", "sobel"),
    ("edges", "edges", "threshold"),
)


def write_report(
    folder: Path,
    expected: Planes,
    reference_ms: Mapping[str, float],
    results: Sequence[Result],
    sources: Mapping[str, str],
    repeat: int,
    credit: str,
) -> Path:
    """Writes `index.html` and its pictures, and returns the path of the page.

    `sources` are the program texts by stage; `credit` says where the photograph is from.
    """
    folder.mkdir(parents=True, exist_ok=True)
    _save_pictures(folder, expected, results)
    height, width = expected["rgb"].shape[:2]
    differing = sum(result.total_differing for result in results)
    devices = list(dict.fromkeys(result.device for result in results))
    launches = "The first launch of each stage, verifying and compiling included"
    if repeat > 1:
        launches = f"The best of {repeat} launches of each stage"
    template = Template((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
    page = template.substitute(
        title="Edges of a photograph",
        lead=f"A photograph of {width} × {height} pixels goes through {len(STAGES)} programs in the text form of the "
        "Atlas ISA, in integers only. SciPy does the same on its own, and every stage is compared pixel by pixel.",
        verdict_class="bad" if differing else "good",
        verdict=_verdict(differing, devices),
        strip="\n".join(_strip_item(*item) for item in _STRIP),
        time_note=f"{launches}: from the call until the answer can be read. "
        f"SciPy takes {sum(reference_ms.values()):.1f} ms for all of them.",
        times="\n".join(_time_rows(device, results) for device in devices),
        stages="\n".join(_stage(number, stage, results, sources[stage.name]) for number, stage in enumerate(STAGES, 1)),
        footer=escape(f"{credit} {_versions()}"),
        rendering="pixelated" if max(width, height) < 256 else "auto",
    )
    path = folder / "index.html"
    path.write_text(page, encoding="utf-8")
    return path


def _save_pictures(folder: Path, expected: Planes, results: Sequence[Result]) -> None:
    for name in expected:
        _save(folder / _file(name, _REFERENCE), PLANES[name].picture(expected))
    for result in results:
        for name, plane in result.planes.items():
            _save(folder / _file(name, result.device), PLANES[name].picture(result.planes))
            _save(folder / _file(name, result.device, "difference"), difference(plane, expected[name]))


def _save(path: Path, picture: NDArray) -> None:
    Image.fromarray(picture).save(path, optimize=True)


def _file(*words: str) -> str:
    return "-".join(words) + ".png"


def _verdict(differing: int, devices: Sequence[str]) -> str:
    what = f"{differing:,} differing pixels" if differing else "Every pixel of every stage equals SciPy's"
    return f"{what} on {escape(', '.join(devices))}"


def _strip_item(plane: str, caption: str, stage: str) -> str:
    item = f'<img src="{_file(plane, _REFERENCE)}" alt="">{caption}'
    return f'<li><a href="#{stage}">{item}</a></li>' if stage else f"<li>{item}</li>"


def _time_rows(device: str, results: Sequence[Result]) -> str:
    longest = max(result.ms for result in results)
    own = [result for result in results if result.device == device]
    rows = []
    for number, result in enumerate(own):
        head = f'<th rowspan="{len(own) + 1}">{escape(device)}</th>' if number == 0 else ""
        bar = f'<i style="width:{100 * result.ms / longest:.1f}%"></i>'
        rows.append(
            f'<tr>{head}<td><a href="#{result.stage.name}">{escape(result.stage.title)}</a></td>'
            f'<td class="number">{result.ms:.1f}</td><td class="bar">{bar}</td>'
            f"{_count_cell(result.total_differing)}</tr>"
        )
    total = sum(result.ms for result in own)
    rows.append(
        f'<tr class="total"><td>all</td><td class="number">{total:.1f}</td><td class="bar"></td>'
        f"{_count_cell(sum(result.total_differing for result in own))}</tr>"
    )
    return f'<tbody class="device">{"".join(rows)}</tbody>'


def _count_cell(count: int) -> str:
    return f'<td class="number {"bad" if count else "good"}">{count:,}</td>'


def _stage(number: int, stage: Stage, results: Sequence[Result], source: str) -> str:
    own = [result for result in results if result.stage is stage]
    program = hg.Program.from_text(source)
    chips = "".join(f"<li>{escape(chip)}</li>" for chip in _facts(stage, program))
    planes = "\n".join(_plane(name, own) for name in own[0].planes)
    return f"""<section class="card" id="{stage.name}">
<h2>{number}. {escape(stage.title)}</h2>
<p>{escape(stage.about)}</p>
<code class="formula">{escape(stage.formula)}</code>
<ul class="chips">{chips}</ul>
{planes}
{_listing(f"{stage.name}.atlas", highlight(source, program))}
</section>"""


def _facts(stage: Stage, program: hg.Program) -> list[str]:
    facts = [stage.launch_text, f"{len(program)} instructions", f"{len(program.to_bytes())} bytes in binary form"]
    if program.shared_memory:
        facts.append(f"{program.shared_memory} bytes of shared memory a block")
    return facts


def _plane(name: str, results: Sequence[Result]) -> str:
    compass = _COMPASS if name == "direction" else ""
    pictures = [_figure(_file(name, _REFERENCE), "SciPy")]
    for result in results:
        count = result.differing[name]
        differs = f'difference: <span class="{"bad" if count else "good"}">{_pixels(count)}</span>'
        pictures += [
            _figure(_file(name, result.device), escape(result.device)),
            _figure(_file(name, result.device, "difference"), differs),
        ]
    return (
        f'<div class="plane"><h3>{escape(PLANES[name].caption)}{compass}</h3>'
        f'<div class="pictures" style="--devices:{len(results)}">{"".join(pictures)}</div></div>'
    )


def _figure(file: str, caption: str) -> str:
    picture = f'<img src="{file}" alt="" loading="lazy">'
    return f'<figure><a href="{file}">{picture}</a><figcaption>{caption}</figcaption></figure>'


def _pixels(count: int) -> str:
    return "no pixel" if count == 0 else f"{count:,} pixel{'s' if count > 1 else ''}"


def _listing(name: str, html: str) -> str:
    return f"<details><summary>{escape(name)}</summary><pre>{html}</pre></details>"


def _versions() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "pillow"))
    return f"Made with hologram_web {hg.__version__}, Python {platform.python_version()}, {packages}."


def _compass() -> str:
    places = (5, 6, 7, 4, None, 0, 3, 2, 1)  # directions, row by row: 0 is to the right, and on clockwise
    cells = (f'<i style="background:{COMPASS[place]}"></i>' if place is not None else "<i></i>" for place in places)
    return f'<span class="compass" title="colours of the directions">{"".join(cells)}</span>'


_COMPASS = _compass()
