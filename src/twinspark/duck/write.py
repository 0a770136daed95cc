"""Writes the SQL of a plan that went through the passes of twinspark.compile."""

from __future__ import annotations

from twinspark.duck.relations import write_relation
from twinspark.duck.statement import Statement
from twinspark.functions.notation.value_memory import is_growing
from twinspark.plan.contents import Contents
from twinspark.plan.relations import Relation, ShowString


def write_sql(plan: Relation, contents: Contents) -> tuple[str, Statement]:
    """The SQL and its statement; plans that can build large values check the memory limit before."""
    shown = plan.input if isinstance(plan, ShowString) else plan
    text, statement = write_relation(shown)
    return write_relation(shown, asks_for_memory=True) if is_growing(text) else (text, statement)
