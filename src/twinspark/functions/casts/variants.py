"""Casts from and to variants: the value in a variant is cast from the type that it has, as in VariantGet.cast."""

from __future__ import annotations

import itertools
from collections.abc import Callable

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import error_with, not_native
from twinspark.functions.notation.settings import Settings
from twinspark.types import (
    BINARY,
    BOOLEAN,
    DATE,
    DOUBLE,
    LONG,
    STRING,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ArrayType,
    BinaryType,
    BooleanType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
    is_integral,
    is_numeric,
    is_string,
    nested_types,
    sql_name,
)
from twinspark.types.duckdb import cast_to, duck_name, duck_text, duck_type

CastSql = Callable[[str, DataType, DataType, str, Settings], str]
CanCast = Callable[[DataType, DataType], bool]
OBJECT, ARRAY, NOTHING, DECIMAL, UUID = 0, 1, 2, 7, 13  # results of the extension's function variant_kind
# The extension's function that reads a kind of value, and its Spark type.
SCALARS: dict[int, tuple[str, DataType]] = {
    3: ("(spark_variant_long({0}) = 1)", BOOLEAN),
    4: ("spark_variant_long({0})", LONG),
    5: ("spark_variant_string({0})", STRING),
    6: ("spark_variant_double({0})", DOUBLE),
    8: ("(DATE '1970-01-01' + CAST(spark_variant_long({0}) AS INTEGER))", DATE),
    9: ("make_timestamptz(spark_variant_long({0}))", TIMESTAMP),
    10: ("make_timestamp(spark_variant_long({0}))", TIMESTAMP_NTZ),
    11: ("spark_variant_float({0})", FloatType()),
    12: ("spark_variant_binary({0})", BINARY),
}
# Functions of the extension that cast the most common kind of value, and return null for all others.
PLAIN: dict[type[DataType], str] = {
    StringType: "spark_plain_string",
    IntegerType: "spark_plain_int",
    LongType: "spark_plain_bigint",
    DoubleType: "spark_plain_double",
}
LEAVES = BooleanType | BinaryType | DateType | TimestampType | TimestampNTZType | VariantType
_keys = itertools.count(1)


def castable_with_variant(type: DataType, nested: bool) -> bool:
    """VariantGet.checkDataType: whether variants can be cast to the type; `nested` allows structs."""
    if isinstance(type, ArrayType):
        return castable_with_variant(type.elementType, nested)
    if isinstance(type, MapType):
        return nested and is_string(type.keyType) and castable_with_variant(type.valueType, nested)
    if isinstance(type, StructType):
        return nested and all(castable_with_variant(field.dataType, nested) for field in type.fields)
    return is_numeric(type) or is_string(type) or isinstance(type, LEAVES)


def to_variant(sql: str, source: DataType) -> str:
    inside = any(isinstance(type, VariantType) for type in nested_types(source))
    if inside and any(map(looks_like_variant, nested_types(source))):
        raise NotNative(reasons.TYPES_MIXED, "a struct of value and metadata together with a variant")
    duck_type(source)
    return f"spark_to_variant({sql}, {'true' if inside else 'false'})"


def looks_like_variant(type: DataType) -> bool:
    return isinstance(type, StructType) and [f.name for f in type.fields] == ["value", "metadata"]


class FromVariant:
    """Writes the cast of one expression; with `fails` a value that cannot be cast raises, otherwise it becomes null."""

    def __init__(self, fails: bool, settings: Settings, cast_sql: CastSql, can_cast: CanCast) -> None:
        self.fails = fails
        self.settings = settings
        self.cast_sql = cast_sql
        self.can_cast = can_cast

    def write(self, sql: str, target: DataType) -> str:
        if isinstance(target, VariantType):
            return f"spark_variant_get({sql}, '$', 'variant_get')"
        closely = self.cast_by_kind(sql, target)
        plain = PLAIN.get(type(target))
        return f"coalesce({plain}({sql}), {closely})" if plain else closely

    def cast_by_kind(self, sql: str, target: DataType) -> str:
        """Casts according to the kind of the value in the variant."""
        key = f"v{next(_keys)}"
        branches = self.branches(key, target)
        cases = " ".join(f"WHEN {kind} THEN {branch}" for kind, branch in branches.items())
        otherwise = self.cast_error(key, target)
        body = f"CASE spark_variant_kind({key}) WHEN {NOTHING} THEN NULL {cases} ELSE {otherwise} END"
        body = f"CASE WHEN {key} IS NOT NULL THEN {body} END"
        return f"CAST(list_transform([{sql}], lambda {key}: {body})[1] AS {duck_type(target)})"

    def branches(self, key: str, target: DataType) -> dict[int, str]:
        if isinstance(target, ArrayType):
            return {ARRAY: self.members(key, target.elementType)}
        if isinstance(target, MapType):
            values = self.members(key, target.valueType)
            return {OBJECT: f"MAP(spark_variant_keys({key}), {values})"}
        if isinstance(target, StructType):
            return {OBJECT: self.fields(key, target.fields)}
        found = {kind: self.scalar(key, kind, target) for kind in (*SCALARS, DECIMAL)}
        found[UUID] = not_native(reasons.VARIANT_VALUE, "a UUID")
        if is_string(target):
            found[OBJECT] = found[ARRAY] = self.json(key)
        return {kind: branch for kind, branch in found.items() if branch}

    def members(self, key: str, type: DataType) -> str:
        inner = f"v{next(_keys)}"
        return f"list_transform(spark_variant_members({key}), lambda {inner}: {self.write(inner, type)})"

    def fields(self, key: str, fields: list[StructField]) -> str:
        parts = [
            f"{duck_name(f.name)} := " + self.write(f"spark_variant_field({key}, {duck_text(f.name)})", f.dataType)
            for f in fields
        ]
        return f"struct_pack({', '.join(parts)})"

    def scalar(self, key: str, kind: int, target: DataType) -> str:
        """The cast from one kind of value, which is null where it fails; None if there is no such cast."""
        source = DecimalType(38, 0) if kind == DECIMAL else SCALARS[kind][1]
        if not self.can_cast(source, target):
            return ""
        try:
            if kind == DECIMAL:
                found = self.decimal(f"spark_variant_decimal_text({key})", target)
            else:
                found = self.cast_sql(SCALARS[kind][0].format(key), source, target, "try", self.settings)
        except NotNative as problem:
            return not_native(problem.cause.reason, problem.cause.detail)
        return f"coalesce({found}, {self.cast_error(key, target)})" if self.fails else found

    def decimal(self, digits: str, target: DataType) -> str:
        """Parses the digits again, since decimals in variants have different scales."""
        if is_string(target):
            return digits
        if isinstance(target, BooleanType):
            return f"(CAST({digits} AS DOUBLE) <> 0)"
        if is_integral(target):
            whole = f"CAST(split_part({digits}, '.', 1) AS DECIMAL(38,0))"
            return self.cast_sql(whole, DecimalType(38, 0), target, "try", self.settings)
        if is_numeric(target):
            return self.cast_sql(digits, STRING, target, "try", self.settings)
        raise NotNative(reasons.CAST, f"a decimal in a variant to {target.simpleString()}")

    def json(self, key: str) -> str:
        return f"spark_variant_json({key}, {duck_text(self.settings.zone)})"

    def cast_error(self, key: str, target: DataType) -> str:
        if not self.fails:
            return "NULL"
        named = duck_text(f'"{sql_name(target)}"')
        return cast_to(error_with("INVALID_VARIANT_CAST", value=self.json(key), dataType=named), target)
