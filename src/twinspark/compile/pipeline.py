"""The list of passes between a typed plan and the SQL text that DuckDB runs: everything that needs SQL compiles
here."""

from __future__ import annotations

from dataclasses import dataclass

from twinspark.analysis.context import Context
from twinspark.compile.passes import (
    Pass,
    call_sort_keys,
    check_cartesian_products,
    check_char_comparisons,
    check_decimal_percentiles,
    check_filtered_arguments,
    check_geospatial_columns,
    check_null_in_tests,
    check_plan_limits,
    check_python_task_contexts,
    divide_python_maps,
    extract_python_functions,
    follow_spark_order,
    is_concerned,
    number_write_tasks,
    prune_files,
    read_corrupt_records,
    share_aggregates,
    use_cached_relations,
)
from twinspark.duck.statement import Statement
from twinspark.duck.write import write_sql
from twinspark.plan.contents import Contents, contents_of
from twinspark.plan.relations import Relation

# These passes settle the meaning of a plan: its schema, its scans and the checks of a query.
MEANING: tuple[Pass, ...] = (
    use_cached_relations,
    prune_files,
    read_corrupt_records,
    check_plan_limits,
    check_char_comparisons,
    check_cartesian_products,
    check_null_in_tests,
    check_filtered_arguments,
    check_decimal_percentiles,
    check_geospatial_columns,
    check_python_task_contexts,
    divide_python_maps,
)
# These passes give the same rows Spark's order, unless the session leaves the order to DuckDB.
ROW_ORDER: tuple[Pass, ...] = (call_sort_keys, follow_spark_order)
# This pass computes equal parts of a plan once, if the order of its rows is DuckDB's.
SHARING: tuple[Pass, ...] = (share_aggregates,)
# This pass moves everything that is not SQL out of the expressions.
ENGINE: tuple[Pass, ...] = (extract_python_functions,)
PASSES: tuple[Pass, ...] = (*MEANING, *ROW_ORDER, *SHARING, *ENGINE)


@dataclass(frozen=True)
class Step:
    """A plan after the pass of this name, which changed it."""

    name: str
    plan: Relation


@dataclass(frozen=True)
class CompiledPlan:
    """A plan after all passes, with its SQL text and the objects that the text refers to."""

    steps: tuple[Step, ...]  # the passes that changed the plan, in order
    plan: Relation  # after the passes of MEANING
    ordered: Relation  # after the passes of ROW_ORDER
    text: str
    statement: Statement
    contents: Contents
    has_tasks: bool = False  # whether the rows have one more column, the number of the task that writes them

    @property
    def sql(self) -> str:
        """The SQL that DuckDB is given first; if a shortcut in it fails, `text` runs."""
        return self.statement.with_shortcuts(self.text)


def compile_plan(plan: Relation, context: Context) -> CompiledPlan:
    """Raises NotNative when the plan has to run on Spark, or an error of Spark's that analysis did not raise."""
    runner = PassRunner(plan, context)
    meant = runner.apply(MEANING, plan)
    return runner.write(meant, runner.apply(ROW_ORDER, meant))


def compile_rows(plan: Relation, context: Context) -> CompiledPlan:
    """Compiles without ROW_ORDER, for rows whose order is not visible: those of cached relations, the values of a
    PIVOT."""
    runner = PassRunner(plan, context)
    meant = runner.apply(MEANING, plan)
    return runner.write(meant, meant)


def compile_write(plan: Relation, context: Context) -> CompiledPlan:
    """Compiles rows that go into files: where Spark's tasks are known, each row has its task number as a last
    column."""
    runner = PassRunner(plan, context)
    meant = runner.apply(MEANING, plan)
    numbered = runner.apply((number_write_tasks,), meant)
    return runner.write(meant, runner.apply(ROW_ORDER, numbered), numbered is not meant)


class PassRunner:
    """Runs passes over one plan; which node classes and functions it contains is computed once, before them."""

    def __init__(self, plan: Relation, context: Context) -> None:
        self._context = context
        self._contents = contents_of(plan)
        self._steps = [Step("typed plan", plan)]

    def apply(self, passes: tuple[Pass, ...], plan: Relation) -> Relation:
        for each in passes:
            if is_concerned(each, self._contents):
                plan = self._changed_by(each, plan)
        return plan

    def _changed_by(self, each: Pass, plan: Relation) -> Relation:
        changed = each(plan, self._context)
        if changed is not plan:
            self._steps.append(Step(each.__name__, changed))
        return changed

    def write(self, meant: Relation, ordered: Relation, has_tasks: bool = False) -> CompiledPlan:
        # Rows in Spark's order stay as they are: a shared relation would not keep that order.
        shared = self.apply(SHARING, ordered) if ordered is meant else ordered
        text, statement = write_sql(self.apply(ENGINE, shared), self._contents)
        return CompiledPlan(tuple(self._steps), meant, ordered, text, statement, self._contents, has_tasks)
