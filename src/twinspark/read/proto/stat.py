"""Reads the Connect relations of DataFrame.stat: summary, crosstab, correlation, quantiles and frequent items."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.partitions.repartition import sliced_rows
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.aggregates import aggregate
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.relations.data_dependent import pivot_values
from twinspark.analysis.relations.generators import generate
from twinspark.analysis.relations.pivot import pivot
from twinspark.analysis.scope.frames import Attribute, Frame
from twinspark.analysis.scope.names import Scope, resolve
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.sketches.frequent_items import every_value, in_scala_order
from twinspark.plan.expressions import AggregateCall, Call, Expression
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.na import fill_column
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.spark_order.quantiles import quantiles as of_tasks
from twinspark.types import (
    DOUBLE,
    LONG,
    STRING,
    ArrayType,
    DecimalType,
    has_collation,
    is_numeric,
    is_string,
    quote_identifier,
)

DESCRIBED = ("count", "mean", "stddev", "min", "max")
SUMMARISED = ("count", "mean", "stddev", "min", "25%", "50%", "75%", "max")
LARGEST_INT = (1 << 31) - 1
ACCURACY = 10_000  # ApproximatePercentile.DEFAULT_PERCENTILE_ACCURACY


@RELATIONS.handles("describe")
def read_describe(message: relations_pb2.StatDescribe, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    if message.cols:
        scope = Scope(frame, context)
        frame = make.project(frame, [resolve(scope, attribute_parts(name)) for name in message.cols])
    return summary(frame, DESCRIBED, context)


@RELATIONS.handles("summary")
def read_summary(message: relations_pb2.StatSummary, context: Context) -> Frame:
    return summary(read_frame(message.input, context), list(message.statistics) or SUMMARISED, context)


def summary(frame: Frame, statistics: Sequence[str], context: Context) -> Frame:
    """One row for each statistic, with all numbers as text (StatFunctions.summary)."""
    chosen = [a for a in frame.attributes if is_numeric(a.type) or is_string(a.type)]
    names = [a.name for a in chosen]
    if not chosen or len(set(statistics)) < len(statistics):
        raise NotNative(reasons.DATAFRAME_METHOD, "a summary of no columns, or of a statistic twice")
    if len({n.lower() for n in (*names, "summary")}) <= len(names) or any("." in n or "`" in n for n in names):
        raise NotNative(reasons.DATAFRAME_METHOD, "a summary of columns whose names are ambiguous")
    cells = [as_text(statistic(s, frame, a, context), context) for s in statistics for a in chosen]
    one = aggregate(frame, [], [Named(cell, f"c{i}") for i, cell in enumerate(cells)])
    return stack_statistics(one, statistics, names, context)


def stack_statistics(one: Frame, statistics: Sequence[str], names: Sequence[str], context: Context) -> Frame:
    """Splits the single row of all statistics into one row for each."""
    columns = iter(one.columns())
    parts = [part for s in statistics for part in (build.literal(s), *(next(columns) for _ in names))]
    call = build.call("stack", [build.literal(len(statistics)), *parts], context.settings)
    return generate(one, [Named(call, "", names=("summary", *names))], context.settings)


def as_text(value: Expression, context: Context) -> Expression:
    return build.cast(value, STRING, context.settings)


def statistic(name: str, frame: Frame, attribute: Attribute, context: Context) -> Expression:
    settings = context.settings
    column: Expression = frame.column(attribute)
    number = build.cast(column, DOUBLE, settings, "try") if is_string(column.type) else column
    known = name.lower()
    if known in ("count", "min", "max", "approx_count_distinct"):
        return build.call(known, [column], settings)
    if known == "count_distinct":
        return build.call("count", [column], settings, distinct=True)
    if known in ("mean", "stddev"):
        return build.call({"mean": "avg"}.get(known, known), [number], settings)
    if known.endswith("%"):
        return percentile(number, name, context)
    raise SparkError("UNRECOGNIZED_STATISTIC", stats=f"'{name}'")


def percentile(number: Expression, name: str, context: Context) -> Expression:
    try:
        share = float(name.removesuffix("%")) / 100.0
    except ValueError as error:
        raise NotNative(reasons.DATAFRAME_METHOD, "a percentile that is not a number") from error
    if not 0 <= share <= 1:
        raise NotNative(reasons.DATAFRAME_METHOD, "a percentile that is not between 0 and 100")
    plain = build.cast(number, DOUBLE, context.settings) if isinstance(number.type, DecimalType) else number
    arguments = [plain, build.literal(share), build.literal(ACCURACY)]
    found = build.call("percentile_approx", arguments, context.settings)
    return build.call("decimal_percentile_text", [found], context.settings) if plain is not number else found


@RELATIONS.handles("approx_quantile")
def read_approx_quantile(message: relations_pb2.StatApproxQuantile, context: Context) -> Frame:
    """An array for each column over its values that are neither null nor NaN (multipleApproxQuantiles)."""
    frame = read_frame(message.input, context)
    shares = list(message.probabilities)
    if message.relative_error < 0 or not all(0 <= share <= 1 for share in shares):
        raise NotNative(reasons.DATAFRAME_METHOD, "approxQuantile with probabilities that are not between 0 and 1")
    accuracy = min(LARGEST_INT, math.ceil(1 / message.relative_error)) if message.relative_error else LARGEST_INT
    made = [
        known_quantiles(name, shares, accuracy, frame, context) or quantiles(name, shares, accuracy, frame, context)
        for name in message.cols
    ]
    every = replace(build.call("array", made, context.settings), type=ArrayType(ArrayType(DOUBLE)))
    return aggregate(frame, [], [Named(every, "approx_quantile")])


def known_quantiles(name: str, shares: list[float], accuracy: int, frame: Frame, context: Context) -> Expression | None:
    """For small inputs whose tasks are known: reads the values now and computes the quantiles task by task."""
    settings = context.settings
    column = resolve(Scope(frame, context), attribute_parts(name)).expression
    if not is_numeric(column.type):
        raise NotNative(reasons.DATAFRAME_METHOD, "approxQuantile of values that are not numbers")
    number = build.cast(column, DOUBLE, settings)
    rows = sliced_rows(make.project(frame, [Named(number, "value")]).relation, settings) if settings.slices else None
    if rows is None:
        return None
    values, numbers, _ = (column.to_pylist() for column in context.collect(rows, context).columns)
    tasks: dict[int, list[float]] = {number: [] for number in sorted(set(numbers))}
    for value, task in zip(values, numbers, strict=True):
        if value is not None and not math.isnan(value):
            tasks[task].append(value)
    found = of_tasks(list(tasks.values()), shares, 1.0 / accuracy)
    return build.literal(found, ArrayType(DOUBLE, False), settings)


def quantiles(name: str, shares: list[float], accuracy: int, frame: Frame, context: Context) -> Expression:
    settings = context.settings
    column = resolve(Scope(frame, context), attribute_parts(name)).expression
    if not is_numeric(column.type):
        raise NotNative(reasons.DATAFRAME_METHOD, "approxQuantile of values that are not numbers")
    number = build.cast(column, DOUBLE, settings)
    plain = build.call("not", [build.call("isnan", [number], settings)], settings)
    kept = build.case_when([(plain, number)], None, settings)
    fractions = build.literal(shares, ArrayType(DOUBLE, False), settings)
    found = build.call("percentile_approx", [kept, fractions, build.literal(accuracy)], settings)
    return build.call("coalesce", [found, build.literal([], ArrayType(DOUBLE, False), settings)], settings)


# ---- two columns


@RELATIONS.handles("crosstab")
def read_crosstab(message: relations_pb2.StatCrosstab, context: Context) -> Frame:
    """Counts each pair of values; null is displayed as `null` (StatFunctions.crossTabulate)."""
    frame = read_frame(message.input, context)
    scope = Scope(frame, context)
    first, second = (resolve(scope, attribute_parts(n)).expression for n in (message.col1, message.col2))
    if has_collation(first.type) or has_collation(second.type):
        raise NotNative(reasons.COLLATION_FUNCTION, "crosstab")
    key = Named(or_null_text(first, first, context), f"{message.col1}_{message.col2}")
    plain = build.call("replace", [as_text(second, context), build.literal("`"), build.literal("")], context.settings)
    column = or_null_text(second, plain, context)
    count = Named(build.call("count", [build.literal(1)], context.settings), "count")
    values = pivot_values(frame, column, context)
    made = pivot(frame, [key], [count], column, values, context.settings)
    zero = build.literal(0, LONG)
    return make.project(
        made, [fill_column(made, a, zero if a.type == LONG else None, context) for a in made.attributes]
    )


def or_null_text(column: Expression, shown: Expression, context: Context) -> Expression:
    settings = context.settings
    missing = build.call("isnull", [column], settings)
    return build.case_when([(missing, build.literal("null"))], as_text(shown, context), settings)


@RELATIONS.handles("cov")
def read_cov(message: relations_pb2.StatCov, context: Context) -> Frame:
    return of_pair(message, "covar_samp", 0.0, "cov", context)


@RELATIONS.handles("corr")
def read_corr(message: relations_pb2.StatCorr, context: Context) -> Frame:
    if message.HasField("method") and message.method != "pearson":
        raise NotNative(reasons.DATAFRAME_METHOD, "a correlation other than Pearson's")
    return of_pair(message, "corr", float("nan"), "corr", context)


def of_pair(
    message: relations_pb2.StatCov | relations_pb2.StatCorr,
    function: str,
    otherwise: float,
    name: str,
    context: Context,
) -> Frame:
    frame, settings = read_frame(message.input, context), context.settings
    made = build.call(function, [number_or_zero(n, frame, context) for n in (message.col1, message.col2)], settings)
    missing = build.call("isnull", [made], settings)
    whole = build.case_when([(missing, build.literal(otherwise, DOUBLE))], made, settings)
    return aggregate(frame, [], [Named(whole, name)])


def number_or_zero(name: str, frame: Frame, context: Context) -> Expression:
    settings = context.settings
    column = known_column(name, frame, context)
    if not is_numeric(column.type):
        raise NotNative(reasons.DATAFRAME_METHOD, "a correlation of values that are not numbers")
    missing = build.call("isnull", [column], settings)
    return build.case_when([(missing, build.literal(0.0, DOUBLE))], build.cast(column, DOUBLE, settings), settings)


def known_column(name: str, frame: Frame, context: Context) -> Expression:
    """For an unknown name Spark suggests all columns in their order (Dataset.resolve)."""
    try:
        return resolve(Scope(frame, context), attribute_parts(name)).expression
    except SparkError as error:
        if error.condition != "UNRESOLVED_COLUMN.WITH_SUGGESTION":
            raise
        names = [".".join(map(quote_identifier, attribute.name.split("."))) for attribute in frame.attributes]
        shown = error.parameters["objectName"]
        raise SparkError(error.condition, objectName=shown, proposal=", ".join(names)) from error


# ---- frequent items


@RELATIONS.handles("freq_items")
def read_frequent_items(message: relations_pb2.StatFreqItems, context: Context) -> Frame:
    """An array for each column (FrequentItems.singlePassFreqItems)."""
    support = message.support if message.HasField("support") else SUPPORT
    if not LEAST_SUPPORT <= support <= 1:
        raise NotNative(reasons.DATAFRAME_METHOD, "freqItems with this support")
    frame = read_frame(message.input, context)
    return aggregate(frame, [], [frequent(name, int(1 / support), frame, context) for name in message.cols])


def frequent(name: str, most: int, frame: Frame, context: Context) -> Named:
    settings = context.settings
    column = resolve(Scope(frame, context), attribute_parts(name)).expression
    items = ArrayType(column.type, column.nullable)
    gathered = build.call("collect_list", [column], settings)
    assert isinstance(gathered, AggregateCall)
    every = replace(gathered, signature=every_value(gathered.signature), type=items, nullable=False)
    sort = build.call("array_distinct", [every], settings)
    assert isinstance(sort, Call)
    ordered = replace(sort, signature=in_scala_order(sort.signature, column.type, most), type=items, nullable=False)
    return Named(ordered, f"{name}_freqItems")


SUPPORT, LEAST_SUPPORT = 0.01, 1e-4
