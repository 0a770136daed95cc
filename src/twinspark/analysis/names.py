"""What an expression sees while it is read: the frame below it, lambda parameters, and the relation around it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.extract import extract_field
from twinspark.analysis.relations import Named, field_metadata
from twinspark.analysis.scope import (
    Attribute,
    Frame,
    Hit,
    as_expression,
    check_no_file,
    full_name,
    resolve_in_plan,
    resolve_name,
    revealed,
    star,
    unresolved,
)
from twinspark.errors import NotNative, SparkError
from twinspark.functions.registry import GENERATOR
from twinspark.functions.settings import Settings
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import Call, Expression, OuterColumn, Variable, with_text
from twinspark.types import quote_identifier

Finder = Callable[["Scope", Sequence[str]], Named | None]


@dataclass
class Scope:
    """`frame` grows when `reveals` is set and a name is found only below a projection."""

    frame: Frame
    context: Context
    variables: dict[str, Variable] = field(default_factory=dict)
    outer: Scope | None = None
    reveals: bool = False
    windows: dict[str, object] = field(default_factory=dict)
    aliases: dict[str, tuple[Expression, ...]] = field(default_factory=dict)  # lateral column aliases
    first: Finder | None = None  # names that win over the frame's
    last: Finder | None = None  # names that are found when the frame has none
    lenient: bool = False  # what a level cannot answer is asked one level below (ORDER BY)
    in_aggregate: bool = False
    qualifies: bool = False  # columns are shown under their whole names, as in some errors
    shown: Frame | None = None  # whose names are suggested for one that is not found

    def __post_init__(self) -> None:
        if self.outer is None:
            self.outer = self.context.outer

    @property
    def settings(self) -> Settings:
        return self.context.settings

    @property
    def is_strict(self) -> bool:
        """A column of a DataFrame is that DataFrame's, not another of its name."""
        return self.context.config.get("spark.sql.analyzer.strictDataFrameColumnResolution", "true").lower() == "true"

    def within(self, variables: dict[str, Variable]) -> Scope:
        return replace(self, variables={**self.variables, **variables}, reveals=False)

    def inside(self, frame: Frame) -> Scope:
        """The scope of a subquery's own frame."""
        return Scope(frame, self.context, outer=self)


def resolve(scope: Scope, parts: Sequence[str], plan_id: int | None = None) -> Named:
    """A column, or a field of one, by its name."""
    variable = scope.variables.get(parts[0]) or scope.variables.get(parts[0].lower())
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
            raise NotNative("a column that a USING join may have hidden")
        check_no_file(parts)
        raise SparkError("CANNOT_RESOLVE_DATAFRAME_COLUMN", name=quoted(".".join(parts)))
    found = lateral_alias(scope, parts) or (scope.last(scope, parts) if scope.last is not None else None)
    found = found or outer_column(scope, parts, plan_id) or session_variable(scope, parts)
    if found is None:
        raise unresolved(scope.shown or scope.frame, parts)
    return found


def lateral_alias(scope: Scope, parts: Sequence[str]) -> Named | None:
    """A name given earlier in the same list."""
    named = scope.aliases.get(parts[0].lower(), ())
    if len(named) > 1:
        raise SparkError("AMBIGUOUS_LATERAL_COLUMN_ALIAS", name=quote_identifier(parts[0]), n=len(named))
    if not named:
        return None
    if isinstance(named[0], Call) and named[0].signature.kind == GENERATOR:
        raise NotNative("a name of generated columns used beside them")
    found = fields_of(with_text(named[0], parts[0]), parts[0], tuple(parts[1:]), scope)
    return replace(found, expression=with_text(found.expression, f"{LATERAL}({parts[-1]})"))


def session_variable(scope: Scope, parts: Sequence[str]) -> Named | None:
    """The last resort: a variable of the script, under its scope's label or alone, or of the session, under its whole
    name or a shorter one."""
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


def find(scope: Scope, parts: Sequence[str], plan_id: int | None) -> Hit | None:
    sensitive = scope.settings.case_sensitive

    def look(frame: Frame) -> Hit | None:
        if scope.lenient and plan_id is None:
            return lenient_hit(frame, parts, scope)
        if plan_id is not None and plan_id in frame.plans:
            hit = resolve_in_plan(frame, plan_id, parts, sensitive)
            if hit is not None or scope.is_strict:
                return hit
        return resolve_name(frame, parts, sensitive)

    if plan_id is not None and plan_id not in scope.frame.plans:
        raise SparkError("CANNOT_RESOLVE_DATAFRAME_COLUMN", name=quoted(".".join(parts)))
    if not scope.reveals:
        return look(scope.frame)
    result = revealed(scope.frame, look)
    if result is None:
        return None
    scope.frame, hit = result
    return hit


def lenient_hit(frame: Frame, parts: Sequence[str], scope: Scope) -> Hit | None:
    try:
        hit = resolve_name(frame, parts, scope.settings.case_sensitive)
        if hit is not None:
            named_hit(as_expression(frame, hit[0]), hit, scope)
    except SparkError:
        return None
    return hit


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
    """A name of the relation around the subquery, however far out."""
    around, depth = scope.outer, 1
    while around is not None:
        hit = outer_hit(around, parts, plan_id)
        if hit is not None and depth > 1:
            raise NotNative("a column of a relation further out than the one around")
        if hit is not None:
            return named_hit(outer_reference(around.frame, hit[0], depth), hit, scope)
        around, depth = around.outer, depth + 1
    return None


def outer_hit(around: Scope, parts: Sequence[str], plan_id: int | None) -> Hit | None:
    try:
        return find(around, parts, plan_id)
    except SparkError as error:  # to Spark a name that is ambiguous out there is not found
        raise NotNative("a column of the query around by a name that is not its own alone", nearest=error) from error


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
    """`t.*` where t is the relation around."""
    around = scope.outer
    if around is None or not target:
        return []
    found = star(around.frame, target, scope.settings.case_sensitive)
    return [Named(outer_reference(around.frame, a, 1), a.name, a.metadata) for a in found]


def literal_of(scope: Scope, value: object) -> Expression:
    return build.literal(value, settings=scope.settings)
