"""Reads user-defined types from Spark's JSON form and by the class names in Spark's jars; classes are not loaded."""

from typing import Any

from pyspark.sql.types import _parse_datatype_json_value

from twinspark.errors import NotNative, reasons
from twinspark.types import (
    BYTE,
    INT,
    ArrayType,
    BooleanType,
    DataType,
    DoubleType,
    MapType,
    StructField,
    StructType,
    UserType,
)

DOUBLES, INTEGERS = ArrayType(DoubleType(), False), ArrayType(INT, False)
VECTOR = StructType(
    [
        StructField("type", BYTE, False),
        StructField("size", INT, True),
        StructField("indices", INTEGERS, True),
        StructField("values", DOUBLES, True),
    ]
)
MATRIX = StructType(
    [
        StructField("type", BYTE, False),
        StructField("numRows", INT, False),
        StructField("numCols", INT, False),
        StructField("colPtrs", INTEGERS, True),
        StructField("rowIndices", INTEGERS, True),
        StructField("values", DOUBLES, True),
        StructField("isTransposed", BooleanType(), False),
    ]
)
# User-defined types in Spark's own jars, with their SQL types.
JVM_TYPES: dict[str, tuple[str, DataType]] = {
    "org.apache.spark.ml.linalg.VectorUDT": ("pyspark.ml.linalg.VectorUDT", VECTOR),
    "org.apache.spark.ml.linalg.MatrixUDT": ("pyspark.ml.linalg.MatrixUDT", MATRIX),
    "org.apache.spark.sql.test.ExamplePointUDT": ("pyspark.testing.objects.ExamplePointUDT", DOUBLES),
}


def jvm_type(name: str) -> UserType:
    if name not in JVM_TYPES:
        raise NotNative(reasons.USER_DEFINED_TYPE, "its class is a Java class")
    python_class, sql_type = JVM_TYPES[name]
    return UserType(sql_type, python_class, jvm_class=name)


def type_of_json(value: Any) -> DataType:
    kind = value.get("type") if isinstance(value, dict) else None
    if kind == "udt":
        return user_type_of_json(value)
    if kind == "array":
        return ArrayType(type_of_json(value["elementType"]), value["containsNull"])
    if kind == "map":
        return MapType(type_of_json(value["keyType"]), type_of_json(value["valueType"]), value["valueContainsNull"])
    if kind == "struct":
        return StructType([field_of_json(field) for field in value["fields"]])
    return _parse_datatype_json_value(value)


def field_of_json(value: Any) -> StructField:
    metadata = value.get("metadata") or {}
    if any("COLLATIONS" in key for key in metadata):
        raise NotNative(reasons.COLLATION_FUNCTION, "in a schema with user-defined types")
    return StructField(value["name"], type_of_json(value["type"]), value.get("nullable", True), metadata)


def user_type_of_json(value: Any) -> UserType:
    if "class" in value:
        return jvm_type(value["class"])
    if "serializedClass" not in value:
        raise NotNative(reasons.USER_DEFINED_TYPE, "the client did not send its whole definition")
    return UserType(type_of_json(value["sqlType"]), value["pyClass"], value["serializedClass"])
