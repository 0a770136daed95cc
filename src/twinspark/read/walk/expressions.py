"""Reads expressions of the syntax tree: one handler per node class, in a dispatch table."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from operator import attrgetter
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.extract_value import extract_value
from twinspark.analysis.relations.basics import AUTOMATIC, Named, passed_column, with_automatic_name
from twinspark.analysis.relations.generators import has_generator
from twinspark.analysis.scope.frames import Frame, alike, star
from twinspark.analysis.scope.names import Scope, outer_star, resolve
from twinspark.cancellation import check_wanted
from twinspark.errors import NotNative, QueryContext, SparkError, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Call, Case, Cast, Column, Expression, Literal, Subquery, with_origin, with_text
from twinspark.read.sql import tree
from twinspark.read.sql.lexer.errors import too_complex
from twinspark.read.walk.star_except import path_in_frame, path_in_struct, without
from twinspark.types import StructType, VariantType, quote_identifier, quote_if_needed

MOST_LEVELS = 1000  # DuckDB rejects deeper expressions, and so does Spark's parser in nearly all cases
Handler = Callable[..., Any]
HANDLERS: dict[type, Handler] = {}


def walks(*classes: type) -> Callable[[Handler], Handler]:
    def note(handler: Handler) -> Handler:
        for one in classes:
            HANDLERS[one] = handler
        return handler

    return note


# Errors that Spark raises where the query text is not available any more.
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


MAY_FAIL = (Cast, Call, Case, Subquery)


def may_fail(expression: Expression) -> bool:
    return expression.origin is None and isinstance(expression, MAY_FAIL)


def has_context(error: SparkError) -> bool:
    """Functions with a variable number of arguments check it where the query text is not available any more."""
    if not error.has_query_context or error.condition in WITHOUT_CONTEXT:
        return False
    return not error.parameters.get("expectedNum", "").startswith(">")


class Nesting:
    """The nesting depth of the current expression, and the number of expressions read before it."""

    levels = 0
    nodes = 0


@dataclass(frozen=True)
class Walk:
    """The state of reading one statement: its text, its session, the WITH queries in scope, and the outer query."""

    text: str
    context: Context
    ctes: Mapping[str, Any] = field(default_factory=dict)
    outer: Scope | None = None
    parameters: Mapping[str, Expression] = field(default_factory=dict)
    positions: Mapping[int, Expression] = field(default_factory=dict)  # values of `?`, by their offset in the text
    nesting: Nesting = field(default_factory=Nesting, compare=False, repr=False)

    @property
    def settings(self) -> Settings:
        return self.context.settings

    def scope(self, frame: Frame, **facts: Any) -> Scope:
        return Scope(frame, self.context, outer=self.outer, **facts)

    def inside(self, scope: Scope) -> Walk:
        """The walk of a subquery inside an expression."""
        return replace(self, outer=scope)

    def read(self, node: tree.Expression, scope: Scope) -> Expression:
        return self.column(node, scope).expression

    def column(self, node: tree.Expression, scope: Scope) -> Named:
        handler = HANDLERS.get(node.__class__)
        if handler is None:
            raise NotNative(reasons.SQL_CLAUSE, node.__class__.__name__)
        check_no_path(node)
        nesting = self.nesting
        if nesting.levels > MOST_LEVELS:
            raise NotNative(reasons.QUERY_TOO_LARGE, likely_error=too_complex(self.text))
        nesting.levels += 1
        nesting.nodes += 1
        if not nesting.nodes & 15:
            check_wanted()
        try:
            made = handler(node, scope, self)
        except SparkError as error:
            raise self.with_context(error, node) from error
        except NotNative as why:
            why.at(self.text[node.start : node.stop])
            if isinstance(why.likely_error, SparkError):
                self.with_context(why.likely_error, node)
            raise
        finally:
            nesting.levels -= 1
        named = made if isinstance(made, Named) else automatic_column(made, node)
        return self.with_origin(named, node) if may_fail(named.expression) else named

    def with_origin(self, named: Named, node: tree.Node) -> Named:
        """Gives an expression that may fail at run time its query context."""
        known = with_origin(named.expression, self.context_of(node))
        return Named(known, named.name, named.metadata, named.passes, named.names, named.is_whole)

    def reads(self, nodes: Sequence[tree.Expression], scope: Scope) -> list[Expression]:
        return [self.read(node, scope) for node in nodes]

    def with_context(self, error: SparkError, node: tree.Node) -> SparkError:
        """Adds the innermost fragment of the query text to an error that has none."""
        if not error.contexts and has_context(error):
            error.contexts = (self.context_of(node),)
        return error

    def context_of(self, node: tree.Node) -> QueryContext:
        """For a predicate such as `a IN (…)`, and for a join, Spark's fragment starts after the left side."""
        start = node.operator_start if isinstance(node, tree.Predicate) else node.start
        if isinstance(node, tree.Join) and node.left is not None:
            start = node.join_start
        return QueryContext(self.text[start : node.stop], start, node.stop - 1, text=self.text)

    def columns(self, nodes: Sequence[tree.Expression], scope: Scope) -> list[Named]:
        """A SELECT list: expands stars; aliases can be used by later columns (lateral column aliases)."""
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
        """Expands a star; as a function argument, `* EXCEPT` over struct fields falls back, since names would
        differ."""
        found = star(scope.frame, node.target, self.settings.case_sensitive)
        if found or not node.target:
            same = alike(self.settings.case_sensitive)
            if any(len(name.parts) > 1 for name in node.excluded):
                check_listed(is_listed)
                columns = [passed_column(scope.frame, a) for a in found]
                paths = [path_in_frame(name.parts, columns, scope) for name in node.excluded]
                return without(columns, paths, self.settings)
            excluded = [name.parts[0] for name in node.excluded]
            if len({name.lower() for name in excluded}) < len(excluded):
                raise self.with_context(SparkError("EXCEPT_OVERLAPPING_COLUMNS", columns=", ".join(excluded)), node)
            for name in excluded:
                if not any(same(name, a.name) for a in found):
                    raise self.unknown_exception(name, node, scope)
            kept = [a for a in found if not any(same(a.name, name) for name in excluded)]
            return [passed_column(scope.frame, a) for a in kept]
        around = outer_star(scope, node.target) if not node.excluded else []
        check_listed(is_listed or not node.excluded)
        return around or self.struct_star(node, scope)

    def unknown_exception(self, name: str, node: tree.Star, scope: Scope) -> NotNative:
        """The error of `* EXCEPT` with a name that is no column, at the position of the star."""
        likely: SparkError | None = None
        try:
            resolve(replace(scope, outer=None), (name,))
        except SparkError as error:
            error.contexts = ()
            likely = self.with_context(error, node)
        return NotNative(reasons.ERROR_MESSAGE, "EXCEPT with a name that does not exist", likely_error=likely)

    def struct_star(self, node: tree.Star, scope: Scope) -> list[Named]:
        try:
            child = resolve(scope, node.target).expression
        except SparkError as error:
            if error.condition == "AMBIGUOUS_REFERENCE":
                raise self.with_context(error, node) from error
            # the order of Spark's AttributeSet
            names = sorted((a.name, a.id) for a in {a.id: a for a in scope.frame.attributes}.values())
            columns = ", ".join(quote_identifier(name) for name, _ in names)
            target = ".".join(map(quote_identifier, node.target))
            unknown = SparkError("CANNOT_RESOLVE_STAR_EXPAND", targetString=target, columns=columns)
            located = self.with_context(unknown, node)
            attributes = scope.frame.attributes
            if attributes and not scope.frame.relation.inputs and not any(each.qualifier for each in attributes):
                raise NotNative(
                    reasons.ERROR_MESSAGE,
                    "a star of a name that does not exist, as the argument of a function",
                    likely_error=located,
                ) from error
            raise located from error
        if not isinstance(child.type, StructType):
            raise NotNative(reasons.STAR, "a star of a value that is not a struct")
        fields = [Named(build.field_at(child, i, f.name), f.name) for i, f in enumerate(child.type.fields)]
        sensitive = self.settings.case_sensitive
        paths = [path_in_struct(name.parts, child.type, sensitive) for name in node.excluded]
        return without(fields, paths, self.settings)


