"""XPath over texts of XML: Java's evaluator answers, so Spark does."""

from __future__ import annotations

from collections.abc import Callable

from twinspark.errors import NotNative
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.typing import Call, Typed
from twinspark.types import BOOLEAN, DOUBLE, INT, LONG, STRING, ArrayType, DataType, FloatType, ShortType

REASON = "Java's XPath evaluator"
RESULTS: dict[str, DataType] = {
    "xpath": ArrayType(STRING, True),
    "xpath_boolean": BOOLEAN,
    "xpath_short": ShortType(),
    "xpath_int": INT,
    "xpath_long": LONG,
    "xpath_float": FloatType(),
    "xpath_double": DOUBLE,
    "xpath_string": STRING,
}


def found(result: DataType) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        if not hasattr(call.arguments[1], "value"):
            raise NotNative(f"{call.name} with a path that is no constant")
        return Typed(result, True, (STRING, STRING))

    return rule


for name, result in RESULTS.items():
    aliases = ("xpath_number",) if name == "xpath_double" else ()
    fn(f"{name}(string, string)", SPARK, *aliases, rule=found(result), reason=REASON, keeps_alias=True)
