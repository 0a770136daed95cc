"""Builds calls of Python table functions (UDTFs): value and table arguments, and the result of the `analyze` method."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from twinspark.analysis.context import Context
from twinspark.analysis.python.calls import check_keys, workers_of
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.basics import Named, passed_column
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope
from twinspark.errors import NotNative, SparkError, reasons
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
from twinspark.plan.python_functions import AnalyzedArgument, AnalyzeResult, PythonFunction, Workers
from twinspark.plan.python_relations import PythonTable
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
    """A table argument: one call for each partition, or one for all rows (`is_single`), in an order; `selected`: the
    columns that the function requested, if it selected some."""

    frame: Frame
    partition: tuple[Expression, ...] = ()
    ordering: tuple[SortOrder, ...] = ()
    is_single: bool = False
    selected: tuple[Named, ...] = ()

    @property
    def is_divided(self) -> bool:
        return self.is_single or bool(self.partition)


@dataclass(frozen=True)
class AnalyzeTexts:
    """Parses the SQL texts that analyze methods return; `is_named` says whether a text has an alias."""

    read: Callable[[str, Scope], Named]
    is_named: Callable[[str, Scope], bool]


Given: TypeAlias = tuple[str | None, Expression | TableArgument]


def table_call(
    function: PythonFunction,
    fields: tuple[Field, ...] | None,
    arguments: Sequence[Given],
    context: Context,
    texts: AnalyzeTexts,
) -> Relation:
    """The relation of a call; if no return type is declared, the function's analyze method is called."""
    check_keys(function, arguments)
    analyzed = None
    if fields is None:
        analyzed = workers_of(context).analyze(
            function, [analyzed_argument(name, value, context) for name, value in arguments]
        )
        fields = tuple(Field(f.name, f.dataType, f.nullable, tuple(f.metadata.items())) for f in analyzed.schema.fields)
        arguments = [
            (
                name,
                apply_analysis(analyzed, value, function, context, texts)
                if isinstance(value, TableArgument)
                else value,
            )
            for name, value in arguments
        ]
    tables = [value for _, value in arguments if isinstance(value, TableArgument)]
    check_tables(tables, context)
    call = CallFacts(function, fields, workers_of(context), analyzed.result if analyzed is not None else None)
    return over_rows(call, arguments, tables[0]) if tables else over_values(call, arguments)


@dataclass(frozen=True)
class CallFacts:
    """Facts of a call that are the same for all arguments."""

    function: PythonFunction
    fields: tuple[Field, ...]
    workers: Workers
    analyzed: bytes | None


def check_tables(tables: Sequence[TableArgument], context: Context) -> None:
    if len(tables) < 2:
        return
    if context.flag(MANY_TABLES):
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, "several TABLE arguments")
    raise SparkError("TABLE_VALUED_FUNCTION_TOO_MANY_TABLE_ARGUMENTS", num=str(len(tables)))


def distinct_values(arguments: Sequence[Given]) -> list[Expression]:
    """Equal arguments are sent to the worker once."""
    values: list[Expression] = []
    for _, value in arguments:
        if isinstance(value, Expression) and value not in values:
            values.append(value)
    return values


def over_values(call: CallFacts, arguments: Sequence[Given]) -> PythonTable:
    """A call without table arguments: its arguments are one row."""
    values = distinct_values(arguments)
    sent = tuple(Field(f"_{index}", value.type, value.nullable) for index, value in enumerate(values))
    source = Project(input=OneRow(), expressions=tuple(values), fields=sent)
    return call_of(call, arguments, values, source)


def over_rows(call: CallFacts, arguments: Sequence[Given], table: TableArgument) -> PythonTable:
    """A call with a table argument: the rows hold the other arguments, the table's columns and its partition keys."""
    values = distinct_values(arguments)
    if any(isinstance(node, Column | OuterColumn) for value in values for node in walk(value)):
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, "a TABLE argument beside arguments that are columns")
    if len(set(table.partition)) < len(table.partition):
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, "a TABLE argument partitioned twice by the same expression")
    keys = [SortOrder(child=each) for each in table.partition]
    frame = make.sort(table.frame, [*keys, *table.ordering]) if keys or table.ordering else table.frame
    columns = table.selected or [passed_column(frame, attribute) for attribute in frame.attributes]
    if any(column.name.lower().startswith(PARTITION) for column in columns):
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, "a column that has the name of a partitioning expression")
    extra = [Named(each, f"{PARTITION}{index}") for index, each in enumerate(table.partition)]
    sent = [Named(value, f"_{index}") for index, value in enumerate(values)]
    made = call_of(call, arguments, values, make.project(frame, [*sent, *columns, *extra]).plain())
    indexes = range(len(columns), len(columns) + len(extra))
    return replace(made, has_table=True, partition=tuple(indexes), is_divided=table.is_divided)


