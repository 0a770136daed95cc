"""Walks expressions of the syntax tree: one small handler per node class, routed by class."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.extract import extract, extract_field
from twinspark.analysis.names import Scope, resolve
from twinspark.analysis.relations import Named, passing, unnamed
from twinspark.analysis.scope import Frame, alike, star
from twinspark.errors import NotNative, QueryContext, SparkError
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Expression
from twinspark.read.sql import tree
from twinspark.types import StructType

Handler = Callable[..., Any]
HANDLERS: dict[type, Handler] = {}


def walks(*classes: type) -> Callable[[Handler], Handler]:
    def note(handler: Handler) -> Handler:
        for one in classes:
            HANDLERS[one] = handler
        return handler

    return note


@dataclass(frozen=True)
class Walk:
    """One statement being read: its text, its session, the queries named by WITH, and the query around."""

    text: str
    context: Context
    ctes: Mapping[str, Any] = field(default_factory=dict)
    outer: Scope | None = None
    parameters: Mapping[str, Expression] = field(default_factory=dict)
    positions: Mapping[int, Expression] = field(default_factory=dict)  # of `?`, by where they stand

    @property
    def settings(self) -> Settings:
        return self.context.settings

    def scope(self, frame: Frame, **facts: Any) -> Scope:
        return Scope(frame, self.context, outer=self.outer, **facts)

    def inside(self, scope: Scope) -> Walk:
        """The walk of a subquery that stands in an expression."""
        return replace(self, outer=scope)

    def read(self, node: tree.Expression, scope: Scope) -> Expression:
        return self.column(node, scope).expression

    def column(self, node: tree.Expression, scope: Scope) -> Named:
        handler = HANDLERS.get(node.__class__)
        if handler is None:
            raise NotNative(f"SQL: {node.__class__.__name__}")
        try:
            made = handler(node, scope, self)
        except SparkError as error:
            raise self.located(error, node) from error
        return made if isinstance(made, Named) else unnamed(made)

    def reads(self, nodes: Sequence[tree.Expression], scope: Scope) -> list[Expression]:
        return [self.read(node, scope) for node in nodes]

    def located(self, error: SparkError, node: tree.Node) -> SparkError:
        """The error with the innermost fragment of the text that it came from."""
        if not error.contexts:
            fragment = self.text[node.start : node.stop]
            error.contexts = (QueryContext(fragment, node.start, node.stop - 1),)
        return error

    def columns(self, nodes: Sequence[tree.Expression], scope: Scope) -> list[Named]:
        """A SELECT list: stars become many, names given earlier can be used later (lateral column aliases)."""
        out: list[Named] = []
        for node in nodes:
            if isinstance(node, tree.Star):
                out += self.star(node, scope)
                continue
            named = self.column(node, scope)
            out.append(named)
            if isinstance(node, tree.Alias):
                scope.aliases[named.name.lower()] = named.expression
        return out

    def star(self, node: tree.Star, scope: Scope) -> list[Named]:
        found = star(scope.frame, node.target, self.settings.case_sensitive)
        if found or not node.target:
            same = alike(self.settings.case_sensitive)
            if any(len(name.parts) > 1 for name in node.excluded):
                raise NotNative("SQL: EXCEPT of a nested name")
            excluded = [name.parts[0] for name in node.excluded]
            for name in excluded:
                if not any(same(name, a.name) for a in found):
                    raise NotNative("SQL: EXCEPT of a name that is not there")
            kept = [a for a in found if not any(same(a.name, name) for name in excluded)]
            return [passing(scope.frame, a) for a in kept]
        return self.struct_star(node, scope)

    def struct_star(self, node: tree.Star, scope: Scope) -> list[Named]:
        if node.excluded:
            raise NotNative("SQL: EXCEPT of a struct's fields")
        child = resolve(scope, node.target).expression
        if not isinstance(child.type, StructType):
            raise NotNative("SQL: a star of what is no struct")
        return [Named(build.get_field(child, f.name, self.settings), f.name) for f in child.type.fields]


@walks(tree.Column)
def walk_column(node: tree.Column, scope: Scope, walk: Walk) -> Named:
    return resolve(scope, node.parts)


@walks(tree.Dereference)
def walk_dereference(node: tree.Dereference, scope: Scope, walk: Walk) -> Expression:
    return extract_field(walk.read(node.base, scope), node.field, walk.settings)


@walks(tree.Subscript)
def walk_subscript(node: tree.Subscript, scope: Scope, walk: Walk) -> Expression:
    return extract(walk.read(node.base, scope), walk.read(node.index, scope), walk.settings)


@walks(tree.Alias)
def walk_alias(node: tree.Alias, scope: Scope, walk: Walk) -> Named:
    if len(node.names) != 1:
        raise NotNative("SQL: several names for one column")
    child = walk.column(node.child, scope)
    return Named(child.expression, node.names[0], child.metadata if child.passes is not None else ())


@walks(tree.Parameter)
def walk_parameter(node: tree.Parameter, scope: Scope, walk: Walk) -> Expression:
    found = walk.parameters.get(node.name) if node.name else walk.positions.get(node.start)
    if found is None:
        raise SparkError("UNBOUND_SQL_PARAMETER", name=node.name or f"_{node.start}")
    return found
