"""Reads data types and schemas of JSON plans: Spark's DDL, synonyms that programs write, and Spark's JSON form."""

from typing import Any

from pyspark.sql.types import _parse_datatype_json_value

from twinspark.types import BOOLEAN, DOUBLE, NULL, STRING, TIMESTAMP, DataType, StructField, StructType
from twinspark.types.text import SPARK, Dialect, TypeTextError, parse_fields, parse_type

EMITTED = Dialect(
    {
        **SPARK.names,
        "bool": BOOLEAN,
        "double_precision": DOUBLE,
        **dict.fromkeys(["str", "varchar", "text"], STRING),
        "datetime": TIMESTAMP,
        "null": NULL,
    }
)


def type_of(written: object) -> DataType:
    """A type from its DDL text, from `{"typeName": …}`, or from Spark's own JSON form."""
    if isinstance(written, DataType):
        return written
    if isinstance(written, dict) and isinstance(written.get("typeName"), str):
        return type_of(written["typeName"])
    if isinstance(written, dict):
        return type_of_json(written)
    if not isinstance(written, str):
        raise TypeTextError(f"a type is a name such as 'bigint', not {written!r}")
    return parse_type(written, EMITTED)


def type_of_json(written: dict[str, Any]) -> DataType:
    try:
        found: DataType = _parse_datatype_json_value(written)
    except (KeyError, TypeError, AssertionError, ValueError) as error:
        raise TypeTextError(f"{written!r} is not a type in Spark's JSON form") from error
    return found


def schema_of(written: object) -> StructType:
    """A schema from `[{"name", "type"}, …]`, a DDL text, Spark's JSON form, or a StructType."""
    if isinstance(written, StructType):
        return written
    if isinstance(written, str):
        return parse_fields(written, EMITTED)
    if isinstance(written, dict) and "fields" in written:
        return schema_of(written["fields"])
    if not isinstance(written, list | tuple):
        raise TypeTextError('a schema is a list of {"name": …, "type": …}')
    return StructType([field_of(field, position) for position, field in enumerate(written)])


def field_of(written: object, position: int) -> StructField:
    if isinstance(written, list | tuple) and len(written) == 2:
        written = {"name": written[0], "type": written[1]}
    if not isinstance(written, dict):
        raise TypeTextError(f'column {position} of the schema is not {{"name": …, "type": …}}')
    name = written.get("name", written.get("fieldName"))
    type = written.get("type", written.get("dataType"))
    if not isinstance(name, str) or type is None:
        raise TypeTextError(f'column {position} of the schema needs "name" and "type"')
    return StructField(name, type_of(type), written.get("nullable") is not False)
