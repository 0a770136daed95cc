"""String functions: case, length, substring, trim, pad, repeat, locate, replace."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import java_error, not_native
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import Call, Typed, is_foldable, unexpected_input_type
from twinspark.functions.notation.value_memory import FEW, SHORT, room, room_for
from twinspark.types import BINARY, BOOLEAN, INT, STRING, ArrayType, BinaryType, MapType, StructType, is_null, is_string
from twinspark.types.duckdb import duck_text

# ---- case

fn("upper(string) -> string", "spark_upper({0})", "ucase", keeps_alias=True)
fn("lower(string) -> string", "spark_lower({0})", "lcase", keeps_alias=True)
fn("initcap(string) -> string", "spark_initcap({0})")
fn("ascii(string) -> int", "ascii({0})")
fn("char(bigint) -> string", "spark_chr({0})", "chr", keeps_alias=True)
fn("translate(string, string, string) -> string", "spark_translate({0}, {1}, {2})")


def soundex_type(call: Call) -> Typed:
    """Arguments are not cast (ExpectsInputTypes), unlike in most string functions."""
    if not is_string(call.types[0]) and not is_null(call.types[0]):
        raise unexpected_input_type(call, 0, '"STRING"')
    return Typed(STRING, call.any_nullable, (STRING,))


fn("soundex(any)", "spark_soundex({0})", rule=soundex_type)


# ---- lengths


def bytes_type(call: Call) -> Typed:
    """Binary values are not cast, all other types become strings."""
    kind = BINARY if isinstance(call.types[0], BinaryType) else STRING
    return Typed(INT, False, (kind,), add_nullable_casts=True)


def character_count(call: Any, value: str) -> str:
    name = "octet_length" if isinstance(call.arguments[0].type, BinaryType) else "length"
    return f"CAST({name}({value}) AS INTEGER)"


def byte_count(factor: int) -> Callable[..., str]:
    def write(call: Any, value: str) -> str:
        name = "octet_length" if isinstance(call.arguments[0].type, BinaryType) else "strlen"
        return f"CAST({name}({value})" + (f" * {factor}" if factor > 1 else "") + " AS INTEGER)"

    return write


LENGTHS = ("char_length", "character_length", "len")
fn("length(string|binary)", character_count, *LENGTHS, rule=bytes_type, keeps_alias=True)
fn("octet_length(string|binary)", byte_count(1), rule=bytes_type)
fn("bit_length(string|binary)", byte_count(8), rule=bytes_type)


# ---- substrings


def substring(call: Any, value: str, position: str, *length: str) -> str:
    """Position 0 counts as 1, a negative one from the end; a start before the text shortens the length
    (UTF8String.substringSQL)."""
    if isinstance(call.arguments[0].type, BinaryType):
        return f"spark_bytes_substring({value}, {position}, {length[0] if length else 2147483647})"
    if position.isdigit() and int(position) > 0 and (not length or length[0].isdigit()):
        return f"substr({value}, {', '.join([position, *length])})"
    return f"spark_substring({value}, {position}, {length[0] if length else 2147483647})"


def substring_type(call: Call) -> Typed:
    kind = text_or_bytes(call)
    shown = [a.text for a in call.arguments] + ["2147483647"] * (3 - len(call.arguments))
    casts = (kind, INT, INT)[: len(call.arguments)]
    return Typed(kind, False, casts, add_nullable_casts=True, text=f"{call.name}({', '.join(shown)})")


def text_or_bytes(call: Call) -> Any:
    first = call.types[0]
    if isinstance(first, ArrayType | MapType | StructType):
        raise unexpected_input_type(call, 0, '("STRING" or "BINARY" or "ARRAY<BYTE>")')
    return BINARY if isinstance(first, BinaryType) else STRING


fn("substring(any, int)", substring, "substr", rule=substring_type)
fn("substring(any, int, int)", substring, rule=substring_type)


def left_type(call: Call) -> Typed:
    kind = text_or_bytes(call)
    return Typed(kind, False, (kind, INT), add_nullable_casts=True)


def write_left(call: Any, value: str, length: str) -> str:
    if isinstance(call.type, BinaryType):
        return f"spark_bytes_substring({value}, 1, {length})"
    if length.isdigit():
        return f"substr({value}, 1, {length})"
    return f"(CASE WHEN {length} IS NOT NULL THEN substr({value}, 1, greatest({length}, 0)) END)"


fn("left(any, int)", write_left, rule=left_type)
fn(
    "right(string, int) -> string?",
    "CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN right({0}, greatest({1}, 0)) END",
)
fn("substring_index(string, string, int) -> string", "spark_substring_index({0}, {1}, {2})")


def overlay_type(call: Call) -> Typed:
    first, second = call.types[:2]
    if isinstance(first, BinaryType) or isinstance(second, BinaryType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "overlay of binary values")
    shown = [a.text for a in call.arguments] + ["-1"] * (4 - len(call.arguments))
    wanted = (STRING, STRING, INT, INT)[: len(call.arguments)]
    return Typed(STRING, False, wanted, add_nullable_casts=True, text=f"overlay({', '.join(shown)})")


fn("overlay(string, string, int)", "spark_overlay({0}, {1}, {2}, -1)", rule=overlay_type)
fn("overlay(string, string, int, int)", "spark_overlay({0}, {1}, {2}, {3})", rule=overlay_type)


# ---- trimming: only spaces by default; the characters come first, except in btrim

SIDES = {"trim": "BOTH", "ltrim": "LEADING", "rtrim": "TRAILING"}


def trim_type(call: Call) -> Typed:
    characters, source = (a.text for a in call.arguments)
    text = call.text if call.text.startswith("TRIM(") else f"TRIM({SIDES[call.name]} {characters} FROM {source})"
    return Typed(STRING, False, (STRING, STRING), add_nullable_casts=True, text=text)


for name in SIDES:
    fn(f"{name}(string) -> string", f"spark_{name}({{0}})")
    fn(f"{name}(string, string)", f"{name}({{1}}, {{0}})", rule=trim_type)


def btrim_type(call: Call) -> Typed:
    if all(isinstance(t, BinaryType) for t in call.types) and len(call.types) > 1:
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "btrim of binary values")
    return Typed(STRING, False, [STRING] * len(call.types), add_nullable_casts=True)


fn("btrim(string)", "spark_trim({0})", rule=btrim_type)
fn("btrim(string, string)", "trim({0}, {1})", rule=btrim_type)


# ---- padding and repeating

LONGEST = 2**31 - 1  # bytes of a Java array: longer results overflow (UTF8String.repeat)
NO_LONG_TEXT = 1000  # strings of up to this many characters are padded without a check for memory


def pad_type(call: Call) -> Typed:
    first, last = call.types[0], call.types[-1]
    if is_bytes(first) and (len(call.types) == 2 or is_bytes(last)):
        return padded_bytes(call)
    shown = [a.text for a in call.arguments] + [" "] * (3 - len(call.arguments))
    wanted = (STRING, INT, STRING)[: len(call.arguments)]
    return Typed(STRING, False, wanted, add_nullable_casts=True, text=f"{call.name}({', '.join(shown)})")


def padded_bytes(call: Call) -> Typed:
    """Pads binary values with zeros by default."""
    shown = [a.text for a in call.arguments] + ["X'00'"] * (3 - len(call.arguments))
    pad = "{2}" if len(call.arguments) == 3 else "unhex('00')"
    wanted = (BINARY, INT, BINARY)[: len(call.arguments)]
    writer = f"spark_bytes_{call.name}({{0}}, {{1}}, {pad})"
    return Typed(BINARY, False, wanted, writer, f"{call.name}({', '.join(shown)})", add_nullable_casts=True)


def is_bytes(type: Any) -> bool:
    return isinstance(type, BinaryType)


def pad_writer(name: str) -> Callable[..., str]:
    """A longer text is truncated; an empty pad string is no error (UTF8String.lpad)."""

    def write(call: Any, value: str, length: str, characters: str = "' '") -> str:
        cut = f"substr({value}, 1, greatest({length}, 0))"
        return (
            f"(CASE WHEN {value} IS NULL OR {length} IS NULL OR {characters} IS NULL THEN NULL "
            f"WHEN {length} <= length({value}) OR {characters} = '' THEN {cut} "
            f"ELSE {name}({value}, {roomy_length(value, length)}, {characters}) END)"
        )

    return write


for name in ("lpad", "rpad"):
    fn(f"{name}(string|binary, int)", pad_writer(name), rule=pad_type)
    fn(f"{name}(string|binary, int, string|binary)", pad_writer(name), rule=pad_type)


def roomy_length(value: str, length: str) -> str:
    """DuckDB pads into memory that it doubles, with characters of up to four bytes."""
    if length.isdigit() and int(length) <= NO_LONG_TEXT:
        return length
    return f"CAST({room(length, f'strlen({value}) + 8 * CAST({length} AS BIGINT)')} AS INTEGER)"


def write_repeat(call: Any, value: str, times: str) -> str:
    if is_short_repeat(value, times):
        return f"repeat({value}, {times})"
    bytes = f"CAST(strlen({value}) AS BIGINT) * CAST({times} AS BIGINT)"
    long = OVERFLOW if all(map(is_foldable, call.arguments)) else TOO_LONG
    checked = f"CASE WHEN {bytes} > {LONGEST} THEN {long} ELSE {times} END"
    return f"repeat({value}, {room(checked, f'2 * {bytes}')})"


OVERFLOW = java_error(duck_text("integer overflow"))
# the message without the numbers of the task
LOST = "Job aborted due to stage failure: java.lang.ArithmeticException: integer overflow"
TOO_LONG = not_native(reasons.FUNCTION_ROW_VALUE, "repeat of a text longer than Java's arrays", crash=LOST)


def is_short_repeat(value: str, times: str) -> bool:
    if not times.isdigit():
        return False
    return int(times) <= FEW or (value.startswith("'") and len(value) * int(times) <= SHORT)


fn("repeat(string, int) -> string", write_repeat)
fn("space(int) -> string", lambda call, times: write_repeat(call, "' '", times))


# ---- searching


BYTE_TESTS = {"startswith": "starts", "endswith": "ends", "contains": "contains"}


def test_type(call: Call) -> Typed:
    """For two binary values Spark uses another expression, whose result is nullable."""
    if all(isinstance(t, BinaryType) for t in call.types):
        return Typed(BOOLEAN, True, writer=f"spark_bytes_{BYTE_TESTS[call.name]}({{0}}, {{1}})")
    return Typed(BOOLEAN, False, (STRING, STRING), add_nullable_casts=True)


for name, sql in {"startswith": "starts_with", "endswith": "ends_with", "contains": "contains"}.items():
    fn(f"{name}(string, string)", f"{sql}({{0}}, {{1}})", rule=test_type)

fn("instr(string, string) -> int", "CAST(strpos({0}, {1}) AS INTEGER)")


def write_locate(call: Any, part: str, value: str, start: str) -> str:
    """A null start returns 0, as in Hive; an empty substring is found at 1 from any start (StringLocate)."""
    if start == "1":
        return f"CAST(strpos({value}, {part}) AS INTEGER)"
    rest = f"strpos(substr({value}, {start}), {part})"
    found = f"CASE WHEN {part} = '' THEN 1 WHEN {rest} > 0 THEN CAST({rest} + {start} - 1 AS INTEGER) ELSE 0 END"
    unknown = f"{part} IS NULL OR {value} IS NULL"
    return f"(CASE WHEN {start} IS NULL THEN 0 WHEN {unknown} THEN NULL WHEN {start} < 1 THEN 0 ELSE {found} END)"


fn(
    "locate(string, string, int? = 1) -> int",
    write_locate,
    "position",
    keeps_alias=True,
    shows_defaults=True,
)
fn("find_in_set(string, string) -> int", "spark_find_in_set({0}, {1})")
fn("levenshtein(string, string) -> int", "spark_levenshtein({0}, {1})")


def bounded_distance(call: Any, left: str, right: str, most: str) -> str:
    """Falls back for a threshold that may be null, where Spark's generated code and interpreter differ."""
    if call.arguments[2].nullable:
        raise NotNative(reasons.FUNCTION_ARGUMENT_VALUE, "levenshtein with a threshold that may be null")
    return f"spark_levenshtein({left}, {right}, {most})"


fn("levenshtein(string, string, int) -> int", bounded_distance)


def write_replace(call: Any, value: str, old: str, new: str) -> str:
    """Memory is needed for every replacement; the occurrences are counted only where the result may be large."""
    if new.startswith("'") and len(new) <= FEW:
        return f"replace({value}, {old}, {new})"
    most = f"strlen({value}) * strlen({new})"
    times = f"(strlen({value}) - strlen(replace({value}, {old}, ''))) // greatest(strlen({old}), 1)"
    bytes = f"CASE WHEN {most} <= {SHORT} THEN 0 ELSE 2 * ({times} * strlen({new}) + strlen({value})) END"
    return f"replace({value}, {old}, {room_for(new, bytes)})"


fn("replace(string, string, string = '') -> string", write_replace, shows_defaults=True)
