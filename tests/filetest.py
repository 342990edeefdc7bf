"""Filetests: programs in the text form with run lines that say what comes out, checked on any device.

    ; DIV truncates toward zero.                    <- lines without a directive are prose
    ; types: i8 i32                                 <- one instance per type: $ty, $size (bytes) and $bits stand for it
    ; from: f32 f64                                 <- ... times these: $from, $from_size, $from_bits
    ; devices: all                                  <- or names; `all but webgpu`
    ; limits: steps=100, seconds=1                  <- of the device while it runs
    ; passes: neutral >= 1, licm == 0               <- how often passes and rules fire when its lane code is compiled
    ; ir: fold                                      <- the IR before and after a pass fires: see filetest_ir.py
    ; lanes: load-contiguous == 2                   <- how many branches and accesses of each kind are left then
    ; let: a, b = pairs($ty.specials)               <- names for the lines below
    .param a: buffer $ty read
    ...
    ; run: f(4, a=[1, 2, 3, 4], y=zeros(4)) == a + 1
    ; run: f(grid_2d(5, 3), a=a, y=a, z=a) == {y: a + 1, z: [1, 2, 3]} within 2 ulp on webgpu
    ; run: f(4, a=[1], y=zeros(4)) faults OutOfBounds(instruction=0, lane=1, buffer="buffer a", offset=4)
    ; run: f(1, a=[1], y=[1]) raises UnsupportedType("the whole text, with $device for the device's name")
    ; error: instruction 3 (add.f32 r4, r2, r3): r2 ...          <- all problems of the program, in order

The first argument of f is a number of lanes or a LaunchConfig; each keyword gives a parameter: arrays and lists become
buffers of the parameter's type, bytes stay, alias("x") passes the buffer of x again; `**{"a.b": 1}` for other names.
Expressions are Python over the inputs, the lets (an input hides a let of its name) and `filetest_values.NAMES`. One
expression is for the one parameter that the program can write; {name: value} for several. All other memory has to stay
as it was. Results agree bit for bit, but for NaNs, which are all alike. A backslash at the end continues a line.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache
from keyword import iskeyword
from pathlib import Path
from typing import Any

import numpy as np

from hologram_web import errors
from hologram_web.backends import LaunchConfig, Limits
from hologram_web.errors import FaultKind, IsaError
from hologram_web.isa import Immediate, Param, Program, Type

from .filetest_values import ELEMENTS, NAMES, Alias, Element, Permutation

__all__ = ["Case", "Fault", "FileTest", "FileTestError", "Launch", "Raises", "format_filetest", "load", "parse"]

FOLDER = Path(__file__).parent / "filetests"
_DIRECTIVES = ("types", "from", "devices", "limits", "passes", "ir", "lanes", "let", "run", "error")


class FileTestError(Exception):
    """A filetest that is itself wrong: `file:line: what`."""

    def __init__(self, path: str, line: int, message: str) -> None:
        super().__init__(f"{path}:{line}: {message}")


@dataclass(frozen=True)
class Fault:
    """The launch has to end with this fault; of the error's attributes those in `fields` are compared."""

    kind: str
    fields: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Raises:
    """The launch has to be refused with this error; `text`, if given, is the whole of it."""

    name: str
    text: str | None = None


@dataclass(frozen=True)
class Launch:
    """A run line with its values: arrays, bytes and numbers by parameter, and what is expected of each."""

    program: Program
    config: LaunchConfig
    arguments: dict[str, Any]
    expected: dict[str, Any] | Fault | Raises
    ulp: int = 0
    limits: Limits | None = None
    resonance: dict[int, Fraction] | None = None


# Reading


