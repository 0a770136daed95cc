"""XPath functions: the extension evaluates simple paths over simple documents; others fall back to Spark."""

from __future__ import annotations

import re
from collections.abc import Callable

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.types import (
    BOOLEAN,
    DOUBLE,
    INT,
    LONG,
    STRING,
    ArrayType,
    DataType,
    FloatType,
    ShortType,
    is_null,
    is_string,
)

NAME = "[A-Za-z_][A-Za-z0-9_-]*"
PREDICATE = rf"""(\[([1-9][0-9]{{0,8}}|@?{NAME}=('[^'\[\]"]*'|"[^'\[\]"]*"))\])"""
STEP = rf"({NAME}{PREDICATE}*|\*)"
PATH = re.compile(rf"(//?)?{STEP}(//?{STEP})*(//?(@{NAME}|text\(\)))?|//(@{NAME}|text\(\))")
NUMBER_OF = re.compile(r"(sum|count)\((.*)\)", re.S)

# As Java's Double.intValue and longValue: NaN is 0, values out of range become the limits.
WITHIN = "WHEN {0} IS NOT NULL THEN trunc(greatest(least({0}, {most}), {least}))"  # greatest and least ignore nulls
WHOLE = f"CAST(CASE WHEN isnan({{0}}) THEN 0 {WITHIN} END AS {{type}})"
SHORT = "CAST((({0} & 65535) + 32768) % 65536 - 32768 AS SMALLINT)"


def whole(number: str, bits: int, type: str) -> str:
    limit = 1 << (bits - 1)
    if bits < 64:
        return WHOLE.format(number, most=limit - 1, least=-limit, type=type)
    inside = f"{number} > {-limit} AND {number} < {limit}"
    ends = f"WHEN {number} >= {limit} THEN {limit - 1} WHEN {number} <= {-limit} THEN CAST({-limit} AS BIGINT)"
    return f"(CASE WHEN isnan({number}) THEN 0 WHEN {inside} THEN CAST(trunc({number}) AS BIGINT) {ends} END)"


def as_list(xml: str, path: str) -> str:
    return f"spark_xpath_list({xml}, {path})"


def as_number(xml: str, path: str) -> str:
    return f"spark_xpath_number({xml}, {path})"


def as_float(xml: str, path: str) -> str:
    number = as_number(xml, path)
    infinite = f"CAST(CASE WHEN {number} > 0 THEN 'inf' ELSE '-inf' END AS FLOAT)"
    far = f"abs({number}) >= 3.4028235677973366e38 AND NOT isnan({number})"
    return f"(CASE WHEN {far} THEN {infinite} ELSE CAST({number} AS FLOAT) END)"


def as_int(xml: str, path: str) -> str:
    return whole(as_number(xml, path), 32, "INTEGER")


Spelling = Callable[[str, str], str]
FUNCTIONS: dict[str, tuple[DataType, Spelling]] = {
    "xpath": (ArrayType(STRING, True), as_list),
    "xpath_boolean": (BOOLEAN, lambda xml, path: f"spark_xpath_boolean({xml}, {path})"),
    "xpath_short": (ShortType(), lambda xml, path: SHORT.format(as_int(xml, path))),
    "xpath_int": (INT, as_int),
    "xpath_long": (LONG, lambda xml, path: whole(as_number(xml, path), 64, "BIGINT")),
    "xpath_float": (FloatType(), as_float),
    "xpath_double": (DOUBLE, as_number),
    "xpath_string": (STRING, lambda xml, path: f"spark_xpath_string({xml}, {path})"),
}
NUMBERS = ("xpath_short", "xpath_int", "xpath_long", "xpath_float", "xpath_double", "xpath_number")


def xpath_rule(result: DataType, spelled: Spelling) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        if not all(is_string(type) or is_null(type) for type in call.types):
            raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} of values that are not strings")
        path = getattr(call.arguments[1], "value", None)
        if not isinstance(path, str):
            raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, f"{call.name}: the path")
        if not is_plain(path, call.name):
            raise NotNative(reasons.XPATH, "the path is not a plain path of element names")
        return Typed(result, True, (STRING, STRING), writer=lambda made, xml, path: spelled(xml, path))

    return rule


def is_plain(path: str, function: str) -> bool:
    inner = NUMBER_OF.fullmatch(path) if function in NUMBERS else None
    return PATH.fullmatch(inner[2] if inner else path) is not None


for name, (result, spelled) in FUNCTIONS.items():
    aliases = ("xpath_number",) if name == "xpath_double" else ()
    fn(f"{name}(string, string)", "", *aliases, rule=xpath_rule(result, spelled), keeps_alias=True)
