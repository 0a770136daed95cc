"""A tree written back as SQL is read by Spark as the text it came from: both make the same parsed plan."""

import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
import rewriting_queries  # noqa: F401  (registers the queries)
from rewriting import sql
from sql_cases import CASES, read_cases

from twinspark.read.sql import ParseError, parse_statement, tree

pytestmark = pytest.mark.spark


def rewritten(text: str) -> str | None:
    try:
        statement = parse_statement(text)
    except ParseError as error:
        assert error.exception != "ParseException"
        return None
    if not isinstance(statement, tree.Query):
        return None
    try:
        return sql(statement)
    except NotImplementedError:
        return None  # streams, TRANSFORM, parameters: not worth a writer


def pairs() -> list[tuple[str, str]]:
    cases = [case for name in ("queries.sql", "expressions.sql", "literals.sql") for case in read_cases(CASES / name)]
    texts = [case.text for case in cases if case.condition == "ok"]
    return [(text, other) for text in texts if (other := rewritten(text)) is not None]


@pytest.fixture(scope="module")
def reference(request: pytest.FixtureRequest) -> Iterator[Any]:
    """A real Spark: the one that is given, or the one behind the tests' own server."""
    from pyspark.sql import SparkSession

    url = os.environ.get("TWINSPARK_TEST_REMOTE") or request.getfixturevalue("auto_server").url
    session = SparkSession.builder.remote(url).create()
    session.conf.set("twinspark.engine", "spark")
    yield session
    session.stop()


def parsed_plan(reference: Any, text: str) -> str:
    explained = reference.sql(f"EXPLAIN EXTENDED {text}").collect()[0][0]
    plan = explained.partition("== Analyzed Logical Plan ==")[0]
    return re.sub(r"#\d+L?|@[0-9a-f]+", "#", plan)


def test_trees_say_what_their_texts_say(reference: Any) -> None:
    found = pairs()
    assert len(found) > 150
    # Every tenth is the everyday part: each asks Spark twice.
    chosen = found if os.environ.get("TWINSPARK_TEST_ALL") else found[::10]
    wrong = [(a, b) for a, b in chosen if parsed_plan(reference, a) != parsed_plan(reference, b)]
    assert wrong == []
