"""Connect's Relation messages as frames: the ones over one input, and those with none."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from pyspark.sql.connect.proto import expressions_pb2

from twinspark.analysis import relations as make
from twinspark.analysis.aggregates import aggregate, has_aggregate
from twinspark.analysis.appended import appended
from twinspark.analysis.context import Context
from twinspark.analysis.generators import generate, has_generator
from twinspark.analysis.names import Scope
from twinspark.analysis.observed import observe
from twinspark.analysis.relations import Named, passing
from twinspark.analysis.scope import Frame, alike, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.typing import quoted, type_text
from twinspark.plan.expressions import Expression, Literal, SortOrder
from twinspark.plan.relations import Field, Range, Relation
from twinspark.read.proto.expressions import is_position, read_columns, read_expression, read_orders
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.mistakes import check_told_first
from twinspark.read.proto.route import Routes
from twinspark.read.views import with_files
from twinspark.types import INT, LONG, quote_identifier

RELATIONS = Routes("rel_type")


def read_frame(message: Any, context: Context) -> Frame:
    """A relation with the names seen from above it."""
    handler, member = RELATIONS.of(message)
    frame: Frame = handler(member, context)
    return frame.with_plan_id(message.common.plan_id) if message.common.HasField("plan_id") else frame


def read_relation(message: Any, context: Context) -> Relation:
    """The typed plan of a relation message; NotNative says why it is Spark's."""
    try:
        return with_files(context, lambda: read_frame(message, context)).plain()
    except SparkError as error:
        check_told_first(message, error, context)
        raise


# ---- no input


@RELATIONS.handles("range")
def read_range(message: Any, context: Context) -> Frame:
    if message.step == 0:
        raise NotNative("a range whose step is zero")
    bounds = {"start": message.start, "end": message.end, "step": message.step, "partitions": message.num_partitions}
    return frame_of(Range(**bounds, fields=(Field("id", LONG, False),)))


# ---- projections


@RELATIONS.handles("project")
def read_project(message: Any, context: Context) -> Frame:
    frame = read_input(message, context)
    scope = Scope(frame, context)
    return select(frame, read_columns(message.expressions, scope), context)


def read_input(message: Any, context: Context) -> Frame:
    if not message.HasField("input"):
        raise NotNative("a projection without input")
    return read_frame(message.input, context)


def select(frame: Frame, columns: list[Named], context: Context) -> Frame:
    """A projection; aggregates in it make it a global aggregation, a generator multiplies its rows."""
    if any(has_generator(column.expression) for column in columns):
        return generate(frame, columns, context.settings)
    if any(has_aggregate(column.expression) for column in columns):
        return aggregate(frame, [], columns)
    return make.project(frame, columns)


@RELATIONS.handles("with_columns")
def read_with_columns(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    scope = Scope(frame, context)
    columns = []
    for alias in sorted(message.aliases, key=place_in(frame, context)):
        (column,) = read_columns([alias_expression(alias)], scope)
        columns.append(column if alias.metadata else replace(column, metadata=(), is_whole=True))
    check_distinct_names([c.name for c in columns], context)
    if any(has_generator(c.expression) or has_aggregate(c.expression) for c in columns):
        return select(frame, make.with_columns(frame, columns, context.settings), context)
    made = appended(frame, columns, context.settings)
    return made or make.project(frame, make.with_columns(frame, columns, context.settings))


def place_in(frame: Frame, context: Context) -> Callable[[Any], int]:
    """The first column that an alias replaces; new ones come last. Of two errors the one further left is told."""
    same = alike(context.settings.case_sensitive)
    names = [attribute.name for attribute in frame.attributes]

    def place(alias: Any) -> int:
        return next((i for i, name in enumerate(names) if same(name, alias.name[0])), len(names))

    return place


def alias_expression(alias: Any) -> Any:
    return expressions_pb2.Expression(alias=alias)


def check_distinct_names(names: list[str], context: Context) -> None:
    shown = names if context.settings.case_sensitive else [name.lower() for name in names]
    twice = next((name for name in shown if shown.count(name) > 1), None)
    if twice is not None:
        raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(twice))


