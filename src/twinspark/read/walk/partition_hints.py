"""Reads the hints COALESCE, REPARTITION and REPARTITION_BY_RANGE; other hints have no effect here."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from twinspark.analysis.relations import basics as make
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import read_at_levels
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import SortOrder
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk

HOW = {"COALESCE": "coalesce", "REPARTITION": "hash", "REPARTITION_BY_RANGE": "range"}


def with_hints(frame: Frame, hints: Sequence[tree.Hint], walk: Walk) -> Frame:
    for hint in reversed(hints):
        frame = with_hint(frame, hint, walk)
    return frame


def with_hint(frame: Frame, hint: tree.Hint, walk: Walk) -> Frame:
    """An optional number of partitions, then columns (ResolveHints.ResolveCoalesceHints)."""
    name = hint.name.upper()
    if name not in HOW:
        return make.repartition(frame)
    walk.context.shuffles = True
    first = hint.parameters[0] if hint.parameters else None
    count = int(first.text) if isinstance(first, tree.NumberLiteral) and first.text.isdigit() else 0
    keys = hint.parameters[1:] if count else hint.parameters
    if not all(isinstance(key, tree.Column) for key in keys) or not fits(name, count, len(keys)):
        raise NotNative(reasons.DATAFRAME_METHOD, f"hint: {name} with other arguments than a number and columns")
    scope = walk.scope(frame, reveals=True)
    made = [SortOrder(child=read_at_levels(scope, partial(walk.read, key, scope))) for key in keys]
    return make.repartition(scope.frame, "rounds" if name == "REPARTITION" and not keys else HOW[name], count, made)


def fits(name: str, count: int, keys: int) -> bool:
    """COALESCE takes only a number, REPARTITION_BY_RANGE at least one column, REPARTITION a number or columns."""
    if name == "COALESCE":
        return count > 0 and not keys
    return keys > 0 or (name == "REPARTITION" and count > 0)
