"""Theta sketches: the same hashes as in Spark, whatever the row order (duck/native/sketches/theta.c)."""

from __future__ import annotations

from twinspark.functions.aggregates.aggregates import aggregate
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.sketches.arguments import KEYS, SKETCH, check_between, expects
from twinspark.types import BINARY, INT, LONG

LEAST, MOST, DEFAULT = 4, 26, 12


def sketch_of_keys(call: Call) -> Typed:
    casts = expects(call, KEYS, (INT,))
    check_between(call, 1, DEFAULT, LEAST, MOST)
    return Typed(BINARY, False, casts)


def sketch_of_sketches(call: Call) -> Typed:
    casts = expects(call, SKETCH, (INT,))
    check_between(call, 1, DEFAULT, LEAST, MOST)
    return Typed(BINARY, False, casts)


def common_sketch(call: Call) -> Typed:
    return Typed(BINARY, False, expects(call, SKETCH))


def two_sketches(call: Call) -> Typed:
    return Typed(BINARY, call.any_nullable, expects(call, SKETCH, SKETCH, (INT,)))


def estimate(call: Call) -> Typed:
    return Typed(LONG, call.any_nullable, expects(call, SKETCH))


aggregate(
    f"theta_sketch_agg(any, any = {DEFAULT})",
    "spark_theta_sketch_agg({distinct}{0}, {1}){suffix}",
    rule=sketch_of_keys,
    shows_defaults=True,
)
aggregate(
    f"theta_union_agg(any, any = {DEFAULT})",
    "spark_theta_union_agg({distinct}{0}, {1}){suffix}",
    rule=sketch_of_sketches,
    shows_defaults=True,
)
aggregate("theta_intersection_agg(any)", "spark_theta_intersection_agg({distinct}{0}){suffix}", rule=common_sketch)
fn(
    f"theta_union(any, any, any = {DEFAULT})",
    "spark_theta_union({0}, {1}, {2})",
    rule=two_sketches,
    shows_defaults=True,
)
fn("theta_intersection(any, any)", "spark_theta_intersection({0}, {1})", rule=two_sketches)
fn("theta_difference(any, any)", "spark_theta_difference({0}, {1})", rule=two_sketches)
fn("theta_sketch_estimate(any)", "spark_theta_sketch_estimate({0})", rule=estimate)
