"""Calls of Python table functions: arguments that are values or tables, and what an analyze method says of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from twinspark.analysis import relations as make
from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.python_calls import check_keys, workers_of
from twinspark.analysis.relations import Named, passing
from twinspark.analysis.scope import Frame
from twinspark.errors import NotNative, SparkError
from twinspark.plan.expressions import (
    Call,
    Column,
    Expression,
    Literal,
    OuterColumn,
    PythonCall,
    SortOrder,
    Subquery,
    Variable,
)
from twinspark.plan.python_functions import Analyzed, AnalyzedArgument, PythonFunction, Workers
from twinspark.plan.pythons import PythonTable
from twinspark.plan.relations import Field, OneRow, Project, Relation
from twinspark.plan.rewrite import walk
from twinspark.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DataType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructType,
)

PARTITION = "partition_by_"
PICKLED = (BooleanType, ByteType, ShortType, IntegerType, LongType, FloatType, DoubleType, StringType, DecimalType)
MANY_TABLES = "spark.sql.tvf.allowMultipleTableArguments.enabled"


@dataclass(frozen=True)
class TableArgument:
    """Rows given to a table function: one call for each part that `partition` makes of them, or for all together
    (`is_single`), in an order; `selected` are the columns it gets, if it chose some."""

    frame: Frame
    partition: tuple[Expression, ...] = ()
    ordering: tuple[SortOrder, ...] = ()
    is_single: bool = False
    selected: tuple[Named, ...] = ()

    @property
    def is_divided(self) -> bool:
        return self.is_single or bool(self.partition)


@dataclass(frozen=True)
class Texts:
    """Reads the SQL texts that analyze methods give; `is_named` tells whether a text gives an alias."""

    read: Callable[[str, Scope], Named]
    is_named: Callable[[str, Scope], bool]


Given: TypeAlias = tuple[str | None, Expression | TableArgument]


def table_call(
    function: PythonFunction,
    fields: tuple[Field, ...] | None,
    arguments: Sequence[Given],
    context: Context,
    texts: Texts,
) -> Relation:
    """The rows of a call; where no columns are declared, the function's analyze method is asked for them."""
    check_keys(function, arguments)
    analyzed = None
    if fields is None:
        analyzed = workers_of(context).analyze(function, [told(name, value, context) for name, value in arguments])
        fields = tuple(Field(f.name, f.dataType, f.nullable, tuple(f.metadata.items())) for f in analyzed.schema.fields)
        arguments = [
            (name, applied(analyzed, value, function, context, texts) if isinstance(value, TableArgument) else value)
            for name, value in arguments
        ]
    tables = [value for _, value in arguments if isinstance(value, TableArgument)]
    check_tables(tables, context)
    call = Called(function, fields, workers_of(context), analyzed.result if analyzed is not None else None)
    return over_rows(call, arguments, tables[0]) if tables else over_values(call, arguments)


@dataclass(frozen=True)
class Called:
    """What is the same for all arguments."""

    function: PythonFunction
    fields: tuple[Field, ...]
    workers: Workers
    analyzed: bytes | None


def check_tables(tables: Sequence[TableArgument], context: Context) -> None:
    if len(tables) < 2:
        return
    if context.config.get(MANY_TABLES, "false").lower() == "true":
        raise NotNative("several tables as arguments of one function")
    raise SparkError("TABLE_VALUED_FUNCTION_TOO_MANY_TABLE_ARGUMENTS", num=str(len(tables)))


def distinct_values(arguments: Sequence[Given]) -> list[Expression]:
    """Equal arguments are sent once."""
    values: list[Expression] = []
    for _, value in arguments:
        if isinstance(value, Expression) and value not in values:
            values.append(value)
    return values


def over_values(call: Called, arguments: Sequence[Given]) -> PythonTable:
    """One call: its arguments are one row."""
    values = distinct_values(arguments)
    sent = tuple(Field(f"_{place}", value.type, value.nullable) for place, value in enumerate(values))
    source = Project(input=OneRow(), expressions=tuple(values), fields=sent)
    return call_of(call, arguments, values, source)


def over_rows(call: Called, arguments: Sequence[Given], table: TableArgument) -> PythonTable:
    """One call for each row of a table: the other arguments, then the table's columns and what divides them."""
    values = distinct_values(arguments)
    if any(isinstance(node, Column | OuterColumn) for value in values for node in walk(value)):
        raise NotNative("a table and columns as arguments of one function")
    if len(set(table.partition)) < len(table.partition):
        raise NotNative("a table that is divided twice by the same")
    keys = [SortOrder(child=each) for each in table.partition]
    frame = make.sort(table.frame, [*keys, *table.ordering]) if keys or table.ordering else table.frame
    columns = table.selected or [passing(frame, attribute) for attribute in frame.attributes]
    if any(column.name.lower().startswith(PARTITION) for column in columns):
        raise NotNative("a column under a name that divides tables")
    extra = [Named(each, f"{PARTITION}{place}") for place, each in enumerate(table.partition)]
    sent = [Named(value, f"_{place}") for place, value in enumerate(values)]
    made = call_of(call, arguments, values, make.project(frame, [*sent, *columns, *extra]).plain())
    places = range(len(columns), len(columns) + len(extra))
    return replace(made, has_table=True, partition=tuple(places), is_divided=table.is_divided)


