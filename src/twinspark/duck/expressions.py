"""Writes expressions as DuckDB SQL: one small function per kind of node; nothing is looked up or decided here."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from twinspark.duck.literals import literal_sql
from twinspark.duck.python_extract import PythonInside
from twinspark.duck.short_sums import short_sum
from twinspark.duck.ties import BY_ROW, is_sensitive
from twinspark.errors import NotNative
from twinspark.functions.casts import cast_sql
from twinspark.functions.collations import key_sql
from twinspark.functions.registry import SPARK, Signature
from twinspark.functions.spelling import duck_type, quoted_name
from twinspark.plan.dispatch import by_class
from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Expression,
    Frame,
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
)
from twinspark.plan.pythons import PythonAggregateCall
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
    nested_types,
)

INSENSITIVE_TO_DISTINCT = frozenset({"min", "max", "bool_and", "bool_or", "bit_and", "bit_or", "collect_set"})


@dataclass(frozen=True)
class Writer:
    """`inputs` are the SQL texts of the input's columns, `outer` those of the relations around, nearest first;
    `subquery` writes a relation that stands inside an expression; `shortcuts` are the statement's."""

    inputs: Sequence[str]
    outer: tuple[Sequence[str], ...]
    subquery: SubqueryWriter
    shortcuts: dict[str, str] = field(default_factory=dict)
    place: str = ""  # the column that numbers the rows, where equal ones of a window must be told apart

    def columns(self, nodes: Sequence[Expression]) -> list[str]:
        """Most are columns passed on: they need no dispatch."""
        return [self.inputs[n.index] if n.__class__ is Column else self.write(n) for n in nodes]

    @by_class
    def write(self, node: Expression) -> str:
        raise NotNative(f"an expression of kind {type(node).__name__}")

    @write.register
    def _(self, node: Column) -> str:
        return self.inputs[node.index]

    @write.register
    def _(self, node: OuterColumn) -> str:
        return self.outer[node.depth - 1][node.index]

    @write.register
    def _(self, node: Literal) -> str:
        return literal_sql(node.value, node.type)

    @write.register
    def _(self, node: Cast) -> str:
        return cast_sql(self.write(node.child), node.child.type, node.type, node.mode, node.settings)

    @write.register
    def _(self, node: Case) -> str:
        branches = " ".join(f"WHEN {self.write(when)} THEN {self.write(then)}" for when, then in node.branches)
        last = f" ELSE {self.write(node.otherwise)}" if node.otherwise is not None else ""
        return f"(CASE {branches}{last} END)"

    @write.register
    def _(self, node: GetField) -> str:
        assert isinstance(node.child.type, StructType)
        return f"({self.write(node.child)}).{quoted_name(node.child.type.fields[node.ordinal].name)}"

    @write.register
    def _(self, node: MakeStruct) -> str:
        assert isinstance(node.type, StructType)
        duck_type(node.type)
        parts = [
            f"{quoted_name(field.name)} := {self.write(value)}"
            for field, value in zip(node.type.fields, node.values, strict=True)
        ]
        return f"struct_pack({', '.join(parts)})"

    @write.register
    def _(self, node: Variable) -> str:
        return node.key

    @write.register
    def _(self, node: Lambda) -> str:
        return f"lambda {', '.join(p.key for p in node.parameters)}: {self.write(node.body)}"

    @write.register
    def _(self, node: Subquery) -> str:
        return self.subquery(node, self)

    @write.register
    def _(self, node: AggregateCall) -> str:
        return self.aggregate(node, "")

    @write.register
    def _(self, node: Call) -> str:
        return self.call(node)

    @write.register
    def _(self, node: PythonCall | PythonAggregateCall) -> str:
        raise PythonInside("a Python function where only Spark knows when to call it")

    @write.register
    def _(self, node: WindowCall) -> str:
        if isinstance(node.function, PythonAggregateCall):
            raise PythonInside("a Python aggregate over a window")
        over = f" OVER ({self.window(node)})"
        if isinstance(node.function, AggregateCall):
            order = self.order(node.ordering) + f", {self.place}" if self.by_place(node, False) else ""
            return self.aggregate(node.function, over, order)
        return self.call(node.function, over)

    # ---- calls

    def call(self, node: Call, suffix: str = "") -> str:
        arguments = [self.write(argument) for argument in node.arguments]
        return render(node, arguments, {"suffix": suffix})

    def aggregate(self, node: AggregateCall, over: str, order: str = "") -> str:
        text = self.aggregated(node, over, order)
        short = None if over else short_sum(node)
        if short is not None:
            self.shortcuts[text] = f"CAST({self.aggregated(short, over)} AS {duck_type(node.type)})"
        return text

    def aggregated(self, node: AggregateCall, over: str, order: str = "") -> str:
        """DISTINCT, FILTER and OVER stand right behind the call, before any cast around it."""
        distinct = node.distinct and node.name not in INSENSITIVE_TO_DISTINCT
        if distinct and not has_place(node.signature, "distinct"):
            raise NotNative(f"{node.name} of distinct values")
        condition = f" FILTER (WHERE {self.write(node.filter)})" if node.filter is not None else ""
        arguments = [self.filtered(argument, node) for argument in node.arguments]
        facts = {
            "suffix": condition + over,
            "distinct": "DISTINCT " if distinct else "",
            "order": order or self.order(node.ordering),
        }
        return render(node, arguments, facts)

    def filtered(self, argument: Expression, node: AggregateCall) -> str:
        """DuckDB computes it of every row; Spark of those that pass the FILTER, unless it counts distinct ones."""
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
            parts.append(self.order(node.ordering).strip() + (f", {self.place}" if self.by_place(node, True) else ""))
        if node.frame is not None and node.function.name not in FRAMELESS:
            parts.append(self.frame(node.frame, node.ordering))
        return " ".join(parts)

    def by_place(self, node: WindowCall, in_window: bool) -> bool:
        """Equal rows follow their place: in the window's order or, where a range takes equals as one, in the call's."""
        if not self.place or not is_sensitive(node):
            return False
        by_rows = node.function.name in BY_ROW or (node.frame is not None and node.frame.rows)
        return by_rows if in_window else not by_rows

    def order(self, ordering: Sequence[SortOrder]) -> str:
        return " ORDER BY " + ", ".join(map(self.sort_order, ordering)) if ordering else ""

    def sort_order(self, order: SortOrder) -> str:
        direction = "ASC" if order.ascending else "DESC"
        sql = key_sql(self.write(order.child), order.child.type)
        key = sort_key(not_ordinal(sql), order.child.type)
        return f"{key} {direction} NULLS {'FIRST' if order.nulls_first else 'LAST'}"

    def key(self, expression: Expression) -> str:
        """A grouping key: Spark takes 0.0 and -0.0 as one, and shows 0.0 (NormalizeFloatingNumbers)."""
        check_groupable(expression.type)
        sql = key_sql(self.write(expression), expression.type)
        if isinstance(expression.type, FloatType | DoubleType):
            return f"CAST({sql} + 0 AS {duck_type(expression.type)})"
        return not_ordinal(sql)

    def frame(self, frame: Frame, ordering: Sequence[SortOrder]) -> str:
        kind = "ROWS" if frame.rows else "RANGE"
        days = not frame.rows and len(ordering) == 1 and isinstance(ordering[0].child.type, DateType)
        return f"{kind} BETWEEN {self.bound(frame.lower, False, days)} AND {self.bound(frame.upper, True, days)}"

    def bound(self, bound: Expression | int | None, upper: bool, days: bool = False) -> str:
        """`days`: whole numbers are days of a date."""
        if bound is None:
            return "UNBOUNDED FOLLOWING" if upper else "UNBOUNDED PRECEDING"
        if isinstance(bound, Literal):
            return interval_bound(bound)
        if not isinstance(bound, int):
            raise NotNative("a frame bound that is no whole number")
        if bound == 0:
            return "CURRENT ROW"
        shown = f"to_days({abs(bound)})" if days else str(abs(bound))
        return f"{shown} {'FOLLOWING' if bound > 0 else 'PRECEDING'}"


