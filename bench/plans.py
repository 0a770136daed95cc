"""What planning costs: a plan of ten relations, and 200 chained withColumn, in CPU milliseconds of one thread.

usage: plans.py [TIMES]   (no server: messages as a client sends them -> typed plan -> SQL -> rows)
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from pyspark.sql.connect.proto import Relation

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_plan
from twinspark.compile.query import CompiledQuery
from twinspark.doors.connect.depth import lift_depth_limit
from twinspark.duck import run
from twinspark.read.proto import read_relation

CONFIG = {"spark.master": "local[2]"}
STEPS = ("read", "compile", "python", "run")


def chain(length: int) -> Relation:
    """spark.range(1000) with one new column after the other."""
    plan = numbers(1000)
    for number in range(length):
        above = over("with_columns", plan)
        alias = above.with_columns.aliases.add(name=[f"c{number}"])
        call(alias.expr, "+", "id", number)
        plan = above
    return plan


def ten_relations() -> Relation:
    """Two ranges, projected, filtered, joined, grouped, filtered, sorted and limited."""
    left = over("filter", with_key(numbers(1000)))
    call(left.filter.condition, ">", "id", 10)
    right = over("to_df", numbers(10))
    right.to_df.column_names.append("other")
    joined = Relation()
    joined.join.left.CopyFrom(left)
    joined.join.right.CopyFrom(right)
    joined.join.join_type = 1
    call(joined.join.join_condition, "==", "key", "other")
    grouped = over("aggregate", joined)
    grouped.aggregate.group_type = 1
    name(grouped.aggregate.grouping_expressions.add(), "key")
    total = grouped.aggregate.aggregate_expressions.add().alias
    total.name.append("total")
    total.expr.unresolved_function.function_name = "sum"
    name(total.expr.unresolved_function.arguments.add(), "id")
    kept = over("filter", grouped)
    call(kept.filter.condition, ">", "total", 1)
    ordered = over("sort", kept)
    order = ordered.sort.order.add(direction=2, null_ordering=2)
    name(order.child, "total")
    ordered.sort.is_global = True
    last = over("limit", ordered)
    last.limit.limit = 5
    return last


def numbers(end: int) -> Relation:
    plan = Relation()
    plan.range.end, plan.range.step = end, 1
    return plan


def with_key(plan: Relation) -> Relation:
    above = over("with_columns", plan)
    alias = above.with_columns.aliases.add(name=["key"])
    call(alias.expr, "%", "id", 10)
    return above


def over(member: str, plan: Relation) -> Relation:
    above = Relation()
    getattr(above, member).input.CopyFrom(plan)
    return above


def call(expression: Any, function: str, column: str, other: str | int) -> None:
    expression.unresolved_function.function_name = function
    name(expression.unresolved_function.arguments.add(), column)
    argument = expression.unresolved_function.arguments.add()
    if isinstance(other, str):
        name(argument, other)
    else:
        argument.literal.integer = other


def name(expression: Any, column: str) -> None:
    expression.unresolved_attribute.unparsed_identifier = column


def measured(plan: Relation, times: int) -> dict[str, float]:
    """The best of several, in milliseconds; `python` is reading and compiling, `run` is DuckDB's part."""
    cursor = run.connect().cursor()
    best = dict.fromkeys(STEPS, float("inf"))
    for _ in range(times):
        context = Context(config=CONFIG)
        read, relation = timed(partial(read_relation, plan, context))
        compiled, made = timed(partial(compile_plan, relation, context))
        ran, _ = timed(partial(rows, cursor, made, context))
        found = zip(STEPS, (read, compiled, read + compiled, ran), strict=True)
        best = {step: min(best[step], value) for step, value in found}
    return best


def rows(cursor: Any, compiled: Any, context: Context) -> Any:
    return CompiledQuery(compiled, context, cursor).stream().read_all()


def timed(step: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    made = step()
    return (time.process_time() - started) * 1000, made


def main() -> None:
    lift_depth_limit()
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 10
    for title, plan in (("ten relations", ten_relations()), ("200 chained withColumn", chain(200))):
        steps = ", ".join(f"{step} {value:.2f}" for step, value in measured(plan, times).items())
        print(f"{title}: {steps} ms of CPU")


if __name__ == "__main__":
    main()
