"""Connect's DataType messages and DDL texts as Spark types."""

import json
from typing import Any

from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type
from pyspark.sql.types import _parse_datatype_json_string

from twinspark.errors import NotNative
from twinspark.functions import schema_texts
from twinspark.read.sql import parse_schema, parse_schema_argument, parse_type
from twinspark.types import DataType, StructType


def read_type(message: Any) -> DataType:
    kind = message.WhichOneof("kind")
    if kind is None:
        raise NotNative("a type that is not given")
    if kind == "unparsed":
        return parse_type(message.unparsed.data_type_string)
    return proto_schema_to_pyspark_data_type(message)


def read_type_text(text: str) -> DataType:
    """A type as a string: DDL."""
    return parse_type(text)


def read_schema_text(text: str) -> StructType:
    """A schema as a string: Spark's JSON, a DDL column list, or a type."""
    if text.lstrip().startswith("{"):
        return StructType.fromJson(json.loads(text))
    return parse_schema(text)


def read_schema_argument(text: str) -> DataType:
    """The schema that from_json and its like are given: Spark's JSON, columns, or a type."""
    if text.lstrip().startswith(("{", '"')):
        return _parse_datatype_json_string(text)
    return parse_schema_argument(text)


schema_texts.use(read_schema_argument)
