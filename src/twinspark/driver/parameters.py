"""Passes parameters of a statement: as SQL literals in its text, or as typed values for servers that support them."""

import datetime
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from twinspark.driver.errors import ProgrammingError
from twinspark.wire.thrift.messages import Message

Parameters = Sequence[Any] | Mapping[str, Any]
# Strings, quoted names and comments, in which a marker is plain text; then the markers themselves.
PIECES = re.compile(
    r"(?P<kept>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`|--[^\n]*|/\*.*?\*/|::)"
    r"|(?P<question>\?)|(?<![\w:]):(?P<name>[A-Za-z_]\w*)",
    re.DOTALL,
)


def with_literals(statement: str, parameters: Parameters) -> str:
    """Replaces `?` and `:name` by literals; markers inside strings, quoted names and comments are plain text."""
    ordered = iter(parameters.values() if isinstance(parameters, Mapping) else parameters)
    used = 0

    def replace_marker(found: re.Match[str]) -> str:
        nonlocal used
        if found["question"] and not isinstance(parameters, Mapping):
            used += 1
            return literal(next_of(ordered, used))
        if found["name"] and isinstance(parameters, Mapping) and found["name"] in parameters:
            return literal(parameters[found["name"]])
        return found[0]

    text = PIECES.sub(replace_marker, statement)
    if not isinstance(parameters, Mapping) and used != len(parameters):
        raise ProgrammingError(f"{len(parameters)} parameters for {used} markers", "07001")
    return text


def next_of(values: Any, number: int) -> Any:
    for value in values:
        return value
    raise ProgrammingError(f"marker {number} has no parameter", "07001")


def literal(value: Any) -> str:
    """A Spark SQL expression with the same value and type."""
    if value is None:
        return "NULL"
    if isinstance(value, list | tuple):
        return f"array({', '.join(map(literal, value))})"
    if isinstance(value, dict):
        return f"map({', '.join(literal(part) for pair in value.items() for part in pair)})"
    name, text = typed_text(value)
    return text if name in ("BOOLEAN", "INT", "BIGINT") and text != str(-(1 << 63)) else cast_of(name, text)


def cast_of(name: str, text: str) -> str:
    if name == "STRING":
        return quote_string(text)
    if name == "BINARY":
        return f"X'{text}'"
    if name == "BIGINT":
        return f"CAST({quote_string(text)} AS BIGINT)"
    return f"CAST({quote_string(text)} AS {name})"


def quote_string(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


def typed_text(value: Any) -> tuple[str, str]:
    """Spark's type name and the text that casts to the value."""
    if isinstance(value, bool):
        return "BOOLEAN", str(value).lower()
    if isinstance(value, int):
        return integer_text(value)
    if isinstance(value, float):
        return "DOUBLE", float_text(value)
    if isinstance(value, Decimal):
        return decimal_text(value)
    if isinstance(value, str):
        return "STRING", value
    if isinstance(value, bytes | bytearray | memoryview):
        return "BINARY", bytes(value).hex().upper()
    return temporal_text(value)


def integer_text(value: int) -> tuple[str, str]:
    if -(1 << 31) <= value < 1 << 31:
        return "INT", str(value)
    if -(1 << 63) <= value < 1 << 63:
        return "BIGINT", str(value)
    return "DECIMAL(38,0)", str(value)


def float_text(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return repr(value) if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def decimal_text(value: Decimal) -> tuple[str, str]:
    exponent = value.as_tuple().exponent
    if not isinstance(exponent, int):
        raise ProgrammingError(f"{value} is not a decimal Spark has", "22003")
    scale = max(-exponent, 0)
    precision = max(len(value.as_tuple().digits) + max(exponent, 0), scale)
    return f"DECIMAL({precision},{scale})", format(value, "f")


def temporal_text(value: Any) -> tuple[str, str]:
    if isinstance(value, datetime.datetime):
        text = value.isoformat(sep=" ", timespec="microseconds")
        return ("TIMESTAMP" if value.tzinfo else "TIMESTAMP_NTZ"), text
    if isinstance(value, datetime.date):
        return "DATE", value.isoformat()
    if isinstance(value, datetime.time):
        return "TIME(6)", value.isoformat(timespec="microseconds")
    if isinstance(value, datetime.timedelta):
        return "INTERVAL DAY TO SECOND", interval_text(value)
    raise ProgrammingError(f"no Spark type for a parameter of type {type(value).__name__}", "07006")


def interval_text(value: datetime.timedelta) -> str:
    micros = value // datetime.timedelta(microseconds=1)
    sign, micros = ("-" if micros < 0 else ""), abs(micros)
    seconds, micros = divmod(micros, 1_000_000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{sign}{days} {hours:02}:{minutes:02}:{seconds:02}.{micros:06}"


def wire_parameters(parameters: Parameters) -> list[Message]:
    named = parameters.items() if isinstance(parameters, Mapping) else ((None, value) for value in parameters)
    return [wire_parameter(index, name, value) for index, (name, value) in enumerate(named)]


def wire_parameter(ordinal: int, name: str | None, value: Any) -> Message:
    key: Message = {"name": name} if name is not None else {"ordinal": ordinal}
    if value is None:
        return {**key, "type": "VOID"}
    kind, text = typed_text(value)
    return {**key, "type": kind, "value": {"stringValue": text}}
