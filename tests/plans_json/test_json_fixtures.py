"""Every operation, payload form, operator and function: what Spark answered is what each engine answers."""

import os
from pathlib import Path
from typing import Any

import pytest
from cases import topics

from twinspark.plans_json.fixture import first_difference, read_fixtures
from twinspark.plans_json.known_functions import BESIDES, arities, function_name

FILES = sorted((Path(__file__).parent / "fixtures").glob("*.json"))
CASES = [(file.stem, fixture) for file in FILES for fixture in read_fixtures(file)]
NAMES = [f"{topic}: {fixture['name']}" for topic, fixture in CASES]
EVERY = 1 if os.environ.get("TWINSPARK_TEST_ALL") else 8  # Spark recorded them: a part is asked again every day
WINDOW_ONLY = {"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "nth_value"}


@pytest.mark.spark  # where the plan is not native
@pytest.mark.parametrize(("topic", "fixture"), CASES, ids=NAMES)
def test_twinspark_answers_as_spark_did(topic: str, fixture: dict[str, Any], on_twinspark: Any) -> None:
    assert first_difference(fixture, on_twinspark) is None


@pytest.mark.spark
@pytest.mark.parametrize(("topic", "fixture"), CASES[::EVERY], ids=NAMES[::EVERY])
def test_spark_still_answers_so(topic: str, fixture: dict[str, Any], on_spark: Any) -> None:
    assert first_difference(fixture, on_spark) is None


def test_the_fixtures_are_those_of_the_cases() -> None:
    """A case without a recorded answer, or an answer to a plan that has changed, asks for `record.py fixtures`."""
    wanted = [(topic, case["name"], case["plan"]) for topic, file in topics().items() for case in file["cases"]]
    recorded = [(topic, fixture["name"], fixture["plan"]) for topic, fixture in CASES]
    assert sorted(wanted, key=repr) == sorted(recorded, key=repr)


def test_every_function_of_spark_has_a_fixture() -> None:
    called: set[str | None] = set()
    for _, fixture in CASES:
        collect_names(fixture["plan"], called)
    assert set(arities()) - set(BESIDES) - called == set()


def collect_names(written: Any, found: set[str | None]) -> None:
    if isinstance(written, dict):
        for key in ("fn", "function", "agg", "func", "op"):
            if isinstance(written.get(key), str):
                found.add(function_name(written[key]))
    for part in written.values() if isinstance(written, dict) else written if isinstance(written, list) else ():
        collect_names(part, found)