def interval_bound(bound: Literal) -> str:
    if isinstance(bound.type, YearMonthIntervalType):
        length = f"to_months({abs(bound.value)})"
    elif isinstance(bound.type, DayTimeIntervalType):
        length = f"to_microseconds({abs(bound.value)})"
    else:
        raise NotNative("a frame bound that is no whole number and no interval")
    return f"{length} {'PRECEDING' if bound.value < 0 else 'FOLLOWING'}"


class SubqueryWriter:
    """Writes a subquery; duck.relations gives it."""

    def __call__(self, node: Subquery, writer: Writer) -> str:
        raise NotNative("a subquery")


FRAMELESS = frozenset({"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead"})


def not_ordinal(sql: str) -> str:
    """A bare number in ORDER BY or GROUP BY would mean a position."""
    return f"CAST({sql} AS INTEGER)" if sql.isdigit() else sql


def has_place(signature: Signature, name: str) -> bool:
    return not isinstance(signature.writer, str) or f"{{{name}}}" in signature.writer


def render(node: Call, arguments: Sequence[str], facts: dict[str, str]) -> str:
    """A right half with its arguments put in."""
    writer = node.signature.writer
    if writer is SPARK:
        raise NotNative(f"function {node.name}" + (f": {node.signature.reason}" if node.signature.reason else ""))
    if isinstance(writer, str):
        return fill(writer, node, arguments, facts)
    assert callable(writer)
    if isinstance(node, AggregateCall) or facts.get("suffix"):
        return writer(node, *arguments, **facts)
    return writer(node, *arguments)


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
    """Inside nested values DuckDB sorts nulls last, Spark first: the extension's keys sort as Spark does."""
    if any(isinstance(inner, NO_ORDER) for inner in nested_types(type)):
        raise NotNative("an order of maps, variants or user-defined types")
    return f"spark_sort_key([{sql}])" if isinstance(type, ArrayType | StructType) else sql


def check_groupable(type: DataType) -> None:
    """A map equals another whatever the order of its entries."""
    if any(isinstance(inner, NO_ORDER) for inner in nested_types(type)):
        raise NotNative("grouping by maps, variants or user-defined types")
