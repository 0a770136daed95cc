"""A grouped SELECT before it is closed: HAVING and ORDER BY find names their own way and may add aggregates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from twinspark.analysis import build
from twinspark.analysis import relations as make
from twinspark.analysis.aggregates import GroupingSets, aggregate
from twinspark.analysis.canonical import position
from twinspark.analysis.names import Scope, lenient_hit, named_hit
from twinspark.analysis.outer import outer_columns
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import Frame, as_expression, resolve_name, unresolved
from twinspark.errors import NotNative, SparkError
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Output(Expression):
    """A column of the SELECT list, named by HAVING or ORDER BY."""

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

    def closed(self, order: Sequence[SortOrder] = ()) -> Frame:
        """Everything as one aggregation with hidden columns for HAVING and ORDER BY, which are dropped at last."""
        return self.closing(order) if order or self.having is not None else self.output

    def closing(self, order: Sequence[SortOrder] = ()) -> Frame:
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
            visible = make.sort(visible, keys)
        return visible

    @property
    def output(self) -> Frame:
        """The SELECT list's names, as HAVING and ORDER BY see them."""
        found = self.__dict__.get("_output")
        if found is None:
            found = replace(self, having=None).closing()
            object.__setattr__(self, "_output", found)
        return found

    @property
    def only_outputs(self) -> bool:
        """Spark puts another operator between the groups and the order: then only selected columns can be used."""
        return self.has_windows or (self.having is not None and self.adds(self.having))

    @property
    def has_windows(self) -> bool:
        return any(has_window(column.expression) for column in self.columns)

    def adds(self, expression: Expression) -> bool:
        """Whether it takes an aggregate or a key that is not selected."""
        if position(expression, [c.expression for c in self.columns]) is not None:
            return False
        if isinstance(expression, AggregateCall) or position(expression, self.grouping) is not None:
            return True
        return any(map(self.adds, children_of(expression)))

    def is_reachable(self, expression: Expression) -> bool:
        """Made of selected columns and of keys that are columns, which Spark carries up out of sight."""
        if isinstance(expression, Column):
            return position(expression, self.grouping) is not None
        if isinstance(expression, Output | Literal):
            return True
        if isinstance(expression, AggregateCall):
            return expression.name in ("grouping", "grouping_id")
        return all(map(self.is_reachable, children_of(expression)))

    def hidden_columns(self, expression: Expression) -> Iterator[Column]:
        """Columns from below that Spark cannot carry up: those that are no keys, inside aggregates."""
        for node in nodes_of(expression):
            if isinstance(node, Column) and position(node, self.grouping) is None:
                yield node

    # ---- names

    def find_output(self, parts: Sequence[str]) -> Named | None:
        """A column of the list by its name, where just one has it; columns passed on are the frame's own."""
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
        """Columns from below that are neither keys nor inside an aggregate."""
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
        """Above grouping sets Spark takes a key in an aggregate for what the sets made of it."""
        calls = [node for node in nodes_of(expression) if isinstance(node, AggregateCall)]
        plain = [call for call in calls if call.name not in ("grouping", "grouping_id")]
        if self.sets is not None and any(node in self.key_columns for call in plain for node in nodes_of(call)):
            raise NotNative("SQL: an aggregate of a key, above grouping sets")

    def check_condition(self, made: Expression) -> None:
        """Above grouping sets Spark forgets a key that is not selected where a value must be cast first, and with
        windows in the list it filters by keys behind them."""
        if self.sets is None:
            return
        self.check_keys(made)
        nodes = list(nodes_of(made))
        keys = self.key_columns & {node for node in nodes if isinstance(node, Column)}
        if self.has_windows and (keys or any(isinstance(node, Output) for node in nodes)):
            raise NotNative("SQL: HAVING of a key of grouping sets, beside windows")
        hidden = keys - {column.expression for column in self.columns}
        leaves = {node.type for node in nodes if isinstance(node, Column | Literal | AggregateCall)}
        if hidden and leaves not in ({INT}, {STRING}):
            raise NotNative("SQL: HAVING of a key that is not selected, above grouping sets")

    @property
    def key_columns(self) -> set[Expression]:
        return {node for key in self.grouping for node in nodes_of(key) if isinstance(node, Column)}

    def settled(self, expression: Expression) -> Expression:
        """Columns of the list put in for their names; an aggregate of one is an error of Spark's."""
        if isinstance(expression, Output):
            return replace(self.columns[expression.index].expression, text=expression.text)
        if isinstance(expression, AggregateCall) and any(isinstance(n, Output) for n in nodes_of(expression)):
            raise NotNative("SQL: an aggregate of a column of the same list")
        return map_children(expression, self.settled)

    # ---- HAVING

    def with_having(self, node: tree.Expression) -> Aggregation:
        """A name is a column below if that is a key or is aggregated, otherwise a column of the list (SPARK-31519)."""
        outputs: set[str] = set()
        while True:
            made = self.read_having(node, outputs)
            again = {c.text.lower() for c in self.unusable(made)} - outputs
            if not again:
                break
            outputs |= again
        for column in self.unusable(made):
            error = self.not_found(node, column)
            raise NotNative("SQL: a mistake in HAVING, beside windows") if self.has_windows else error
        self.check_condition(made)
        having = self.settled(made)
        if has_window(having):
            raise NotNative("SQL: HAVING of a window")
        if not isinstance(having.type, BooleanType):  # no predicate: cast as if that was written
            having = build.cast(having, BOOLEAN, self.walk.settings)
        return replace(self, having=having)

    def read_having(self, node: tree.Expression, outputs: set[str]) -> Expression:
        def find(scope: Scope, parts: Sequence[str]) -> Named | None:
            below = self.find_below(parts)
            if below is not None and (scope.in_aggregate or not names_of(below.expression) & outputs):
                return below
            found = self.find_output(parts)
            if found is None and len(parts) == 1 and not scope.in_aggregate:
                resolve_name(self.output, parts, self.walk.settings.case_sensitive)  # raises where it is ambiguous
            return found or below

        try:
            return self.walk.read(node, replace(self.scope, aliases={}, first=find, shown=self.output))
        except SparkError as error:
            if "base" in error.parameters:  # shown as what Spark resolved for the time being
                raise NotNative("SQL: part of a value that has none, in HAVING", nearest=error) from error
            if self.has_windows:  # Spark suggests names of its own
                raise NotNative("SQL: a mistake in HAVING, beside windows", nearest=error) from error
            raise

    def not_found(self, node: tree.Expression, column: Column) -> Exception:
        """What can be named is what was selected: Spark suggests those names."""
        for written in tree_nodes(node):
            if not isinstance(written, tree.Column):
                continue
            if written.parts[-1].lower() == column.text.lower() or written.parts[0].lower() == column.text.lower():
                return self.walk.located(unresolved(self.output, written.parts), written)
        return NotNative("SQL: a column that is not grouped")

    # ---- ORDER BY

    def order(self, items: tuple[tree.SortItem, ...]) -> Frame:
        if is_all(items) and self.find_output(("all",)) is None and self.find_below(("all",)) is None:
            return sorted_frame(self.closed(), items, self.walk)
        return self.closed([self.sort_order(item) for item in items])

    def sort_order(self, item: tree.SortItem) -> SortOrder:
        place = position_of(item.child, self.walk)
        if place is not None:
            order = sort_order(item, self.scope, self.walk)
            by_position(place, self.output, item, self.walk)
            return replace(order, child=self.columns[place - 1].expression)
        return self.named_order(item)

    def named_order(self, item: tree.SortItem) -> SortOrder:
        """By a column of the list first, then by any expression over the groups."""

        def find(scope: Scope, parts: Sequence[str]) -> Named | None:
            return self.find_output(parts) or self.find_below(parts)

        scope = replace(self.scope, aliases={}, first=find, shown=self.output, lenient=True)
        try:
            order = sort_order(item, scope, self.walk)
        except SparkError as error:
            if not error.condition.startswith(("INVALID_EXTRACT", "FIELD_NOT_FOUND")):
                raise
            order = sort_order(item, replace(scope, first=lambda _, parts: self.find_below(parts)), self.walk)
        check_no_subquery(order.child)
        self.check_keys(order.child)
        for column in self.unusable(order.child):
            if self.walk.outer is not None:
                raise NotNative("SQL: a subquery sorted by what may be a column of the query around")
            raise self.not_found(item.child, column)
        if self.only_outputs and not self.is_reachable(order.child):
            for column in self.hidden_columns(order.child):
                raise self.not_found(item.child, column)
            raise NotNative("SQL: ORDER BY what is not selected, over windows or HAVING")
        return replace(order, child=self.settled(order.child))


def names_of(expression: Expression) -> set[str]:
    return {node.text.lower() for node in nodes_of(expression) if isinstance(node, Column)}
