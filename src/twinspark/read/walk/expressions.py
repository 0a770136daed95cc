"""Walks expressions of the syntax tree: one small handler per node class, routed by class."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.extract import extract_value
from twinspark.analysis.generators import has_generator
from twinspark.analysis.names import Scope, outer_star, resolve
from twinspark.analysis.relations import Named, passing, unnamed
from twinspark.analysis.scope import Frame, alike, star
from twinspark.errors import NotNative, QueryContext, SparkError
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Call, Case, Cast, Expression, Literal, Subquery, with_origin, with_text
from twinspark.read.sql import tree
from twinspark.read.walk.excluded import path_in_frame, path_in_struct, without
from twinspark.types import StructType, VariantType, quote_identifier, quote_if_needed

Handler = Callable[..., Any]
HANDLERS: dict[type, Handler] = {}


def walks(*classes: type) -> Callable[[Handler], Handler]:
    def note(handler: Handler) -> Handler:
        for one in classes:
            HANDLERS[one] = handler
        return handler

    return note


# Raised by Spark where it does not know the text any more.
WITHOUT_CONTEXT = frozenset(
    {
        "AMBIGUOUS_LATERAL_COLUMN_ALIAS",
        "INTERVAL_ARITHMETIC_OVERFLOW.WITHOUT_SUGGESTION",
        "CANNOT_UP_CAST_DATATYPE",
        "COLUMN_ALREADY_EXISTS",
        "INCOMPATIBLE_VIEW_SCHEMA_CHANGE",
        "INVALID_USAGE_OF_STAR_WITH_TABLE_IDENTIFIER_IN_COUNT",
        "MISSING_WINDOW_SPECIFICATION",
        "PATH_NOT_FOUND",
        "STAR_GROUP_BY_POS",
        "UNRESOLVED_USING_COLUMN_FOR_JOIN",
        "WINDOW_FUNCTION_NOT_ALLOWED_IN_CLAUSE",
        "UNSUPPORTED_FEATURE.LATERAL_COLUMN_ALIAS_IN_GROUP_BY",
        "UNSUPPORTED_TIME_TYPE",
    }
)


PREDICATES = (tree.Between, tree.In, tree.InSubquery, tree.IsNull, tree.IsTruth, tree.Like, tree.LikeQuantified)
BETWEEN = re.compile(r"(?:\s|\)|--[^\n]*\n|/\*.*?\*/)*", re.DOTALL)


MAY_FAIL = (Cast, Call, Case, Subquery)


def may_fail(expression: Expression) -> bool:
    return expression.origin is None and isinstance(expression, MAY_FAIL)


def has_context(error: SparkError) -> bool:
    """Functions of any number of arguments count them after the text is forgotten."""
    if not error.has_place or error.condition in WITHOUT_CONTEXT:
        return False
    return not error.parameters.get("expectedNum", "").startswith(">")


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
        check_no_path(node)
        try:
            made = handler(node, scope, self)
        except SparkError as error:
            raise self.located(error, node) from error
        except NotNative as why:
            if isinstance(why.nearest, SparkError):
                self.located(why.nearest, node)
            raise
        named = made if isinstance(made, Named) else unnamed(made)
        return self.with_origin(named, node) if may_fail(named.expression) else named

    def with_origin(self, named: Named, node: tree.Node) -> Named:
        """What may fail while it runs knows where it was written."""
        known = with_origin(named.expression, self.context_of(node))
        return Named(known, named.name, named.metadata, named.passes, named.names, named.is_whole)

    def reads(self, nodes: Sequence[tree.Expression], scope: Scope) -> list[Expression]:
        return [self.read(node, scope) for node in nodes]

    def located(self, error: SparkError, node: tree.Node) -> SparkError:
        """The error with the innermost fragment of the text that it came from."""
        if not error.contexts and has_context(error):
            error.contexts = (self.context_of(node),)
        return error

    def context_of(self, node: tree.Node) -> QueryContext:
        start = self.predicate_start(node.child) if isinstance(node, PREDICATES) else node.start
        if isinstance(node, tree.Join) and node.left is not None:
            start = self.predicate_start(node.left)
        return QueryContext(self.text[start : node.stop], start, node.stop - 1, text=self.text)

    def predicate_start(self, child: tree.Node) -> int:
        """Of `a IN (…)`, and of a join, Spark names only what comes after its left side."""
        between = BETWEEN.match(self.text, child.stop)
        assert between is not None
        return between.end()

    def columns(self, nodes: Sequence[tree.Expression], scope: Scope) -> list[Named]:
        """A SELECT list: stars become many, names given earlier can be used later (lateral column aliases)."""
        out: list[Named] = []
        for node in nodes:
            if isinstance(node, tree.Star):
                out += self.star(node, scope, is_listed=True)
                continue
            named = self.column(node, scope)
            out.append(named)
            if isinstance(node, tree.Alias) or (isinstance(node, NAMES_FIELD) and is_field(named)):
                earlier = scope.aliases.get(named.name.lower(), ())
                scope.aliases[named.name.lower()] = (*earlier, named.expression)
        return out

    def star(self, node: tree.Star, scope: Scope, is_listed: bool = False) -> list[Named]:
        """As an argument a struct that is made anew would be shown with all its fields."""
        found = star(scope.frame, node.target, self.settings.case_sensitive)
        if found or not node.target:
            same = alike(self.settings.case_sensitive)
            if any(len(name.parts) > 1 for name in node.excluded):
                check_listed(is_listed)
                columns = [passing(scope.frame, a) for a in found]
                paths = [path_in_frame(name.parts, columns, scope) for name in node.excluded]
                return without(columns, paths, self.settings)
            excluded = [name.parts[0] for name in node.excluded]
            if len({name.lower() for name in excluded}) < len(excluded):
                raise self.located(SparkError("EXCEPT_OVERLAPPING_COLUMNS", columns=", ".join(excluded)), node)
            for name in excluded:
                if not any(same(name, a.name) for a in found):
                    raise NotNative("SQL: EXCEPT of a name that is not there")
            kept = [a for a in found if not any(same(a.name, name) for name in excluded)]
            return [passing(scope.frame, a) for a in kept]
        around = outer_star(scope, node.target) if not node.excluded else []
        check_listed(is_listed or not node.excluded)
        return around or self.struct_star(node, scope)

    def struct_star(self, node: tree.Star, scope: Scope) -> list[Named]:
        try:
            child = resolve(scope, node.target).expression
        except SparkError as error:
            if error.condition == "AMBIGUOUS_REFERENCE":
                raise self.located(error, node) from error
            names = sorted((a.name, a.id) for a in {a.id: a for a in scope.frame.attributes}.values())  # AttributeSet
            columns = ", ".join(quote_identifier(name) for name, _ in names)
            target = ".".join(map(quote_identifier, node.target))
            unknown = SparkError("CANNOT_RESOLVE_STAR_EXPAND", targetString=target, columns=columns)
            located = self.located(unknown, node)
            attributes = scope.frame.attributes
            if attributes and not scope.frame.relation.inputs and not any(each.qualifier for each in attributes):
                raise NotNative("SQL: a star of what is not there, over a bare function", nearest=located) from error
            raise located from error
        if not isinstance(child.type, StructType):
            raise NotNative("SQL: a star of what is no struct")
        fields = [Named(build.get_field(child, f.name, self.settings), f.name) for f in child.type.fields]
        sensitive = self.settings.case_sensitive
        paths = [path_in_struct(name.parts, child.type, sensitive) for name in node.excluded]
        return without(fields, paths, self.settings)


def check_listed(is_listed: bool) -> None:
    if not is_listed:
        raise NotNative("SQL: EXCEPT of a struct's fields in an argument")


def conjuncts(node: tree.Expression) -> list[tree.Expression]:
    if isinstance(node, tree.Logical) and node.operator == "AND":
        return [*conjuncts(node.left), *conjuncts(node.right)]
    return [node]


NAMES_FIELD = (tree.Column, tree.Dereference)  # a field taken out of a column goes by its own name


def is_field(named: Named) -> bool:
    """A field of a struct has a name of its own; a column keeps its own, and so does a session variable."""
    return named.passes is None and not isinstance(named.expression, Literal)


@walks(tree.Column)
def walk_column(node: tree.Column, scope: Scope, walk: Walk) -> Named:
    return resolve(scope, node.parts)


@walks(tree.Dereference)
def walk_dereference(node: tree.Dereference, scope: Scope, walk: Walk) -> Expression:
    return extract_value(walk.read(node.base, scope), build.literal(node.field), walk.settings)


@walks(tree.Subscript)
def walk_subscript(node: tree.Subscript, scope: Scope, walk: Walk) -> Expression:
    return extract_value(walk.read(node.base, scope), walk.read(node.index, scope), walk.settings)


@walks(tree.SemiStructuredExtract)
def walk_semi_structured(node: tree.SemiStructuredExtract, scope: Scope, walk: Walk) -> Expression | Named:
    """`v:a.b` is variant_get, under the name of the last field of its path."""
    base = walk.read(node.base, scope)
    if not isinstance(base.type, VariantType):
        raise NotNative("SQL: a path into what is no variant")
    found = build.call("variant_get", [base, build.literal(node.path)], walk.settings)
    if node.name is None:
        return found
    return Named(replace(found, text=f"{found.text} AS {quote_if_needed(node.name)}"), node.name)


OPERATORS = (tree.Binary, tree.Unary, tree.Between, tree.In, tree.IsDistinct, tree.Like)
OPERANDS: dict[type, Callable[[Any], tuple[Any, ...]]] = {
    **{kind: attrgetter(*(part.name for part in fields(kind))) for kind in OPERATORS},
    **dict.fromkeys((tree.Struct, tree.Row), attrgetter("fields")),  # the alias would name the field
}


def check_no_path(node: tree.Expression) -> None:
    """Spark refuses these in words that leave out the alias, which names show."""
    operands = OPERANDS.get(node.__class__)
    if operands is not None and any(isinstance(part, tree.SemiStructuredExtract) for part in operands(node)):
        raise NotNative("SQL: a path into a variant beside an operator")


@walks(tree.Alias)
def walk_alias(node: tree.Alias, scope: Scope, walk: Walk) -> Named:
    child = walk.column(node.child, scope)
    if node.multiple and not has_generator(child.expression):
        raise NotNative("SQL: several names for what is no generator")
    if node.multiple:
        return replace(child, names=node.names)
    return Named(child.expression, node.names[0], child.metadata if child.passes is not None else ())


@walks(tree.Parameter)
def walk_parameter(node: tree.Parameter, scope: Scope, walk: Walk) -> Expression:
    found = walk.parameters.get(node.name) if node.name else walk.positions.get(node.start)
    if found is None:
        unbound = SparkError("UNBOUND_SQL_PARAMETER", name=node.name or f"_{node.start}")
        unbound.contexts = (replace(walk.context_of(node), has_line=False),)
        raise unbound
    return found if isinstance(found, Literal) else collection_of(found)


COLLECTIONS = {"array": "array", "map": "map", "struct": "named_struct", "named_struct": "named_struct"}


def collection_of(found: Expression) -> Expression:
    """An array, a map or a struct of constants, shown as the call that makes it."""
    if isinstance(found, Literal) and found.value is not None:
        return found
    if not isinstance(found, Call) or found.name not in COLLECTIONS:
        raise NotNative("SQL: a parameter that is no constant")
    parts = tuple(map(collection_of, found.arguments))
    if COLLECTIONS[found.name] == "named_struct":
        parts = tuple(part for pair in zip(parts[::2], parts[1::2], strict=True) for part in plainly_shown(*pair))
    text = f"{COLLECTIONS[found.name]}({', '.join(part.text for part in parts)})"
    return replace(found, arguments=parts, text=text)


def plainly_shown(name: Expression, value: Expression) -> tuple[Expression, Expression]:
    """A field's value without the alias that gave it its name."""
    return name, with_text(value, value.text.removesuffix(f" AS {name.text}"))
