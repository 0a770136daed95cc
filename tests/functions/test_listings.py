"""sql_keywords() and collations() as Spark 4.2.1 lists them."""

from hashlib import sha256

import pytest

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.errors import NotNative
from twinspark.read.sql_text import read_query_text

RECORDED = {"sql_keywords": "008cdecea3e7e39c", "collations": "61ba1243aecfe22d"}  # of Spark's rows, in its order


def rows_of(query: str, context: Context | None = None) -> list[tuple[object, ...]]:
    context = context or Context()
    plan = read_query_text(query, context).plain()
    table = stream_rows(plan, context, connect().cursor()).read_all()
    return [tuple(row.values()) for row in table.to_pylist()]


def digest(rows: list[tuple[object, ...]]) -> str:
    return sha256(repr(rows).encode()).hexdigest()[:16]


@pytest.mark.parametrize(("name", "expected"), RECORDED.items())
def test_every_row_is_sparks(name: str, expected: str) -> None:
    assert digest(rows_of(f"SELECT * FROM {name}()")) == expected


def test_a_listing_is_a_relation_like_others() -> None:
    asked = "SELECT name, pad_attribute FROM collations() AS c WHERE c.language = 'Afrikaans' AND name LIKE 'af_A%'"
    assert rows_of(asked) == [("af_AI", "NO_PAD"), ("af_AI_RTRIM", "RTRIM")]


def test_reserved_words_are_sparks_to_tell() -> None:
    with pytest.raises(NotNative):
        rows_of("SELECT * FROM sql_keywords()", Context({"spark.sql.ansi.enforceReservedKeywords": "true"}))
