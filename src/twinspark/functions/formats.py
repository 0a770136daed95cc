"""format_string and printf: the places of a constant java.util.Formatter format, each made of SQL."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import not_native
from twinspark.functions.registry import fn
from twinspark.functions.spelling import text
from twinspark.functions.typing import Call, Typed
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

PLACE = re.compile(r"%(?:(\d+)\$)?([-#+ 0,(]*)(\d+)?(?:\.(\d+))?([a-zA-Z%])|%", re.S)
BITS = {ByteType: 8, ShortType: 16, IntegerType: 32, LongType: 64}
UNSIGNED = "(CASE WHEN {v} < 0 THEN CAST({v} AS HUGEINT) + {range} ELSE CAST({v} AS HUGEINT) END)"


@dataclass(frozen=True)
class Place:
    """`%-10.3f` and its kin."""

    flags: str
    width: int
    precision: int | None
    letter: str

    @property
    def shown(self) -> str:
        return f"%{self.flags}{self.width or ''}{'' if self.precision is None else f'.{self.precision}'}{self.letter}"


def format_type(call: Call) -> Typed:
    """Only a null format makes it null; of a variant, which need not be a text, any cast may."""
    form = call.arguments[0]
    return Typed(STRING, form.nullable or is_null(form.type) or isinstance(form.type, VariantType))


def printed(call: Any, *sql: str) -> str:
    form = getattr(call.arguments[0], "value", None)
    if not isinstance(form, str):
        return printed_by_row(call, *sql)
    parts, last, ordinary = [], 0, 0
    for found in PLACE.finditer(form):
        parts.append(text(form[last : found.start()]))
        last = found.end()
        if found[5] in ("%", "n") and not (found[1] or found[2] or found[3] or found[4]):
            parts.append(text("%" if found[5] == "%" else "\n"))
            continue
        ordinary += 0 if found[1] else 1
        parts.append(filled(call, sql, place_of(found), int(found[1] or ordinary)))
    return "(" + " || ".join([*parts, text(form[last:])]) + ")"


PLAIN = "(?:[^%]|%[sd])*"


def printed_by_row(call: Any, form: str, *values: str) -> str:
    """Formats of a column: plain %s and %d, of strings and whole numbers; %d of a string is Java's error."""
    types = [argument.type for argument in call.arguments[1:]]
    if not all(is_string(type) or is_integral(type) for type in types):
        raise NotNative("a format that is no constant, of other than strings and whole numbers")
    places = f"regexp_extract_all({form}, '%[sd]')"
    words = [f"coalesce(CAST({value} AS VARCHAR), 'null')" for value in values]
    wrong = [f"coalesce({places}[{i}] = '%d', false)" for i, type in enumerate(types, 1) if is_string(type)]
    fits = " AND ".join([f"len({places}) <= {len(values)}", *(f"NOT {test}" for test in wrong)])
    readable = f"regexp_full_match({form}, '(?s){PLAIN}') AND {fits}"
    arguments = ", ".join([f"replace({form}, '%d', '%s')", *words])
    made = f"printf({arguments})"
    other = not_native("a format of more than %s and %d")
    return f"(CASE WHEN {form} IS NULL THEN NULL WHEN {readable} THEN {made} ELSE {other} END)"


def place_of(found: re.Match[str]) -> Place:
    if found[5] is None or len(set(found[2])) < len(found[2]):
        raise NotNative("a format that Java refuses")
    return Place(found[2], int(found[3] or 0), None if found[4] is None else int(found[4]), found[5])


def filled(call: Any, sql: tuple[str, ...], place: Place, index: int) -> str:
    if not 1 <= index < len(sql):
        raise NotNative("a format with more places than arguments")
    type = call.arguments[index].type
    write = WRITERS.get(place.letter)
    if write is None or (place.flags and not place.width and ("-" in place.flags or "0" in place.flags)):
        raise NotNative(f"the format {place.shown}")
    if is_null(type):
        return no_value(place, "NULL", "''") if place.letter != "b" else padded(text("false"), place)
    return write(place, type, sql[index])


def padded(sql: str, place: Place) -> str:
    """Blanks up to the width, on the left unless told otherwise."""
    if not place.width:
        return sql
    blanks = f"repeat(' ', {place.width} - CAST(length({sql}) AS INTEGER))"
    return f"({sql} || {blanks})" if "-" in place.flags else f"({blanks} || {sql})"


def no_value(place: Place, value: str, made: str) -> str:
    """A null is the word, cut to the precision."""
    word = "null"[: place.precision].upper() if place.letter.isupper() else "null"[: place.precision]
    return f"(CASE WHEN {value} IS NULL THEN {padded(text(word), place)} ELSE {made} END)"


