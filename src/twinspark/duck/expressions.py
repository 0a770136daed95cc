"""Writes typed expressions as DuckDB SQL, one method for each class of node."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from twinspark.analysis.plan_limits import check_lambda
from twinspark.duck.constants import without_special_moments
from twinspark.duck.literals import literal_sql
from twinspark.duck.short_sums import short_sum
from twinspark.duck.stable_ties import BY_ROW, is_sensitive
from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.cast_sql import cast_sql
from twinspark.functions.notation.registry import SPARK, Signature
from twinspark.functions.notation.sql_text import LambdaText, Over, Suffix, mark_parameter
from twinspark.functions.notation.value_memory import (
    COPIES,
    LONG_LITERAL,
    is_large,
    prevent_folding,
    room_for,
    size_of,
    unfold_list,
    with_room,
    with_room_each,
)
from twinspark.functions.strings.collations import key_sql
from twinspark.plan.dispatch import by_class
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Expression,
    GetField,
    Lambda,
    Literal,
    MakeStruct,
    OuterColumn,
    PythonCall,
    SortOrder,
    Subquery,
    Variable,
    WindowCall,
    WindowFrame,
    spark_only,
)
from twinspark.plan.python_relations import PythonAggregateCall
from twinspark.types import (
    ArrayType,
    DataType,
    DateType,
    DayTimeIntervalType,
    DoubleType,
    FloatType,
    MapType,
    StructType,
    UserDefinedType,
    VariantType,
    YearMonthIntervalType,
    is_string,
    nested_types,
)
from twinspark.types.duckdb import duck_name, duck_type

INSENSITIVE_TO_DISTINCT = frozenset({"min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "collect_set"})


@dataclass(frozen=True)
class Writer:
    """`inputs` are the SQL texts of the input's columns, `outer` those of the outer queries, innermost first;
    `subquery` writes the relation of a subquery; the rest belongs to the statement."""

    inputs: Sequence[str]
    outer: tuple[Sequence[str], ...]
    subquery: SubqueryWriter
    shortcuts: dict[str, str] = field(default_factory=dict)
    asks_for_memory: bool = False
    place: str = ""  # the row number column that breaks ties in a window's order, if that is needed

    def columns(self, nodes: Sequence[Expression]) -> list[str]:
        """Plain columns, which most are, need no dispatch."""
        return [self.inputs[n.index] if n.__class__ is Column else self.write(n) for n in nodes]

    @by_class
    def write(self, node: Expression) -> str:
        raise NotNative(reasons.OPERATION_KIND, type(node).__name__)

    @write.register
    def write_column(self, node: Column) -> str:
        return self.inputs[node.index]

    @write.register
    def write_outer_column(self, node: OuterColumn) -> str:
        return self.outer[node.depth - 1][node.index]

    @write.register
    def write_literal(self, node: Literal) -> str:
        text = literal_sql(node.value, node.type)
        return prevent_folding(text) if isinstance(node.value, str | bytes) and len(node.value) > LONG_LITERAL else text

    @write.register
    def write_cast(self, node: Cast) -> str:
        child = self.write(node.child)
        if (
            self.asks_for_memory
            and is_large(node.type)
            and is_large(node.child.type)
            and not is_string(node.child.type)
        ):
            child = room_for(child, f"{COPIES} * coalesce({size_of(child, node.child.type)}, 0)")
        child = without_special_moments(node, child)
        return cast_sql(child, node.child.type, node.type, node.mode, node.settings)

    @write.register
    def write_case(self, node: Case) -> str:
        branches = " ".join(f"WHEN {self.write(when)} THEN {self.write(then)}" for when, then in node.branches)
        last = f" ELSE {self.write(node.otherwise)}" if node.otherwise is not None else ""
        return f"(CASE {branches}{last} END)"

    @write.register
    def write_get_field(self, node: GetField) -> str:
        assert isinstance(node.child.type, StructType)
        return f"({self.write(node.child)}).{duck_name(node.child.type.fields[node.ordinal].name)}"

    @write.register
    def write_struct(self, node: MakeStruct) -> str:
        assert isinstance(node.type, StructType)
        duck_type(node.type)
        parts = [
            f"{duck_name(field.name)} := {self.write(value)}"
            for field, value in zip(node.type.fields, node.values, strict=True)
        ]
        return f"struct_pack({', '.join(parts)})"

    @write.register
    def write_variable(self, node: Variable) -> str:
        return mark_parameter(node.key)

    @write.register
    def write_lambda(self, node: Lambda) -> str:
        check_lambda(node)
        body = self.write(node.body)
        keys = [parameter.key for parameter in node.parameters]
        if self.asks_for_memory and is_large(node.body.type):
            body = with_room_each(body, node.body.type, mark_parameter(keys[0]))
        return LambdaText(keys, body)

    @write.register
    def write_subquery(self, node: Subquery) -> str:
        return self.subquery(node, self)

    @write.register
    def write_aggregate_call(self, node: AggregateCall) -> str:
        return self.aggregate(node)

    @write.register
    def write_call(self, node: Call) -> str:
        return self.call(node)

    @write.register
    def write_python_call(self, node: PythonCall | PythonAggregateCall) -> str:
        raise NotNative(reasons.PYTHON_FUNCTION_POSITION, "only Spark decides when it calls the function")

    @write.register
    def write_window_call(self, node: WindowCall) -> str:
        if isinstance(node.function, PythonAggregateCall):
            raise NotNative(reasons.PYTHON_FUNCTION_POSITION, "an aggregate function over a window")
        over = Over(f" OVER ({self.window(node)})", bool(node.ordering), frame_rows(node.frame))
        if isinstance(node.function, AggregateCall):
            order = self.order(node.ordering) + f", {self.place}" if self.breaks_ties(node, False) else ""
            return self.aggregate(node.function, over, order)
        return self.call(node.function, Suffix(over=over))

    # ---- calls

    def call(self, node: Call, suffix: Suffix | None = None) -> str:
        arguments = [self.write(argument) for argument in node.arguments]
        if self.asks_for_memory:
            arguments = unfold_list(node, with_room(node, arguments))
        return render(node, arguments, {"suffix": suffix or ""})

    def aggregate(self, node: AggregateCall, over: Over | None = None, order: str = "") -> str:
        text = self.aggregate_call(node, over, order)
        short = None if over else short_sum(node)
        if short is not None:
            self.shortcuts[text] = f"CAST({self.aggregate_call(short, over)} AS {duck_type(node.type)})"
        return text

    def aggregate_call(self, node: AggregateCall, over: Over | None, order: str = "") -> str:
        """DISTINCT, FILTER and OVER come right after the call, inside of any cast around it."""
        distinct = node.distinct and node.name not in INSENSITIVE_TO_DISTINCT
        if distinct and not has_placeholder(node.signature, "distinct"):
            raise NotNative(reasons.AGGREGATE_DISTINCT, node.name)
        condition = self.write(node.filter) if node.filter is not None else ""
        arguments = [self.guard_argument(argument, node) for argument in node.arguments]
        facts = {
            "suffix": Suffix(condition, over),
            "distinct": "DISTINCT " if distinct else "",
            "order": order or self.order(node.ordering),
        }
        return render(node, arguments, facts)

    def guard_argument(self, argument: Expression, node: AggregateCall) -> str:
        """DuckDB evaluates an argument for every row; Spark only for those that pass the FILTER, unless it is
        DISTINCT."""
        text = self.write(argument)
        if node.filter is None or node.distinct or isinstance(argument, Column | Literal):
            return text
        return f"(CASE WHEN {self.write(node.filter)} THEN {text} END)"

    # ---- windows and orders

    def window(self, node: WindowCall) -> str:
        parts = []
        if node.partition:
            parts.append("PARTITION BY " + ", ".join(self.key(p) for p in node.partition))
        if node.ordering:
            parts.append(
                self.order(node.ordering).strip() + (f", {self.place}" if self.breaks_ties(node, True) else "")
            )
        if node.frame is not None and node.function.name not in FRAMELESS:
            parts.append(self.frame(node.frame, node.ordering))
        return " ".join(parts)

    def breaks_ties(self, node: WindowCall, in_window: bool) -> bool:
        """Whether ties are broken by row number, in the window's order or, for RANGE frames, in the call's own
        order."""
        if not self.place or not is_sensitive(node):
            return False
        by_rows = node.function.name in BY_ROW or (node.frame is not None and node.frame.rows)
        return by_rows if in_window else not by_rows

    def order(self, ordering: Sequence[SortOrder]) -> str:
        return " ORDER BY " + ", ".join(map(self.sort_order, ordering)) if ordering else ""

    def sort_order(self, order: SortOrder) -> str:
        return f"{self.sort_value(order)} {direction(order)}"

    def sort_value(self, order: SortOrder) -> str:
        """The value by which DuckDB sorts rows as Spark would by this key."""
        sql = key_sql(self.write(order.child), order.child.type)
        return sort_key(not_ordinal(sql), order.child.type)

    def key(self, expression: Expression) -> str:
        """A grouping key: in Spark 0.0 and -0.0 are one group, shown as 0.0 (NormalizeFloatingNumbers)."""
        check_groupable(expression.type)
        sql = key_sql(self.write(expression), expression.type)
        if isinstance(expression.type, FloatType | DoubleType):
            return f"CAST({sql} + 0 AS {duck_type(expression.type)})"
        return not_ordinal(sql)

    def frame(self, frame: WindowFrame, ordering: Sequence[SortOrder]) -> str:
        kind = "ROWS" if frame.rows else "RANGE"
        days = not frame.rows and len(ordering) == 1 and isinstance(ordering[0].child.type, DateType)
        return f"{kind} BETWEEN {self.bound(frame.lower, False, days)} AND {self.bound(frame.upper, True, days)}"

    def bound(self, bound: Expression | int | None, upper: bool, days: bool = False) -> str:
        """`days`: integers are days of a date."""
        if bound is None:
            return "UNBOUNDED FOLLOWING" if upper else "UNBOUNDED PRECEDING"
        if isinstance(bound, Literal):
            return interval_bound(bound)
        if not isinstance(bound, int):
            raise NotNative(reasons.WINDOW_FRAME, "a bound that is not a whole number")
        if bound == 0:
            return "CURRENT ROW"
        shown = f"to_days({abs(bound)})" if days else str(abs(bound))
        return f"{shown} {'FOLLOWING' if bound > 0 else 'PRECEDING'}"


def frame_rows(frame: WindowFrame | None) -> int | None:
    """The number of rows of a ROWS frame around the current one; None for other frames."""
    if frame is None or not frame.rows or not isinstance(frame.lower, int) or not isinstance(frame.upper, int):
        return None
    return abs(frame.lower) + abs(frame.upper)


def interval_bound(bound: Literal) -> str:
    if isinstance(bound.type, YearMonthIntervalType):
        length = f"to_months({abs(bound.value)})"
    elif isinstance(bound.type, DayTimeIntervalType):
        length = f"to_microseconds({abs(bound.value)})"
    else:
        raise NotNative(reasons.WINDOW_FRAME, "a bound that is neither a whole number nor an interval")
    return f"{length} {'PRECEDING' if bound.value < 0 else 'FOLLOWING'}"


class SubqueryWriter:
    """Writes a subquery; implemented in duck.relations."""

    def __call__(self, node: Subquery, writer: Writer) -> str:
        raise NotNative(reasons.SUBQUERY_POSITION)


FRAMELESS = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"})


def direction(order: SortOrder) -> str:
    return f"{'ASC' if order.ascending else 'DESC'} NULLS {'FIRST' if order.nulls_first else 'LAST'}"


def not_ordinal(sql: str) -> str:
    """A number literal in ORDER BY or GROUP BY would be a column position."""
    return f"CAST({sql} AS INTEGER)" if sql.isdigit() else sql


def has_placeholder(signature: Signature, name: str) -> bool:
    return not isinstance(signature.writer, str) or f"{{{name}}}" in signature.writer


def render(node: Call, arguments: Sequence[str], facts: dict[str, str]) -> str:
    """Renders a function's DuckDB template with these arguments."""
    writer = node.signature.writer
    if writer is SPARK:
        raise spark_only(node)
    check_growth(node, arguments)
    if isinstance(writer, str):
        return fill(writer, node, arguments, facts)
    assert callable(writer)
    if isinstance(node, AggregateCall) or facts.get("suffix"):
        return writer(node, *arguments, **facts)
    return writer(node, *arguments)


