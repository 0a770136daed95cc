"""Subclasses of str for SQL texts with known properties, so that no code has to parse generated SQL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


class ColumnName(str):
    """The name of a column of the FROM clause, which is cheap to use several times."""


@dataclass(frozen=True)
class Over:
    """OVER (...), with the properties of the window that functions depend on; `frame_rows` is the length of a ROWS
    frame."""

    text: str
    is_ordered: bool = False
    frame_rows: int | None = None


class Suffix(str):
    """What follows a call: FILTER with its condition, OVER with its window."""

    condition: str
    over: Over | None

    def __new__(cls, condition: str = "", over: Over | None = None) -> Suffix:
        filter = f" FILTER (WHERE {condition})" if condition else ""
        made = super().__new__(cls, filter + (over.text if over is not None else ""))
        made.condition, made.over = condition, over
        return made


def over_of(suffix: str) -> Over | None:
    """None for a plain aggregate."""
    return suffix.over if isinstance(suffix, Suffix) else None


def is_window(suffix: str) -> bool:
    return over_of(suffix) is not None


def is_ordered_window(suffix: str) -> bool:
    over = over_of(suffix)
    return over is not None and over.is_ordered


def not_null(value: str, suffix: str) -> Suffix:
    """A FILTER that also excludes nulls."""
    condition = suffix.condition if isinstance(suffix, Suffix) else ""
    known = f"({condition}) AND " if condition else ""
    return Suffix(f"{known}{value} IS NOT NULL")


MARK = "\0"  # a character that SQL cannot contain


def mark_parameter(key: str) -> str:
    """The placeholder of a lambda's parameter while the lambda is being written."""
    return f"{MARK}{key}{MARK}"


class LambdaText(str):
    """A lambda; `body` contains placeholders for its parameters, so that other SQL can replace them."""

    body: str
    keys: Sequence[str]

    def __new__(cls, keys: Sequence[str], body: str) -> LambdaText:
        made = super().__new__(cls, f"lambda {', '.join(keys)}: {with_values(body, keys, keys)}")
        made.keys, made.body = keys, body
        return made

    def with_values(self, *values: str) -> str:
        """The body with its parameters replaced by SQL."""
        return with_values(self.body, self.keys, values)


def with_values(body: str, keys: Sequence[str], values: Sequence[str]) -> str:
    for key, value in zip(keys, values, strict=True):
        body = body.replace(mark_parameter(key), value)
    return body
