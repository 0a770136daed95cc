"""TPC-DS on the embedded engine, equal to what Spark answered: schemas, nullability, rows, and order where one sorts.

`make tpcds` makes the data and asks every query; the everyday suite asks every fifth, if the data is there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from typing import Any

import needs
import pytest
import tpcds_answers
import tpcds_data
from pyspark.sql.types import DoubleType
from tpcds_answers import SCALE, asked, recorded, with_views

from twinspark.doors.connect.embedded import open_session
from twinspark.read.sql import parse_statement, tree

ANSWERS = recorded()
EVERY = 1 if os.environ.get("TWINSPARK_TEST_TPCDS") == "all" else 5
IS_SPARK_HERE = "SPARK_REPO" in os.environ  # Spark's own variants of the queries are read from there
NAMES = [name for name in list(ANSWERS)[::EVERY] if IS_SPARK_HERE or not name.startswith(tpcds_data.VARIANTS)]
pytestmark = needs.needs("the data of TPC-DS: `make tpcds-data` makes it", tpcds_data.is_ready(SCALE))


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    session = open_session(engine="duckdb")
    yield with_views(session, SCALE)
    session.stop()


@pytest.fixture(scope="module")
def queries() -> dict[str, str]:
    return tpcds_data.queries(SCALE)


@pytest.mark.parametrize("name", NAMES)
def test_equals_spark(name: str, spark: Any, queries: dict[str, str]) -> None:
    ours, theirs = asked(spark, queries[name]), ANSWERS[name]
    if "error" in theirs:
        assert ours == theirs
        return
    assert "error" not in ours, ours
    assert tpcds_answers.schema_of(ours) == tpcds_answers.schema_of(theirs)
    our_rows, their_rows = shown(ours), shown(theirs)
    assert Counter(map(str, our_rows)) == Counter(map(str, their_rows))
    places = order_places(queries[name], tpcds_answers.schema_of(theirs).names)
    assert picked(our_rows, places) == picked(their_rows, places)


def shown(answer: tpcds_answers.Answer) -> list[list[Any]]:
    """Doubles to thirteen digits: the last ones of q39's deviations depend on how Spark splits its files."""
    is_double = [isinstance(field.dataType, DoubleType) for field in tpcds_answers.schema_of(answer).fields]
    return [[as_shown(value, *of) for value, *of in zip(row, is_double, strict=True)] for row in answer["rows"]]


def as_shown(value: Any, is_double: bool) -> Any:
    return f"{float(value):.12e}" if is_double and value is not None else value


def order_places(query: str, names: list[str]) -> list[int]:
    """The columns that the whole query is sorted by, up to the first that was not selected: ties come in any order."""
    statement = parse_statement(query)
    assert isinstance(statement, tree.Query)
    lowered = [name.lower() for name in names]
    places: list[int] = []
    for item in statement.organization.order_by if statement.organization is not None else ():
        if not isinstance(item.child, tree.Column) or item.child.parts[-1].lower() not in lowered:
            break
        places.append(lowered.index(item.child.parts[-1].lower()))
    return places


def picked(rows: list[list[Any]], places: list[int]) -> list[list[Any]]:
    return [[row[place] for place in places] for row in rows]


def test_all_queries_are_recorded() -> None:
    assert {f"q{number}" for number in range(1, 100)} <= set(ANSWERS)
    assert sum(name.startswith("tpcds/") for name in ANSWERS) == 103
    assert sum(name.startswith("tpcds-v2.7.0/") for name in ANSWERS) == 32
