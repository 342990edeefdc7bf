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

from .code import Code
from .highlight import highlight, highlight_code
from .pictures import COMPASS, PLANES, difference
from .pipeline import REFERENCE, STAGES, Result, Stage
from .reference import Planes

__all__ = ["write_report"]

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
    photo: NDArray,
    results: Sequence[Result],
    sources: Mapping[str, str],
    codes: Mapping[str, Code],
    credit: str,
) -> Path:
    """Writes `index.html` and its pictures, and returns the path of the page.

    `sources` are the program texts by stage, `codes` what they are compiled to; `credit` says where the photograph is
    from.
    """
    folder.mkdir(parents=True, exist_ok=True)
    expected = {"rgb": photo}
    for result in results:
        if result.device == REFERENCE:
            expected |= result.planes
    devices = [name for name in dict.fromkeys(result.device for result in results) if name != REFERENCE]
    _save_pictures(folder, expected, results)
    height, width = photo.shape[:2]
    differing = sum(result.total_differing for result in results)
    rounds = len(results[0].rounds_ms)
    template = Template((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
    page = template.substitute(
        title="Edges of a photograph",
        lead=f"A photograph of {width} × {height} pixels goes through {len(STAGES)} programs in the text form of the "
        "Atlas ISA, in integers only. SciPy does the same on its own, and every stage is compared pixel by pixel.",
        verdict_class="bad" if differing else "good",
        verdict=_verdict(differing, devices),
        strip="\n".join(_strip_item(*item) for item in _STRIP),
        time_note="From the call until the answer can be read. The first run of a stage verifies and compiles; the "
        f"median is that of {rounds} more, one of each in turn.",
        times="\n".join(_time_rows(name, results) for name in (REFERENCE, *devices)),
        compile_rows="\n".join(_compile_row(stage, sources[stage.name], codes[stage.name]) for stage in STAGES),
        stages="\n".join(
            _stage(number, stage, results, sources[stage.name], codes[stage.name])
            for number, stage in enumerate(STAGES, 1)
        ),
        footer=escape(f"{credit} {_versions()}"),
        rendering="pixelated" if max(width, height) < 256 else "auto",
        devices=max(len(devices), 1),
        aspect=f"{height / width:.6f}",
    )
    path = folder / "index.html"
    path.write_text(page, encoding="utf-8")
    return path


def _save_pictures(folder: Path, expected: Planes, results: Sequence[Result]) -> None:
    _save(folder / _file("rgb", REFERENCE), PLANES["rgb"].picture(expected))
    for result in results:
        for name, plane in result.planes.items():
            _save(folder / _file(name, result.device), PLANES[name].picture(result.planes))
            if result.device != REFERENCE:
                _save(folder / _file(name, result.device, "difference"), difference(plane, expected[name]))


def _save(path: Path, picture: NDArray) -> None:
    Image.fromarray(picture).save(path, optimize=True)


def _file(*words: str) -> str:
    return "-".join(words).lower() + ".png"


def _verdict(differing: int, devices: Sequence[str]) -> str:
    what = f"{differing:,} differing pixels" if differing else "Every pixel of every stage equals SciPy's"
    return f"{what} on {escape(', '.join(devices))}"


def _strip_item(plane: str, caption: str, stage: str) -> str:
    item = f'<img src="{_file(plane, REFERENCE)}" alt="">{caption}'
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
            f'{_ms_cells(result.first_ms, result.ms)}<td class="bar">{bar}</td>'
            f"{_count_cell(device, result.total_differing)}</tr>"
        )
    first, total = sum(result.first_ms for result in own), sum(result.ms for result in own)
    rows.append(
        f'<tr class="total"><td>all</td>{_ms_cells(first, total)}<td class="bar"></td>'
        f"{_count_cell(device, sum(result.total_differing for result in own))}</tr>"
    )
    return f'<tbody class="device">{"".join(rows)}</tbody>'


def _ms_cells(*values: float) -> str:
    return "".join(f'<td class="number">{value:.1f}</td>' for value in values)


def _compile_row(stage: Stage, source: str, code: Code) -> str:
    program = hg.Program.from_text(source)
    sizes = len(program), len(code.wgsl), code.wasm_size
    return (
        f'<tr><td><a href="#{stage.name}">{escape(stage.title)}</a></td>'
        + _ms_cells(code.ms["verify"], code.ms["ir"], code.ms["wgsl"], code.ms["wasm"])
        + "".join(f'<td class="number">{size:,}</td>' for size in sizes)
        + "</tr>"
    )


def _count_cell(device: str, count: int) -> str:
    if device == REFERENCE:
        return '<td class="number faint">-</td>'
    return f'<td class="number {"bad" if count else "good"}">{count:,}</td>'


def _stage(number: int, stage: Stage, results: Sequence[Result], source: str, code: Code) -> str:
    own = [result for result in results if result.stage is stage and result.device != REFERENCE]
    program = hg.Program.from_text(source)
    chips = "".join(f"<li>{escape(chip)}</li>" for chip in _facts(stage, program))
    planes = "\n".join(_plane(name, own) for name in own[0].planes)
    return f"""<section class="card" id="{stage.name}">
<h2>{number}. {escape(stage.title)}</h2>
<p>{escape(stage.about)}</p>
<code class="formula">{escape(stage.formula)}</code>
<ul class="chips">{chips}</ul>
{planes}
{_listings(stage.name, source, program, code)}
</section>"""


def _facts(stage: Stage, program: hg.Program) -> list[str]:
    facts = [stage.launch_text, f"{len(program)} instructions", f"{len(program.to_bytes())} bytes in binary form"]
    if program.shared_memory:
        facts.append(f"{program.shared_memory} bytes of shared memory a block")
    return facts


def _plane(name: str, results: Sequence[Result]) -> str:
    compass = _COMPASS if name == "direction" else ""
    pictures = [_figure(_file(name, REFERENCE), REFERENCE)]
    for result in results:
        count = result.differing[name]
        differs = f'difference: <span class="{"bad" if count else "good"}">{_pixels(count)}</span>'
        pictures += [
            _figure(_file(name, result.device), escape(result.device)),
            _figure(_file(name, result.device, "difference"), differs),
        ]
    return (
        f'<div class="plane"><h3>{escape(PLANES[name].caption)}{compass}</h3>'
        f'<div class="pictures">{"".join(pictures)}</div></div>'
    )


def _figure(file: str, caption: str) -> str:
    picture = f'<img src="{file}" alt="" loading="lazy">'
    return f'<figure><a href="{file}">{picture}</a><figcaption>{caption}</figcaption></figure>'


def _pixels(count: int) -> str:
    return "no pixel" if count == 0 else f"{count:,} pixel{'s' if count > 1 else ''}"


def _listings(name: str, source: str, program: hg.Program, code: Code) -> str:
    """The program and its code for both targets, as tabs that need no script: a radio button before each text."""
    texts = {
        f"{name}.atlas": highlight(source, program),
        "WGSL": highlight_code(code.wgsl),
        "WebAssembly": highlight_code(code.wat),
    }
    tabs = "".join(
        f'<input type="radio" name="code-{name}" id="code-{name}-{number}"{"" if number else " checked"}>'
        f'<label for="code-{name}-{number}">{escape(title)}</label>'
        for number, title in enumerate(texts)
    )
    listings = "".join(f"<pre>{text}</pre>" for text in texts.values())
    return f'<details><summary>program and code</summary><div class="tabs">{tabs}{listings}</div></details>'


def _versions() -> str:
    packages = ", ".join(f"{name} {version(name)}" for name in ("numpy", "scipy", "pillow"))
    return f"Made with hologram_web {hg.__version__}, Python {platform.python_version()}, {packages}."


def _compass() -> str:
    places = (5, 6, 7, 4, None, 0, 3, 2, 1)  # directions, row by row: 0 is to the right, and on clockwise
    cells = (f'<i style="background:{COMPASS[place]}"></i>' if place is not None else "<i></i>" for place in places)
    return f'<span class="compass" title="colours of the directions">{"".join(cells)}</span>'


_COMPASS = _compass()