@dataclass(frozen=True)
class FileTest:
    """The parts of a file; `lines` are the directives in order, with line number and name."""

    path: str
    text: str
    lines: tuple[tuple[int, str, str], ...]

    def values(self, directive: str) -> list[str]:
        return [text for _, name, text in self.lines if name == directive]

    def names(self, directive: str, known: Any) -> list[str]:
        """The words of a directive. Raises FileTestError for one that is not known."""
        for number, name, text in self.lines:
            if name == directive:
                for word in text.split():
                    if word not in known:
                        listed = ", ".join(known)
                        raise FileTestError(self.path, number, f"unknown word {word!r} in {name!r}: there are {listed}")
        return " ".join(self.values(directive)).split()

    def runs_on(self, device: str) -> bool:
        words = " ".join(self.values("devices")).split() or ["all"]
        return device not in words[2:] if words[:2] == ["all", "but"] else words == ["all"] or device in words

    def counters(self, known: Any, directive: str = "passes") -> list[tuple[str, str, int]]:
        """What the passes or lanes directives say: (what is counted, "==" or ">=", number). Raises FileTestError."""
        found: list[tuple[str, str, int]] = []
        for number, name, text in self.lines:
            for part in text.split(",") if name == directive else ():
                match = re.fullmatch(r"([a-z-]+) (==|>=) (\d+)", part.strip())
                if match is None:
                    example = f"{known[0]} >= 1, {known[-1]} == 0"
                    raise FileTestError(self.path, number, f"cannot read {part.strip()!r}: write `{example}`")
                if match[1] not in known:
                    listed = ", ".join(known)
                    raise FileTestError(self.path, number, f"unknown word {match[1]!r} in {name!r}: there are {listed}")
                found.append((match[1], match[2], int(match[3])))
        return found

    def cases(self) -> Iterator[Case]:
        """Every run line for every type, and the verifier's errors. Raises FileTestError."""
        every = [str(ty) for ty in Type]
        types, sources = self.names("types", every), self.names("from", every)
        for ty in types or [""]:
            for source in sources or [""]:
                if self.values("error"):
                    number = next(number for number, name, _ in self.lines if name == "error")
                    yield Case(self, ty, source, number, None)
                for number, name, text in self.lines:
                    if name == "run":
                        yield Case(self, ty, source, number, text)


def parse(text: str, path: str) -> FileTest:
    """The filetest in `text`; `path` is for messages and test names. Raises FileTestError."""
    found: list[tuple[int, str, str]] = []
    lines = iter(enumerate(text.split("\n"), 1))
    for number, line in lines:
        match = re.match(r";\s*([a-z]+):(.*)", line)
        if not match:
            continue
        name, body = match[1], match[2].strip()
        if name not in _DIRECTIVES:
            raise FileTestError(path, number, f"unknown directive {name!r}: there are {', '.join(_DIRECTIVES)}")
        while body.endswith("\\"):
            _, onward = next(lines, (0, ""))
            if not onward.startswith(";"):
                raise FileTestError(path, number, "a backslash at the end, and the next line is no comment")
            body = body[:-1].rstrip() + " " + onward[1:].strip()
        found.append((number, name, body))
    if not any(name in ("run", "error") for _, name, _ in found):
        raise FileTestError(path, 1, "nothing is tested: there is no `; run:` and no `; error:` line")
    return FileTest(path, text, tuple(found))


def load(path: Path) -> FileTest:
    name = path.relative_to(FOLDER).as_posix() if path.is_relative_to(FOLDER) else path.name
    return parse(path.read_text(encoding="utf-8"), name)


@cache
def _program(text: str) -> Program:
    return Program.from_text(text)


