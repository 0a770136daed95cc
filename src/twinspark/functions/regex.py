"""LIKE, and functions of regular expressions: Java's patterns, as far as RE2 reads them alike."""

from __future__ import annotations

from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.java_regex import Pattern, read_pattern
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.spelling import text
from twinspark.functions.typing import Call, Typed
from twinspark.types import INT, STRING

# ---- LIKE


def like(call: Any, value: str, pattern: str, *escape: str) -> str:
    """Spark's escape character is a backslash unless another is given; what it may stand before is checked by Spark."""
    mark = checked_like(call)
    return f"({value} LIKE {pattern} ESCAPE {text(mark)})"


def ilike(call: Any, value: str, pattern: str, *escape: str) -> str:
    """Both sides in small letters (ILike); the escape character is none of the letters."""
    mark = checked_like(call)
    if mark.isalpha():
        raise NotNative("ILIKE with a letter as escape character")
    return f"(spark_lower({value}) LIKE spark_lower({pattern}) ESCAPE {text(mark)})"


def checked_like(call: Any) -> str:
    """The escape character of a pattern that DuckDB reads as Spark does."""
    pattern = getattr(call.arguments[1], "value", None)
    if not isinstance(pattern, str):
        raise NotNative("LIKE with a pattern that is no constant")
    mark = getattr(call.arguments[2], "value", "\\") if len(call.arguments) > 2 else "\\"
    if mark in pattern and not well_escaped(pattern, mark):
        raise NotNative("LIKE with an escape that Spark refuses")
    return str(mark)


def well_escaped(pattern: str, mark: str) -> bool:
    """The escape character stands only before %, _ and itself (StringUtils.escapeLikeRegex)."""
    position = 0
    while position < len(pattern):
        if pattern[position] == mark:
            if pattern[position + 1 : position + 2] not in ("%", "_", mark) or position + 1 >= len(pattern):
                return False
            position += 1
        position += 1
    return True


fn("like(string, string) -> boolean", like)
fn("like(string, string, string literal) -> boolean", like)
fn("ilike(string, string) -> boolean", ilike)
fn("ilike(string, string, string literal) -> boolean", ilike)


# ---- regular expressions


def pattern_of(call: Any, index: int = 1) -> Pattern:
    value = getattr(call.arguments[index], "value", None)
    if not isinstance(value, str):
        raise NotNative("a regular expression that is no constant")
    return read_pattern(value)


def never_empty(call: Any) -> Pattern:
    """Java and RE2 go on differently after an empty match, and DuckDB may meet the start of the text again."""
    pattern = pattern_of(call)
    if pattern.may_be_empty or "\\A" in pattern.re2:
        raise NotNative("a regular expression that matches the empty text, or the start of the text")
    return pattern


def exact_end(pattern: Pattern) -> str:
    """Java's `$` also stands before a last line end, which RE2 cannot say without taking it."""
    if pattern.ends_at_end:
        raise NotNative("a regular expression with $")
    return text(pattern.re2)


def rlike(call: Any, value: str, *_: str) -> str:
    return f"regexp_matches({value}, {text(pattern_of(call).test)})"


fn("rlike(string, string) -> boolean", rlike, shows="RLIKE")
fn("regexp(string, string) -> boolean", rlike, shows="REGEXP")
fn("regexp_like(string, string) -> boolean", rlike, shows="REGEXP_LIKE")


def group_of(call: Any, pattern: Pattern) -> int:
    group = getattr(call.arguments[2], "value", None) if len(call.arguments) > 2 else 1
    if not isinstance(group, int) or not 0 <= group <= min(pattern.groups, 9):
        raise NotNative("a group that is no constant or not there")
    return group


def extracted(call: Any, value: str, *_: str) -> str:
    pattern = pattern_of(call)
    return f"regexp_extract({value}, {exact_end(pattern)}, {group_of(call, pattern)})"


def all_extracted(call: Any, value: str, *_: str) -> str:
    pattern = never_empty(call)
    found = f"regexp_extract_all({value}, {exact_end(pattern)}, {group_of(call, pattern)})"
    return f"list_transform({found}, lambda g: coalesce(g, ''))"


fn("regexp_extract(string, string, int = 1) -> string", extracted, shows_defaults=True)
fn("regexp_extract_all(string, string, int = 1) -> array<string?>", all_extracted, shows_defaults=True)


def counted(call: Any, value: str, *_: str) -> str:
    return f"CAST(len(regexp_extract_all({value}, {exact_end(never_empty(call))})) AS INTEGER)"


def first_found(call: Any, value: str, *_: str) -> str:
    return f"nullif(regexp_extract({value}, {exact_end(pattern_of(call))}, 0), '')"


fn("regexp_count(string, string) -> int", counted)
fn("regexp_substr(string, string) -> string?", first_found)
fn("regexp_instr(string, string, int = 0) -> int", SPARK, shows_defaults=True, reason="positions in UTF-16")


def replaced(call: Any, value: str, *_: str) -> str:
    instead = getattr(call.arguments[2], "value", None)
    start = getattr(call.arguments[3], "value", None) if len(call.arguments) > 3 else 1
    if not isinstance(instead, str) or start != 1:
        raise NotNative("regexp_replace with what is no constant, or not from the start")
    pattern = never_empty(call)
    return f"regexp_replace({value}, {exact_end(pattern)}, {text(replacement(instead, pattern.groups))}, 'g')"


def replacement(instead: str, groups: int) -> str:
    """Java's `$1` is RE2's `\\1`; a backslash of Java's takes the next character as it is."""
    if "\\" in instead:
        raise NotNative("a backslash in a replacement")
    first, *others = instead.split("$")
    if groups > 9 or any(not part[:1].isdigit() or int(part[0]) > groups for part in others):
        raise NotNative("a replacement with groups that are not there")
    return first + "".join(f"\\{part}" for part in others)


def replaced_type(call: Call) -> Typed:
    shown = [a.text for a in call.arguments] + ["1"] * (4 - len(call.arguments))
    wanted = (STRING, STRING, STRING, INT)[: len(call.arguments)]
    text = f"regexp_replace({', '.join(shown)})"
    return Typed(STRING, False, wanted, add_nullable_casts=True, text=text)


fn("regexp_replace(string, string, string)", replaced, rule=replaced_type)
fn("regexp_replace(string, string, string, int)", replaced, rule=replaced_type)


def divided(call: Any, value: str, _: str, limit: str) -> str:
    """A plain separator is split by DuckDB's fastest function, and may have a limit."""
    most = getattr(call.arguments[2], "value", None)
    if not isinstance(most, int):
        raise NotNative("split with a limit that is no constant")
    pattern = never_empty(call)
    if most > 0 and pattern.plain is None:
        raise NotNative("split by a regular expression with a limit")
    if pattern.plain is None:
        return f"string_split_regex({value}, {exact_end(pattern)})"
    parts = f"string_split({value}, {text(pattern.plain)})"
    return parts if most <= 0 else limited(parts, text(pattern.plain), most)


def limited(parts: str, separator: str, most: int) -> str:
    rest = f"array_to_string({parts}[{most}:], {separator})"
    return f"(CASE WHEN len({parts}) > {most} THEN list_append({parts}[:{most - 1}], {rest}) ELSE {parts} END)"


fn("split(string, string, int = -1) -> array<string!>", divided, shows_defaults=True)
