"""DataFrame.to where a recorded answer cannot say it: what the configuration changes, and that nothing is added."""

import pytest
from pyspark.sql.connect.proto import Relation, relations_pb2
from pyspark.sql.connect.types import pyspark_types_to_proto_types
from pyspark.sql.types import IntegerType, LongType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_rows
from twinspark.errors import SparkError
from twinspark.plan.relations import Range
from twinspark.read.proto import read_relation


def to(*fields: StructField) -> Relation:
    rows = Relation(range=relations_pb2.Range(end=3, step=1))
    schema = pyspark_types_to_proto_types(StructType(list(fields)))
    return Relation(to_schema=relations_pb2.ToSchema(input=rows, schema=schema))


def test_an_identical_schema_adds_nothing() -> None:
    plan = read_relation(to(StructField("id", LongType(), False)), Context())
    assert isinstance(plan, Range)


def test_only_what_changes_is_cast() -> None:
    text = compile_rows(read_relation(to(StructField("ID", LongType())), Context()), Context()).text
    assert "CAST" not in text.partition(" FROM ")[0]
    text = compile_rows(read_relation(to(StructField("id", IntegerType())), Context()), Context()).text
    assert "t1.id AS" not in text.partition(" FROM ")[0]


def test_another_spelling_is_another_column_where_case_counts() -> None:
    plan = to(StructField("ID", LongType(), False))
    assert read_relation(plan, Context()).schema.names == ["ID"]
    with pytest.raises(SparkError) as error:
        read_relation(plan, Context(config={"spark.sql.caseSensitive": "true"}))
    assert error.value.condition == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert error.value.parameters == {"objectName": "`ID`", "proposal": "`id`"}
