"""Reads Connect's Relation messages into frames: relations with one input or none."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message
from pyspark.sql.connect.proto import expressions_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.aggregates import aggregate, has_aggregate
from twinspark.analysis.relations.basics import Named, passed_column
from twinspark.analysis.relations.generators import generate, has_generator
from twinspark.analysis.relations.observe import observe
from twinspark.analysis.relations.with_columns import append_columns
from twinspark.analysis.scope.frames import Frame, alike, frame_of
from twinspark.analysis.scope.names import Scope, read_at_levels
from twinspark.errors import Cause, NotNative, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression, type_text
from twinspark.plan.expressions import Column, Expression, Literal, SortOrder
from twinspark.plan.relations import Field, Range, Relation
from twinspark.read.proto.expressions import is_position, read_columns, read_expression, read_orders
from twinspark.read.proto.first_error import check_error_order
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.route import Routes
from twinspark.read.views import with_files
from twinspark.types import INT, LONG, quote_identifier

RELATIONS = Routes("rel_type")


def read_frame(message: relations_pb2.Relation, context: Context) -> Frame:
    """A relation with the names by which its columns can be referenced."""
    handler, member = RELATIONS.of(message)
    frame: Frame = handler(member, context)
    return frame.with_plan_id(message.common.plan_id) if message.common.HasField("plan_id") else frame


def read_relation(message: relations_pb2.Relation, context: Context) -> Relation:
    """The typed plan of a relation message; raises NotNative with the reason for falling back to Spark."""
    try:
        return with_files(context, lambda: read_frame(message, context)).plain()
    except SparkError as error:
        check_error_order(message, error, context)
        raise


# ---- no input


@RELATIONS.handles("range")
def read_range(message: relations_pb2.Range, context: Context) -> Frame:
    if message.step == 0:
        raise NotNative(reasons.ERROR_MESSAGE, "a range with a step of zero")
    bounds = {"start": message.start, "end": message.end, "step": message.step, "partitions": message.num_partitions}
    return frame_of(Range(**bounds, fields=(Field("id", LONG, False),)))


# ---- projections


@RELATIONS.handles("project")
def read_project(message: relations_pb2.Project, context: Context) -> Frame:
    frame = read_input(message, context)
    scope = Scope(frame, context)
    return select(frame, read_columns(message.expressions, scope), context)


def read_input(message: relations_pb2.Project, context: Context) -> Frame:
    if not message.HasField("input"):
        raise NotNative(reasons.PROTOCOL, "a projection without an input")
    return read_frame(message.input, context)


def select(frame: Frame, columns: list[Named], context: Context) -> Frame:
    """A projection; with aggregates it is a global aggregation, with a generator a Generate."""
    if any(has_generator(column.expression) for column in columns):
        return generate(frame, columns, context.settings)
    if any(has_aggregate(column.expression) for column in columns):
        return aggregate(frame, [], columns)
    return make.project(frame, columns)


@RELATIONS.handles("with_columns")
def read_with_columns(message: relations_pb2.WithColumns, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    scope = Scope(frame, context)
    columns = []
    for alias in sorted(message.aliases, key=replaced_index(frame, context)):
        (column,) = read_columns([alias_expression(alias)], scope)
        columns.append(column if alias.metadata else replace(column, metadata=(), is_whole=True))
    check_distinct_names([c.name for c in columns], context)
    if any(has_generator(c.expression) or has_aggregate(c.expression) for c in columns):
        return select(frame, make.with_columns(frame, columns, context.settings), context)
    made = append_columns(frame, columns, context.settings)
    return made or make.project(frame, make.with_columns(frame, columns, context.settings))


def replaced_index(frame: Frame, context: Context) -> Callable[[Any], int]:
    """Sorts aliases by the first column they replace, new ones last: of two errors the leftmost is reported."""
    same = alike(context.settings.case_sensitive)
    names = [attribute.name for attribute in frame.attributes]

    def index(alias: expressions_pb2.Expression.Alias) -> int:
        return next((i for i, name in enumerate(names) if same(name, alias.name[0])), len(names))

    return index


def alias_expression(alias: expressions_pb2.Expression.Alias) -> expressions_pb2.Expression:
    return expressions_pb2.Expression(alias=alias)


def check_distinct_names(names: list[str], context: Context) -> None:
    shown = names if context.settings.case_sensitive else [name.lower() for name in names]
    twice = next((name for name in shown if shown.count(name) > 1), None)
    if twice is not None:
        raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(twice))


@RELATIONS.handles("with_columns_renamed")
def read_with_columns_renamed(message: relations_pb2.WithColumnsRenamed, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    renames = [(r.col_name, r.new_col_name) for r in message.renames] or list(message.rename_columns_map.items())
    return make.rename_columns(frame, renames, context.settings)


@RELATIONS.handles("to_df")
def read_to_df(message: relations_pb2.ToDF, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    names = list(message.column_names)
    if len(names) != len(frame.attributes):
        raise SparkError("ASSIGNMENT_ARITY_MISMATCH", numExpr=len(names), numTarget=len(frame.attributes))
    columns = [Named(frame.column(a), name, a.metadata) for a, name in zip(frame.attributes, names, strict=True)]
    return make.project(frame, columns)


@RELATIONS.handles("drop")
def read_drop(message: relations_pb2.Drop, context: Context) -> Frame:
    """By name: drops all columns of that name; by column: the column it refers to, if any (Dataset.drop)."""
    frame = read_frame(message.input, context)
    dropped = {i for name in message.column_names for i in make.find_columns(frame, name, context.settings)}
    for column in message.columns:
        dropped |= dropped_column(column, frame, context)
    keep = [a for i, a in enumerate(frame.attributes) if i not in dropped]
    return make.project(frame, [passed_column(frame, a) for a in keep])


STRICT = "spark.sql.analyzer.strictDataFrameColumnResolution"


def no_column_of(message: expressions_pb2.Expression.UnresolvedAttribute, frame: Frame, error: SparkError) -> set[int]:
    """A column that was dropped already is ignored; one of an unrelated DataFrame is an error."""
    if message.HasField("plan_id") and message.plan_id not in frame.plans:
        raise error
    return set()


def dropped_column(message: expressions_pb2.Expression, frame: Frame, context: Context) -> set[int]:
    try:
        (named,) = read_columns([message], Scope(frame, replace(context, config={**context.config, STRICT: "true"})))
    except SparkError as error:
        if error.condition.startswith(("UNRESOLVED_COLUMN", "CANNOT_RESOLVE_DATAFRAME_COLUMN")):
            return no_column_of(message.unresolved_attribute, frame, error)
        raise
    if named.passes is None:
        return set()
    return {i for i, a in enumerate(frame.attributes) if a.expr_id == named.passes.expr_id}


@RELATIONS.handles("subquery_alias")
def read_subquery_alias(message: relations_pb2.SubqueryAlias, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    return frame.with_qualifier((*message.qualifier, *attribute_parts(message.alias)))


# ---- rows


@RELATIONS.handles("filter")
def read_filter(message: relations_pb2.Filter, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    scope = Scope(frame, context, reveals=True)
    with below_groups(message, frame):
        condition = read_at_levels(scope, lambda: read_expression(message.condition, scope))
    if has_aggregate(condition):
        raise NotNative(reasons.EXPRESSION_POSITION, "an aggregate function in filter")
    if has_generator(condition):
        raise NotNative(reasons.GENERATOR_POSITION, "filter")
    return make.filter(scope.frame, condition, context.settings)


@contextmanager
def below_groups(message: relations_pb2.Filter | relations_pb2.Sort, frame: Frame) -> Iterator[None]:
    """Above an aggregation Spark resolves a grouping key by its expression, whose columns are not in the output; those
    cases fall back."""
    try:
        yield
    except SparkError as error:
        grouping = frame.source.grouping if frame.source is not None else None
        if grouping is not None and error.condition == "CANNOT_RESOLVE_DATAFRAME_COLUMN":
            raise NotNative(reasons.COLUMN_NAME_AMBIGUOUS, "a column below an aggregation, used above it") from error
        found = grouping is not None and may_be_below(message, frame, grouping)
        if found and error.condition.startswith("UNRESOLVED_COLUMN"):
            raise NotNative(
                reasons.ERROR_MESSAGE,
                "a column of an aggregation, or of its input, whose name is ambiguous",
                likely_error=error,
            ) from error
        raise


def may_be_below(
    message: relations_pb2.Filter | relations_pb2.Sort, frame: Frame, grouping: Sequence[Expression]
) -> bool:
    """Whether a column below the aggregation may be meant: as an argument of an aggregate, or in a key's expression."""
    computes = not all(isinstance(key, Column) for key in grouping) and not is_plain_sort(message)
    return repeats_names(frame) or computes or has_calls(message)


