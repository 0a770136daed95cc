"""Into which file a row goes: Spark's tasks write one each, and later reads begin with the largest."""

from __future__ import annotations

from dataclasses import replace

from twinspark.analysis.partitions import partitions_of
from twinspark.analysis.row_places import ascending, first_columns, is_small, sorted_by
from twinspark.analysis.spreads import partitioned
from twinspark.plan.relations import Project, Range, Relation, Spread
from twinspark.session.native import Query
from twinspark.tables.ducktext import identifier
from twinspark.tables.write import FileRows

TASK = "twinspark_task"


def by_task(query: Query) -> Query | None:
    """The same rows, the task that Spark would give each as their last column; None where that is not known."""
    known = partitions_of(query.context.config)
    if known is None or not is_small(query.plan) or not (known.folds or is_unfiltered(query.plan)):
        return None
    wide = partitioned(query.plan, replace(query.context.settings, slices=known.slices), alike=False)
    if wide is None:
        return None
    placed = sorted_by(wide, tuple(map(ascending, wide.columns()[-2:])))
    found = Query.of(first_columns(placed, len(wide.fields) - 1), query.context, query.cursor)
    return replace(found, observed=query.observed)


def is_unfiltered(plan: Relation) -> bool:
    """Whether rows are sliced alike before and after projections: no row is left out."""
    while isinstance(plan, Project):
        plan = plan.input
    return not plan.inputs


def named_rows(query: Query) -> FileRows:
    """Rows under the schema's names rather than c0, c1, ..."""
    spread = by_task(query)
    names = [*query.plan.schema.names, *([] if spread is None else [TASK])]
    found = query if spread is None else spread
    found.bind()
    columns = ", ".join(map(identifier, names))
    return FileRows(f"SELECT * FROM ({found.text}) AS rows({columns})", TASK if spread else parts_of(query.plan))


def parts_of(plan: Relation) -> str:
    """Partitions that the query asks for are files: a range cut into them, or rows dealt out one by one."""
    while isinstance(plan, Project):
        plan = plan.input
    number = "row_number() OVER () - 1"
    match plan:
        case Range(partitions=count) if count > 1:
            rows = max(len(range(plan.start, plan.end, plan.step)), 1)
            return f"((({number}) + 1) * {count} + {rows} - 1) // {rows} - 1"
        case Spread(how="rounds", count=count) if count > 1:
            return f"({number}) % {count}"
        case _:
            return ""
