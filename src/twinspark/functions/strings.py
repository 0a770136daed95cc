"""String functions: letters, lengths, parts, padding, positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions import casts
from twinspark.functions.registry import fn
from twinspark.functions.typing import Call, Typed, unexpected_input_type
from twinspark.types import (
    BINARY,
    BOOLEAN,
    INT,
    STRING,
    ArrayType,
    BinaryType,
    MapType,
    StructType,
    is_null,
    is_string,
)

# ---- letters

fn("upper(string) -> string", "spark_upper({0})", "ucase", keeps_alias=True)
fn("lower(string) -> string", "spark_lower({0})", "lcase", keeps_alias=True)
fn("initcap(string) -> string", "spark_initcap({0})")
fn("ascii(string) -> int", "ascii({0})")
fn("char(bigint) -> string", "spark_chr({0})", "chr", keeps_alias=True)
fn("translate(string, string, string) -> string", "spark_translate({0}, {1}, {2})")


def soundex_type(call: Call) -> Typed:
    """It casts nothing (ExpectsInputTypes), unlike most string functions."""
    if not is_string(call.types[0]) and not is_null(call.types[0]):
        raise unexpected_input_type(call, 0, '"STRING"')
    return Typed(STRING, call.any_nullable, (STRING,))


fn("soundex(any)", "spark_soundex({0})", rule=soundex_type)


# ---- lengths


def bytes_type(call: Call) -> Typed:
    """Bytes stay bytes, everything else becomes a string."""
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


# ---- parts


def substring(call: Any, value: str, position: str, *length: str) -> str:
    """Position 0 counts as 1, a negative one from the end; a start before the text eats into the length
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


def left(call: Any, value: str, length: str) -> str:
    if isinstance(call.type, BinaryType):
        return f"spark_bytes_substring({value}, 1, {length})"
    if length.isdigit():
        return f"substr({value}, 1, {length})"
    return f"(CASE WHEN {length} IS NOT NULL THEN substr({value}, 1, greatest({length}, 0)) END)"


fn("left(any, int)", left, rule=left_type)
fn(
    "right(string, int) -> string?",
    "CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN right({0}, greatest({1}, 0)) END",
)
fn("substring_index(string, string, int) -> string", "spark_substring_index({0}, {1}, {2})")


def overlay_type(call: Call) -> Typed:
    first, second = call.types[:2]
    if isinstance(first, BinaryType) or isinstance(second, BinaryType):
        raise NotNative("overlay of bytes")
    shown = [a.text for a in call.arguments] + ["-1"] * (4 - len(call.arguments))
    wanted = (STRING, STRING, INT, INT)[: len(call.arguments)]
    return Typed(STRING, False, wanted, add_nullable_casts=True, text=f"overlay({', '.join(shown)})")


fn("overlay(string, string, int)", "spark_overlay({0}, {1}, {2}, -1)", rule=overlay_type)
fn("overlay(string, string, int, int)", "spark_overlay({0}, {1}, {2}, {3})", rule=overlay_type)


# ---- trimming: only spaces unless told otherwise; the characters come first, except in btrim

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
        raise NotNative("btrim of bytes")
    return Typed(STRING, False, [STRING] * len(call.types), add_nullable_casts=True)


fn("btrim(string)", "spark_trim({0})", rule=btrim_type)
fn("btrim(string, string)", "trim({0}, {1})", rule=btrim_type)


# ---- growing

LONGEST = 100_000_000  # above it Spark itself may run out of memory, each engine in its own words


def pad_type(call: Call) -> Typed:
    first, last = call.types[0], call.types[-1]
    if is_bytes(first) and (len(call.types) == 2 or is_bytes(last)):
        return padded_bytes(call)
    shown = [a.text for a in call.arguments] + [" "] * (3 - len(call.arguments))
    wanted = (STRING, INT, STRING)[: len(call.arguments)]
    return Typed(STRING, False, wanted, add_nullable_casts=True, text=f"{call.name}({', '.join(shown)})")


