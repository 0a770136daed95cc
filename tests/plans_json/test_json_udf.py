"""UDFs by name: registered on the session, called from plans, alone and as grouped aggregates."""

from typing import Any

import pytest
from pyspark.sql.functions import udf

from twinspark.plans_json import execute_plan, register_udf, validate_plan

pytestmark = pytest.mark.spark  # Python workers of a real Spark run what the native engine does not
ROWS = [["a", 1.0], ["a", 3.0], ["b", 10.0]]
SCHEMA = "k string, v double"


@pytest.fixture(scope="module")
def session(on_twinspark: Any) -> Any:
    type(on_twinspark)._active_session.session = on_twinspark  # PySpark asks it for the types of functions
    on_twinspark.udf.register("plus_one", udf(lambda value: value + 1, "double"))
    register_udf(on_twinspark, "my_total", lambda values: float(values.sum()), "double", function_type="grouped_agg")
    register_udf(on_twinspark, "shout", lambda text: text.upper() + "!", "string")
    return on_twinspark


@pytest.mark.parametrize(
    "call",
    [
        {"udf": "plus_one", "args": [{"col": "v"}]},
        {"fn": "call_udf", "args": [{"lit": "plus_one"}, {"col": "v"}]},
        {"op": "udf", "name": "plus_one", "args": ["v"]},
        {"fn": "plus_one", "args": ["v"]},
    ],
    ids=["udf", "call_udf", "op", "fn"],
)
def test_a_udf_is_called_in_every_form(call: dict[str, Any], session: Any) -> None:
    plan = [{"op": "withColumn", "payload": {"name": "w", "expr": call}}, {"op": "select", "payload": ["w"]}]
    assert sorted(row.w for row in execute_plan(ROWS, SCHEMA, plan, session).collect()) == [2.0, 4.0, 11.0]


def test_a_udf_filters(session: Any) -> None:
    plan = [{"op": "filter", "payload": {"op": "gt", "left": {"udf": "plus_one", "args": ["v"]}, "right": 3}}]
    assert sorted(row.v for row in execute_plan(ROWS, SCHEMA, plan, session).collect()) == [3.0, 10.0]


def test_a_grouped_udf_aggregates(session: Any) -> None:
    item = {
        "agg": "python_grouped_udf",
        "udf": "my_total",
        "args": [{"col": "v"}],
        "alias": "t",
        "return_type": "bigint",
    }
    plan = [
        {
            "op": "groupBy",
            "payload": {
                "group_by": ["k"],
                "aggs": [item, {"agg": "python_grouped_udf", "udf": "my_total", "args": ["v"], "alias": "d"}],
            },
        }
    ]
    frame = execute_plan(ROWS, SCHEMA, plan, session)
    assert [field.dataType.simpleString() for field in frame.schema] == ["string", "bigint", "double"]
    assert sorted(map(tuple, frame.collect())) == [("a", 4, 4.0), ("b", 10, 10.0)]


def test_a_session_knows_its_own_functions_and_a_plan_alone_does_not(session: Any) -> None:
    plan = [{"op": "select", "payload": [{"fn": "shout", "args": ["k"]}]}]
    assert validate_plan(plan, session) == []
    assert "unknown function 'shout'" in validate_plan(plan)[0].message


def test_a_kind_of_udf_that_is_none_is_refused(session: Any) -> None:
    with pytest.raises(ValueError, match="function_type is one of scalar"):
        register_udf(session, "f", len, "int", function_type="grouped")
