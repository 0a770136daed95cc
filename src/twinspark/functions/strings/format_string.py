"""format_string and printf: writes SQL for each placeholder of a constant java.util.Formatter format."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.functions.notation.value_memory import SHORT, room
from twinspark.types import (
    STRING,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    IntegerType,
    LongType,
    ShortType,
    TimestampNTZType,
    TimestampType,
    VariantType,
    is_integral,
    is_null,
    is_string,
)
from twinspark.types.duckdb import duck_text

# Possessive quantifiers: zeros are flags and digits, and would otherwise cause backtracking on invalid formats.
PLACE = re.compile(r"%(?:(\d++)\$)?([-#+ 0,(]*+)(\d++)?(?:\.(\d++))?([a-zA-Z%])|%", re.S)
ZERO, BLANK = "'0'", "' '"
BITS = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}
UNSIGNED = "(CASE WHEN {v} < 0 THEN CAST({v} AS HUGEINT) + {range} ELSE CAST({v} AS HUGEINT) END)"


@dataclass(frozen=True)
class Placeholder:
    """A format specifier such as `%-10.3f`."""

    flags: str
    width: int
    precision: int | None
    letter: str

    @property
    def text(self) -> str:
        return f"%{self.flags}{self.width or ''}{'' if self.precision is None else f'.{self.precision}'}{self.letter}"


def format_type(call: Call) -> Typed:
    """Only a null format makes the result null; with a variant argument, its cast may too."""
    form = call.arguments[0]
    return Typed(STRING, form.nullable or is_null(form.type) or isinstance(form.type, VariantType))


def write_format_string(call: Any, *sql: str) -> str:
    form = getattr(call.arguments[0], "value", None)
    if not isinstance(form, str):
        return write_format_by_row(call, *sql)
    parts, last, ordinary = [], 0, 0
    for found in PLACE.finditer(form):
        parts.append(duck_text(form[last : found.start()]))
        last = found.end()
        if found[5] in ("%", "n") and not (found[1] or found[2] or found[3] or found[4]):
            parts.append(duck_text("%" if found[5] == "%" else "\n"))
            continue
        ordinary += 0 if found[1] else 1
        parts.append(write_placeholder(call, sql, placeholder_of(found), int(found[1] or ordinary)))
    return "(" + " || ".join([*parts, duck_text(form[last:])]) + ")"


PLAIN = "(?:[^%]|%[sd])*"


def write_format_by_row(call: Any, form: str, *values: str) -> str:
    """Formats that are not constant: plain %s and %d for strings and whole numbers; %d of a string is an error in
    Java."""
    types = [argument.type for argument in call.arguments[1:]]
    if not all(is_string(type) or is_integral(type) for type in types):
        raise NotNative(
            reasons.FORMAT_STRING,
            "a format that is not a constant, with arguments other than strings and whole numbers",
        )
    specs = f"regexp_extract_all({form}, '%[sd]')"
    texts = [f"coalesce(CAST({value} AS VARCHAR), 'null')" for value in values]
    wrong = [f"coalesce({specs}[{i}] = '%d', false)" for i, type in enumerate(types, 1) if is_string(type)]
    fits = " AND ".join([f"len({specs}) <= {len(values)}", *(f"NOT {test}" for test in wrong)])
    readable = f"regexp_full_match({form}, '(?s){PLAIN}') AND {fits}"
    arguments = ", ".join([f"replace({form}, '%d', '%s')", *texts])
    made = f"printf({arguments})"
    other = not_native(reasons.FORMAT_STRING, "a format that is not a constant may only contain %s and %d")
    return f"(CASE WHEN {form} IS NULL THEN NULL WHEN {readable} THEN {made} ELSE {other} END)"


def placeholder_of(found: re.Match[str]) -> Placeholder:
    if found[5] is None or len(set(found[2])) < len(found[2]):
        raise NotNative(reasons.FORMAT_STRING, "a format that Java rejects")
    return Placeholder(found[2], int(found[3] or 0), None if found[4] is None else int(found[4]), found[5])


def write_placeholder(call: Any, sql: tuple[str, ...], spec: Placeholder, index: int) -> str:
    if not 1 <= index < len(sql):
        raise NotNative(reasons.FORMAT_STRING, "more placeholders than arguments")
    type = call.arguments[index].type
    write = WRITERS.get(spec.letter)
    if write is None or (spec.flags and not spec.width and ("-" in spec.flags or "0" in spec.flags)):
        raise NotNative(reasons.FORMAT_STRING, spec.text)
    if is_null(type):
        return no_value(spec, "NULL", "''") if spec.letter != "b" else pad_to_width(duck_text("false"), spec)
    return write(spec, type, sql[index])


def pad_to_width(sql: str, spec: Placeholder) -> str:
    """Pads with blanks to the width, on the left by default."""
    if not spec.width:
        return sql
    blanks = filling(BLANK, sql, spec.width)
    return f"({sql} || {blanks})" if "-" in spec.flags else f"({blanks} || {sql})"


def no_value(spec: Placeholder, value: str, made: str) -> str:
    """Null is written as `null`, truncated to the precision."""
    word = "null"[: spec.precision].upper() if spec.letter.isupper() else "null"[: spec.precision]
    return f"(CASE WHEN {value} IS NULL THEN {pad_to_width(duck_text(word), spec)} ELSE {made} END)"


# ---- %s %b


def as_text(spec: Placeholder, type: DataType, value: str) -> str:
    if set(spec.flags) - {"-"}:
        raise NotNative(reasons.FORMAT_STRING, spec.text)
    shown = text_of(type, value)
    if spec.precision is not None:
        shown = f"substr({shown}, 1, {spec.precision})"
    made = pad_to_width(shown, spec)
    if is_string(type) and (spec.width or spec.precision is not None):
        wide = not_native(
            reasons.FORMAT_STRING, "a width for characters outside Unicode's basic plane, which Java counts twice"
        )
        made = f"(CASE WHEN regexp_matches({value}, '[\\x{{10000}}-\\x{{10FFFF}}]') THEN {wide} ELSE {made} END)"
    return no_value(spec, value, made)


def text_of(type: DataType, value: str) -> str:
    """Dates and timestamps are written as Spark's internal numbers of days and microseconds."""
    if is_string(type):
        return value
    if is_integral(type) or isinstance(type, BooleanType):
        return f"CAST({value} AS VARCHAR)"
    if isinstance(type, DoubleType | FloatType):
        return f"spark_{'double' if isinstance(type, DoubleType) else 'float'}_to_string({value})"
    if isinstance(type, DateType):
        return f"CAST({value} - DATE '1970-01-01' AS VARCHAR)"
    if isinstance(type, TimestampType | TimestampNTZType):
        return f"CAST(epoch_us({value}) AS VARCHAR)"
    if isinstance(type, DecimalType) and type.scale <= 6 and type.scale < type.precision:
        return f"CAST({value} AS VARCHAR)"
    raise NotNative(reasons.FORMAT_STRING, f"%s of {type.simpleString()}")


