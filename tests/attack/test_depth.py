"""Deep and repeated statements and plans: answered, refused as Spark refuses them, or left to Spark; soon, and in
linear time. Sizes are modest here; `make attack` takes larger ones."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from deep_frames import FRAMES
from deep_texts import TEXTS
from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

from twinspark.doors.connect.server import ConnectServer
from twinspark.driver import connection
from twinspark.errors import NotNative
from twinspark.functions.strings import format_string as formats
from twinspark.read.sql import ParseError, leading_kinds, parse_query
from twinspark.sessions.settings import Settings

SECONDS = 8.0  # of CPU, for what takes under one on a quiet machine
TOO_COMPLEX = "FAILED_TO_PARSE_TOO_COMPLEX"
LEFT_TO_SPARK = "TWINSPARK_NOT_NATIVE"


@pytest.fixture(scope="module")
def server() -> Iterator[ConnectServer]:
    made = ConnectServer(Settings(engine="duckdb"))
    yield made
    made.stop()


@pytest.fixture
def spark(server: ConnectServer) -> Iterator[Any]:
    session = SparkSession.builder.remote(server.url).create()
    yield session
    session.stop()


def outcome(read: Callable[[], Any]) -> str:
    """The number of rows, or the condition; in CPU time that is bounded."""
    began = time.process_time()
    try:
        found = str(len(read().collect()))
    except PySparkException as error:
        found = error.getCondition() or str(error)
    assert time.process_time() - began < SECONDS
    return found


def seconds(action: Callable[[], Any]) -> float:
    """Of CPU, the best of three."""
    times = []
    for _ in range(3):
        began = time.thread_time()
        action()
        times.append(time.thread_time() - began)
    return min(times)


def parsed(text: str) -> None:
    """To the end, or to an error: Spark's, or that Spark has to say which."""
    with suppress(ParseError, NotNative):
        parse_query(text)


HOSTILE = {
    "parentheses": TEXTS["parentheses"],
    "open parentheses": TEXTS["open parentheses"],
    "not in": lambda n: "select " + "not in (" * n + "1",
    "closed not in": lambda n: "select " + "not in (" * n + "1" + ")" * n,
    "not in inside of calls": lambda n: "select " + "if(not in (" * n + "1" + "))" * n,
    "case": TEXTS["case of case"],
    "open case": lambda n: "select " + "case when " * n,
    "exists": TEXTS["exists"],
    "open lists": lambda n: "select " + "1 in ((select 1 where " * n,
    "struct": lambda n: "select " + "struct(" * n + "1" + ") over w" * n,
    "in": TEXTS["in"],
    "plus": TEXTS["plus"],
    "union": TEXTS["union"],
    "array type": TEXTS["array type"],
}


@pytest.mark.parametrize("kind", [kind for kind in HOSTILE if kind != "struct"])
def test_the_parser_takes_linear_time(kind: str) -> None:
    made, size = HOSTILE[kind], 200
    once, twice = made(size), made(2 * size)
    parsed(once)
    assert seconds(lambda: parsed(twice)) < 3 * seconds(lambda: parsed(once)) + 0.05  # a busy machine is not quadratic


def test_200_kilobytes_of_parentheses_are_refused_as_in_spark(spark: Any) -> None:
    with pytest.raises(PySparkException) as refused:
        spark.sql("select " + "(" * 100_000 + "1" + ")" * 100_000).collect()
    assert refused.value.getCondition() == TOO_COMPLEX
    assert refused.value.getSqlState() == "54001"
    assert type(refused.value).__name__ == "ParseException"


# Spark 4.2.1 says FAILED_TO_PARSE_TOO_COMPLEX to all of these: docs/decisions/interrupts.md
@pytest.mark.parametrize(
    ("kind", "size"),
    [
        *[("parentheses", 20_000), ("minus signs", 3000), ("not", 3000), ("abs", 3000), ("plus", 10_000)],
        *[("concat", 10_000), ("case when", 3000), ("if", 3000), ("cast", 3000), ("scalar subquery", 5000)],
    ],
)
def test_too_deep_for_spark_and_for_us(spark: Any, kind: str, size: int) -> None:
    assert outcome(lambda: spark.sql(TEXTS[kind](size))) == TOO_COMPLEX