# ---- %s %b


def as_text(place: Place, type: DataType, value: str) -> str:
    if set(place.flags) - {"-"}:
        raise NotNative(f"the format {place.shown}")
    shown = text_of(type, value)
    if place.precision is not None:
        shown = f"substr({shown}, 1, {place.precision})"
    made = padded(shown, place)
    if is_string(type) and (place.width or place.precision is not None):
        wide = not_native("a width of characters beyond the first plane: Java counts them twice")
        made = f"(CASE WHEN regexp_matches({value}, '[\\x{{10000}}-\\x{{10FFFF}}]') THEN {wide} ELSE {made} END)"
    return no_value(place, value, made)


def text_of(type: DataType, value: str) -> str:
    """Dates and timestamps show what Spark holds: days and microseconds."""
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
    raise NotNative(f"%s of {type.simpleString()}")


def as_boolean(place: Place, type: DataType, value: str) -> str:
    if not isinstance(type, BooleanType) or place.precision is not None or set(place.flags) - {"-"}:
        raise NotNative(f"the format {place.shown} of {type.simpleString()}")
    return padded(f"CASE WHEN {value} THEN 'true' ELSE 'false' END", place)


# ---- %d %x %o


def as_whole(place: Place, type: DataType, value: str) -> str:
    if not is_integral(type) or place.precision is not None or "#" in place.flags:
        raise NotNative(f"the format {place.shown} of {type.simpleString()}")
    size = f"abs(CAST({value} AS HUGEINT))"
    digits = f"spark_format_decimal({size}, 0)" if "," in place.flags else f"CAST({size} AS VARCHAR)"
    return no_value(place, value, signed(place, f"{value} < 0", digits))


def signed(place: Place, negative: str, digits: str) -> str:
    """The sign stands before the zeros, which fill up the width; brackets may stand for a minus."""
    flags = place.flags
    if ("+" in flags and " " in flags) or ("-" in flags and "0" in flags):
        raise NotNative(f"the format {place.shown}")
    before, after = ("(", ")") if "(" in flags else ("-", "")
    plus = "+" if "+" in flags else " " if " " in flags else ""
    if "0" in flags:
        digits = f"CASE WHEN {negative} THEN {zeros(digits, place.width - len(before + after))} ELSE " + (
            f"{zeros(digits, place.width - len(plus))} END"
        )
    made = f"(CASE WHEN {negative} THEN {text(before)} ELSE {text(plus)} END || {digits}"
    made += f" || CASE WHEN {negative} THEN {text(after)} ELSE '' END)" if after else ")"
    return made if "0" in flags else padded(made, place)


def zeros(digits: str, width: int) -> str:
    return f"(repeat('0', {width} - CAST(length({digits}) AS INTEGER)) || {digits})"


def as_digits(base: str) -> Any:
    """%x %X %o: a negative number is shown as its bits."""

    def write(place: Place, type: DataType, value: str) -> str:
        if type.__class__ not in BITS or place.precision is not None or place.flags not in ("", "-", "0"):
            raise NotNative(f"the format {place.shown} of {type.simpleString()}")
        bits = UNSIGNED.format(v=value, range=f"CAST('{1 << BITS[type.__class__]}' AS HUGEINT)")
        digits = f"{base}({bits})" if place.letter != "x" else f"lower({base}({bits}))"
        made = zeros(digits, place.width) if "0" in place.flags else padded(digits, place)
        return no_value(place, value, made)

    return write


# ---- %f %e


def as_floating(place: Place, type: DataType, value: str) -> str:
    grouped = "," in place.flags
    if not isinstance(type, DoubleType | FloatType) or "#" in place.flags or (grouped and place.letter == "e"):
        raise NotNative(f"the format {place.shown} of {type.simpleString()}")
    wide = value if isinstance(type, DoubleType) else f"CAST({value} AS DOUBLE)"
    places = 6 if place.precision is None else place.precision
    more = f", {str(grouped).lower()}" if place.letter == "f" else ""
    digits = f"spark_format_{'fixed' if place.letter == 'f' else 'scientific'}({wide}, {places}{more})"
    number = signed(place, f"({value} < 0 OR CAST({value} AS VARCHAR) = '-0.0')", digits)
    odd = not_native("NaN or infinity in a format")
    return no_value(place, value, f"(CASE WHEN isfinite({value}) THEN {number} ELSE {odd} END)")


WRITERS: dict[str, Any] = {
    "s": as_text,
    "b": as_boolean,
    "d": as_whole,
    "x": as_digits("to_hex"),
    "X": as_digits("to_hex"),
    "f": as_floating,
    "e": as_floating,
}

fn("format_string(string, any...)", printed, "printf", rule=format_type, keeps_alias=True)
