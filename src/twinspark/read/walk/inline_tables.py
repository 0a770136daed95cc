"""Reads VALUES: constant rows, which Spark evaluates during analysis, so that their errors come first."""

from __future__ import annotations

from collections.abc import Sequence

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.determinism import check_values
from twinspark.analysis.relations.basics import Named, project
from twinspark.analysis.scope.frames import frame_of
from twinspark.analysis.scope.names import Scope
from twinspark.analysis.scope.outer_references import outer_in
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.casts.common_types import can_up_cast, common_type_without_strings
from twinspark.plan.expressions import AggregateCall, Call, Cast, Expression, Literal
from twinspark.plan.relations import Field, OneRow, Relation, Values
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.expressions import Walk
from twinspark.types import (
    CalendarIntervalType,
    DataType,
    YearMonthIntervalType,
    is_numeric,
    is_string,
    quote_identifier,
)

IN_VALUES = "UNSUPPORTED_SUBQUERY_EXPRESSION_CATEGORY.SCALAR_SUBQUERY_IN_VALUES"
FAILED = "INVALID_INLINE_TABLE.FAILED_SQL_EXPRESSION_EVALUATION"
INCOMPATIBLE = "INVALID_INLINE_TABLE.INCOMPATIBLE_TYPES_IN_INLINE_TABLE"
NEVER_FAIL = {"array", "named_struct", "struct", "isnull", "isnotnull", "not", "and", "or"}


def inline_values(node: tree.InlineTable, walk: Walk) -> Values:
    check_no_query(node, walk)
    rows = [row_values(row, walk.scope(frame_of(OneRow())), walk) for row in node.rows]
    width = len(rows[0])
    if any(len(row) != width for row in rows):
        raise NotNative(reasons.ERROR_MESSAGE, "VALUES with rows of different widths")
    types = column_types(rows, node, walk)
    made = [[build.implicit_cast(v, t, walk.settings) for v, t in zip(row, types, strict=True)] for row in rows]
    fields = tuple(Field(f"col{i + 1}", types[i], any(row[i].nullable for row in made)) for i in range(width))
    table = Values(rows=tuple(map(tuple, made)), fields=fields)
    check_computable(table, node, walk)
    return table


def row_values(node: tree.Expression, scope: Scope, walk: Walk) -> list[Expression]:
    if isinstance(node, tree.Row | tree.Struct):
        return [walk.column(field, scope).expression for field in node.fields]
    return [walk.read(node, scope)]


def check_no_query(node: tree.InlineTable, walk: Walk) -> None:
    """Rejects subqueries: Spark reports scalar ones before it resolves anything in them; others have errors of their
    own."""
    inside = [each for row in node.rows for each in tree_nodes(row)]
    if any(isinstance(each, tree.Subquery) for each in inside):
        raise walk.with_context(SparkError(IN_VALUES), node)
    if any(isinstance(each, tree.Exists | tree.InSubquery) for each in inside):
        raise NotNative(reasons.EXPRESSION_POSITION, "VALUES with a subquery")
    if any(map(is_not_foldable, inside)):
        raise NotNative(reasons.EXPRESSION_POSITION, "VALUES with an expression that Spark does not fold")


# Spark rewrites them with a common expression (With) or a lambda function, neither of which it folds.
NOT_FOLDABLE = {"nullif", "regexp_substr", "array_compact", "array_sort"}


def is_not_foldable(node: tree.Node) -> bool:
    if isinstance(node, tree.Function) and isinstance(node.name, tree.Name):
        return node.name.parts[-1].lower() in NOT_FOLDABLE
    return isinstance(node, tree.Between | tree.Lambda)


def column_types(rows: Sequence[Sequence[Expression]], node: tree.InlineTable, walk: Walk) -> list[DataType]:
    """Types are coerced by the non-ANSI rules in both modes (EvaluateUnresolvedInlineTable)."""
    found = [common_type_without_strings([row[i].type for row in rows], False) for i in range(len(rows[0]))]
    types = [type for type in found if type is not None]
    if len(types) < len(found):
        at = found.index(None)
        name = node.alias.columns[at] if node.alias and node.alias.columns else f"col{at + 1}"
        raise incompatible(walk.with_context(SparkError(INCOMPATIBLE, colName=quote_identifier(name)), node), rows)
    return types


def incompatible(error: SparkError, rows: Sequence[Sequence[Expression]]) -> Exception:
    """Spark's parser already rejects rows that need no name resolution (AstBuilder.visitInlineTable)."""
    if all(isinstance(cell, Literal) for row in rows for cell in row):
        error.exception = "ParseException"
        return error
    return NotNative(reasons.ERROR_MESSAGE, "VALUES with incompatible types", likely_error=error)


def check_computable(table: Values, node: tree.InlineTable, walk: Walk) -> None:
    """Evaluates the rows now if an expression in them could fail; they are evaluated again when the query runs."""
    if any(True for row in table.rows for cell in row for _ in outer_in(cell)):
        raise NotNative(reasons.EXPRESSION_POSITION, "VALUES with an outer column")
    if any(isinstance(each, AggregateCall) for row in table.rows for cell in row for each in nodes_of(cell)):
        raise NotNative(reasons.EXPRESSION_POSITION, "VALUES with an aggregate function")
    check_values(cell for row in table.rows for cell in row)
    doubtful = [cell for row in table.rows for cell in row if may_fail(cell)]
    if not doubtful:
        return
    if fails(evaluation_plan(table, doubtful), walk):
        nearest = SparkError(FAILED, sqlExpr=f'"{first_failing(doubtful, walk).text}"')
        raise NotNative(
            reasons.ERROR_MESSAGE, "VALUES with an expression that fails", likely_error=walk.with_context(nearest, node)
        )


def evaluation_plan(table: Values, doubtful: Sequence[Expression]) -> Relation:
    """If the table has columns of a type that Arrow clients cannot read, only the expressions that could fail."""
    if not any(isinstance(field.type, YearMonthIntervalType | CalendarIntervalType) for field in table.fields):
        return table
    return project(frame_of(OneRow()), [Named(cell, "cell") for cell in doubtful]).plain()


def may_fail(cell: Expression) -> bool:
    return any(map(is_doubtful, nodes_of(cell)))


def is_doubtful(node: Expression) -> bool:
    """Casts from or to strings, and calls with arguments (`map()` is just empty) that are not known never to fail."""
    if isinstance(node, Cast):
        return is_string(node.child.type) != is_string(node.type) or is_narrowing(node)
    return isinstance(node, Call) and bool(node.arguments) and node.name not in NEVER_FAIL


def is_narrowing(node: Cast) -> bool:
    """A cast of numbers that may overflow, which only ANSI mode reports."""
    source, target = node.child.type, node.type
    return node.mode == "ansi" and is_numeric(source) and is_numeric(target) and not can_up_cast(source, target)


def first_failing(doubtful: Sequence[Expression], walk: Walk) -> Expression:
    """The first expression that fails."""
    single = (project(frame_of(OneRow()), [Named(cell, "cell")]).plain() for cell in doubtful)
    return next((cell for cell, alone in zip(doubtful, single, strict=True) if fails(alone, walk)), doubtful[0])


def fails(relation: Relation, walk: Walk) -> bool:
    """Whether it raises an error of Spark, with a known message or not."""
    try:
        walk.context.collect(relation, walk.context)
    except SparkError:
        return True
    except NotNative as why:
        if why.likely_error is None:
            raise
        return True
    return False