def padded_bytes(call: Call) -> Typed:
    """With zeros unless told otherwise."""
    shown = [a.text for a in call.arguments] + ["X'00'"] * (3 - len(call.arguments))
    pad = "{2}" if len(call.arguments) == 3 else "unhex('00')"
    wanted = (BINARY, INT, BINARY)[: len(call.arguments)]
    writer = f"spark_bytes_{call.name}({{0}}, {{1}}, {pad})"
    return Typed(BINARY, False, wanted, writer, f"{call.name}({', '.join(shown)})", add_nullable_casts=True)


def is_bytes(type: Any) -> bool:
    return isinstance(type, BinaryType)


def padded(name: str) -> Callable[..., str]:
    """What is longer is cut; nothing to pad with is no error (UTF8String.lpad)."""

    def write(call: Any, value: str, length: str, characters: str = "' '") -> str:
        cut = f"substr({value}, 1, greatest({length}, 0))"
        return (
            f"(CASE WHEN {value} IS NULL OR {length} IS NULL OR {characters} IS NULL THEN NULL "
            f"WHEN {length} <= length({value}) OR {characters} = '' THEN {cut} "
            f"WHEN {length} > {LONGEST} THEN {casts.not_native('a very long text')} "
            f"ELSE {name}({value}, {length}, {characters}) END)"
        )

    return write


for name in ("lpad", "rpad"):
    fn(f"{name}(string|binary, int)", padded(name), rule=pad_type)
    fn(f"{name}(string|binary, int, string|binary)", padded(name), rule=pad_type)


def repeated(call: Any, value: str, times: str) -> str:
    if times.isdigit() and int(times) <= 1000:
        return f"repeat({value}, {times})"
    long = f"CAST(strlen({value}) AS BIGINT) * {times} > {LONGEST}"
    return f"(CASE WHEN {long} THEN {casts.not_native('a very long text')} ELSE repeat({value}, {times}) END)"


fn("repeat(string, int) -> string", repeated)
fn("space(int) -> string", lambda call, times: repeated(call, "' '", times))


# ---- searching


BYTE_TESTS = {"startswith": "starts", "endswith": "ends", "contains": "contains"}


def test_type(call: Call) -> Typed:
    """Of two binaries Spark makes another expression, one that may be null."""
    if all(isinstance(t, BinaryType) for t in call.types):
        return Typed(BOOLEAN, True, writer=f"spark_bytes_{BYTE_TESTS[call.name]}({{0}}, {{1}})")
    return Typed(BOOLEAN, False, (STRING, STRING), add_nullable_casts=True)


for name, sql in {"startswith": "starts_with", "endswith": "ends_with", "contains": "contains"}.items():
    fn(f"{name}(string, string)", f"{sql}({{0}}, {{1}})", rule=test_type)

fn("instr(string, string) -> int", "CAST(strpos({0}, {1}) AS INTEGER)")


def located(call: Any, part: str, value: str, start: str) -> str:
    """An unknown start gives 0, as Hive does; an empty part is found at 1 from wherever (StringLocate)."""
    if start == "1":
        return f"CAST(strpos({value}, {part}) AS INTEGER)"
    rest = f"strpos(substr({value}, {start}), {part})"
    found = f"CASE WHEN {part} = '' THEN 1 WHEN {rest} > 0 THEN CAST({rest} + {start} - 1 AS INTEGER) ELSE 0 END"
    unknown = f"{part} IS NULL OR {value} IS NULL"
    return f"(CASE WHEN {start} IS NULL THEN 0 WHEN {unknown} THEN NULL WHEN {start} < 1 THEN 0 ELSE {found} END)"


fn(
    "locate(string, string, int? = 1) -> int",
    located,
    "position",
    keeps_alias=True,
    shows_defaults=True,
)
fn("find_in_set(string, string) -> int", "spark_find_in_set({0}, {1})")
fn("levenshtein(string, string) -> int", "spark_levenshtein({0}, {1})")


def bounded_distance(call: Any, left: str, right: str, most: str) -> str:
    """Of an unknown bound Spark's generated code and its interpreter think differently."""
    if call.arguments[2].nullable:
        raise NotNative("levenshtein with a bound that may be null")
    return f"spark_levenshtein({left}, {right}, {most})"


fn("levenshtein(string, string, int) -> int", bounded_distance)
fn("replace(string, string, string = '') -> string", "replace({0}, {1}, {2})", shows_defaults=True)
