"""Circuits: text becomes a tree, bytes, words, a canonical text, generator calls and a Program."""

from .calls import Call
from .canonical import Canonical, canonicalize
from .classes import belt_address, canonical_byte, class_index, decode_belt_address, triality_orbit
from .compile import CircuitToIsa, CompiledCircuit, compile
from .evaluate import Evaluation, evaluate, evaluate_bytes, evaluate_words
from .parse import parse
from .tree import Group, Op, Phrase, Range, Sigil, Transform

__all__ = [
    "Call",
    "Canonical",
    "CircuitToIsa",
    "CompiledCircuit",
    "Evaluation",
    "Group",
    "Op",
    "Phrase",
    "Range",
    "Sigil",
    "Transform",
    "belt_address",
    "canonical_byte",
    "canonicalize",
    "class_index",
    "compile",
    "decode_belt_address",
    "evaluate",
    "evaluate_bytes",
    "evaluate_words",
    "parse",
    "triality_orbit",
]
