"""LIKE, and functions of regular expressions: Java's patterns, by RE2 as far as it reads them alike, else in C."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.java_regex import Pattern, read_pattern
from twinspark.functions.registry import fn
from twinspark.functions.spelling import text
from twinspark.functions.typing import Call, Typed
from twinspark.types import INT, STRING

# ---- LIKE


def like(call: Any, value: str, pattern: str, *escape: str) -> str:
    """Spark's escape character is a backslash unless another is given; what it may stand before is checked by Spark."""
    mark = escape_mark(call)
    if is_plain_like(call, mark):
        return f"({value} LIKE {pattern}{escaped(call, mark)})"
    return f"spark_like({value}, {pattern}, {text(mark)})"


def ilike(call: Any, value: str, pattern: str, *escape: str) -> str:
    """Both sides in small letters, the escape character as it is (ILike)."""
    mark = escape_mark(call)
    if (part := lone_part(call, mark)) is not None:
        return f"spark_ilike({value}, {text(part[0])}, {part[1]})"
    sides = f"spark_lower({value})", f"spark_lower({pattern})"
    if is_plain_like(call, mark) and not mark.isalpha():
        return f"({sides[0]} LIKE {sides[1]}{escaped(call, mark)})"
    return f"spark_like({sides[0]}, {sides[1]}, {text(mark)})"


def lone_part(call: Any, mark: str) -> tuple[str, int] | None:
    """Of a constant such as `%Word%`: its part in small letters; 1 if more may stand before it, 2 behind it, 3 both."""
    pattern = getattr(call.arguments[1], "value", None)
    if not isinstance(pattern, str) or not pattern.isascii() or mark in pattern or "_" in pattern:
        return None
    part = pattern.strip("%")
    ends = pattern.startswith("%") + 2 * pattern.endswith("%")
    return None if "%" in part or not part else (part.lower(), ends)


def escape_mark(call: Any) -> str:
    mark = getattr(call.arguments[2], "value", "") if len(call.arguments) > 2 else "\\"
    if not isinstance(mark, str) or len(mark) != 1 or ord(mark) > 0xFFFF:
        raise NotNative("LIKE with an escape that is no single constant character")
    return mark


def escaped(call: Any, mark: str) -> str:
    """Only where it is needed: DuckDB knows prefixes and words inside only of patterns without an escape."""
    return f" ESCAPE {text(mark)}" if mark in call.arguments[1].value else ""


def is_plain_like(call: Any, mark: str) -> bool:
    """A constant pattern that DuckDB reads as Spark does."""
    pattern = getattr(call.arguments[1], "value", None)
    return isinstance(pattern, str) and well_escaped(pattern, mark)


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


# ---- regular expressions: constants that RE2 reads alike are DuckDB's own, the others are matched as Java does, in C


def pattern_of(call: Any, index: int = 1) -> Pattern | None:
    """A constant pattern, as RE2 has it; None: not a constant, or one that RE2 does not match as Java does."""
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
    """Without `$`: Java's also stands before a last line end, which RE2 cannot say without taking it."""
    pattern = pattern_of(call)
    return None if pattern is None or pattern.ends_at_end else pattern


def repeatable(call: Any) -> Pattern | None:
    """Java and RE2 go on differently after an empty match, and DuckDB may meet the start of the text again."""
    pattern = open_pattern(call)
    return None if pattern is None or pattern.may_be_empty or "\\A" in pattern.re2 else pattern


def rlike(call: Any, value: str, pattern: str) -> str:
    found = pattern_of(call)
    return f"spark_rlike({value}, {pattern})" if found is None else f"regexp_matches({value}, {text(found.test)})"


fn("rlike(string, string) -> boolean", rlike, shows="RLIKE")
fn("regexp(string, string) -> boolean", rlike, shows="REGEXP")
fn("regexp_like(string, string) -> boolean", rlike, shows="REGEXP_LIKE")


def group_of(call: Any, pattern: Pattern) -> int | None:
    """The group where it is a constant that RE2 can name."""
    group = constant(call, 2)
    return group if isinstance(group, int) and 0 <= group <= min(pattern.groups, 9) else None


def extracted(call: Any, value: str, pattern: str, group: str) -> str:
    found = open_pattern(call)
    if found is None or group_of(call, found) is None:
        return f"spark_regexp_extract({value}, {pattern}, {group})"
    return f"regexp_extract({value}, {text(found.re2)}, {group_of(call, found)})"


