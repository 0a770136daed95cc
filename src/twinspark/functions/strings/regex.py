"""LIKE and regular expression functions: by RE2 where it matches as Java does, otherwise by a Java-compatible matcher
in C."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.registry import fn
from twinspark.functions.notation.typing import (
    Call,
    Typed,
    is_foldable,
    non_foldable_input,
    type_text,
    value_out_of_range,
)
from twinspark.functions.strings.java_regex import Pattern, read_pattern
from twinspark.types import INT, STRING
from twinspark.types.duckdb import duck_text

# ---- LIKE


def like(call: Any, value: str, pattern: str, *escape: str) -> str:
    """The default escape character is a backslash; invalid escapes fall back, since Spark reports them as errors."""
    mark = escape_mark(call)
    if is_plain_like(call, mark):
        return f"({value} LIKE {pattern}{escape_clause(call, mark)})"
    return f"spark_like({value}, {pattern}, {duck_text(mark)})"


def ilike(call: Any, value: str, pattern: str, *escape: str) -> str:
    """Compares in lower case, but does not change the escape character (ILike)."""
    mark = escape_mark(call)
    if (part := single_word(call, mark)) is not None:
        return f"spark_ilike({value}, {duck_text(part[0])}, {part[1]})"
    sides = f"spark_lower({value})", f"spark_lower({pattern})"
    if is_plain_like(call, mark) and not mark.isalpha():
        return f"({sides[0]} LIKE {sides[1]}{escape_clause(call, mark)})"
    return f"spark_like({sides[0]}, {sides[1]}, {duck_text(mark)})"


def single_word(call: Any, mark: str) -> tuple[str, int] | None:
    """For a constant such as `%Word%`: the word in lower case, and 1 if text may precede it, 2 if text may follow, 3 if
    both."""
    pattern = getattr(call.arguments[1], "value", None)
    if not isinstance(pattern, str) or not pattern.isascii() or mark in pattern or "_" in pattern:
        return None
    part = pattern.strip("%")
    ends = pattern.startswith("%") + 2 * pattern.endswith("%")
    return None if "%" in part or not part else (part.lower(), ends)


def escape_mark(call: Any) -> str:
    mark = getattr(call.arguments[2], "value", "") if len(call.arguments) > 2 else "\\"
    if not isinstance(mark, str) or len(mark) != 1 or ord(mark) > 0xFFFF:
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "LIKE: the escape character")
    return mark


def escape_clause(call: Any, mark: str) -> str:
    """Only where needed: DuckDB optimizes prefixes and substrings only in patterns without ESCAPE."""
    return f" ESCAPE {duck_text(mark)}" if mark in call.arguments[1].value else ""


def is_plain_like(call: Any, mark: str) -> bool:
    """Whether DuckDB reads this constant pattern as Spark does."""
    pattern = getattr(call.arguments[1], "value", None)
    return isinstance(pattern, str) and is_well_escaped(pattern, mark)


def is_well_escaped(pattern: str, mark: str) -> bool:
    """The escape character occurs only before %, _ and itself (StringUtils.escapeLikeRegex)."""
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


# ---- regular expressions: constants that RE2 matches alike use DuckDB's functions, others Java's rules in C


def pattern_of(call: Any, index: int = 1) -> Pattern | None:
    """A constant pattern for RE2; None if it is not constant, or RE2 does not match it as Java does."""
    value = constant(call, index)
    if not isinstance(value, str):
        return None
    try:
        return read_pattern(value)
    except NotNative:
        return None


def constant(call: Any, index: int) -> Any:
    return getattr(call.arguments[index], "value", None)


def open_pattern(call: Any) -> Pattern | None:
    """Without `$`: in Java it also matches before a final line terminator, which RE2 cannot express without consuming
    it."""
    pattern = pattern_of(call)
    return None if pattern is None or pattern.ends_at_end else pattern


def repeatable(call: Any) -> Pattern | None:
    """Java and RE2 continue differently after an empty match, and DuckDB may match the start of the text again."""
    pattern = open_pattern(call)
    return None if pattern is None or pattern.may_be_empty or "\\A" in pattern.re2 else pattern


def rlike(call: Any, value: str, pattern: str) -> str:
    found = pattern_of(call)
    return f"spark_rlike({value}, {pattern})" if found is None else f"regexp_matches({value}, {duck_text(found.test)})"


fn("rlike(string, string) -> boolean", rlike, shows="RLIKE")
fn("regexp(string, string) -> boolean", rlike, shows="REGEXP")
fn("regexp_like(string, string) -> boolean", rlike, shows="REGEXP_LIKE")


def group_of(call: Any, pattern: Pattern) -> int | None:
    """The group index if it is a constant that RE2 supports."""
    group = constant(call, 2)
    return group if isinstance(group, int) and 0 <= group <= min(pattern.groups, 9) else None


def write_regexp_extract(call: Any, value: str, pattern: str, group: str) -> str:
    found = open_pattern(call)
    if found is None or group_of(call, found) is None:
        return f"spark_regexp_extract({value}, {pattern}, {group})"
    return f"regexp_extract({value}, {duck_text(found.re2)}, {group_of(call, found)})"


def write_regexp_extract_all(call: Any, value: str, pattern: str, group: str) -> str:
    found = repeatable(call)
    if found is None or group_of(call, found) is None:
        return f"spark_regexp_extract_all({value}, {pattern}, {group})"
    groups = f"regexp_extract_all({value}, {duck_text(found.re2)}, {group_of(call, found)})"
    return f"list_transform({groups}, lambda g: coalesce(g, ''))"


fn("regexp_extract(string, string, int = 1) -> string", write_regexp_extract, shows_defaults=True)
fn("regexp_extract_all(string, string, int = 1) -> array<string?>", write_regexp_extract_all, shows_defaults=True)


def write_regexp_count(call: Any, value: str, pattern: str) -> str:
    found = repeatable(call)
    if found is None:
        return f"spark_regexp_count({value}, {pattern})"
    return f"CAST(len(regexp_extract_all({value}, {duck_text(found.re2)})) AS INTEGER)"


def write_regexp_substr(call: Any, value: str, pattern: str) -> str:
    found = open_pattern(call)
    if found is None:
        return f"nullif(spark_regexp_extract({value}, {pattern}, 0), '')"
    return f"nullif(regexp_extract({value}, {duck_text(found.re2)}, 0), '')"


def write_regexp_instr(call: Any, value: str, pattern: str, group: str) -> str:
    """The group is computed, which may fail, and has no other effect than that NULL makes the result NULL."""
    found = f"spark_regexp_instr({value}, {pattern})"
    is_known = getattr(call.arguments[2], "value", None) is not None
    return found if is_known else f"(CASE WHEN {group} IS NOT NULL THEN {found} END)"


fn("regexp_count(string, string) -> int", write_regexp_count)
fn("regexp_substr(string, string) -> string?", write_regexp_substr)
fn("regexp_instr(string, string, int = 0) -> int", write_regexp_instr, shows_defaults=True)


def write_regexp_replace(call: Any, value: str, pattern: str, instead: str, position: str = "1") -> str:
    found, substitution = repeatable(call), replacement(call)
    if (
        found is None
        or substitution is None
        or position != "1"
        or found.groups > 9
        or substitution.groups > found.groups
    ):
        return f"spark_regexp_replace({value}, {pattern}, {instead}, {position})"
    return f"regexp_replace({value}, {duck_text(found.re2)}, {duck_text(substitution.re2)}, 'g')"


@dataclass(frozen=True)
class Replacement:
    """A replacement in RE2's notation, and the highest group that it refers to."""

    re2: str
    groups: int


