"""The published JSON Schema accepts every plan that runs, and refuses what validate_plan refuses by shape."""

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from test_json_fixtures import CASES

from twinspark.plans_json.read.step import READERS

DOCUMENT = json.loads((Path(__file__).parents[2] / "docs" / "use" / "json-plan.schema.json").read_text())
PLAN = Draft202012Validator(DOCUMENT)
FIXTURE = Draft202012Validator({**DOCUMENT, "$ref": "#/$defs/fixture"})
REFUSED: list[Any] = [
    {"op": "select"},
    [{"payload": []}],
    [{"op": "fliter"}],
    [{"op": "filter"}],
    [{"op": "filter", "payload": {"zz": 1}}],
    [{"op": "select", "payload": []}],
    [{"op": "select", "payload": [{"op": "gt"}]}],
    [{"op": "limit", "payload": {"n": -1}}],
    [{"op": "limit"}],
    [{"op": "withColumn", "payload": {"name": "a"}}],
    [{"op": "orderBy", "payload": {}}],
    [{"op": "groupBy", "payload": {"aggs": [{"agg": "sum"}]}}],
    [{"op": "agg", "payload": {"aggs": [5]}}],
    [{"op": "join", "payload": {"on": ["id"]}}],
    [{"op": "join", "payload": {"other_data": [], "how": "sideways"}}],
    [{"op": "union", "payload": {}}],
]


def test_the_document_is_a_schema() -> None:
    Draft202012Validator.check_schema(DOCUMENT)
    assert set(DOCUMENT["$defs"]["step"]["properties"]["op"]["enum"]) == set(READERS)


def test_every_fixture_is_valid() -> None:
    wrong = [(topic, fixture["name"]) for topic, fixture in CASES if not FIXTURE.is_valid(fixture)]
    assert len(CASES) > 800
    assert wrong == []


@pytest.mark.parametrize("plan", REFUSED, ids=str)
def test_a_shape_that_is_none_is_refused(plan: Any) -> None:
    assert not PLAN.is_valid(plan)
