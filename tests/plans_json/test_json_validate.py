"""Bad plans: the step, the path, what was expected; found without a session and before anything runs."""

# ruff: noqa: E501  (one bad plan, one line)

from typing import Any

import pytest

from twinspark.plans_json import PlanError, execute_plan, supported_plan_operations, validate_plan

GOOD = {"op": "select", "payload": ["a"]}
OTHER = {"other_data": [], "other_schema": [{"name": "a", "type": "int"}]}
BAD: list[tuple[Any, int | None, str, str]] = [
    ("{", None, "", "not JSON"),
    ({"op": "select"}, None, "", "expected a list"),
    (5, None, "", "expected a list"),
    ([GOOD, "select"], 1, "", '{"op": name'),
    ([GOOD, {"payload": []}], 1, "", '{"op": name'),
    ([{"op": "fliter"}], 0, ".op", "unknown operation 'fliter'; did you mean filter?"),
    ([{"op": "filter", "payload": {}}], 0, ".payload", "expected an expression"),
    ([{"op": "filter", "payload": {"op": "gt", "left": {"col": "a"}}}], 0, ".payload", 'gt needs "left" and "right"'),
    ([{"op": "filter", "payload": {"op": "not", "arg": {"zz": 1}}}], 0, ".payload.arg", "found the keys ['zz']"),
    ([{"op": "select", "payload": []}], 0, ".payload", "at least one column"),
    ([{"op": "select", "payload": {"cols": ["a"]}}], 0, ".payload", "expected a list of columns, not nothing"),
    ([{"op": "select", "payload": [{"fn": "uper", "args": ["a"]}]}], 0, ".payload[0]", "did you mean upper"),
    ([{"op": "select", "payload": [{"fn": "upper", "args": "a"}]}], 0, ".payload[0].args", "a list of arguments"),
    ([{"op": "select", "payload": [{"fn": "lpad", "args": ["a"]}]}], 0, ".payload[0]", "lpad takes 2 to 3 arguments, not 1"),
    ([{"op": "select", "payload": [{"fn": "coalesce", "args": []}]}], 0, ".payload[0]", "at least 1 argument"),
    ([{"op": "select", "payload": [{"fn": "cast", "args": ["a", {"lit": "nit"}]}]}], 0, ".payload[0].args[1]", "'nit' is not a Spark type"),
    ([{"op": "select", "payload": [{"lit": {"a": 1}}]}], 0, ".payload[0].lit", "expected a value"),
    ([{"op": "select", "payload": [{"lit": 2**70}]}], 0, ".payload[0].lit", "does not fit a bigint"),
    ([{"op": "select", "payload": [{"lit": "soon", "type": "date"}]}], 0, ".payload[0].lit", "no value of type date"),
    ([{"op": "select", "payload": [{"fn": "rank", "args": [], "window": []}]}], 0, ".payload[0].window", "partition_by"),
    ([{"op": "select", "payload": [{"fn": "rank", "args": [], "window": {"frame": {"type": "days"}}}]}], 0, ".payload[0].window.frame", '"rows" or "range"'),
    ([{"op": "select", "payload": [{"fn": "rank", "args": [], "window": {"frame": {"type": "rows", "start": "far"}}}]}], 0, ".payload[0].window.frame.start", "a number of rows"),
    ([{"op": "withColumn", "payload": {"name": "b"}}], 0, ".payload", '{"name": …, "expr": …}'),
    ([{"op": "withColumnRenamed", "payload": {"old": "a"}}], 0, ".payload.new", "the new name"),
    ([{"op": "limit", "payload": {"n": -1}}], 0, ".payload.n", "a number of rows, not -1"),
    ([{"op": "offset", "payload": {}}], 0, ".payload.n", "not nothing"),
    ([{"op": "drop", "payload": {"columns": [{"lit": 1}]}}], 0, ".payload.columns[0]", "drop takes column names"),
    ([{"op": "orderBy", "payload": {"columns": ["a"], "ascending": [True, False]}}], 0, ".payload.ascending", "expected 1 values"),
    ([{"op": "orderBy", "payload": {"columns": []}}], 0, ".payload", "at least one sort key"),
    ([GOOD, {"op": "groupBy", "payload": {"group_by": ["a"]}}, GOOD], 1, ".payload", "a grouping needs"),
    ([{"op": "groupBy", "payload": {"group_by": ["a"], "aggs": [{"agg": "sun", "column": "a"}]}}], 0, ".payload.aggs[0]", "did you mean sum"),
    ([{"op": "groupBy", "payload": {"aggs": []}}], 0, ".payload.group_by", "grouping keys"),
    ([{"op": "agg", "payload": {"aggs": [{"agg": "sum", "column": "a", "ignorenulls": True}]}}], 0, ".payload.aggs[0]", "ignorenulls goes with"),
    ([{"op": "join", "payload": {**OTHER, "on": ["a"], "how": "sideways"}}], 0, ".payload.how", "expected one of inner"),
    ([{"op": "join", "payload": {**OTHER, "how": "inner"}}], 0, ".payload.on", "columns or a condition"),
    ([{"op": "join", "payload": {"on": ["a"]}}], 0, ".payload.other_data", "a list of rows"),
    ([{"op": "union", "payload": {"other_data": [[1]], "other_schema": [{"name": "a", "type": "nit"}]}}], 0, ".payload.other_schema", "not a Spark type"),
]  # fmt: skip


@pytest.mark.parametrize(("plan", "step", "path", "words"), BAD, ids=[str(each[0])[:70] for each in BAD])
def test_a_bad_plan_is_told_by_its_place(plan: Any, step: int | None, path: str, words: str) -> None:
    first = validate_plan(plan)[0]
    assert (first.step, first.path) == (step, path)
    assert words in first.message


def test_every_problem_of_a_plan_is_found() -> None:
    plan = [
        {"op": "select", "payload": [{"fn": "uper", "args": []}, {"op": "gt"}]},
        {"op": "nope"},
        GOOD,
        {"op": "limit"},
    ]
    assert [problem.step for problem in validate_plan(plan)] == [0, 0, 1, 3]


def test_a_bad_plan_runs_nothing() -> None:
    """The session is only asked whether it knows the strange function; data is not even looked at."""

    class Catalog:
        def functionExists(self, name: str) -> bool:
            return False

    class Session:
        catalog = Catalog()

    with pytest.raises(PlanError, match=r"step 1\.payload\[0\]: unknown function 'nothing_like_it'"):
        execute_plan(
            None, None, [GOOD, {"op": "select", "payload": [{"fn": "nothing_like_it", "args": []}]}], Session()
        )


def test_good_plans_have_no_problems() -> None:
    assert validate_plan([GOOD, {"op": "limit", "payload": {"n": 0}}]) == []
    assert validate_plan('[{"op": "distinct"}]') == []
    assert validate_plan([]) == []


def test_the_operations_are_told() -> None:
    operations = supported_plan_operations()
    assert {"filter", "select", "groupBy", "agg", "join", "crossJoin", "rollup", "cube"} <= set(operations)
    assert isinstance(operations, tuple)