@pytest.mark.parametrize(
    ("kind", "size"),
    [
        *[("array", 3000), ("array", 400), ("named_struct", 100), ("array type", 1000), ("struct type", 400)],
        *[("from_json", 1600), ("from_json of struct", 400), ("lambda", 100), ("subscript", 60), ("subscript", 400)],
        *[("scalar subquery", 400), ("doubling", 40), ("joins", 150)],
    ],
)
def test_too_deep_for_us_is_left_to_spark_soon(spark: Any, kind: str, size: int) -> None:
    assert outcome(lambda: spark.sql(TEXTS[kind](size))) in (LEFT_TO_SPARK, TOO_COMPLEX)


@pytest.mark.parametrize(
    ("kind", "size", "rows"),
    [
        *[("parentheses", 900, "1"), ("minus signs", 300, "1"), ("case when", 200, "1"), ("array", 60, "1")],
        *[("named_struct", 30, "1"), ("lambda", 8, "1"), ("subscript", 3, "1"), ("scalar subquery", 60, "1")],
        *[("subquery in from", 300, "1"), ("chain of names", 150, "1"), ("doubling", 8, "1"), ("joins", 40, "1")],
        *[("in", 10_000, "1"), ("or", 300, "1"), ("columns", 5000, "1"), ("values", 10_000, "1")],
        *[
            ("case branches", 1000, "1"),
            ("union", 300, "300"),
            ("coalesce wide", 5000, "1"),
            ("struct wide", 2000, "1"),
        ],
    ],
)
def test_what_spark_answers_is_answered(spark: Any, kind: str, size: int, rows: str) -> None:
    assert outcome(lambda: spark.sql(TEXTS[kind](size))) == rows


@pytest.mark.parametrize("kind", [each for each in FRAMES if each not in ("views", "map")])
def test_frames_of_loops(spark: Any, kind: str) -> None:
    assert outcome(lambda: FRAMES[kind](spark, 60)) in ("0", "1", "3", "63", LEFT_TO_SPARK)


def test_views_over_views_that_double(spark: Any) -> None:
    assert outcome(lambda: FRAMES["views"](spark, 40)) == LEFT_TO_SPARK


@pytest.mark.attack
@pytest.mark.parametrize("size", [200, 1000])
@pytest.mark.parametrize("kind", TEXTS)
def test_every_kind_of_text_ends(spark: Any, kind: str, size: int) -> None:
    assert "INTERNAL_ERROR" not in outcome_or_interrupted(spark, lambda: spark.sql(TEXTS[kind](size)))


@pytest.mark.attack
@pytest.mark.parametrize("size", [200, 1000])
@pytest.mark.parametrize("kind", FRAMES)
def test_every_kind_of_frame_ends(spark: Any, kind: str, size: int) -> None:
    assert "INTERNAL_ERROR" not in outcome_or_interrupted(spark, lambda: FRAMES[kind](spark, size))


def outcome_or_interrupted(spark: Any, read: Callable[[], Any]) -> str:
    from threading import Timer

    timer = Timer(10.0, spark.interruptAll)
    timer.start()
    try:
        return str(len(read().collect()))
    except PySparkException as error:
        return error.getCondition() or str(error)
    finally:
        timer.cancel()


def test_a_column_pattern_that_python_would_try_for_ever(spark: Any) -> None:
    frame = spark.sql(f"select 1 as {'a' * 60}")
    assert outcome(lambda: frame.select(frame.colRegex("`(a+)+b`"))) == LEFT_TO_SPARK
    assert outcome(lambda: frame.select(frame.colRegex("`a+`"))) == "1"


PATTERNS = [
    (formats.PLACE.search, "%" + "0" * 20_000),
    (partial(leading_kinds, count=3), " " * 20_000 + "a" + "/*" * 20_000),
    (partial(leading_kinds, count=3), "-- a\n" * 20_000 + "'" * 19_999),
    (connection.QUERY.match, " " * 20_000 + "insert"),
    (connection.QUERY.match, "(" * 20_000 + "insert"),
]


@pytest.mark.parametrize(("match", "text"), PATTERNS)
def test_our_own_patterns_take_linear_time(match: Callable[[str], Any], text: str) -> None:
    assert seconds(lambda: match(text)) < 0.5
