"""XML functions: typed here, answered by Spark, whose rows of XML follow rules of their own over Java's StAX reader."""

from __future__ import annotations

from twinspark.errors import NotNative
from twinspark.functions.from_json import constant_schema, schema_type
from twinspark.functions.json import constant_options
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.typing import Call, Typed
from twinspark.types import STRING, StructType, VariantType, is_null, is_string

REASON = "Spark's rows of XML, over Java's StAX reader"


def check_options(call: Call, place: int) -> None:
    if len(call.arguments) > place:
        constant_options(call.arguments[place])


def from_xml_type(call: Call) -> Typed:
    source = call.arguments[0]
    check_options(call, 2)
    type = schema_type(constant_schema(call.arguments[1]))
    if not (is_string(source.type) or is_null(source.type)) or not isinstance(type, StructType):
        raise NotNative("from_xml of what is no string, or to what is no struct")
    return Typed(type, True, text=f"from_xml({source.text})")


def to_xml_type(call: Call) -> Typed:
    check_options(call, 1)
    if not isinstance(call.types[0], StructType | VariantType):
        raise NotNative("to_xml of what is no struct")
    return Typed(STRING, True, text=f"to_xml({call.arguments[0].text})")


def schema_of_xml_type(call: Call) -> Typed:
    check_options(call, 1)
    if not isinstance(getattr(call.arguments[0], "value", None), str):
        raise NotNative("schema_of_xml of what is no constant string")
    return Typed(STRING, False, text=f"schema_of_xml({call.arguments[0].text})")


RULES = {"from_xml": from_xml_type, "to_xml": to_xml_type, "schema_of_xml": schema_of_xml_type}
for name, rule in RULES.items():
    least = "any, any" if name == "from_xml" else "any"
    fn(f"{name}({least})", SPARK, rule=rule, reason=REASON)
    fn(f"{name}({least}, any)", SPARK, rule=rule, reason=REASON)
