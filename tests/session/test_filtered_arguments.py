"""Arguments that may fail in rows that a FILTER leaves out: beside distinct values Spark looks at them all the same."""

import pytest
from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.query import CompiledQuery
from twinspark.duck.run import connect
from twinspark.errors import NotNative


def query(text: str) -> CompiledQuery:
    message = relations_pb2.Relation(
        sql=relations_pb2.SQL(query=f"SELECT {text} FROM VALUES (1, 1), (2, -1) AS t(a, b)")
    )
    return CompiledQuery.read(message, Context(), connect().cursor())


def test_beside_distinct_values_spark_is_asked() -> None:
    with pytest.raises(NotNative, match="FILTER"):
        query("count(DISTINCT a), count(DISTINCT b), sum(2147483647 + b) FILTER (WHERE b < 0)")


def test_alone_the_filter_comes_first() -> None:
    (row,) = query("sum(2147483647 + b) FILTER (WHERE b < 0) AS s").stream().read_all().to_pylist()
    assert row == {"s": 2147483646}
