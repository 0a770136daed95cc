"""What an expression sees while it is read: the frame below it, lambda parameters, and the relation around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from twinspark.analysis import build
from twinspark.analysis.context import Context
from twinspark.analysis.extract import extract_field
from twinspark.analysis.relations import Named
from twinspark.analysis.scope import (
    Attribute,
    Frame,
    Hit,
    as_expression,
    resolve_in_plan,
    resolve_name,
    revealed,
    unresolved,
)
from twinspark.errors import NotNative, SparkError
from twinspark.functions.settings import Settings
from twinspark.functions.typing import quoted
from twinspark.plan.expressions import Expression, OuterColumn, Variable


@dataclass
class Scope:
    """`frame` grows when `reveals` is set and a name is found only below a projection."""

    frame: Frame
    context: Context
    variables: dict[str, Variable] = field(default_factory=dict)
    outer: Scope | None = None
    reveals: bool = False
    windows: dict[str, object] = field(default_factory=dict)
    aliases: dict[str, Expression] = field(default_factory=dict)  # lateral column aliases
    prefers: dict[str, Expression] = field(default_factory=dict)  # output names that win over the frame's

    def __post_init__(self) -> None:
        if self.outer is None:
            self.outer = self.context.outer

    @property
    def settings(self) -> Settings:
        return self.context.settings

    def within(self, variables: dict[str, Variable]) -> Scope:
        return Scope(
            self.frame, self.context, {**self.variables, **variables}, self.outer, False, self.windows, self.aliases
        )

    def inside(self, frame: Frame) -> Scope:
        """The scope of a subquery's own frame."""
        return Scope(frame, self.context, outer=self)


def resolve(scope: Scope, parts: Sequence[str], plan_id: int | None = None) -> Named:
    """A column, or a field of one, by its name."""
    variable = scope.variables.get(parts[0]) or scope.variables.get(parts[0].lower())
    if variable is not None and plan_id is None:
        return fields_of(variable, parts[0], tuple(parts[1:]), scope)
    preferred = scope.prefers.get(parts[0].lower()) if len(parts) == 1 else None
    if preferred is not None:
        return Named(preferred, parts[0])
    hit = find(scope, parts, plan_id)
    if hit is not None:
        return named_hit(as_expression(scope.frame, hit[0]), hit, scope)
    alias = scope.aliases.get(parts[0].lower())
    if alias is not None:
        shown = replace(alias, text=f"lateralAliasReference({parts[0]})")
        return fields_of(shown, parts[0], tuple(parts[1:]), scope)
    found = outer_column(scope, parts, plan_id)
    if found is None:
        raise unresolved(scope.frame, parts)
    return found


def find(scope: Scope, parts: Sequence[str], plan_id: int | None) -> Hit | None:
    sensitive = scope.settings.case_sensitive

    def look(frame: Frame) -> Hit | None:
        if plan_id is not None and plan_id in frame.plans:
            hit = resolve_in_plan(frame, plan_id, parts, sensitive)
            if hit is not None:
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


def named_hit(expression: Expression, hit: Hit, scope: Scope) -> Named:
    attribute, rest = hit
    if not rest:
        return Named(expression, attribute.name, attribute.metadata, attribute)
    return fields_of(expression, attribute.name, rest, scope)


def fields_of(expression: Expression, name: str, rest: Sequence[str], scope: Scope) -> Named:
    for part in rest:
        expression = extract_field(expression, part, scope.settings)
    return Named(expression, rest[-1] if rest else name)


def outer_column(scope: Scope, parts: Sequence[str], plan_id: int | None) -> Named | None:
    """A name of the relation around the subquery, however far out."""
    around, depth = scope.outer, 1
    while around is not None:
        hit = find(around, parts, plan_id)
        if hit is not None and depth > 1:
            raise NotNative("a column of a relation further out than the one around")
        if hit is not None:
            return named_hit(outer_reference(around.frame, hit[0], depth), hit, scope)
        around, depth = around.outer, depth + 1
    return None


def outer_reference(frame: Frame, attribute: Attribute, depth: int) -> Expression:
    return OuterColumn(
        type=attribute.type,
        nullable=attribute.nullable,
        text=f"outer({attribute.name})",
        index=frame.slots[attribute.id],
        depth=depth,
    )


def literal_of(scope: Scope, value: object) -> Expression:
    return build.literal(value, settings=scope.settings)
