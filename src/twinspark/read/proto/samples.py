"""Reads the Connect relations sample (also for randomSplit) and sampleBy, which take random rows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.relations import basics as make
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression, Literal
from twinspark.plan.relations import Filter, relations_in
from twinspark.read.proto.expressions import read_expression
from twinspark.read.proto.literals import read_literal
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.spark_order.samples import sample_rows, sample_with_replacement
from twinspark.types import DOUBLE, INTEGRAL, STRING, BooleanType


@RELATIONS.handles("sample")
def read_sample(message: relations_pb2.Sample, context: Context) -> Frame:
    """Sampling with replacement draws from a Poisson distribution."""
    if not message.HasField("seed"):
        raise NotNative(reasons.SAMPLE, "without a seed")
    low, high = message.lower_bound, message.upper_bound
    if not low <= high or not (high - low <= 1.0 or message.with_replacement):
        # Spark's Sample node checks the fraction, which may be NaN, before its input is analyzed, and allows for
        # rounding.
        raise NotNative(reasons.SAMPLE, "a fraction that is not between 0 and 1")
    frame, settings = read_frame(message.input, context), context.settings
    if message.with_replacement and high != low:
        return make.pass_missing_columns(
            frame, lambda input: sample_with_replacement(input, message.seed, high - low, context)
        )
    if high == low:
        return empty_sample(frame, settings)
    if (low, high) == (0.0, 1.0):
        return frame
    bounds = (build.literal(low, DOUBLE), build.literal(high, DOUBLE))

    def keeps(number: Expression) -> Expression:
        tests = [build.call(name, [number, bound], settings) for name, bound in zip((">=", "<"), bounds, strict=True)]
        return build.call("and", tests, settings)

    width = len(frame.attributes) if message.deterministic_order else 0
    return make.pass_missing_columns(
        frame, lambda input: sample_rows(input, message.seed, keeps, context, width, folds=False)
    )


def empty_sample(frame: Frame, settings: Settings) -> Frame:
    """Computes the rows of its input, which may fail, as LIMIT 0 does not: no row's random number is that small.
    DuckDB evaluates neighbouring filters in an order of its own, so that a failure may not happen there."""
    if any(isinstance(each, Filter) for each in relations_in(frame.plain())):
        raise NotNative(reasons.SAMPLE, "no rows of a filter, whose condition may fail")
    number = build.call("rand", [], settings)
    never = build.call("<", [number, build.literal(-1.0, DOUBLE)], settings)
    return make.pass_missing_columns(frame, lambda input: Filter(input=input, condition=never, fields=input.fields))


@RELATIONS.handles("sample_by")
def read_sample_by(message: relations_pb2.StatSampleBy, context: Context) -> Frame:
    """A fraction for each value of a column; rows with other values are dropped (DataFrameStatFunctions.sampleBy)."""
    frame, settings = read_frame(message.input, context), context.settings
    stratum = read_expression(message.col, Scope(frame, context))
    if not message.HasField("seed") or kind_of(stratum) is None:
        raise NotNative(reasons.SAMPLE, "sampleBy without a seed, or by a column of this type")
    share = share_of(stratum, message.fractions, settings)

    def keeps(number: Expression) -> Expression:
        return build.call("<", [number, share], settings)

    return make.over(frame, lambda input: sample_rows(input, message.seed, keeps, context, 0, folds=True))


def share_of(stratum: Expression, fractions: Sequence[Any], settings: Settings) -> Expression:
    branches = []
    for each in fractions:
        value = read_literal(each.stratum, settings)
        if not isinstance(value, Literal) or value.value is None or not 0.0 <= each.fraction <= 1.0:
            raise NotNative(reasons.SAMPLE, "sampleBy with null keys, or with fractions that are not between 0 and 1")
        if kind_of(value) != kind_of(stratum):
            raise NotNative(reasons.SAMPLE, "sampleBy with keys of another type than the column")
        branches.append((build.call("==", [stratum, value], settings), build.literal(each.fraction, DOUBLE)))
    return build.case_when(branches, build.literal(0.0, DOUBLE), settings) if branches else build.literal(0.0, DOUBLE)


def kind_of(value: Expression) -> str | None:
    """Whether two values are equal in Scala is known only for values of the same kind."""
    kinds = {"number": isinstance(value.type, INTEGRAL), "boolean": isinstance(value.type, BooleanType)}
    return next((kind for kind, is_it in {**kinds, "text": value.type == STRING}.items() if is_it), None)
