"""Extracts struct fields, array elements and map values (Spark's ExtractValue)."""

from dataclasses import replace

from twinspark.analysis.expressions import build
from twinspark.analysis.python.argument_texts import argument_text
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import quote_expression, type_text
from twinspark.plan.expressions import Expression, GetField, Literal, Variable
from twinspark.types import ArrayType, IntegerType, MapType, StructType, is_integral, is_null, is_string


def extract_field(child: Expression, name: str, settings: Settings) -> Expression:
    """`a.b` where a is a struct, an array of structs, or a map with string keys."""
    return extract(child, build.literal(name), settings)


def extract(child: Expression, key: Expression, settings: Settings) -> Expression:
    """`child[key]`."""
    type = child.type
    if isinstance(type, StructType):
        return struct_field(child, key, settings)
    if isinstance(type, ArrayType) and isinstance(type.elementType, StructType) and is_text(key):
        return array_fields(child, key, settings)
    if isinstance(type, ArrayType):
        return array_element(child, key, settings)
    if isinstance(type, MapType):
        return map_value(child, key, settings)
    if is_null(type):
        return replace(build.literal(None), text=f"{child.text}[{key.text}]")
    raise SparkError("INVALID_EXTRACT_BASE_FIELD_TYPE", base=quote_expression(child.text), other=type_text(type))


def extract_value(child: Expression, key: Expression, settings: Settings) -> Expression:
    """`child[key]` in an expression rather than in a column's name (Spark's UnresolvedExtractValue)."""
    try:
        return extract(child, key, settings)
    except SparkError as error:
        error.has_query_context = False
        raise


def is_text(key: Expression) -> bool:
    return isinstance(key, Literal) and isinstance(key.value, str)


def struct_field(child: Expression, key: Expression, settings: Settings) -> Expression:
    if not isinstance(key, Literal) or not isinstance(key.value, str):
        raise SparkError("INVALID_EXTRACT_FIELD_TYPE", extraction=quote_expression(key.text))
    return build.get_field(child, key.value, settings)


def array_fields(child: Expression, key: Expression, settings: Settings) -> Expression:
    """The field of each element; resolved like that of a struct, displayed as written."""
    assert isinstance(child.type, ArrayType) and isinstance(key, Literal)
    element = Variable(type=child.type.elementType, nullable=True, text=child.text, key="")
    found = build.get_field(element, key.value, settings)
    assert isinstance(found, GetField)
    name = child.type.elementType.fields[found.ordinal].name
    text = f"{argument_text(child)}.{key.value}"
    return build.call("getarraystructfields", [child, build.literal(name)], settings, text=text)


def array_element(child: Expression, key: Expression, settings: Settings) -> Expression:
    if not is_integral(key.type):
        raise NotNative(reasons.ARRAY_INDEX, "the index is not a whole number")
    index = key if isinstance(key.type, IntegerType) else build.implicit_cast(key, IntegerType(), settings)
    return build.call("getarrayitem", [child, index], settings, text=f"{child.text}[{key.text}]")


def map_value(child: Expression, key: Expression, settings: Settings) -> Expression:
    text = f"{child.text}[{key.text}]"
    assert isinstance(child.type, MapType)
    if is_string(child.type.keyType) != is_string(key.type) and not is_null(key.type):
        raise NotNative(reasons.MAP_KEYS, "the key is not of the map's key type")
    return build.call("getmapvalue", [child, key], settings, text=text)
