"""count_min_sketch: a table of counters whose size follows from the requested error and confidence."""

from __future__ import annotations

import math
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.aggregates.aggregates import aggregate
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.sketches.arguments import constant, expects
from twinspark.types import BINARY, BYTE, DOUBLE, INT, LONG, SHORT, STRING, is_integral

MOST_COUNTERS = 10_000_000
HALVES = (0.5, 0.75)  # as recorded from Spark: 1 and 2 rows


def table_size(call: Any) -> tuple[int, int, int]:
    """Rows, columns and seed as in CountMinSketchImpl; falls back if rounding could change them."""
    error, confidence, seed = (constant(call, index, None) for index in (1, 2, 3))
    if not (isinstance(error, float) and isinstance(confidence, float) and error > 0 and 0 < confidence < 1):
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, "count_min_sketch: eps and confidence")
    rows = -math.log1p(-confidence) / math.log(2)
    if abs(rows - round(rows)) < 1e-9 and confidence not in HALVES:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, "count_min_sketch: a confidence between two sizes")
    depth, width = math.ceil(round(rows, 9)), math.ceil(2 / error)
    if depth * width > MOST_COUNTERS:
        raise NotNative(reasons.SKETCH_STATE, "count_min_sketch")
    return depth, width, (seed + 2**31) % 2**32 - 2**31


def counters_type(call: Call) -> Typed:
    table_size(call)
    items = (BYTE, SHORT, INT, LONG, STRING, BINARY)
    return Typed(BINARY, False, expects(call, items, (DOUBLE,), (DOUBLE,), (INT, LONG)))


def write_count_min(call: Any, value: str, *_: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    size = "{}, {}, {}".format(*table_size(call))
    item = f"CAST({value} AS BIGINT)" if is_integral(call.arguments[0].type) else value
    return f"coalesce(spark_count_min_sketch({distinct}{item}, {size}){suffix}, spark_count_min_nothing({size}))"


aggregate("count_min_sketch(any, double, double, any)", write_count_min, rule=counters_type)