@dataclass(frozen=True)
class Case:
    """One run line of a filetest for one type, or (`run` is None) the check of the verifier's errors."""

    test: FileTest
    ty: str
    source: str
    line: int
    run: str | None

    @property
    def id(self) -> str:
        types = "".join(f"{name}:" for name in (self.ty, self.source) if name)
        return f"{self.test.path}:{types}{self.line}"

    def error(self, message: str, line: int | None = None) -> FileTestError:
        return FileTestError(self.test.path, line or self.line, message)

    def fill(self, text: str) -> str:
        """`text` with the types of this instance for $ty and its kin."""
        values: dict[str, str] = {}
        for name, prefix in ((self.ty, ""), (self.source, "from_")):
            if name:
                ty = Type.named(name)
                values |= {prefix + "size": str(ty.size_bytes), prefix + "bits": str(ty.bits)}
                values[prefix.rstrip("_") or "ty"] = name
        return re.sub(r"\$(\w+)\b", lambda match: values.get(match[1], match[0]), text) if values else text

    def program(self) -> Program:
        try:
            return _program(self.fill(self.test.text))
        except IsaError as error:
            raise self.error(str(error), error.line) from None

    def launch(self, device: str = "cpu") -> Launch:
        """The values of the run line. Raises FileTestError for one that is wrong."""
        assert self.run is not None
        return self._launch(device if re.search(r"\$device|within", self.run) else "")

    @lru_cache(maxsize=64)  # noqa: B019  # for each device in turn; cases live as long as the tests
    def _launch(self, device: str) -> Launch:
        assert self.run is not None
        with np.errstate(all="ignore"):
            names = self._lets()
            call, form, rest, ulp = self._split(self.fill(self.run).replace("$device", device), device)
            program = self.program()
            config, arguments = self._arguments(program, call, names)
            expected = self._expected(program, form, rest, names)
        limits = self.test.values("limits")
        resonance = expected.pop("resonance", None) if isinstance(expected, dict) else None
        return Launch(program, config, arguments, expected, ulp, self._limits(limits[0]) if limits else None, resonance)

    def problems(self) -> tuple[list[str], list[str]]:
        """What is wrong with the program, and what the filetest says is wrong."""
        try:
            found = _program(self.fill(self.test.text)).problems()
        except IsaError as error:
            found = [str(error)]
        return found, [self.fill(text) for text in self.test.values("error")]

    def _lets(self) -> dict[str, Any]:
        names = dict(NAMES)
        for number, name, text in self.test.lines:
            if name == "let":
                try:
                    exec(self.fill(text), names)
                except Exception as error:
                    raise self.error(f"{type(error).__name__}: {error}, in: {text}", number) from None
        return names

    def _limits(self, text: str) -> Limits:
        if (node := _expression(f"Limits({text})")) is None:
            raise self.error(f"cannot read the limits {text!r}: write steps=100, seconds=1.5")
        limits: Limits = self._value(node, {"Limits": Limits})
        return limits

    def _value(self, node: ast.expr, names: dict[str, Any]) -> Any:
        try:
            return eval(compile(ast.Expression(node), self.test.path, "eval"), names)
        except Exception as error:
            raise self.error(f"{type(error).__name__}: {error}, in: {ast.unparse(node)}") from None

    def _split(self, text: str, device: str) -> tuple[ast.Call, str, str, int]:
        """The call, "==", "faults" or "raises", what follows it, and the bound in units of the last place."""
        for match in re.finditer(r"\)\s*(==|faults\b|raises\b)", text):
            call = _expression(text[: match.start() + 1])
            if isinstance(call, ast.Call):
                rest, ulp = text[match.end() :].strip(), 0
                if bound := re.search(r"\s+within (\d+) ulp(?: on ([\w ]+))?$", rest):
                    rest = rest[: bound.start()]
                    ulp = int(bound[1]) if bound[2] is None or device in bound[2].split() else 0
                return call, match[1], rest, ulp
        raise self.error(
            "write `f(lanes, name=value, ...) == value`, `... faults Kind(...)` or `... raises Error(...)`"
        )

    def _arguments(
        self, program: Program, call: ast.Call, names: dict[str, Any]
    ) -> tuple[LaunchConfig, dict[str, Any]]:
        if len(call.args) != 1:
            raise self.error("f takes one number of lanes or LaunchConfig, and a keyword for each parameter")
        config = self._value(call.args[0], names)
        if isinstance(config, int) and config >= 0:
            config = LaunchConfig.linear(config)
        if not isinstance(config, LaunchConfig):
            raise self.error(f"the first argument of f is a number of lanes or a LaunchConfig, not {config!r}")
        arguments: dict[str, Any] = {}
        for keyword in call.keywords:
            value = self._value(keyword.value, names)
            for name, item in [(keyword.arg, value)] if keyword.arg else value.items():
                param = program.param(name)
                if param is None:
                    raise self.error(f"unknown parameter {name!r}: there are {_listed(program)}")
                try:
                    arguments[name] = item if isinstance(item, Alias) else _input(param, item)
                    names[name] = arguments[item.name] if isinstance(item, Alias) else arguments[name]
                except (ValueError, TypeError, KeyError) as error:
                    raise self.error(f"the argument {name}: {error}") from None
        missing = [param.name for param in program.params if param.name not in arguments]
        if missing:
            raise self.error(f"parameter {missing[0]!r} is missing: there are {_listed(program)}")
        return config, arguments

    def _expected(
        self, program: Program, form: str, text: str, names: dict[str, Any]
    ) -> dict[str, Any] | Fault | Raises:
        node = _expression(text)
        if node is None:
            raise self.error(f"cannot read {text!r}")
        if form != "==":
            name, args, keywords = (
                (node.func, node.args, node.keywords) if isinstance(node, ast.Call) else (node, [], [])
            )
            known = [kind.value for kind in FaultKind] if form == "faults" else errors.__all__
            if not isinstance(name, ast.Name) or name.id not in known:
                raise self.error(f"unknown error {ast.unparse(name)!r} after {form}: there are {', '.join(known)}")
            if form == "faults":
                return Fault(name.id, {str(k.arg): self._value(k.value, names) for k in keywords})
            return Raises(name.id, self._value(args[0], names) if args else None)
        if isinstance(node, ast.Dict):
            keys = [key.id if isinstance(key, ast.Name) else getattr(key, "value", None) for key in node.keys]
            values = [self._value(value, names) for value in node.values]
        else:
            keys = [param.name for param in program.params if is_writable(param)]
            if len(keys) != 1:
                raise self.error(f"the program can write {len(keys)} parameters: expect {{name: value}}")
            values = [self._value(node, names)]
        expected: dict[str, Any] = {}
        for key, value in zip(keys, values, strict=True):
            param = program.param(key) if isinstance(key, str) else None
            if key == "resonance" and param is None:
                expected[key] = {c: Fraction(ratio) for c, ratio in value.items()}
                continue
            if param is None or param.kind == "scalar":
                raise self.error(f"{key!r} is no buffer and no pool: there are {_listed(program)}")
            try:
                expected[param.name] = _output(param, value)
            except (ValueError, TypeError) as error:
                raise self.error(f"the expected value of {key}: {error}") from None
        return expected


