"""Random valid plans: the native engine answers what Spark answers; a seed that fails can be run again alone."""

import json
import os
from typing import Any

import pytest
from random_plans import PlanMaker

from twinspark.plans_json import validate_plan
from twinspark.plans_json.fixture import answer_of, difference_text, is_ordered, rows_difference, schema_difference

COUNT = int(os.environ.get("TWINSPARK_TEST_PLANS", "30"))  # the everyday part; hundreds: TWINSPARK_TEST_PLANS=400


@pytest.mark.parametrize("seed", range(300))
def test_random_plans_are_valid(seed: int) -> None:
    assert validate_plan(json.loads(json.dumps(PlanMaker(seed).fixture()["plan"]))) == []


@pytest.mark.spark
@pytest.mark.parametrize("seed", range(COUNT))
def test_both_engines_agree_on_a_random_plan(seed: int, on_twinspark: Any, on_spark: Any) -> None:
    fixture = PlanMaker(seed).fixture()
    ours, theirs = answer_of(fixture, on_twinspark), answer_of(fixture, on_spark)
    assert difference(fixture, theirs, ours) is None, json.dumps(fixture)


def difference(fixture: dict[str, Any], expected: dict[str, Any], found: dict[str, Any]) -> str | None:
    if "error" in expected or "error" in found:
        return difference_text("error", expected.get("error"), found.get("error"))
    ordered = is_ordered(fixture["plan"])
    return schema_difference(expected["schema"], found["schema"]) or rows_difference(
        expected["rows"], found["rows"], ordered
    )
