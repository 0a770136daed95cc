"""The passes that a typed plan goes through before its SQL is written; pipeline.py lists them in order."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from twinspark.analysis.context import Context
from twinspark.analysis.expressions.char_comparisons import check_char_compares
from twinspark.analysis.expressions.decimal_percentiles import PERCENTILES
from twinspark.analysis.expressions.decimal_percentiles import check_decimal_percentiles as check_percentiles
from twinspark.analysis.expressions.null_tests import check_null_tests
from twinspark.analysis.plan_limits import check_joins, check_size
from twinspark.analysis.python.map_partitions import check_task_contexts, divide_maps
from twinspark.analysis.python.sorts import with_called_keys
from twinspark.analysis.relations.cartesian_products import check_products
from twinspark.compile.common_subplans import share_common_aggregates
from twinspark.compile.write_tasks import with_task
from twinspark.duck.lazy_errors import check_filtered_arguments as check_arguments
from twinspark.duck.python.extract import extract_python
from twinspark.duck.python.pruning import prune_calls
from twinspark.errors import NotNative, reasons
from twinspark.functions.documents.geometries import MADE_OF_BYTES
from twinspark.plan.column_pruning import prune_file_records
from twinspark.plan.contents import Contents
from twinspark.plan.expressions import PythonCall, Subquery
from twinspark.plan.python_relations import PythonAggregateCall, PythonCoGroups, PythonGroups, PythonMap, PythonTable
from twinspark.plan.relations import Aggregate, FileRecords, Join, Relation, Scan, SetOperation, expressions_in
from twinspark.spark_order.emulate import emulate_row_order
from twinspark.types import has_geospatial

Pass = Callable[[Relation, Context], Relation]
P = TypeVar("P", bound=Pass)
IsConcerned = Callable[[Contents], bool]
CONCERNS: dict[Pass, IsConcerned] = {}


def concerns(*kinds: type, calls: frozenset[str] = frozenset()) -> Callable[[P], P]:
    """Marks a pass that changes only plans with nodes of these classes or with calls of these functions."""
    return concerns_if(lambda contents: contents.has(*kinds) or contents.calls_any(calls))


def concerns_if(test: IsConcerned) -> Callable[[P], P]:
    def note(each: P) -> P:
        CONCERNS[each] = test
        return each

    return note


def is_concerned(each: Pass, contents: Contents) -> bool:
    test = CONCERNS.get(each)
    return test is None or test(contents)


# ---- what the plan means: caches, files, checks


def use_cached_relations(plan: Relation, context: Context) -> Relation:
    """Reads the rows of cached tables and persisted DataFrames instead of computing them (Spark's CacheManager)."""
    return context.cache.use_cached_relations(plan, context) if context.cache else plan


def prune_files(plan: Relation, context: Context) -> Relation:
    """Leaves out files of tables whose partitions or statistics say that no row passes the filters."""
    return plan if context.tables is None else context.tables.prune_files(plan)


@concerns(FileRecords)
def read_corrupt_records(plan: Relation, context: Context) -> Relation:
    """Lists the required columns in scans of CSV and JSON: which records are malformed depends on them
    (UnivocityParser)."""
    return prune_file_records(plan)


def check_plan_limits(plan: Relation, context: Context) -> Relation:
    """Falls back when the plan is so large, or joins so many tables, that planning it here would take minutes."""
    check_size(plan)
    check_joins(plan)
    return plan


@concerns(Scan)
def check_char_comparisons(plan: Relation, context: Context) -> Relation:
    """Falls back when CHAR values of different lengths are compared, which Spark pads (ApplyCharTypePadding)."""
    check_char_compares(plan)
    return plan


@concerns(Join, Subquery)
def check_cartesian_products(plan: Relation, context: Context) -> Relation:
    """Falls back when cross joins are disabled and there may be a cartesian product (CheckCartesianProducts)."""
    check_products(plan, context.config)
    return plan


@concerns(Subquery)
def check_null_in_tests(plan: Relation, context: Context) -> Relation:
    """Falls back when the left side of an IN subquery is a constant NULL of a projection, which Spark folds."""
    check_null_tests(plan)
    return plan


@concerns_if(lambda contents: contents.has_distinct_aggregates)
def check_filtered_arguments(plan: Relation, context: Context) -> Relation:
    """Falls back when an aggregate's argument may fail before its FILTER is applied (RewriteDistinctAggregates)."""
    check_arguments(plan)
    return plan


@concerns(calls=PERCENTILES)
def check_decimal_percentiles(plan: Relation, context: Context) -> Relation:
    """Falls back when an expression would see the double precision of a percentile_approx over decimals."""
    check_percentiles(plan)
    return plan


@concerns(calls=MADE_OF_BYTES)
def check_geospatial_columns(plan: Relation, context: Context) -> Relation:
    """Falls back when a geometry is a column, a key or a sort order: here geometries exist only inside one
    expression."""
    if any(has_geospatial(expression.type) for expression in expressions_in(plan)):
        raise NotNative(reasons.GEOMETRY, "a column")
    return plan


@concerns(PythonCall, PythonAggregateCall, PythonGroups, PythonCoGroups, PythonTable)
def check_python_task_contexts(plan: Relation, context: Context) -> Relation:
    """Falls back when a Python function other than a map asks for its task: rows are not divided into tasks for it."""
    check_task_contexts(plan)
    return plan


@concerns(PythonMap, PythonCall)
def divide_python_maps(plan: Relation, context: Context) -> Relation:
    """Calls mapInPandas and mapInArrow once for each partition; falls back when the partitions are chosen and not
    known."""
    return divide_maps(plan, context.config, context.settings)


# ---- the order of its rows


@concerns(PythonCall)
def call_sort_keys(plan: Relation, context: Context) -> Relation:
    """Calls Python functions in a sort order once, in a projection below the sort."""
    return with_called_keys(plan)


def follow_spark_order(plan: Relation, context: Context) -> Relation:
    """Gives rows the order a local Spark would give them, where that is known and `twinspark.rowOrder` is `spark`
    (docs/reference/row-order.md)."""
    return emulate_row_order(plan, context.config, context.settings)


# ---- what only the engine needs


@concerns_if(lambda contents: contents.has(Aggregate) and contents.has(Scan) and may_share(contents))
def share_aggregates(plan: Relation, context: Context) -> Relation:
    """Computes an aggregation over tables once that the plan contains several times (ReuseExchangeAndSubquery)."""
    return share_common_aggregates(plan)


def may_share(contents: Contents) -> bool:
    """Whether the plan has several branches, and each part of it gives the same rows every time."""
    calls_python = contents.has(PythonCall, PythonAggregateCall, PythonTable)
    return contents.has(Join, SetOperation) and contents.is_deterministic and not calls_python


def number_write_tasks(plan: Relation, context: Context) -> Relation:
    """Adds, to rows that are written, the number of the Spark task that would write each row as a last column, if
    known."""
    return with_task(plan, context)


@concerns(PythonCall, PythonAggregateCall, PythonTable)
def extract_python_functions(plan: Relation, context: Context) -> Relation:
    """Moves calls of Python functions into relations of their own, which Python workers evaluate
    (ExtractPythonUDFs)."""
    return extract_python(prune_calls(plan))