def call_of(call: CallFacts, arguments: Sequence[Given], values: Sequence[Expression], source: Relation) -> PythonTable:
    """The table argument, if there is one, is the last one sent."""
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


# ---- the analyze method


def analyzed_argument(name: str | None, value: Expression | TableArgument, context: Context) -> AnalyzedArgument:
    if isinstance(value, TableArgument):
        return AnalyzedArgument(name, value.frame.plain().schema, is_table=True)
    if isinstance(value, Literal):
        return AnalyzedArgument(name, value.type, is_constant=True, value=value.value)
    if is_constant(value):
        return AnalyzedArgument(name, value.type, is_constant=True, value=constant_value(value, context))
    return AnalyzedArgument(name, value.type)


def constant_value(value: Expression, context: Context) -> Any:
    """The value of a constant expression in the form that pickle uses."""
    row = Project(input=OneRow(), expressions=(value,), fields=(Field("value", value.type, value.nullable),))
    return as_pickled(context.collect(row, context).column(0)[0].as_py(), value.type)


def as_pickled(value: Any, type: DataType) -> Any:
    if value is None or isinstance(type, PICKLED):
        return value
    if isinstance(type, ArrayType):
        return [as_pickled(each, type.elementType) for each in value]
    if isinstance(type, StructType):
        return tuple(as_pickled(value[field.name], field.dataType) for field in type.fields)
    if isinstance(type, MapType) and len(value) < 2:  # only the JVM knows the entry order of larger maps
        return {as_pickled(key, type.keyType): as_pickled(each, type.valueType) for key, each in value}
    raise NotNative(
        reasons.PYTHON_TABLE_FUNCTION,
        f"the analyze method receives a computed argument of the type {type.simpleString()}",
    )


def is_constant(value: Expression) -> bool:
    changing = (Column, OuterColumn, PythonCall, Subquery, Variable)
    return not any(
        isinstance(node, changing) or (isinstance(node, Call) and not node.signature.deterministic)
        for node in walk(value)
    )


def apply_analysis(
    analyzed: AnalyzeResult, table: TableArgument, function: PythonFunction, context: Context, texts: AnalyzeTexts
) -> TableArgument:
    """Applies the partitioning, ordering and selection that the analyze method returned
    (PythonUDTFAnalyzeResult.applyToTableArgument)."""
    check_metadata(analyzed, table, function)
    scope = Scope(table.frame, context)
    partition = tuple(read_text(text, scope, texts).expression for text in analyzed.partition)
    return replace(
        table,
        is_single=table.is_single or analyzed.is_single,
        partition=partition or table.partition,
        ordering=tuple(order_of(*each, scope, texts) for each in analyzed.ordering) or table.ordering,
        selected=tuple(select_column(text, alias, scope, texts) for text, alias in analyzed.selected),
    )


def check_metadata(analyzed: AnalyzeResult, table: TableArgument, function: PythonFunction) -> None:
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


def read_text(text: str, scope: Scope, texts: AnalyzeTexts) -> Named:
    if texts.is_named(text, scope):
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, "the analyze method names a partitioning expression")
    return texts.read(text, scope)


def order_of(text: str, ascending: bool, nulls_first: bool | None, scope: Scope, texts: AnalyzeTexts) -> SortOrder:
    if texts.is_named(text, scope):
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, "the analyze method names an ordering expression")
    child = texts.read(text, scope).expression
    return SortOrder(child=child, ascending=ascending, nulls_first=ascending if nulls_first is None else nulls_first)


def select_column(text: str, alias: str, scope: Scope, texts: AnalyzeTexts) -> Named:
    found = read_text(text, scope, texts)
    if alias:
        return Named(found.expression, alias)
    if not isinstance(found.expression, Column):
        raise NotNative(reasons.PYTHON_TABLE_FUNCTION, "the analyze method selects an expression without a name")
    return found
