"""TPC-H's 22 queries, as SQL and as DataFrames, on the embedded engine: equal to what Spark answered."""

from collections.abc import Iterator

import data
import pytest
import tpch_sql
from tpch_answers import SCALE, as_text, recorded
from tpch_compare import FORMS, Answer, Client, difference

from twinspark.doors.connect.embedded import open_session


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    spark = open_session(engine="duckdb")
    yield Client(spark, data.tpch(SCALE))
    spark.stop()


@pytest.mark.parametrize("number", tpch_sql.QUERIES)
@pytest.mark.parametrize("form", FORMS)
def test_equals_spark(client: Client, form: str, number: int) -> None:
    native = client.answer(form, number)
    schema, rows = recorded(form)[number]
    ours = Answer(native.schema, [as_text(row) for row in native.rows], 0.0)
    assert difference(ours, Answer(schema, rows, 0.0), tpch_sql.ORDERED_BY[number]) is None
