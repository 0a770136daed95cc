"""Time travel: VERSION AS OF, TIMESTAMP AS OF, and the read options that mean the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative
from twinspark.plan.expressions import Expression
from twinspark.read.views import find_view
from twinspark.types import TimestampType

# Spark's own options, and those of Iceberg's source: what each says of the version that is read.
VERSIONS = ("versionasof", "snapshot-id", "branch", "tag")


def travelled(parts: tuple[str, ...], context: Context, version: str | None, timestamp: Expression | None) -> Frame:
    """A table as it was: at a snapshot, tag or branch, or at a moment."""
    if find_view(parts, context) is not None:
        raise NotNative("time travel of a view")
    if context.tables is None:
        raise NotNative(f"table {'.'.join(parts)}")
    moment = None if timestamp is None else build.cast(timestamp, TimestampType(), context.settings, "ansi")
    relation, qualifier = context.tables.travelled(parts, context, version, moment)
    return frame_of(relation, qualifier)


def by_options(parts: tuple[str, ...], context: Context, options: Mapping[str, Any]) -> Frame:
    told = {key.lower(): value for key, value in options.items()}
    unknown = sorted(set(told) - {*VERSIONS, "timestampasof", "as-of-timestamp"})
    if unknown or len(told) != 1:
        raise NotNative(f"a table with the option {unknown[0]}" if unknown else "a table with several options")
    ((key, value),) = told.items()
    if key in VERSIONS:
        return travelled(parts, context, value, None)
    if key == "as-of-timestamp":
        return travelled(parts, context, None, build.literal(int(value) * 1000, TimestampType()))
    return travelled(parts, context, None, build.literal(value))