def is_plain_sort(message: relations_pb2.Filter | relations_pb2.Sort) -> bool:
    keys = [order.child for order in message.order] if isinstance(message, relations_pb2.Sort) else []
    return bool(keys) and all(key.WhichOneof("expr_type") == "unresolved_attribute" for key in keys)


def repeats_names(frame: Frame) -> bool:
    return len({attribute.name.lower() for attribute in frame.attributes}) < len(frame.attributes)


def has_calls(message: Message) -> bool:
    """Whether the message calls a function by name, which may be an aggregate over the rows below."""
    if isinstance(message, expressions_pb2.Expression.UnresolvedFunction) and message.function_name.isidentifier():
        return message.function_name not in CONNECTIVES or any(map(has_calls, message.arguments))
    if isinstance(message, expressions_pb2.Expression.ExpressionString):
        return "(" in message.expression
    parts = (value for field, value in message.ListFields() if field.name not in ("input", "common") and is_node(field))
    return any(has_calls(part) for value in parts for part in (value if isinstance(value, Sequence) else [value]))


def is_node(field: FieldDescriptor) -> bool:
    return field.message_type is not None and not field.message_type.GetOptions().map_entry


CONNECTIVES = frozenset({"and", "or", "not", "in", "isnull", "isnotnull"})


