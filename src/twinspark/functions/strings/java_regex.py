"""Translates Java's regular expressions to RE2 if both engines match the same; others are matched in C or on Spark."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from twinspark.errors import NotNative, reasons

LINE_ENDS = r"\n\r\x{85}\x{2028}\x{2029}"
SETS = {"d": "0-9", "w": "a-zA-Z_0-9", "s": r" \t\n\x0B\f\r"}  # RE2's \s lacks the vertical tab
CONTROLS = {"t": r"\t", "n": r"\n", "r": r"\r", "f": r"\f"}
SPECIAL = set("\\^$.|?*+()[]{}")
LAST_LINE_END = r"(?:\r\n|[\n\r\x{85}\x{2028}\x{2029}])?\z"


@dataclass(frozen=True)
class Pattern:
    """RE2's pattern, whether it may match the empty string, and the plain text if it has no operators."""

    re2: str
    groups: int
    may_be_empty: bool
    ends_at_end: bool  # the last character is `$`
    plain: str | None

    @property
    def test(self) -> str:
        """To test for a match, `$` may match before a final line terminator."""
        return self.re2 + LAST_LINE_END if self.ends_at_end else self.re2


@lru_cache(1024)
def read_pattern(java: str) -> Pattern:
    reader = Reader(java)
    re2, empty = reader.alternatives()
    if reader.at < len(java):
        raise reader.unknown()
    plain = reader.plain if not reader.operators else None
    return Pattern(re2, reader.groups, empty, reader.ends_at_end, plain)


class Reader:
    """A recursive-descent parser of the notation that Java and RE2 share; methods return RE2's text and whether it may
    be empty."""

    def __init__(self, java: str) -> None:
        self.java, self.at, self.groups, self.depth = java, 0, 0, 0
        self.ends_at_end = self.operators = False
        self.plain = ""

    def unknown(self) -> NotNative:
        return NotNative(reasons.REGEX, f"{self.java!r}")

    def peek(self, count: int = 1) -> str:
        return self.java[self.at : self.at + count]

    def next(self) -> str:
        if self.at >= len(self.java):
            raise self.unknown()
        self.at += 1
        return self.java[self.at - 1]

    def alternatives(self) -> tuple[str, bool]:
        branches = [self.sequence()]
        while self.peek() == "|":
            self.operators = True
            self.next()
            branches.append(self.sequence())
        if len(branches) > 1 and self.ends_at_end:
            raise self.unknown()
        return "|".join(b[0] for b in branches), any(b[1] for b in branches)

    def sequence(self) -> tuple[str, bool]:
        parts: list[str] = []
        empty = True
        while self.peek() not in ("", "|", ")"):
            part, part_empty = self.repetition()
            parts.append(part)
            empty = empty and part_empty
        return "".join(parts), empty

    def repetition(self) -> tuple[str, bool]:
        anchor = self.anchor()
        if anchor is not None:
            return anchor, True
        atom, empty = self.atom()
        quantifier = self.quantifier()
        if not quantifier:
            return atom, empty
        if empty or self.peek() in ("+", "*", "?", "{"):
            raise self.unknown()  # repetitions of an empty match, possessive quantifiers
        return atom + quantifier, quantifier[0] in "*?" or quantifier.startswith("{0")

    def anchor(self) -> str | None:
        if self.peek() not in ("^", "$"):
            return None
        self.operators = True
        if self.next() == "^":
            if self.peek() in ("*", "+", "?", "{"):
                raise self.unknown()
            return r"\A"
        if self.at < len(self.java) or self.depth:
            raise self.unknown()
        self.ends_at_end = True
        return ""

    def quantifier(self) -> str:
        found = ""
        if self.peek() in ("*", "+", "?"):
            found = self.next()
        elif self.peek() == "{":
            end = self.java.find("}", self.at)
            found = self.java[self.at : end + 1]
            if end < 0 or not is_valid_count(found):
                raise self.unknown()
            self.at = end + 1
        if found:
            self.operators = True
            if self.peek() == "?":
                found += self.next()
        return found

    def atom(self) -> tuple[str, bool]:
        character = self.next()
        if character == "(":
            return self.group()
        if character == "[":
            return self.bracket(), False
        if character == ".":
            self.operators = True
            return f"[^{LINE_ENDS}]", False
        if character == "\\":
            return self.escape(), False
        if character in SPECIAL - set("]}"):
            raise self.unknown()
        return self.literal(character), False

    def literal(self, character: str) -> str:
        if not character.isprintable() or character == "\0":
            raise self.unknown()
        self.plain += character
        return "\\" + character if character in SPECIAL else character

    def escape(self) -> str:
        character = self.next()
        if character in SETS:
            self.operators = True
            return f"[{SETS[character]}]"
        if character.lower() in SETS:
            self.operators = True
            return f"[^{SETS[character.lower()]}]"
        if character in CONTROLS:
            self.plain += {"t": "\t", "n": "\n", "r": "\r", "f": "\f"}[character]
            return CONTROLS[character]
        if character.isalnum() or ord(character) > 126 or ord(character) < 33:
            raise self.unknown()
        self.plain += character
        return "\\" + character

    def group(self) -> tuple[str, bool]:
        self.operators = True
        opening = "("
        if self.peek() == "?":
            if self.peek(2) != "?:":
                raise self.unknown()
            self.at += 2
            opening = "(?:"
        else:
            self.groups += 1
        self.depth += 1
        inside, empty = self.alternatives()
        self.depth -= 1
        if self.next() != ")":
            raise self.unknown()
        return f"{opening}{inside})", empty

    def bracket(self) -> str:
        """Plain characters, ranges and the sets of SETS; no unions, intersections or named classes."""
        self.operators = True
        parts = ["["]
        if self.peek() == "^":
            parts.append(self.next())
        if self.peek() in ("]", "-"):
            raise self.unknown()
        while self.peek() != "]":
            parts.append(self.member())
        self.next()
        return "".join([*parts, "]"])

    def member(self) -> str:
        first, is_set = self.member_character()
        if self.peek() != "-" or is_set:
            if self.peek() == "-" and self.peek(2) != "-]":
                raise self.unknown()
            return first
        if self.peek(2) == "-]":
            self.next()
            return first + "\\-"
        self.next()
        last, last_is_set = self.member_character()
        if last_is_set or bare(first) > bare(last):
            raise self.unknown()
        return f"{first}-{last}"

    def member_character(self) -> tuple[str, bool]:
        character = self.next()
        if character == "\\":
            character = self.next()
            if character in SETS:
                return SETS[character], True
            if character in CONTROLS:
                return CONTROLS[character], True
            if character.isalnum() or not 33 <= ord(character) <= 126:
                raise self.unknown()
            return "\\" + character, False
        if character in "[&^" or not character.isprintable():
            raise self.unknown()
        return ("\\" + character if character in SPECIAL else character), False


def bare(member: str) -> str:
    return member[-1]


def is_valid_count(quantifier: str) -> bool:
    """`{2}`, `{2,}` or `{2,5}` up to RE2's limit of 1000."""
    low, _, high = quantifier[1:-1].partition(",")
    if not low.isdigit() or (high and not high.isdigit()):
        return False
    return int(low) <= 1000 and (not high or int(low) <= int(high) <= 1000)
