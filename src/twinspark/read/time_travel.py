"""Time travel: VERSION AS OF, TIMESTAMP AS OF, and the equivalent read options."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Expression
from twinspark.read.views import find_view
from twinspark.types import TimestampType

# Spark's read options and those of Iceberg's data source that select a version.
VERSIONS = ("versionasof", "snapshot-id", "branch", "tag")


def table_at_version(
    parts: tuple[str, ...], context: Context, version: str | None, timestamp: Expression | None
) -> Frame:
    """A table at a snapshot, tag or branch, or at a timestamp."""
    if find_view(parts, context) is not None:
        raise NotNative(reasons.TIME_TRAVEL, "a view")
    if context.tables is None:
        raise NotNative(reasons.LIVES_ON_SPARK, f"table {'.'.join(parts)}")
    moment = None if timestamp is None else build.cast(timestamp, TimestampType(), context.settings, "ansi")
    relation, qualifier = context.tables.relation_at(parts, context, version, moment)
    return frame_of(relation, qualifier)


def by_options(parts: tuple[str, ...], context: Context, options: Mapping[str, Any]) -> Frame:
    lowered = {key.lower(): value for key, value in options.items()}
    unknown = sorted(set(lowered) - {*VERSIONS, "timestampasof", "as-of-timestamp"})
    if unknown or len(lowered) != 1:
        raise NotNative(reasons.TABLE_OPTION, unknown[0] if unknown else "several options")
    ((key, value),) = lowered.items()
    if key in VERSIONS:
        return table_at_version(parts, context, value, None)
    if key == "as-of-timestamp":
        return table_at_version(parts, context, None, build.literal(int(value) * 1000, TimestampType()))
    return table_at_version(parts, context, None, build.literal(value))
