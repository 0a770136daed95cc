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
    check_known(message)
    return proto_schema_to_pyspark_data_type(message)


def check_known(message: Any) -> None:
    """A user-defined type names a class of the client's: reading it would import the client's module here."""
    kind = message.WhichOneof("kind")
    if kind == "udt":
        raise NotNative(USER_DEFINED)
    for field in message.struct.fields if kind == "struct" else ():
        check_known(field.data_type)
    if kind == "array":
        check_known(message.array.element_type)
    if kind == "map":
        check_known(message.map.key_type)
        check_known(message.map.value_type)


USER_DEFINED = "user-defined types"
TO_SPARK = {"udt": USER_DEFINED}


def json_of(text: str) -> Any:
    """Spark's JSON of a schema, which may name a class of the client's as well."""
    found = json.loads(text)
    if '"udt"' in text and '"pyClass"' in text:
        raise NotNative(USER_DEFINED)
    return found


def read_type_text(text: str) -> DataType:
    """A type as a string: DDL."""
    return parse_type(text)


def read_schema_text(text: str) -> StructType:
    """A schema as a string: Spark's JSON, a DDL column list, or a type."""
    if text.lstrip().startswith("{"):
        return StructType.fromJson(json_of(text))
    return parse_schema(text)


def read_schema_argument(text: str) -> DataType:
    """The schema that from_json and its like are given: Spark's JSON, columns, or a type."""
    if text.lstrip().startswith(("{", '"')):
        json_of(text)
        return _parse_datatype_json_string(text)
    return parse_schema_argument(text)


schema_texts.use(read_schema_argument)
