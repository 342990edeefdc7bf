"""Kernels for webgpu as they are kept on disk."""

from __future__ import annotations

from typing import Any

from ...errors import LaunchError
from ...isa.verify import Base
from ...plan.formula import Formula
from ...plan.plan import variables_of
from ...store.kept import CODE, FLAG, NAME, WHOLE, Form, list_of, mapped, record, tuple_of
from ...targets.wgsl import Proven, WgslKernel
from ..compiled import Job
from ..forms import BASE, SCALARS

__all__ = ["WGSL_KERNEL", "fits"]


def _formula(tokens: list[Any]) -> Formula:
    try:
        return Formula(tuple(tokens))
    except LaunchError as error:
        raise ValueError(str(error)) from None


_FORMULA: Form[Formula] = mapped(list_of(NAME), lambda formula: list(formula.code), _formula)
_CONDITIONS: Form[tuple[Formula, ...]] = mapped(list_of(_FORMULA), list, tuple)
_PROVEN: Form[Proven[Formula]] = record(
    Proven, {"code": CODE, "conditions": _CONDITIONS, "blocks": WHOLE, "counts": FLAG}
)

WGSL_KERNEL: Form[WgslKernel[Formula]] = record(
    WgslKernel,
    {
        "code": CODE,
        "scalars": SCALARS,
        "bases": list_of(BASE),
        "groups": list_of(list_of(BASE)),
        "written": list_of(FLAG),
        "block": tuple_of(WHOLE, WHOLE, WHOLE),
        "further": list_of(tuple_of(WHOLE, WHOLE)),
        "words": WHOLE,
        "scratch": WHOLE,
        "fast": mapped(list_of(_PROVEN), list, tuple),
        "cost": WHOLE,
        "counts": FLAG,
    },
)


def fits(kernel: WgslKernel[Formula], job: Job[Any], groups: list[list[Base]]) -> bool:
    """Whether a kernel from the disk names nothing but what a launch has."""
    bindings = len(groups) + len(kernel.further)
    return (
        kernel.groups == groups
        and kernel.block == tuple(job.config.block)
        and len(kernel.written) - bindings in (0, 1)
        and all(number < len(groups) for number, _ in kernel.further)
        and all(base in job.memory for base in kernel.bases)
        and all(name in job.scalars and job.scalars[name][0] is ty for name, ty in kernel.scalars)
        and kernel.words >= 2 * len(kernel.scalars) + len(kernel.bases)
        and all(fast.blocks > 0 for fast in kernel.fast)
        and _knows(kernel)
    )


def _knows(kernel: WgslKernel[Formula]) -> bool:
    """Whether a launch says all that conditions name."""
    known = set(variables_of(len(kernel.scalars), len(kernel.bases)))
    known -= {f"s{number}" for number, (_, ty) in enumerate(kernel.scalars) if not ty.is_integer}
    return all(known.issuperset(each.names) for fast in kernel.fast for each in fast.conditions)