MOST_TEXT = 1_000_000
MOST_GROWTH = 20  # SQL length relative to Spark's text of the call


def check_growth(node: Call, arguments: Sequence[str]) -> None:
    """Templates may repeat an argument: nested calls then grow by that factor at every level."""
    size = sum(map(len, arguments))
    if size > MOST_TEXT and size > MOST_GROWTH * len(node.text):
        raise NotNative(reasons.QUERY_TOO_LARGE, f"{node.name} is nested so often that its SQL grows too long")


def fill(template: str, node: Call, arguments: Sequence[str], facts: dict[str, str]) -> str:
    if "{suffix}" not in template:
        template += "{suffix}"
    return template.format(
        *arguments,
        args=", ".join(arguments),
        type=duck_type(node.type) if "{type}" in template else "",
        **{"distinct": "", "order": "", "suffix": "", **facts},
    )


NO_ORDER = (MapType, VariantType, UserDefinedType)


def sort_key(sql: str, type: DataType) -> str:
    """Inside nested values DuckDB sorts nulls last and Spark first, so that keys of the extension are used."""
    if any(isinstance(inner, NO_ORDER) for inner in nested_types(type)):
        raise NotNative(reasons.TYPE_NOT_COMPARABLE, "sorting by maps, variants or user-defined types")
    return f"spark_sort_key([{sql}])" if isinstance(type, ArrayType | StructType) else sql


def check_groupable(type: DataType) -> None:
    """Rejects maps, which are equal in any order of their entries, variants and user-defined types."""
    if any(isinstance(inner, NO_ORDER) for inner in nested_types(type)):
        raise NotNative(reasons.TYPE_NOT_COMPARABLE, "grouping by maps, variants or user-defined types")
