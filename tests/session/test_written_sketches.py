"""A sketch whose bytes depend on how Spark splits the rows is not written here; what it tells is."""

import pytest
from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.query import CompiledQuery
from twinspark.duck.run import connect
from twinspark.errors import NotNative


def query(text: str) -> CompiledQuery:
    message = relations_pb2.Relation(sql=relations_pb2.SQL(query=text))
    return CompiledQuery.read(message, Context(), connect().cursor())


def test_bytes_that_depend_on_partitions_are_left_to_spark() -> None:
    with pytest.raises(NotNative, match="hll_sketch_agg"):
        query("SELECT hll_sketch_agg(id) FROM range(100)").bind()


def test_an_estimate_is_written() -> None:
    estimate = query("SELECT hll_sketch_estimate(hll_sketch_agg(id)) FROM range(100)")
    estimate.bind()
    assert estimate.stream().read_all().to_pylist() == [{"hll_sketch_estimate(hll_sketch_agg(id, 12))": 100}]