def replacement(call: Any) -> Replacement | None:
    """Java's `$1` is RE2's `\\1`; None if it is not constant, or has a backslash or `$12`."""
    instead = constant(call, 2)
    if not isinstance(instead, str) or "\\" in instead:
        return None
    first, *others = instead.split("$")
    if any(not part[:1].isdigit() or part[1:2].isdigit() for part in others):
        return None
    groups = max((int(part[0]) for part in others), default=0)
    return Replacement(first + "".join(f"\\{part}" for part in others), groups)


def regexp_replace_type(call: Call) -> Typed:
    shown = [a.text for a in call.arguments] + ["1"] * (4 - len(call.arguments))
    wanted = (STRING, STRING, STRING, INT)[: len(call.arguments)]
    text = f"regexp_replace({', '.join(shown)})"
    if len(call.arguments) == 4:
        check_position(replace(call, text=text))
    return Typed(STRING, False, wanted, add_nullable_casts=True, text=text)


def check_position(call: Call) -> None:
    """The checks of RegExpReplace.checkInputDataTypes."""
    if not is_foldable(call.arguments[3]):
        raise non_foldable_input(call, 3, "position", type_text(INT))
    value = getattr(call.arguments[3], "value", 0.0)
    if value is not None and not isinstance(value, int):
        raise NotNative(reasons.FUNCTION_ARGUMENT_NOT_CONSTANT, "regexp_replace: the position, above zero")
    if value is not None and value <= 0:
        raise value_out_of_range(call, "position", "(0, 2147483647]", value)


fn("regexp_replace(string, string, string)", write_regexp_replace, rule=regexp_replace_type)
fn("regexp_replace(string, string, string, int)", write_regexp_replace, rule=regexp_replace_type)