@RELATIONS.handles("with_columns_renamed")
def read_with_columns_renamed(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    renames = [(r.col_name, r.new_col_name) for r in message.renames] or list(message.rename_columns_map.items())
    return make.renamed(frame, renames, context.settings)


@RELATIONS.handles("to_df")
def read_to_df(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    names = list(message.column_names)
    if len(names) != len(frame.attributes):
        raise SparkError("ASSIGNMENT_ARITY_MISMATCH", numExpr=len(names), numTarget=len(frame.attributes))
    columns = [Named(frame.column(a), name, a.metadata) for a, name in zip(frame.attributes, names, strict=True)]
    return make.project(frame, columns)


@RELATIONS.handles("drop")
def read_drop(message: Any, context: Context) -> Frame:
    """By name: every column of that name; by column: the one it means, if any (Dataset.drop)."""
    frame = read_frame(message.input, context)
    dropped = {i for name in message.column_names for i in make.find_columns(frame, name, context.settings)}
    for column in message.columns:
        dropped |= dropped_column(column, frame, context)
    keep = [a for i, a in enumerate(frame.attributes) if i not in dropped]
    return make.project(frame, [passing(frame, a) for a in keep])


STRICT = "spark.sql.analyzer.strictDataFrameColumnResolution"


def no_column_of(message: Any, frame: Frame, error: SparkError) -> set[int]:
    """A column that is gone drops nothing; one of a DataFrame that was never here is an error."""
    if message.HasField("plan_id") and message.plan_id not in frame.plans:
        raise error
    return set()


def dropped_column(message: Any, frame: Frame, context: Context) -> set[int]:
    try:
        (named,) = read_columns([message], Scope(frame, replace(context, config={**context.config, STRICT: "true"})))
    except SparkError as error:
        if error.condition.startswith(("UNRESOLVED_COLUMN", "CANNOT_RESOLVE_DATAFRAME_COLUMN")):
            return no_column_of(message.unresolved_attribute, frame, error)
        raise
    if named.passes is None:
        return set()
    return {i for i, a in enumerate(frame.attributes) if a.id == named.passes.id}


@RELATIONS.handles("subquery_alias")
def read_subquery_alias(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    return frame.qualified((*message.qualifier, *attribute_parts(message.alias)))


# ---- rows


@RELATIONS.handles("filter")
def read_filter(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    scope = Scope(frame, context, reveals=True)
    with below_groups(message, frame):
        condition = read_expression(message.condition, scope)
    if has_aggregate(condition):
        raise NotNative("an aggregate in a filter")
    if has_generator(condition):
        raise NotNative("a generator in a filter")
    return make.filter(scope.frame, condition, context.settings)


@contextmanager
def below_groups(message: Any, frame: Frame) -> Iterator[None]:
    """Above groups Spark finds a key by the expression it was made of, with columns that are there no more."""
    try:
        yield
    except SparkError as error:
        grouped = message.input.WhichOneof("rel_type") == "aggregate"
        if grouped and error.condition == "CANNOT_RESOLVE_DATAFRAME_COLUMN":
            raise NotNative("a column of the rows below, above their groups") from error
        if grouped and error.condition.startswith("UNRESOLVED_COLUMN") and repeats_names(frame):
            raise NotNative("a name of several groups' columns, or of one below", nearest=error) from error
        raise


def repeats_names(frame: Frame) -> bool:
    return len({attribute.name.lower() for attribute in frame.attributes}) < len(frame.attributes)


@RELATIONS.handles("sort")
def read_sort(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    scope = Scope(frame, context, reveals=True, lenient=True, shown=frame)
    with below_groups(message, frame):
        ordering = [by_position(order, scope) for order in read_orders(message.order, scope)]
    if any(has_aggregate(order.child) for order in ordering):
        raise NotNative("an aggregate in a sort")
    is_global = not message.HasField("is_global") or message.is_global
    return make.sort(scope.frame, ordering, is_global)


def by_position(order: SortOrder, scope: Scope) -> SortOrder:
    """A constant int is the place of a column."""
    if not is_position(order.child) or not scope.context.flag("spark.sql.orderByOrdinal"):
        return order
    assert isinstance(order.child, Literal)
    place, attributes = order.child.value, scope.frame.attributes
    if not 1 <= place <= len(attributes):
        raise SparkError("ORDER_BY_POS_OUT_OF_RANGE", index=place, size=len(attributes))
    return replace(order, child=scope.frame.column(attributes[place - 1]))


@RELATIONS.handles("limit")
def read_limit(message: Any, context: Context) -> Frame:
    return make.limit(read_frame(message.input, context), message.limit)


@RELATIONS.handles("offset")
def read_offset(message: Any, context: Context) -> Frame:
    return make.limit(read_frame(message.input, context), None, message.offset)


@RELATIONS.handles("tail")
def read_tail(message: Any, context: Context) -> Frame:
    return make.tail(read_frame(message.input, context), message.limit)


@RELATIONS.handles("deduplicate")
def read_deduplicate(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    if message.within_watermark and not context.streams:
        raise NotNative("deduplication within a watermark")
    if message.all_columns_as_keys:
        return make.distinct(frame)
    if not message.column_names:
        raise NotNative("deduplication by no columns")
    keys: list[int] = []
    for name in message.column_names:
        found = make.find_columns(frame, name, context.settings)
        if not found:
            names = ", ".join(a.name for a in frame.attributes)
            condition = "CONNECT_INVALID_PLAN.UNRESOLVED_COLUMN_AMONG_FIELD_NAMES"
            raise SparkError(condition, colName=name, fieldNames=names)
        keys += found
    return make.distinct(frame, tuple(keys))


@RELATIONS.handles("collect_metrics")
def read_collect_metrics(message: Any, context: Context) -> Frame:
    frame = read_frame(message.input, context)
    return observe(frame, message.name, read_columns(message.metrics, Scope(frame, context)))


PARTITION_HINTS = frozenset({"COALESCE", "REPARTITION", "REPARTITION_BY_RANGE", "REBALANCE"})


@RELATIONS.handles("hint")
def read_hint(message: Any, context: Context) -> Frame:
    """Hints change no answer here but the order of rows; what Spark refuses is Spark's to refuse."""
    numbers = [each.literal.integer for each in message.parameters]  # 0 of whatever is no such number
    if message.name.upper() in PARTITION_HINTS and not (len(numbers) == 1 and numbers[0] > 0):
        raise NotNative(f"the hint {message.name} with other than a number of partitions")
    return make.spread(read_frame(message.input, context))


@RELATIONS.handles("repartition")
def read_repartition(message: Any, context: Context) -> Frame:
    """How rows are spread over partitions changes no answer but their order, and what is asked of partitions."""
    context.shuffles = True
    how = "rounds" if not message.HasField("shuffle") or message.shuffle else "coalesce"
    return make.spread(read_frame(message.input, context), how, message.num_partitions)


@RELATIONS.handles("repartition_by_expression")
def read_repartition_by_expression(message: Any, context: Context) -> Frame:
    context.shuffles = True
    scope = Scope(read_frame(message.input, context), context)
    found = [partition_key(expression, scope) for expression in message.partition_exprs]
    hows = {how for how, _ in found}
    how = hows.pop() if len(hows) == 1 and message.num_partitions > 0 else ""
    return make.spread(scope.frame, how, message.num_partitions, [key for _, key in found])


def partition_key(message: Any, scope: Scope) -> tuple[str, SortOrder]:
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
            sqlExpr=quoted(f"direct_shuffle_partition_id({child.text})"),
            paramIndex="first",
            inputSql=quoted(child.text),
            inputType=type_text(child.type),
            requiredType='"INT"',
        )


RELATIONS.part_of(catalog="the session, which answers spark.catalog's calls")
RELATIONS.to_spark(
    catalog="a catalog call inside a plan",
    apply_in_pandas_with_state="streaming runs on Spark",
    common_inline_user_defined_data_source="a Python data source that nobody registered",
    ml_relation="machine learning runs on Spark",
    relation_changes="change feeds run on Spark",
    extension="extensions of the protocol",
    unknown="a relation that is not set",
)
