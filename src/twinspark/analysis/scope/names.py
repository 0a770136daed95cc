"""Name resolution: resolves column names against the frame below, lambda parameters and the outer query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from twinspark.analysis.context import Context
from twinspark.analysis.expressions import build
from twinspark.analysis.expressions.extract_value import extract_field
from twinspark.analysis.relations.basics import Named, field_metadata
from twinspark.analysis.scope.frames import (
    Attribute,
    Frame,
    Hit,
    as_expression,
    check_no_file,
    find_below,
    full_name,
    resolve_in_plan,
    resolve_name,
    star,
    unresolved_column,
)
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.registry import GENERATOR
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import quote_expression
from twinspark.plan.expressions import Call, Expression, OuterColumn, Variable, with_text
from twinspark.types import quote_identifier

Finder = Callable[["Scope", Sequence[str]], Named | None]


class FailedLevel(Exception):
    """A name raised an error at this level of the plan below the expression."""

    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.level = level


@dataclass
class Scope:
    """What an expression can refer to. `frame` gets hidden columns when `reveals` is set and a name is found only below
    a projection."""

    frame: Frame
    context: Context
    variables: dict[str, Variable] = field(default_factory=dict)
    outer: Scope | None = None
    reveals: bool = False
    windows: dict[str, object] = field(default_factory=dict)
    aliases: dict[str, tuple[Expression, ...]] = field(default_factory=dict)  # lateral column aliases
    first: Finder | None = None  # resolves names before the frame does
    last: Finder | None = None  # resolves names that the frame does not have
    lenient: bool = False  # names that cannot be resolved at one level are resolved at the level below (ORDER BY)
    failed: frozenset[int] = frozenset()  # levels at which a name of the current expression raised an error
    used: set[int] = field(default_factory=set)  # levels at which its names were found
    around: Scope | None = None  # for the body of a lambda, the scope whose frame gets hidden columns
    in_aggregate: bool = False
    qualifies: bool = False  # columns are shown under their full names, as in some errors
    shown: Frame | None = None  # the frame whose names are suggested for an unresolved one

    def __post_init__(self) -> None:
        if self.outer is None:
            self.outer = self.context.outer

    @property
    def settings(self) -> Settings:
        return self.context.settings

    @property
    def is_strict(self) -> bool:
        """A column of a DataFrame resolves only to that DataFrame, not to another column of the same name."""
        return self.context.flag("spark.sql.analyzer.strictDataFrameColumnResolution")

    def within(self, variables: dict[str, Variable]) -> Scope:
        return replace(self, variables={**self.variables, **variables}, around=self.around or self)

    def inside(self, frame: Frame) -> Scope:
        """The scope of a subquery over its own frame."""
        return Scope(frame, self.context, outer=self)


T = TypeVar("T")


def read_at_levels(scope: Scope, read: Callable[[], T]) -> T:
    """At each level of the plan Spark resolves all names of an expression that it can, or none if one of them raises
    (ColumnResolutionHelper.resolveExpression without `throws`), so the expression is read again without that level."""
    frame, before = scope.frame, scope.failed
    try:
        while True:
            scope.frame, scope.used = frame, set()
            try:
                return read()
            except FailedLevel as failure:
                level = failure.level
            except SparkError as error:
                level = level_of(error, scope)
            scope.failed |= {level}
    finally:
        scope.failed = before


EXTRACTIONS = ("FIELD_NOT_FOUND", "INVALID_EXTRACT", "AMBIGUOUS_REFERENCE_TO_FIELDS")


def level_of(error: SparkError, scope: Scope) -> int:
    """The level at which `s['x']` raises because `s` has no such field there; other errors are raised again."""
    throws = not scope.lenient and 0 in scope.used
    if throws or not scope.used or not error.condition.startswith(EXTRACTIONS):
        raise error
    if len(scope.used) > 1:
        raise NotNative(
            reasons.ERROR_MESSAGE, "a field that does not exist, beside hidden columns", likely_error=error
        ) from error
    return next(iter(scope.used))


def resolve(scope: Scope, parts: Sequence[str], plan_id: int | None = None) -> Named:
    """Resolves a column, or a nested field of one, by name."""
    variable = scope.variables.get(parts[0])
    if variable is None and not scope.settings.case_sensitive:
        variable = scope.variables.get(parts[0].lower())
    if variable is not None and plan_id is None:
        return fields_of(variable, parts[0], tuple(parts[1:]), scope)
    preferred = scope.first(scope, parts) if scope.first is not None else None
    if preferred is not None:
        return preferred
    hit = find(scope, parts, plan_id)
    if hit is not None:
        return named_hit(as_expression(scope.frame, hit[0], scope.qualifies), hit, scope)
    if plan_id is not None and scope.is_strict:
        if scope.context.hides_keys:
            raise NotNative(reasons.COLUMN_NAME_AMBIGUOUS, "a column that a USING join may have hidden")
        check_no_file(parts)
        raise SparkError("CANNOT_RESOLVE_DATAFRAME_COLUMN", name=quote_expression(".".join(parts)))
    found = literal_function(scope, parts) if plan_id is None else None
    found = found or lateral_alias(scope, parts) or (scope.last(scope, parts) if scope.last is not None else None)
    found = found or outer_column(scope, parts, plan_id) or session_variable(scope, parts)
    if found is None:
        raise unresolved_column(scope.shown or scope.frame, parts)
    return found


def lateral_alias(scope: Scope, parts: Sequence[str]) -> Named | None:
    """Resolves an alias from earlier in the same select list."""
    named = scope.aliases.get(parts[0].lower(), ())
    if len(named) > 1:
        raise SparkError("AMBIGUOUS_LATERAL_COLUMN_ALIAS", name=quote_identifier(parts[0]), n=len(named))
    if not named:
        return None
    if isinstance(named[0], Call) and named[0].signature.kind == GENERATOR:
        raise NotNative(reasons.COLUMN_NAME_AMBIGUOUS, "a column of a generator function that is used beside it")
    found = fields_of(with_text(named[0], parts[0]), parts[0], tuple(parts[1:]), scope)
    return replace(found, expression=with_text(found.expression, f"{LATERAL}({parts[-1]})"))


def session_variable(scope: Scope, parts: Sequence[str]) -> Named | None:
    """Resolves variables last: a variable of the script, with or without its label, or of the session, with a full or a
    shorter name."""
    lowered = [part.lower() for part in parts]
    for count in range(min(len(parts), 2), 0, -1):
        value = scope.context.locals.get(tuple(lowered[:count]))
        if value is not None:
            return fields_of(value, parts[count - 1], tuple(parts[count:]), scope)
    for home in (["system", "session"], ["session"], []):
        rest = len(home) + 1
        if lowered[: len(home)] == home and len(parts) >= rest:
            value = scope.context.variables.get(lowered[rest - 1])
            if value is not None:
                return fields_of(value, parts[rest - 1], tuple(parts[rest:]), scope)
    return None


LATERAL = "lateralAliasReference"


LITERAL_FUNCTIONS = {
    "current_date": "current_date",
    "current_timestamp": "current_timestamp",
    "current_time": "current_time",
    "current_user": "current_user",
    "user": "current_user",
    "session_user": "current_user",
    "grouping__id": "grouping_id",
}


def literal_function(scope: Scope, parts: Sequence[str]) -> Named | None:
    """A function without parentheses, such as current_date, if no column has its name (LiteralFunctionResolution)."""
    name = LITERAL_FUNCTIONS.get(parts[0].lower()) if len(parts) == 1 else None
    if name is None:
        return None
    made = build.call(name, [], scope.settings)
    return Named(made, parts[0].lower() if name == "grouping_id" else made.text, is_whole=True)


def is_literal_function(parts: Sequence[str]) -> bool:
    return len(parts) == 1 and parts[0].lower() in LITERAL_FUNCTIONS


def find(scope: Scope, parts: Sequence[str], plan_id: int | None) -> Hit | None:
    if plan_id is not None and plan_id not in scope.frame.plans:
        raise SparkError("CANNOT_RESOLVE_DATAFRAME_COLUMN", name=quote_expression(".".join(parts)))
    if not scope.reveals:
        return find_here(scope, scope.frame, parts, plan_id)
    top = scope.around or scope
    result = find_below(top.frame, lambda frame, level: find_at(top, frame, level, parts, plan_id))
    if result is None:
        return None
    top.frame = scope.frame = result[0]
    return result[1]


def find_here(scope: Scope, frame: Frame, parts: Sequence[str], plan_id: int | None) -> Hit | None:
    if scope.lenient and plan_id is None:
        return lenient_hit(frame, parts, scope)
    if plan_id is not None:
        hit = find_in_plan(scope, frame, parts, plan_id)
        if hit is not None or scope.is_strict:
            return hit
    return resolve_name(frame, parts, scope.settings.case_sensitive)


def find_in_plan(scope: Scope, frame: Frame, parts: Sequence[str], plan_id: int) -> Hit | None:
    """Spark raises an error if the DataFrame is not below this level, even if another branch of the plan has it."""
    if plan_id not in frame.plans:
        raise SparkError("CANNOT_RESOLVE_DATAFRAME_COLUMN", name=quote_expression(".".join(parts)))
    return resolve_in_plan(frame, plan_id, parts, scope.settings.case_sensitive)


def find_at(scope: Scope, frame: Frame, level: int, parts: Sequence[str], plan_id: int | None) -> Hit | None:
    """Resolves a name at one level: a column of a DataFrame may raise, other names only with `throws`; a literal
    function is found at the first level, before columns at lower levels."""
    if plan_id is not None:
        hit = find_in_plan(scope, frame, parts, plan_id)
        if hit is not None or scope.is_strict:
            return hit
    if level in scope.failed or (is_literal_function(parts) and set(range(level)) - scope.failed):
        return None
    try:
        hit = checked_hit(frame, parts, scope)
        scope.used.update([level] if hit is not None else ())
        return hit
    except SparkError as error:
        if level == 0 and not scope.lenient:
            raise
        raise FailedLevel(level) from error


def checked_hit(frame: Frame, parts: Sequence[str], scope: Scope) -> Hit | None:
    """Extracts nested fields here, which may raise."""
    hit = resolve_name(frame, parts, scope.settings.case_sensitive)
    if hit is not None and hit[1]:
        named_hit(as_expression(frame, hit[0]), hit, scope)
    return hit


def lenient_hit(frame: Frame, parts: Sequence[str], scope: Scope) -> Hit | None:
    try:
        return checked_hit(frame, parts, scope)
    except SparkError:
        return None


def named_hit(expression: Expression, hit: Hit, scope: Scope) -> Named:
    attribute, rest = hit
    if not rest:
        return Named(expression, attribute.name, attribute.metadata, attribute)
    return fields_of(expression, attribute.name, rest, scope)


def fields_of(expression: Expression, name: str, rest: Sequence[str], scope: Scope) -> Named:
    for part in rest:
        expression = extract_field(expression, part, scope.settings)
    return Named(expression, rest[-1] if rest else name, field_metadata(expression) if rest else ())


def outer_column(scope: Scope, parts: Sequence[str], plan_id: int | None) -> Named | None:
    """Resolves a name against the outer queries, from the innermost out."""
    around, depth = scope.outer, 1
    while around is not None:
        hit = outer_hit(around, parts, plan_id)
        if hit is not None and depth > 1:
            raise NotNative(reasons.SUBQUERY_CORRELATED, "a column of a query two levels further out")
        if hit is not None:
            return named_hit(outer_reference(around.frame, hit[0], depth), hit, scope)
        around, depth = around.outer, depth + 1
    return None


def outer_hit(around: Scope, parts: Sequence[str], plan_id: int | None) -> Hit | None:
    try:
        return find(replace(around, reveals=False, lenient=False), parts, plan_id)
    except SparkError as error:  # Spark treats a name that is ambiguous in the outer query as not found
        raise NotNative(reasons.ERROR_MESSAGE, "an outer column whose name is ambiguous", likely_error=error) from error


def outer_reference(frame: Frame, attribute: Attribute, depth: int) -> Expression:
    return OuterColumn(
        type=attribute.type,
        nullable=attribute.nullable,
        text=f"outer({full_name(attribute)})",
        index=frame.slots[attribute.id],
        depth=depth,
        name=attribute.name,
    )


def outer_star(scope: Scope, target: Sequence[str]) -> list[Named]:
    """`t.*` where t is a relation of the outer query."""
    around = scope.outer
    if around is None or not target:
        return []
    found = star(around.frame, target, scope.settings.case_sensitive)
    return [Named(outer_reference(around.frame, a, 1), a.name, a.metadata) for a in found]


def literal_of(scope: Scope, value: object) -> Expression:
    return build.literal(value, settings=scope.settings)
