"""A grouped SELECT with HAVING and ORDER BY, which resolve names by rules of their own and may add aggregates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.canonical import position
from twinspark.analysis.relations import basics as make
from twinspark.analysis.relations.aggregates import GroupingSets, aggregate
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.scope.frames import Frame, as_expression, resolve_name, unresolved_column
from twinspark.analysis.scope.names import (
    FailedLevel,
    Scope,
    checked_hit,
    lenient_hit,
    literal_function,
    named_hit,
    read_at_levels,
)
from twinspark.analysis.scope.outer_references import outer_columns
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.functions.notation.typing import quote_expression
from twinspark.plan.expressions import (
    AggregateCall,
    Column,
    Expression,
    Literal,
    SortOrder,
    Subquery,
    children_of,
)
from twinspark.plan.rewrite import map_children
from twinspark.plan.rewrite import walk as nodes_of
from twinspark.read.sql import tree
from twinspark.read.sql.tree_nodes import tree_nodes
from twinspark.read.walk.conditions import has_window
from twinspark.read.walk.expressions import Walk
from twinspark.read.walk.functions import sort_order
from twinspark.read.walk.queries import by_position, check_no_subquery, is_all, position_of, sorted_frame
from twinspark.types import BOOLEAN, INT, STRING, BooleanType

NOT_SELECTED = "ORDER BY an expression that is not selected, above window functions or HAVING"


class UnselectedOrder(NotNative):
    """An item of ORDER BY that is not among the selected columns; all items of the clause are reported together."""

    def __init__(self, order: Expression) -> None:
        super().__init__(reasons.EXPRESSION_POSITION, NOT_SELECTED)
        self.order = order


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Expression):
    """A reference to a column of the SELECT list in HAVING or ORDER BY."""

    index: int


@dataclass(frozen=True)
class Aggregation:
    walk: Walk
    frame: Frame
    scope: Scope
    grouping: tuple[Expression, ...]
    sets: GroupingSets | None
    columns: tuple[Named, ...]
    having: Expression | None = None

    def to_frame(self, order: Sequence[SortOrder] = ()) -> Frame:
        """One aggregation with hidden columns for HAVING and ORDER BY, which are dropped at the end."""
        return self.build_frame(order) if order or self.having is not None else self.output

    def build_frame(self, order: Sequence[SortOrder] = (), is_global: bool = True) -> Frame:
        hidden = [Named(o.child, f"order{i}") for i, o in enumerate(order)]
        condition = [Named(self.having, self.having.text)] if self.having is not None else []
        outputs = [*self.columns, *hidden, *condition]
        is_first = bool(condition) and any(has_window(output.expression) for output in outputs)
        frame = aggregate(self.frame, self.grouping, outputs, self.sets, is_first)
        shown, extra = frame.attributes[: len(self.columns)], frame.attributes[len(self.columns) :]
        visible = replace(frame, attributes=shown)
        if condition and not is_first:
            visible = make.filter(visible, frame.column(extra[-1]), self.walk.settings)
        if order:
            keys = [replace(o, child=frame.column(a)) for o, a in zip(order, extra, strict=False)]
            visible = make.sort(visible, keys, is_global)
        return visible

    @property
    def output(self) -> Frame:
        """The output columns as HAVING and ORDER BY see them."""
        found = self.__dict__.get("_output")
        if found is None:
            found = replace(self, having=None).build_frame()
            object.__setattr__(self, "_output", found)
        return found

    @property
    def only_outputs(self) -> bool:
        """Whether Spark plans another operator between aggregation and sort, so that only selected columns can be
        used."""
        return self.has_windows or (self.having is not None and self.adds(self.having))

    @property
    def has_windows(self) -> bool:
        return any(has_window(column.expression) for column in self.columns)

    def adds(self, expression: Expression) -> bool:
        """Whether the expression uses an aggregate or a key that is not selected."""
        if position(expression, [c.expression for c in self.columns]) is not None:
            return False
        if isinstance(expression, AggregateCall) or position(expression, self.grouping) is not None:
            return True
        return any(map(self.adds, children_of(expression)))

    def is_reachable(self, expression: Expression) -> bool:
        """Whether the expression uses only selected columns and keys that are columns, which Spark can add as hidden
        columns."""
        if isinstance(expression, Column):
            return position(expression, self.grouping) is not None
        if isinstance(expression, Output | Literal):
            return True
        if isinstance(expression, AggregateCall):
            return expression.name in ("grouping", "grouping_id")
        return all(map(self.is_reachable, children_of(expression)))

    def hidden_columns(self, expression: Expression) -> Iterator[Column]:
        """Input columns that Spark cannot add as hidden columns: those that are not keys, inside aggregates."""
        for node in nodes_of(expression):
            if isinstance(node, Column) and position(node, self.grouping) is None:
                yield node

    # ---- names

    def find_output(self, parts: Sequence[str]) -> Named | None:
        """A column of the SELECT list by name, if only one has that name; columns that are passed on are those of the
        frame."""
        hit = lenient_hit(self.output, parts, self.scope)
        if hit is None:
            return None
        index = [a.id for a in self.output.attributes].index(hit[0].id)
        column = self.columns[index]
        if column.passes is not None and isinstance(column.expression, Column):
            return named_hit(column.expression, hit, self.scope)
        made = Output(type=hit[0].type, nullable=hit[0].nullable, text=hit[0].name, index=index)
        return named_hit(made, hit, self.scope)

    def find_below(self, parts: Sequence[str]) -> Named | None:
        hit = lenient_hit(self.frame, parts, self.scope)
        return named_hit(as_expression(self.frame, hit[0]), hit, self.scope) if hit is not None else None

    def unusable(self, expression: Expression) -> Iterator[Column]:
        """Input columns that are neither keys nor inside an aggregate."""
        if isinstance(expression, AggregateCall) or position(expression, self.grouping) is not None:
            return
        if isinstance(expression, Column):
            yield expression
        if isinstance(expression, Subquery):
            for outer in outer_columns(expression.relation):
                column = Column(type=outer.type, nullable=outer.nullable, text=outer.text, index=outer.index)
                yield from self.unusable(column)
        for child in children_of(expression):
            yield from self.unusable(child)

    def check_keys(self, expression: Expression) -> None:
        """With grouping sets, Spark replaces a key inside an aggregate by the nullable key of the expanded rows."""
        calls = [node for node in nodes_of(expression) if isinstance(node, AggregateCall)]
        plain = [call for call in calls if call.name not in ("grouping", "grouping_id")]
        if self.sets is not None and any(node in self.key_columns for call in plain for node in nodes_of(call)):
            raise NotNative(reasons.GROUPING_SETS, "an aggregate function over a grouping column")

    def check_condition(self, made: Expression) -> None:
        """With grouping sets, Spark loses a key that is not selected if a value must be cast first, and with window
        functions in the list it filters by keys after them."""
        if self.sets is None:
            return
        self.check_keys(made)
        nodes = list(nodes_of(made))
        keys = self.key_columns & {node for node in nodes if isinstance(node, Column)}
        if self.has_windows and (keys or any(isinstance(node, Output) for node in nodes)):
            raise NotNative(reasons.GROUPING_SETS, "HAVING over a grouping column, beside window functions")
        hidden = keys - {column.expression for column in self.columns}
        leaves = {node.type for node in nodes if isinstance(node, Column | Literal | AggregateCall)}
        if hidden and leaves not in ({INT}, {STRING}):
            raise NotNative(reasons.GROUPING_SETS, "HAVING over a grouping column that is not selected")

    @property
    def key_columns(self) -> set[Expression]:
        return {node for key in self.grouping for node in nodes_of(key) if isinstance(node, Column)}

    def resolve_outputs(self, expression: Expression) -> Expression:
        """Replaces references by the columns of the SELECT list; an aggregate over one is an error in Spark."""
        if isinstance(expression, Output):
            return replace(self.columns[expression.index].expression, text=expression.text)
        if isinstance(expression, AggregateCall) and any(isinstance(n, Output) for n in nodes_of(expression)):
            raise NotNative(reasons.LATERAL_COLUMN_ALIAS, "an aggregate function over a column of the same select list")
        return map_children(expression, self.resolve_outputs)

    # ---- HAVING

    def with_having(self, node: tree.Expression) -> Aggregation:
        """A name refers to an input column if that is a key or is aggregated, otherwise to an output column
        (SPARK-31519)."""
        outputs: set[str] = set()
        while True:
            made = self.read_having(node, outputs)
            again = {c.text.lower() for c in self.unusable(made)} - outputs
            if not again:
                break
            outputs |= again
        for column in self.unusable(made):
            error = self.not_found(node, column)
            raise (
                NotNative(reasons.ERROR_MESSAGE, "an error in HAVING, beside window functions")
                if self.has_windows
                else error
            )
        self.check_condition(made)
        having = self.resolve_outputs(made)
        if has_window(having):
            raise NotNative(reasons.EXPRESSION_POSITION, "HAVING with a window function")
        if not isinstance(having.type, BooleanType):  # not a predicate: Spark adds an explicit cast
            having = build.cast(having, BOOLEAN, self.walk.settings)
        return replace(self, having=having)

    def read_having(self, node: tree.Expression, outputs: set[str]) -> Expression:
        def find(scope: Scope, parts: Sequence[str]) -> Named | None:
            below = self.find_below(parts)
            if below is not None and (scope.in_aggregate or not names_of(below.expression) & outputs):
                return below
            found = self.find_output(parts)
            if found is None and len(parts) == 1 and not scope.in_aggregate:
                resolve_name(self.output, parts, self.walk.settings.case_sensitive)  # raises if the name is ambiguous
            return found or below

        try:
            return self.walk.read(node, replace(self.scope, aliases={}, first=find, shown=self.output))
        except SparkError as error:
            if "base" in error.parameters:  # Spark's message shows a partially resolved expression
                raise NotNative(
                    reasons.ERROR_MESSAGE, "HAVING reads a field of a value that has no fields", likely_error=error
                ) from error
            if self.has_windows:  # Spark suggests other names
                raise NotNative(
                    reasons.ERROR_MESSAGE, "an error in HAVING, beside window functions", likely_error=error
                ) from error
            raise

    def not_found(self, node: tree.Expression, column: Column) -> Exception:
        """Spark suggests the names of the selected columns."""
        for written in tree_nodes(node):
            if not isinstance(written, tree.Column):
                continue
            if written.parts[-1].lower() == column.text.lower() or written.parts[0].lower() == column.text.lower():
                return self.walk.with_context(unresolved_column(self.output, written.parts), written)
        return NotNative(reasons.ERROR_MESSAGE, "a column that is not grouped")

    # ---- ORDER BY

    def order(self, items: tuple[tree.SortItem, ...], is_global: bool) -> Frame:
        if is_global and is_all(items) and self.find_output(("all",)) is None and self.find_below(("all",)) is None:
            return sorted_frame(self.to_frame(), items, self.walk)
        order = self.sort_orders(items)
        return self.build_frame([one for one in order if not make.is_constant(one.child)], is_global)

    def sort_orders(self, items: tuple[tree.SortItem, ...]) -> list[SortOrder]:
        found, missing = [], []
        for item in items:
            try:
                found.append(self.sort_order(item))
            except UnselectedOrder as why:
                missing.append(why.order)
        if missing:
            raise NotNative(
                reasons.EXPRESSION_POSITION, NOT_SELECTED, likely_error=self.unsupported_order(items, missing)
            )
        return found

    def unsupported_order(self, items: tuple[tree.SortItem, ...], orders: list[Expression]) -> SparkError | None:
        """Aggregate functions that stay in the Sort, with the whole clause as their position; None for other
        expressions."""
        calls = [each for order in orders for each in nodes_of(order) if isinstance(each, AggregateCall)]
        texts = [quote_expression(each.text) for each in calls]
        known = all(any(isinstance(each, AggregateCall) for each in nodes_of(order)) for order in orders)
        if not known or any(map(self.is_reachable, calls)) or len(set(texts)) < len(texts):
            return None
        error = SparkError("UNSUPPORTED_EXPR_FOR_OPERATOR", invalidExprSqls=", ".join(texts))
        text = self.walk.text
        start, stop = text.lower().rfind("order", 0, items[0].start), items[-1].stop
        error.contexts = (QueryContext(text[start:stop], start, stop - 1, text=text),)
        return error

    def sort_order(self, item: tree.SortItem) -> SortOrder:
        ordinal = position_of(item.child, self.walk)
        if ordinal is not None:
            order = sort_order(item, self.scope, self.walk)
            by_position(ordinal, self.output, item, self.walk)
            return replace(order, child=self.columns[ordinal - 1].expression)
        return self.named_order(item)

    def named_order(self, item: tree.SortItem) -> SortOrder:
        """By a column of the SELECT list first, then by any expression over the groups."""

        def find(scope: Scope, parts: Sequence[str]) -> Named | None:
            if 0 in scope.failed:
                return self.find_below(parts)
            return self.find_listed(parts) or literal_function(scope, parts) or self.find_below(parts)

        scope = replace(self.scope, aliases={}, first=find, shown=self.output, lenient=True)
        order = self.read_order(item, scope)
        check_no_subquery(order.child)
        self.check_keys(order.child)
        for column in self.unusable(order.child):
            if self.walk.outer is not None:
                raise NotNative(reasons.SUBQUERY_CORRELATED, "ORDER BY a name that may be an outer column")
            raise self.not_found(item.child, column)
        if self.only_outputs and not self.is_reachable(order.child):
            for column in self.hidden_columns(order.child):
                raise self.not_found(item.child, column)
            raise UnselectedOrder(order.child)
        return replace(order, child=self.resolve_outputs(order.child))

    def find_listed(self, parts: Sequence[str]) -> Named | None:
        """A column of the SELECT list; if the name is ambiguous or a field is missing, no other column is tried."""
        try:
            checked_hit(self.output, parts, self.scope)
        except SparkError as error:
            raise FailedLevel(0) from error
        return self.find_output(parts)

    def read_order(self, item: tree.SortItem, scope: Scope) -> SortOrder:
        def read() -> SortOrder:
            try:
                return sort_order(item, scope, self.walk)
            except SparkError as error:
                if 0 in scope.failed or not error.condition.startswith(("INVALID_EXTRACT", "FIELD_NOT_FOUND")):
                    raise
                raise FailedLevel(0) from error

        return read_at_levels(scope, read)


def names_of(expression: Expression) -> set[str]:
    return {node.text.lower() for node in nodes_of(expression) if isinstance(node, Column)}
