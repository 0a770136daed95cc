"""Typed plans and SQL as text, for EXPLAIN and `twinspark explain`."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from twinspark.compile.pipeline import CompiledPlan, Step
from twinspark.errors.marker import without_token
from twinspark.plan.relations import Relation, own_expressions


def draw(plan: Relation, line: Callable[[Relation], str], indent: str = "") -> Iterator[str]:
    """A line for each relation, its inputs indented below it."""
    yield f"{indent}{line(plan)}"
    inner = f"{indent[:-3]}   +- " if indent.endswith("+- ") else "+- "
    for each in plan.inputs:
        yield from draw(each, line, inner)


def describe(plan: Relation) -> str:
    shown = ", ".join(each.text for each in own_expressions(plan))
    return f"{type(plan).__name__} [{shown}]"


def describe_with_schema(plan: Relation) -> str:
    return f"{describe(plan)} -> {plan.schema.simpleString()}"


def sql_of(compiled: CompiledPlan) -> str:
    """The SQL that DuckDB runs; the token of this process, which marks errors, is left out of it."""
    return without_token(compiled.sql)


def step_lines(step: Step) -> Iterator[str]:
    title = "Typed plan" if step.name == "typed plan" else f"After {step.name}"
    yield from [f"== {title} ==", *draw(step.plan, describe_with_schema), ""]


def pass_lines(compiled: CompiledPlan) -> Iterator[str]:
    """The plan after each pass that changed its text."""
    before: list[str] = []
    for step in compiled.steps:
        lines = list(step_lines(step))
        if lines[1:] != before:
            yield from lines
        before = lines[1:]


def passes_text(compiled: CompiledPlan) -> str:
    return "\n".join(pass_lines(compiled))
