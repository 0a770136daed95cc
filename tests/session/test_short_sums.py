"""Sums of products take the short way while it does: the answers, and what was run, with Spark's own values."""

from decimal import Decimal
from typing import Any

import pytest
from pyspark.errors import ArithmeticException

from twinspark.duck.run import connect, submit
from twinspark.duck.short_sums import TOO_LONG

LONG = "values (cast(9999999999999.99 as decimal(15,2)), cast(99999999999999.99 as decimal(16,2))) as t(a, b)"
SHORT = "values (cast(999999.99 as decimal(15,2)), cast(9999.99 as decimal(16,2))), (1.5, 2.5), (null, 1.0) as t(a, b)"


@pytest.fixture(scope="module")
def session() -> Any:
    import twinspark

    made = twinspark.session(engine="duckdb")
    yield made
    made.stop()


def rows(session: Any, text: str) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in session.sql(text).collect()]


def test_short_products(session: Any) -> None:
    found = rows(session, f"select sum(a * b), sum(a * b * b) from {SHORT}")
    assert found == [(Decimal("9999989903.7501"), Decimal("99999799000111.374999"))]


def test_products_too_long_for_the_short_way(session: Any) -> None:
    assert rows(session, f"select sum(a * b) from {LONG}") == [(Decimal("999999999999998900000000000.0001"),)]


def test_both_in_one_union(session: Any) -> None:
    found = rows(session, f"select sum(a * b) from {SHORT} union all select sum(a * b) from {LONG}")
    assert found == [(Decimal("9999989903.7501"),), (Decimal("999999999999998900000000000.0001"),)]


def test_having_sees_the_same_sum(session: Any) -> None:
    found = rows(session, f"select a, sum(a * b) s from {SHORT} group by a having sum(a * b) > 3 order by s")
    assert found == [
        (Decimal("1.50"), Decimal("3.7500")),
        (Decimal("999999.99"), Decimal("9999989900.0001")),
    ]


def test_an_answer_out_of_range_is_sparks_error(session: Any) -> None:
    with pytest.raises(ArithmeticException, match="99999999999999880000000000000020999999900 cannot be represented"):
        rows(session, f"select sum(a * b * b) from {LONG}")


def test_duckdb_says_it_in_the_words_we_know() -> None:
    with connect() as connection, pytest.raises(Exception, match=TOO_LONG.replace("(", r"\(").replace(")", r"\)")):
        submit(connection, "select sum(a * a) from (select 999999999999999999::decimal(18,0) as a)").read_all()
