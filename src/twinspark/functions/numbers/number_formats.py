"""to_number, to_char and to_binary: convert by a number format."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.notation.decimal_sql import scale_suffix
from twinspark.functions.notation.error_sql import error_with
from twinspark.functions.notation.families import implicit_type
from twinspark.functions.notation.registry import fn, overloads
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    is_foldable,
    non_foldable_input,
    quote_expression,
    type_text,
    unexpected_input_type,
)
from twinspark.types import (
    BINARY,
    STRING,
    TIMESTAMP,
    BinaryType,
    DateType,
    DecimalType,
    TimestampNTZType,
    TimestampType,
    decimal_for,
    is_null,
    is_numeric,
    is_string,
)
from twinspark.types.duckdb import cast_to, duck_text

# ---- number formats

DIGITS = r"[09]+(?:[,G][09]+)*"
FORMAT = re.compile(rf"(MI|S)?\$?({DIGITS})?(?:[.D]([09]*))?(MI|S|PR)?")


def number_format(call: Call) -> str | None:
    """The format in upper case, if Spark accepts it; None for null."""
    argument = call.arguments[1]
    value = getattr(argument, "value", "")
    if value is None:
        return None
    if not hasattr(argument, "value") or not isinstance(value, str) or not value.isascii():
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, f"{call.name}: the format")
    found = FORMAT.fullmatch(value.upper())
    if found is None or not (found[2] or found[3]) or (found[1] and found[1] == found[4]):
        raise NotNative(reasons.ERROR_MESSAGE, f"{call.name} with a format that is not valid")
    return value.upper()


def digits_of(form: str) -> tuple[int, int]:
    """Precision and scale of the format."""
    before, _, after = form.replace("D", ".").partition(".")
    count = sum(c in "09" for c in before)
    scale = sum(c in "09" for c in after)
    if count + scale > 38:
        raise NotNative(reasons.NUMBER_FORMAT, "more than 38 digits")
    return count + scale, scale


def to_number_type(tries: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        if implicit_type(call.types[0], ("string",), call.settings.ansi) is None and not is_null(call.types[0]):
            raise unexpected_input_type(call, 0, '"STRING"')
        form = number_format(call)
        if form is None:
            return Typed(DecimalType(10, 0), True, (STRING, STRING), "CAST(NULL AS DECIMAL(10,0))")
        precision, scale = digits_of(form)
        function = f"spark_{'try_' if tries else ''}to_number_{scale_suffix((precision, scale))}"
        writer = cast_to(f"{function}({{0}}, {duck_text(form)})", DecimalType(precision, scale))
        return Typed(DecimalType(precision, scale), tries, (STRING, STRING), writer, add_nullable_casts=True)

    return rule


fn("to_number(any, any)", "", rule=to_number_type(False))
fn("try_to_number(any, any)", "", rule=to_number_type(True))


# ---- to_char of numbers, datetimes and binary values


def to_char_type(call: Call) -> Typed:
    source = call.types[0]
    if isinstance(source, DateType | TimestampType | TimestampNTZType):
        return datetime_to_char(call)
    if isinstance(source, BinaryType):
        return binary_to_char(call)
    form = number_format(call)
    if form is None:
        return Typed(STRING, True, (None, STRING), "CAST(NULL AS VARCHAR)", text=to_char_result(call, "to_char"))
    kind = DecimalType(38, 18) if is_string(source) else decimal_for(source) if is_numeric(source) else None
    if kind is None and not is_null(source):
        raise unexpected_input_type(call, 0, '"DECIMAL"')
    wanted = (kind or DecimalType(10, 0), STRING)
    writer = f"spark_to_char({{0}}, {duck_text(form)})"
    return Typed(STRING, False, wanted, writer, text=to_char_result(call, "to_char"), add_nullable_casts=True)


def to_char_result(call: Call, name: str) -> str:
    return f"{name}({', '.join(a.text for a in call.arguments)})"


def datetime_to_char(call: Call) -> Typed:
    if not is_string(call.types[1]):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, f"{call.name} with a pattern that is not a string")
    writer = overloads("date_format")[0].writer
    return Typed(
        STRING, False, (TIMESTAMP, STRING), writer, to_char_result(call, "date_format"), add_nullable_casts=True
    )


BYTES = {"base64": "", "hex": "hex({0})"}


def binary_to_char(call: Call) -> Typed:
    form = getattr(call.arguments[1], "value", None)
    name = form.lower().strip() if isinstance(form, str) else ""
    if name not in BYTES:
        raise NotNative(reasons.NUMBER_FORMAT, f"{call.name} of binary values")
    text = f"{name}({call.arguments[0].text})"
    writer = BYTES[name] or overloads("base64")[0].writer
    return Typed(STRING, call.arguments[0].nullable, (BINARY, None), writer, text)


fn("to_char(any, any)", "", "to_varchar", rule=to_char_type)


# ---- to_binary

BLANKS = r"[ \t-\r\x1C-\x1F]"
SYMBOL = "[A-Za-z0-9+/]"
GROUPS = f"(?:{SYMBOL}{{4}})*(?:{SYMBOL}{{2}}(?:==)?|{SYMBOL}{{3}}=?)?"


def is_base64(value: str) -> str:
    """Blanks are allowed before the padding; the last group has at least two symbols (UnBase64.isValidBase64)."""
    plain = f"regexp_replace({value}, {duck_text(BLANKS)}, '', 'g')"
    return (
        f"(regexp_full_match({plain}, {duck_text(GROUPS)}) AND NOT regexp_matches({value}, {duck_text('=' + BLANKS)}))"
    )


HEX = "[0-9A-Fa-f]*"
PLAIN_HEX = "unhex(CASE WHEN length({v}) % 2 = 1 THEN '0' ELSE '' END || {v})"


def binary_writer(form: str, tries: bool) -> Callable[..., str]:
    def write(call: Any, value: str, *_: str) -> str:
        if form == "hex":
            right, made = f"regexp_full_match({value}, '{HEX}')", PLAIN_HEX.format(v=value)
        else:
            right, made = is_base64(value), f"spark_unbase64({value})"
        wrong = "NULL" if tries else no_binary(value, form)
        return f"(CASE WHEN {value} IS NULL THEN NULL WHEN {right} THEN {made} ELSE {wrong} END)"

    return write


def no_binary(value: str, form: str) -> str:
    escaped = f"replace(replace({value}, chr(92), chr(92) || chr(92)), chr(39), chr(92) || chr(39))"
    return error_with(
        "CONVERSION_INVALID_INPUT",
        str=f"chr(39) || {escaped} || chr(39)",
        fmt=duck_text(f"'{form.upper()}'"),
        targetType=duck_text('"BINARY"'),
        suggestion=duck_text("`try_to_binary`"),
    )


def to_binary_type(tries: bool) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        argument = call.arguments[1] if len(call.arguments) > 1 else None
        form = getattr(argument, "value", "hex") if argument is not None else "hex"
        if argument is not None and not is_foldable(argument):
            raise non_foldable_input(call, 1, "fmt", type_text(STRING))
        if argument is not None and not hasattr(argument, "value"):
            raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, f"{call.name}: the format")
        return to_binary_result(call, form.lower() if isinstance(form, str) else form, tries)

    return rule


def to_binary_result(call: Call, form: str | None, tries: bool) -> Typed:
    if form is None or (tries and form not in ("hex", "utf-8", "utf8", "base64")):
        return Typed(BINARY, True, (STRING, STRING), "CAST(NULL AS BLOB)")
    if form in ("utf-8", "utf8"):
        return Typed(BINARY, True, (STRING, STRING), "encode({0})")
    if form not in ("hex", "base64"):
        raise invalid_form(call, str(form))
    nullable = tries or form == "hex"
    return Typed(BINARY, nullable, (STRING, STRING), binary_writer(form, tries), add_nullable_casts=True)


def invalid_form(call: Call, form: str) -> SparkError:
    """The format is implicitly cast to a string, and shown in lower case."""
    return SparkError(
        "DATATYPE_MISMATCH.INVALID_ARG_VALUE",
        sqlExpr=quote_expression(call.text),
        inputName="fmt",
        requireType=f"case-insensitive {type_text(STRING)}",
        validValues="'hex', 'utf-8', 'utf8', or 'base64'",
        inputValue=f"'{form}'",
    )


for name, tries in (("to_binary", False), ("try_to_binary", True)):
    fn(f"{name}(string)", "", rule=to_binary_type(tries))
    fn(f"{name}(string, any)", "", rule=to_binary_type(tries))