def call_of(call: Called, arguments: Sequence[Given], values: Sequence[Expression], source: Relation) -> PythonTable:
    """The table, if there is one, is the last of what is sent."""
    return PythonTable(
        input=source,
        function=call.function,
        offsets=tuple(len(values) if isinstance(v, TableArgument) else values.index(v) for _, v in arguments),
        keys=tuple(key for key, _ in arguments),
        values=len(values),
        analyzed=call.analyzed,
        fields=call.fields,
        workers=call.workers,
    )


# ---- analyze methods


def told(name: str | None, value: Expression | TableArgument, context: Context) -> AnalyzedArgument:
    if isinstance(value, TableArgument):
        return AnalyzedArgument(name, value.frame.plain().schema, is_table=True)
    if isinstance(value, Literal):
        return AnalyzedArgument(name, value.type, is_constant=True, value=value.value)
    if is_constant(value):
        return AnalyzedArgument(name, value.type, is_constant=True, value=computed(value, context))
    return AnalyzedArgument(name, value.type)


def computed(value: Expression, context: Context) -> Any:
    """A constant's value as pickles hold it."""
    row = Project(input=OneRow(), expressions=(value,), fields=(Field("value", value.type, value.nullable),))
    return as_pickled(context.collect(row, context).column(0)[0].as_py(), value.type)


def as_pickled(value: Any, type: DataType) -> Any:
    if value is None or isinstance(type, PICKLED):
        return value
    if isinstance(type, ArrayType):
        return [as_pickled(each, type.elementType) for each in value]
    if isinstance(type, StructType):
        return tuple(as_pickled(value[field.name], field.dataType) for field in type.fields)
    if isinstance(type, MapType) and len(value) < 2:  # of more only the JVM knows the order
        return {as_pickled(key, type.keyType): as_pickled(each, type.valueType) for key, each in value}
    raise NotNative(f"an analyze method that is told a computed {type.simpleString()}")


def is_constant(value: Expression) -> bool:
    changing = (Column, OuterColumn, PythonCall, Subquery, Variable)
    return not any(
        isinstance(node, changing) or (isinstance(node, Call) and not node.signature.deterministic)
        for node in walk(value)
    )


def applied(
    analyzed: Analyzed, table: TableArgument, function: PythonFunction, context: Context, texts: Texts
) -> TableArgument:
    """The table as the function wants it (PythonUDTFAnalyzeResult.applyToTableArgument)."""
    check_metadata(analyzed, table, function)
    scope = Scope(table.frame, context)
    partition = tuple(read_text(text, scope, texts).expression for text in analyzed.partition)
    return replace(
        table,
        is_single=table.is_single or analyzed.is_single,
        partition=partition or table.partition,
        ordering=tuple(order_of(*each, scope, texts) for each in analyzed.ordering) or table.ordering,
        selected=tuple(selected(text, alias, scope, texts) for text, alias in analyzed.selected),
    )


def check_metadata(analyzed: Analyzed, table: TableArgument, function: PythonFunction) -> None:
    invalid = "TABLE_VALUED_FUNCTION_REQUIRED_METADATA_INVALID"
    if analyzed.is_single and analyzed.partition:
        reason = "the 'with_single_partition' field cannot be assigned to true if the 'partition_by' list is non-empty"
        raise SparkError(invalid, functionName=function.name, reason=reason)
    if analyzed.ordering and not analyzed.is_single and not analyzed.partition:
        reason = (
            "the 'order_by' field cannot be non-empty unless the 'with_single_partition' field is set to true or "
            "the 'partition_by' list is non-empty"
        )
        raise SparkError(invalid, functionName=function.name, reason=reason)
    if (analyzed.is_single or analyzed.partition) and table.is_divided:
        raise SparkError(
            "TABLE_VALUED_FUNCTION_REQUIRED_METADATA_INCOMPATIBLE_WITH_CALL",
            functionName=function.name,
            requestedMetadata="specified its own required partitioning of the input table",
            invalidFunctionCallProperty="specified the WITH SINGLE PARTITION or PARTITION BY clause; "
            "please remove these clauses and retry the query again.",
        )


def read_text(text: str, scope: Scope, texts: Texts) -> Named:
    if texts.is_named(text, scope):
        raise NotNative("an analyze method that gives a name to what divides a table")
    return texts.read(text, scope)


def order_of(text: str, ascending: bool, nulls_first: bool | None, scope: Scope, texts: Texts) -> SortOrder:
    if texts.is_named(text, scope):
        raise NotNative("an analyze method that gives a name to what orders a table")
    child = texts.read(text, scope).expression
    return SortOrder(child=child, ascending=ascending, nulls_first=ascending if nulls_first is None else nulls_first)


def selected(text: str, alias: str, scope: Scope, texts: Texts) -> Named:
    found = read_text(text, scope, texts)
    if alias:
        return Named(found.expression, alias)
    if not isinstance(found.expression, Column):
        raise NotNative("an analyze method that selects an expression without a name")
    return found
