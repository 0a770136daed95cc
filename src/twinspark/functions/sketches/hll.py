"""HyperLogLog sketches of few values; larger ones, which have registers, fall back (duck/native/sketches/hll.c)."""

from __future__ import annotations

from typing import Any

from twinspark.functions.aggregates.aggregates import aggregate
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.sketches.arguments import SKETCH, check_between, constant, expects
from twinspark.types import BINARY, BOOLEAN, INT, LONG, STRING

LEAST, MOST, DEFAULT = 4, 21, 12


def sketch_of_keys(call: Call) -> Typed:
    casts = expects(call, (INT, LONG, STRING, BINARY), (INT,))
    check_between(call, 1, DEFAULT, LEAST, MOST)
    return Typed(BINARY, False, casts)


def keys_sketched(call: Any, value: str, size: str, distinct: str = "", order: str = "", suffix: str = "") -> str:
    """For no rows: an empty sketch in list mode with eight slots."""
    empty = bytes([2, 1, 7, constant(call, 1, DEFAULT), 3, 4, 0, 8, *bytes(32)])
    return f"coalesce(spark_hll_sketch_agg({distinct}{value}, {size}){suffix}, unhex('{empty.hex()}'))"


def sketch_of_sketches(call: Call) -> Typed:
    casts = expects(call, SKETCH, (BOOLEAN,))
    constant(call, 1, False)
    return Typed(BINARY, False, casts)


def two_sketches(call: Call) -> Typed:
    return Typed(BINARY, call.any_nullable, expects(call, SKETCH, SKETCH, (BOOLEAN,)))


def estimate(call: Call) -> Typed:
    return Typed(LONG, call.any_nullable, expects(call, SKETCH))


aggregate(f"hll_sketch_agg(any, any = {DEFAULT})", keys_sketched, rule=sketch_of_keys, shows_defaults=True)
aggregate(
    "hll_union_agg(any, any = false)",
    "spark_hll_union_agg({distinct}{0}){suffix}",
    rule=sketch_of_sketches,
    shows_defaults=True,
)
fn("hll_union(any, any, any = false)", "spark_hll_union({0}, {1}, {2})", rule=two_sketches, shows_defaults=True)
fn("hll_sketch_estimate(any)", "spark_hll_sketch_estimate({0})", rule=estimate)