def as_boolean(spec: Placeholder, type: DataType, value: str) -> str:
    if not isinstance(type, BooleanType) or spec.precision is not None or set(spec.flags) - {"-"}:
        raise NotNative(reasons.FORMAT_STRING, f"{spec.text} of {type.simpleString()}")
    return pad_to_width(f"CASE WHEN {value} THEN 'true' ELSE 'false' END", spec)


# ---- %d %x %o


def as_whole(spec: Placeholder, type: DataType, value: str) -> str:
    if not is_integral(type) or spec.precision is not None or "#" in spec.flags:
        raise NotNative(reasons.FORMAT_STRING, f"{spec.text} of {type.simpleString()}")
    size = f"abs(CAST({value} AS HUGEINT))"
    digits = f"spark_format_decimal({size}, 0)" if "," in spec.flags else f"CAST({size} AS VARCHAR)"
    return no_value(spec, value, write_signed(spec, f"{value} < 0", digits))


def write_signed(spec: Placeholder, negative: str, digits: str) -> str:
    """The sign comes before the zeros that fill the width; parentheses may replace a minus sign."""
    flags = spec.flags
    if ("+" in flags and " " in flags) or ("-" in flags and "0" in flags):
        raise NotNative(reasons.FORMAT_STRING, spec.text)
    before, after = ("(", ")") if "(" in flags else ("-", "")
    plus = "+" if "+" in flags else " " if " " in flags else ""
    if "0" in flags:
        digits = f"CASE WHEN {negative} THEN {zeros(digits, spec.width - len(before + after))} ELSE " + (
            f"{zeros(digits, spec.width - len(plus))} END"
        )
    made = f"(CASE WHEN {negative} THEN {duck_text(before)} ELSE {duck_text(plus)} END || {digits}"
    made += f" || CASE WHEN {negative} THEN {duck_text(after)} ELSE '' END)" if after else ")"
    return made if "0" in flags else pad_to_width(made, spec)


def zeros(digits: str, width: int) -> str:
    return f"({filling(ZERO, digits, width)} || {digits})"


def filling(character: str, shown: str, width: int) -> str:
    """As many characters as are missing; a large width checks for memory."""
    missing = f"{width} - CAST(length({shown}) AS INTEGER)"
    return f"repeat({character}, {missing if width <= SHORT else room(missing, str(3 * width))})"


def as_digits(base: str) -> Any:
    """%x, %X and %o: negative numbers are written as two's complement."""

    def write(spec: Placeholder, type: DataType, value: str) -> str:
        if type.__class__ not in BITS or spec.precision is not None or spec.flags not in ("", "-", "0"):
            raise NotNative(reasons.FORMAT_STRING, f"{spec.text} of {type.simpleString()}")
        bits = UNSIGNED.format(v=value, range=f"CAST('{1 << BITS[type.__class__]}' AS HUGEINT)")
        digits = f"{base}({bits})" if spec.letter != "x" else f"lower({base}({bits}))"
        made = zeros(digits, spec.width) if "0" in spec.flags else pad_to_width(digits, spec)
        return no_value(spec, value, made)

    return write


# ---- %f %e


def as_floating(spec: Placeholder, type: DataType, value: str) -> str:
    grouped = "," in spec.flags
    if not isinstance(type, DoubleType | FloatType) or "#" in spec.flags or (grouped and spec.letter == "e"):
        raise NotNative(reasons.FORMAT_STRING, f"{spec.text} of {type.simpleString()}")
    wide = value if isinstance(type, DoubleType) else f"CAST({value} AS DOUBLE)"
    digits_after = 6 if spec.precision is None else spec.precision
    more = f", {str(grouped).lower()}" if spec.letter == "f" else ""
    digits = f"spark_format_{'fixed' if spec.letter == 'f' else 'scientific'}({wide}, {digits_after}{more})"
    number = write_signed(spec, f"({value} < 0 OR CAST({value} AS VARCHAR) = '-0.0')", digits)
    odd = not_native(reasons.FORMAT_STRING, "NaN or infinity")
    return no_value(spec, value, f"(CASE WHEN isfinite({value}) THEN {number} ELSE {odd} END)")


WRITERS: dict[str, Any] = {
    "s": as_text,
    "b": as_boolean,
    "d": as_whole,
    "x": as_digits("to_hex"),
    "X": as_digits("to_hex"),
    "f": as_floating,
    "e": as_floating,
}

fn("format_string(string, any...)", write_format_string, "printf", rule=format_type, keeps_alias=True)