def _expression(text: str) -> ast.expr | None:
    try:
        return ast.parse(text.strip(), mode="eval").body
    except SyntaxError:
        return None


def _listed(program: Program) -> str:
    return ", ".join(str(param) for param in program.params) or "none"


def is_writable(param: Param) -> bool:
    return param.kind == "pool" or (param.access is not None and param.access.writes)


def element_of(param: Param) -> Element:
    return ELEMENTS["u8" if param.ty is None else str(param.ty)]


def _input(param: Param, value: Any) -> Any:
    """An argument as the expressions see it: an array, bytes, or a number that is exactly the scalar's value."""
    if param.kind == "scalar":
        assert param.ty is not None
        if param.ty.is_wide:
            return int(value)
        held = element_of(param)([value])[0]
        return float(held) if param.ty.is_float else int(held)
    if isinstance(value, bytes) or (param.kind == "pool" and isinstance(value, np.ndarray)):
        return value
    return element_of(param)(value).ravel()


def _output(param: Param, value: Any) -> Any:
    if isinstance(value, bytes):
        return np.frombuffer(value, np.uint8)
    if isinstance(value, Permutation):
        return Permutation(element_of(param)(value.values))
    if type(value) is object or (param.kind == "pool" and isinstance(value, np.ndarray)):
        return value
    return element_of(param)(value)


# Writing


def format_filetest(program: Program, config: LaunchConfig, arguments: dict[str, Any], expected: Any) -> str:
    """The text of a filetest with one run line, such as a fuzzer writes for a program that fails.

    `arguments` are arrays, bytes, numbers and Alias by parameter; `expected` arrays by parameter, a Fault or Raises.
    """
    text = program.to_text()
    given = ", ".join(
        f"**{{{name!r}: {value}}}" if not name.isidentifier() or iskeyword(name) else f"{name}={value}"
        for name, value in ((n, _literal(program.param(n), value)) for n, value in arguments.items())
    )
    if config.lanes and config == LaunchConfig.linear(config.lanes[0]):
        launch = str(config.lanes[0])
    else:
        fields = [f"{name}={tuple(getattr(config, name))}" for name in ("grid", "block")]
        launch = f"LaunchConfig({', '.join(fields)}, shared_memory={config.shared_memory}, lanes={config.lanes})"
    call = f"f({launch}{', ' if given else ''}{given})"
    if isinstance(expected, Fault):
        result = f"faults {expected.kind}({', '.join(f'{k}={v!r}' for k, v in expected.fields.items())})"
    elif isinstance(expected, Raises):
        result = f"raises {expected.name}({'' if expected.text is None else repr(expected.text)})"
    else:
        items = (f"{name!r}: {_literal(program.param(name), value)}" for name, value in expected.items())
        result = f"== {{{', '.join(items)}}}"
    return f"{text}; run: {call} \\\n;      {result}\n"


def _literal(param: Param | None, value: Any) -> str:
    """An expression that gives an argument or an expected value bit for bit."""
    assert param is not None
    if isinstance(value, (Alias, bytes)):
        return f"alias({value.name!r})" if isinstance(value, Alias) else repr(value)
    if param.kind == "scalar":
        return repr(value.value if isinstance(value, Immediate) else np.asarray(value).item())
    element = element_of(param)
    array = np.asarray(value)
    if element.ty.is_float or element.ty.is_wide:
        raw = element(value).tobytes()
        patterns = [hex(int.from_bytes(raw[k : k + element.size], "little")) for k in range(0, len(raw), element.size)]
        return f"{element}.bits([{', '.join(patterns)}])"
    return repr(array.ravel().tolist())