@RELATIONS.handles("sort")
def read_sort(message: relations_pb2.Sort, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    scope = Scope(frame, context, reveals=True, lenient=True, shown=frame)
    with below_groups(message, frame):
        ordering = [by_position(hidden_order(order, scope), scope) for order in message.order]
    if any(has_aggregate(order.child) for order in ordering):
        raise NotNative(reasons.EXPRESSION_POSITION, "an aggregate function in sort")
    is_global = not message.HasField("is_global") or message.is_global
    return make.sort(scope.frame, ordering, is_global)


def hidden_order(message: expressions_pb2.Expression.SortOrder, scope: Scope) -> SortOrder:
    (order,) = read_at_levels(scope, lambda: read_orders([message], scope))
    return order


def by_position(order: SortOrder, scope: Scope) -> SortOrder:
    """An integer literal is the ordinal of a column."""
    if not is_position(order.child) or not scope.context.flag("spark.sql.orderByOrdinal"):
        return order
    assert isinstance(order.child, Literal)
    ordinal, attributes = order.child.value, scope.frame.attributes
    if not 1 <= ordinal <= len(attributes):
        raise SparkError("ORDER_BY_POS_OUT_OF_RANGE", index=ordinal, size=len(attributes))
    return replace(order, child=scope.frame.column(attributes[ordinal - 1]))


@RELATIONS.handles("limit")
def read_limit(message: relations_pb2.Limit, context: Context) -> Frame:
    return make.limit(read_frame(message.input, context), message.limit)


@RELATIONS.handles("offset")
def read_offset(message: relations_pb2.Offset, context: Context) -> Frame:
    return make.limit(read_frame(message.input, context), None, message.offset)


@RELATIONS.handles("tail")
def read_tail(message: relations_pb2.Tail, context: Context) -> Frame:
    return make.tail(read_frame(message.input, context), message.limit)


@RELATIONS.handles("deduplicate")
def read_deduplicate(message: relations_pb2.Deduplicate, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    if message.within_watermark and not context.streams:
        raise NotNative(reasons.STREAMING, "dropDuplicatesWithinWatermark")
    if message.all_columns_as_keys:
        return make.deduplicate(frame)
    if not message.column_names:
        raise NotNative(reasons.PROTOCOL, "dropDuplicates without columns")
    keys: list[int] = []
    for name in message.column_names:
        found = make.find_columns(frame, name, context.settings)
        if not found:
            names = ", ".join(a.name for a in frame.attributes)
            condition = "CONNECT_INVALID_PLAN.UNRESOLVED_COLUMN_AMONG_FIELD_NAMES"
            raise SparkError(condition, colName=name, fieldNames=names)
        keys += found
    return make.deduplicate(frame, tuple(keys))


@RELATIONS.handles("collect_metrics")
def read_collect_metrics(message: relations_pb2.CollectMetrics, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    return observe(frame, message.name, read_columns(message.metrics, Scope(frame, context)))


SPREADING = {"COALESCE": "coalesce", "REPARTITION": "rounds"}
PARTITION_HINTS = frozenset({"COALESCE", "REPARTITION", "REPARTITION_BY_RANGE", "REBALANCE"})


@RELATIONS.handles("hint")
def read_hint(message: relations_pb2.Hint, context: Context) -> Frame:
    """Hints change only the order of rows here; invalid ones fall back, so that Spark reports its error."""
    numbers = [each.literal.integer for each in message.parameters]  # 0 for other literals
    name = message.name.upper()
    if name in PARTITION_HINTS and not (len(numbers) == 1 and numbers[0] > 0):
        raise NotNative(
            reasons.DATAFRAME_METHOD, f"hint: {message.name} with an argument that is not a number of partitions"
        )
    frame = read_frame(message.input, context)
    return make.repartition(frame, SPREADING[name], numbers[0]) if name in SPREADING else make.repartition(frame)


@RELATIONS.handles("repartition")
def read_repartition(message: relations_pb2.Repartition, context: Context) -> Frame:
    """Partitioning changes only the order of rows and the functions that depend on partitions."""
    context.shuffles = True
    how = "rounds" if not message.HasField("shuffle") or message.shuffle else "coalesce"
    return make.repartition(read_frame(message.input, context), how, message.num_partitions)


@RELATIONS.handles("repartition_by_expression")
def read_repartition_by_expression(message: relations_pb2.RepartitionByExpression, context: Context) -> Frame:
    context.shuffles = True
    scope = Scope(read_frame(message.input, context), context, reveals=True)
    found = [read_at_levels(scope, partial(partition_key, each, scope)) for each in message.partition_exprs]
    hows = {how for how, _ in found}
    how = hows.pop() if len(hows) == 1 else ""
    return make.repartition(scope.frame, how, message.num_partitions, [key for _, key in found])


def partition_key(message: expressions_pb2.Expression, scope: Scope) -> tuple[str, SortOrder]:
    kind = message.WhichOneof("expr_type")
    if kind == "sort_order":
        return "range", read_orders([message.sort_order], scope)[0]
    if kind == "direct_shuffle_partition_id":
        child = read_expression(message.direct_shuffle_partition_id.child, scope)
        check_partition_id(child)
        return "id", SortOrder(child=child)
    return "hash", SortOrder(child=read_expression(message, scope))


def check_partition_id(child: Expression) -> None:
    if child.type != INT:
        raise SparkError(
            "DATATYPE_MISMATCH.UNEXPECTED_INPUT_TYPE",
            sqlExpr=quote_expression(f"direct_shuffle_partition_id({child.text})"),
            paramIndex="first",
            inputSql=quote_expression(child.text),
            inputType=type_text(child.type),
            requiredType='"INT"',
        )


RELATIONS.part_of(catalog="the session, which answers spark.catalog's calls")
RELATIONS.to_spark(
    catalog=Cause(reasons.API_CALL, "a catalog call inside a plan"),
    apply_in_pandas_with_state=Cause(reasons.STREAMING),
    common_inline_user_defined_data_source=Cause(reasons.PYTHON_DATA_SOURCE, "it is not registered"),
    ml_relation=Cause(reasons.MACHINE_LEARNING),
    relation_changes=Cause(reasons.OPERATION_KIND, "a change feed"),
    extension=Cause(reasons.PROTOCOL, "extensions of the protocol"),
    unknown=Cause(reasons.PROTOCOL, "a relation that is not set"),
)
