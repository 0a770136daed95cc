"""Numbers, times and the values of rows as short texts."""

from __future__ import annotations

import json
import math
from datetime import UTC, datetime
from typing import Any

MOST_CELL = 500


def duration_text(seconds: float) -> str:
    if seconds < 0.001:
        return f"{seconds * 1e6:.0f} µs"
    if seconds < 1:
        return f"{seconds * 1e3:.{1 if seconds < 0.1 else 0}f} ms"
    if seconds < 120:
        return f"{seconds:.{2 if seconds < 10 else 1}f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def bytes_text(number: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if number < 1024:
            return f"{number:.0f} {unit}" if unit == "B" or number >= 100 else f"{number:.1f} {unit}"
        number /= 1024
    return f"{number:.1f} TiB"


def count_text(number: int) -> str:
    return f"{number:,}"


def moment_text(seconds: float) -> str:
    """In UTC, so that two viewers see the same text; the script adds the viewer's own time as a title."""
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M:%S")


def cell_text(value: Any) -> str:
    """A value of a result, in the notation of Spark's `show`, cut at some hundred characters."""
    text = plain_text(value)
    return text if len(text) <= MOST_CELL else text[: MOST_CELL - 1] + "…"


def plain_text(value: Any) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, bytes):
        return "[" + " ".join(f"{byte:02X}" for byte in value[:MOST_CELL]) + "]"
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else {"nan": "NaN", "inf": "Infinity"}.get(str(value), "-Infinity")
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, default=plain_text, ensure_ascii=False)[: 2 * MOST_CELL]
    return str(value)