def check_listed(is_listed: bool) -> None:
    if not is_listed:
        raise NotNative(reasons.STAR, "EXCEPT with fields of a struct, as an argument")


def conjuncts(node: tree.Expression) -> list[tree.Expression]:
    if isinstance(node, tree.Logical) and node.operator == "AND":
        return [*conjuncts(node.left), *conjuncts(node.right)]
    return [node]


NAMES_FIELD = (tree.Column, tree.Dereference)  # a nested field is named by its own name


def is_field(named: Named) -> bool:
    """A field of a struct has a name of its own; columns and session variables keep theirs."""
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
    """`v:a.b` is variant_get, named by the last field of its path."""
    base = walk.read(node.base, scope)
    if not isinstance(base.type, VariantType):
        raise NotNative(reasons.VARIANT_PATH, "a path into a value that is not a variant")
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
    """Falls back, since Spark's errors for these omit the alias that the names show."""
    operands = OPERANDS.get(node.__class__)
    if operands is not None and any(isinstance(part, tree.SemiStructuredExtract) for part in operands(node)):
        raise NotNative(reasons.VARIANT_PATH, "a path into a variant beside an operator")


CAST_NAMES = frozenset(
    {"bigint", "binary", "boolean", "date", "decimal", "double", "float", "int"}
    | {"smallint", "string", "time", "timestamp", "tinyint"}
)


def is_cast_call(node: tree.Function) -> bool:
    """`int(a)`, which is displayed as `a`."""
    return isinstance(node.name, tree.Name) and node.name.parts[-1].lower() in CAST_NAMES


def automatic_column(made: Expression, node: tree.Node) -> Named:
    """A call of a SQL function is displayed as such, though it was inlined to a column, a constant or a cast of one."""
    if isinstance(node, tree.Function) and isinstance(made, Literal | Column | Cast) and not is_cast_call(node):
        return Named(made, made.text, AUTOMATIC)
    return with_automatic_name(made)


@walks(tree.Alias)
def walk_alias(node: tree.Alias, scope: Scope, walk: Walk) -> Named:
    child = walk.column(node.child, scope)
    if node.multiple and not has_generator(child.expression):
        raise NotNative(reasons.ERROR_MESSAGE, "several aliases for an expression that is not a generator")
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
    """An array, map or struct of constants, displayed as the call that creates it."""
    if isinstance(found, Literal) and found.value is not None:
        return found
    if not isinstance(found, Call) or found.name not in COLLECTIONS:
        raise NotNative(reasons.PARAMETER, "a parameter that is not a constant")
    parts = tuple(map(collection_of, found.arguments))
    if COLLECTIONS[found.name] == "named_struct":
        parts = tuple(part for pair in zip(parts[::2], parts[1::2], strict=True) for part in without_alias(*pair))
    text = f"{COLLECTIONS[found.name]}({', '.join(part.text for part in parts)})"
    return replace(found, arguments=parts, text=text)


def without_alias(name: Expression, value: Expression) -> tuple[Expression, Expression]:
    """A field's value without the alias that named it."""
    return name, with_text(value, value.text.removesuffix(f" AS {name.text}"))