def all_extracted(call: Any, value: str, pattern: str, group: str) -> str:
    found = repeatable(call)
    if found is None or group_of(call, found) is None:
        return f"spark_regexp_extract_all({value}, {pattern}, {group})"
    groups = f"regexp_extract_all({value}, {text(found.re2)}, {group_of(call, found)})"
    return f"list_transform({groups}, lambda g: coalesce(g, ''))"


fn("regexp_extract(string, string, int = 1) -> string", extracted, shows_defaults=True)
fn("regexp_extract_all(string, string, int = 1) -> array<string?>", all_extracted, shows_defaults=True)


def counted(call: Any, value: str, pattern: str) -> str:
    found = repeatable(call)
    if found is None:
        return f"spark_regexp_count({value}, {pattern})"
    return f"CAST(len(regexp_extract_all({value}, {text(found.re2)})) AS INTEGER)"


def first_found(call: Any, value: str, pattern: str) -> str:
    found = open_pattern(call)
    if found is None:
        return f"nullif(spark_regexp_extract({value}, {pattern}, 0), '')"
    return f"nullif(regexp_extract({value}, {text(found.re2)}, 0), '')"


def found_at(call: Any, value: str, pattern: str, group: str) -> str:
    """The group is asked for and not used; unknown, it makes the answer unknown."""
    found = f"spark_regexp_instr({value}, {pattern})"
    return f"(CASE WHEN {group} IS NOT NULL THEN {found} END)" if call.arguments[2].nullable else found


fn("regexp_count(string, string) -> int", counted)
fn("regexp_substr(string, string) -> string?", first_found)
fn("regexp_instr(string, string, int = 0) -> int", found_at, shows_defaults=True)


def replaced(call: Any, value: str, pattern: str, instead: str, position: str = "1") -> str:
    found, words = repeatable(call), replacement(call)
    if found is None or words is None or position != "1" or found.groups > 9 or words.groups > found.groups:
        return f"spark_regexp_replace({value}, {pattern}, {instead}, {position})"
    return f"regexp_replace({value}, {text(found.re2)}, {text(words.re2)}, 'g')"


@dataclass(frozen=True)
class Replacement:
    """RE2's text of a replacement, and the highest group that it names."""

    re2: str
    groups: int


def replacement(call: Any) -> Replacement | None:
    """Java's `$1` is RE2's `\\1`; None: no constant, or one with a backslash or `$12`."""
    instead = constant(call, 2)
    if not isinstance(instead, str) or "\\" in instead:
        return None
    first, *others = instead.split("$")
    if any(not part[:1].isdigit() or part[1:2].isdigit() for part in others):
        return None
    groups = max((int(part[0]) for part in others), default=0)
    return Replacement(first + "".join(f"\\{part}" for part in others), groups)


def replaced_type(call: Call) -> Typed:
    shown = [a.text for a in call.arguments] + ["1"] * (4 - len(call.arguments))
    wanted = (STRING, STRING, STRING, INT)[: len(call.arguments)]
    if len(call.arguments) == 4 and not is_position(call.arguments[3]):
        raise NotNative("regexp_replace from a position that is no constant above zero")
    text = f"regexp_replace({', '.join(shown)})"
    return Typed(STRING, False, wanted, add_nullable_casts=True, text=text)


def is_position(argument: Any) -> bool:
    value = getattr(argument, "value", 0)
    return value is None or (isinstance(value, int) and value > 0)


fn("regexp_replace(string, string, string)", replaced, rule=replaced_type)
fn("regexp_replace(string, string, string, int)", replaced, rule=replaced_type)


def divided(call: Any, value: str, pattern: str, limit: str) -> str:
    """A plain separator is split by DuckDB's fastest function, and may have a limit."""
    found, most = repeatable(call), constant(call, 2)
    if found is None or not isinstance(most, int) or (most > 0 and found.plain is None):
        return f"spark_split({value}, {pattern}, {limit})"
    if found.plain is None:
        return f"string_split_regex({value}, {text(found.re2)})"
    parts = f"string_split({value}, {text(found.plain)})"
    return parts if most <= 0 else limited(parts, text(found.plain), most)


def limited(parts: str, separator: str, most: int) -> str:
    rest = f"array_to_string({parts}[{most}:], {separator})"
    return f"(CASE WHEN len({parts}) > {most} THEN list_append({parts}[:{most - 1}], {rest}) ELSE {parts} END)"


fn("split(string, string, int = -1) -> array<string!>", divided, shows_defaults=True)
