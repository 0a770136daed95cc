"""A null struct beside fields that are never null: DuckDB's Arrow under Spark's schema."""

import duckdb
import pytest

from twinspark.duck.results.arrow import arrow_schema, conform
from twinspark.types import ArrayType, DataType, IntegerType, MapType, StringType, StructField, StructType

RECORD = StructType([StructField("a", IntegerType(), False)])


@pytest.mark.parametrize(
    ("sql", "kind", "rows"),
    [
        ("{'a': 1}", RECORD, [{"a": 1}, None]),
        ("[{'a': 1}, null]", ArrayType(RECORD, True), [[{"a": 1}, None], None]),
        ("map(['k'], [{'a': 1}])", MapType(StringType(), RECORD, False), [[("k", {"a": 1})], None]),
    ],
)
def test_nulls_around_what_is_never_null(sql: str, kind: DataType, rows: list[object]) -> None:
    schema = arrow_schema(StructType([StructField("c", kind, True)]), "UTC")
    read = duckdb.connect().sql(f"select {sql} c union all select null").to_arrow_reader(10)
    batches = [conform(batch, schema) for batch in read]
    assert [batch.schema for batch in batches] == [schema] * len(batches)
    assert [row["c"] for batch in batches for row in batch.to_pylist()] == rows
