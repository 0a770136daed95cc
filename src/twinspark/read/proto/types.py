"""Reads Connect's DataType messages and DDL texts into Spark types."""

import json

from pyspark.sql.connect.proto import types_pb2
from pyspark.sql.connect.types import proto_schema_to_pyspark_data_type
from pyspark.sql.types import _parse_datatype_json_string

from twinspark.errors import NotNative, reasons
from twinspark.functions.casts.user_types import jvm_type, type_of_json
from twinspark.functions.notation import schema_texts
from twinspark.functions.strings.collations import with_normal_names
from twinspark.read.sql import parse_schema, parse_schema_argument, parse_type
from twinspark.types import ArrayType, DataType, MapType, StructField, StructType, UserType, has_collation


def read_type(message: types_pb2.DataType) -> DataType:
    kind = message.WhichOneof("kind")
    if kind is None:
        raise NotNative(reasons.PROTOCOL, "a type that is not set")
    if kind == "unparsed":
        return parse_type(message.unparsed.data_type_string)
    try:
        made = type_of_message(message) if has_udt(message) else proto_schema_to_pyspark_data_type(message)
    except (ValueError, KeyError) as failure:
        raise NotNative(reasons.TYPE_UNSUPPORTED, "a type that PySpark does not know") from failure
    return with_normal_names(made) if has_collation(made) else made


def has_udt(message: types_pb2.DataType) -> bool:
    """Whether there is a user-defined type, whose module PySpark's reader would import here."""
    kind = message.WhichOneof("kind")
    if kind == "struct":
        return any(has_udt(field.data_type) for field in message.struct.fields)
    if kind == "array":
        return has_udt(message.array.element_type)
    if kind == "map":
        return has_udt(message.map.key_type) or has_udt(message.map.value_type)
    return bool(kind == "udt")


def type_of_message(message: types_pb2.DataType) -> DataType:
    """Any type, including nested user-defined types."""
    kind = message.WhichOneof("kind")
    if kind == "udt":
        return user_type_of_message(message.udt)
    if kind == "array":
        return ArrayType(type_of_message(message.array.element_type), message.array.contains_null)
    if kind == "map":
        key, value = type_of_message(message.map.key_type), type_of_message(message.map.value_type)
        return MapType(key, value, message.map.value_contains_null)
    if kind == "struct":
        return StructType([field_of_message(field) for field in message.struct.fields])
    return proto_schema_to_pyspark_data_type(message)


def field_of_message(field: types_pb2.DataType.StructField) -> StructField:
    metadata = json.loads(field.metadata) if field.HasField("metadata") else None
    return StructField(field.name, type_of_message(field.data_type), field.nullable, metadata)


def user_type_of_message(udt: types_pb2.DataType.UDT) -> UserType:
    if udt.HasField("jvm_class"):
        return jvm_type(udt.jvm_class)
    if not udt.HasField("python_class") or not udt.HasField("serialized_python_class") or not udt.HasField("sql_type"):
        raise NotNative(reasons.USER_DEFINED_TYPE, "the client did not send its whole definition")
    return UserType(type_of_message(udt.sql_type), udt.python_class, udt.serialized_python_class)


def is_named_by_class(text: str) -> bool:
    """Whether Spark's JSON of a schema may name a class of the client."""
    return '"udt"' in text and '"pyClass"' in text


def read_type_text(text: str) -> DataType:
    """A type as DDL text."""
    return parse_type(text)


def read_schema_text(text: str) -> StructType:
    """A schema as text: Spark's JSON, a DDL column list, or a type."""
    if text.lstrip().startswith("{"):
        made = type_of_schema_json(text)
        if not isinstance(made, StructType):
            raise NotNative(reasons.ERROR_MESSAGE, "a schema that is not a struct")
        return made
    return parse_schema(text)


def type_of_schema_json(text: str) -> DataType:
    """PySpark's reader raises various exceptions for invalid JSON."""
    try:
        found = json.loads(text)
        return type_of_json(found) if is_named_by_class(text) else StructType.fromJson(found)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as failure:
        raise NotNative(reasons.ERROR_MESSAGE, "a schema whose JSON is malformed") from failure


def read_schema_argument(text: str) -> DataType:
    """The schema argument of from_json and similar functions: Spark's JSON, columns, or a type."""
    if text.lstrip().startswith(("{", '"')):
        return type_of_argument_json(text)
    return parse_schema_argument(text)


def type_of_argument_json(text: str) -> DataType:
    try:
        return type_of_json(json.loads(text)) if is_named_by_class(text) else _parse_datatype_json_string(text)
    except (ValueError, KeyError, TypeError, AttributeError, IndexError, RecursionError) as failure:
        raise NotNative(reasons.ERROR_MESSAGE, "a schema whose JSON is malformed") from failure


schema_texts.use(read_schema_argument)
