"""HTML of a program text: colours, what an instruction does when the pointer rests on it, labels one can jump to."""

from __future__ import annotations

import keyword
import re
from html import escape

from hologram_web.isa.operands import PRELOADED
from hologram_web.isa.program import Program
from hologram_web.isa.table import BY_MNEMONIC

__all__ = ["highlight", "highlight_code", "highlight_python"]

_TOKEN = re.compile(
    r"""(?P<string>"(?:[^"\\]|\\.)*")
      | (?P<directive>(?<!\S)\.[a-z]+)
      | (?P<predicate>!?\bp\d+\b)
      | (?P<register>\br\d+\b)
      | (?P<number>(?<![\w.])-?(?:0x[0-9a-fA-F]+|\d+)\b)
      | (?P<word>[A-Za-z_$][\w$.]*)""",
    re.VERBOSE,
)

# WGSL and WAT: what they call the same looks the same as in a program.
_CODE = re.compile(
    r"""(?P<comment>//[^\n]*|;;[^\n]*|\(;.*?;\))
      | (?P<string>"[^"\n]*")
      | (?P<directive>@\w+|\b(?:module|import|export|memory|type)\b(?!\.))
      | (?P<label>\$(?:block|loop|if)\d+)
      | (?P<register>\$[\w.]+|\bv\d+\b)
      | (?P<param>\b(?:param|result|local|arguments|status|b\d+|shared_memory)\b(?!\.))
      | (?P<mnemonic>\b(?:(?:i32|i64|f32|f64|local|memory)\.[\w.]+|br|br_if|br_table|call|return|drop|select|func|fn|let
          |var|block|loop|if|else|end|switch|case|default|break|continue|for|while|struct|unreachable)\b)
      | (?P<predicate>\b(?:u32|i32|i64|f32|f64|bool|vec[234][uif]|array|atomic|bitcast)\b)
      | (?P<number>(?<![\w.$])-?(?:0x[0-9a-fA-F.]+(?:p[-+]?\d+)?|\d+(?:\.\d*)?)[uif]?\b)
      | (?P<word>\w+)""",
    re.VERBOSE,
)


_PYTHON = re.compile(
    rf"""(?P<comment>\#[^\n]*|\"\"\".*?\"\"\")
      | (?P<directive>@[\w.]+)
      | (?P<register>\bhg\.\w+)
      | (?P<mnemonic>\b(?:{"|".join(keyword.kwlist)})\b)
      | (?P<label>(?<=def\ )\w+)
      | (?P<number>\b\d+(?:\.\d+)?\b)
      | (?P<word>\w+)""",
    re.VERBOSE | re.DOTALL,
)


def highlight_python(text: str) -> str:
    """Python as the content of a <pre>."""
    return _highlighted(text, _PYTHON)


def highlight_code(text: str) -> str:
    """WGSL or WAT as the content of a <pre>."""
    return _highlighted(text, _CODE)


def _highlighted(text: str, tokens: re.Pattern[str]) -> str:
    parts, place = [], 0
    for token in tokens.finditer(text):
        word = escape(token[0]) if token.lastgroup == "word" else _span(token.lastgroup or "", token[0])
        parts += [escape(text[place : token.start()]), word]
        place = token.end()
    return "".join([*parts, escape(text[place:])]).rstrip("\n")


def highlight(source: str, program: Program) -> str:
    """`source`, the text that `program` was read from, as the content of a <pre>. Ids start with the program's name."""
    return "\n".join(_line(line, program) for line in source.rstrip("\n").split("\n"))


def _line(line: str, program: Program) -> str:
    code = re.match(r'(?:[^;"]|"(?:[^"\\]|\\.)*"?)*', line)
    assert code is not None  # every part of the pattern is optional
    comment = line[code.end() :]
    parts, place = [], 0
    for token in _TOKEN.finditer(code[0]):
        parts += [escape(line[place : token.start()]), _token(token, program)]
        place = token.end()
    parts.append(escape(line[place : code.end()]))
    if comment:
        parts.append(_span("comment", comment))
    return "".join(parts)


def _token(token: re.Match[str], program: Program) -> str:
    kind, text = token.lastgroup or "", token[0]
    if kind == "register":
        return _span(kind, text, _register_note(int(text[1:]), program))
    if kind != "word":
        return _span(kind, text)
    if row := BY_MNEMONIC.get(text.split(".")[0]):
        return _span("mnemonic", text, f"{row.name}: {row.doc}")
    if text in program.labels:
        anchor = f"{program.metadata.name}.{text}"
        if token.string[token.end() :].startswith(":"):
            return f'<span class="label" id="{escape(anchor)}">{escape(text)}</span>'
        return f'<a class="label" href="#{escape(anchor)}">{escape(text)}</a>'
    if param := program.param(text):
        return _span("param", text, str(param))
    return escape(text)


def _register_note(number: int, program: Program) -> str:
    if number in PRELOADED:
        name, ty = PRELOADED[number]
        return f"{name}, {ty}"
    param = program.register_params().get(number)
    return "" if param is None else f"the parameter {param}"


def _span(kind: str, text: str, note: str = "") -> str:
    title = f' title="{escape(note)}"' if note else ""
    return f'<span class="{kind}"{title}>{escape(text)}</span>'
