"""Nodes of literals and parameter markers."""

from dataclasses import dataclass

from twinspark.read.sql.tree.base import Expression


@dataclass(frozen=True, slots=True)
class NullLiteral(Expression):
    pass


@dataclass(frozen=True, slots=True)
class BooleanLiteral(Expression):
    value: bool


@dataclass(frozen=True, slots=True)
class NumberLiteral(Expression):
    """`kind` is integer, bigint, smallint, tinyint, decimal, exponent, float, double or bigdecimal.

    `text` has its minus sign and no suffix. `integer` takes the narrowest of int, bigint and decimal; `decimal` and
    `exponent` are decimal and double (legacy setting: both decimal).
    """

    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class StringLiteral(Expression):
    """Unescaped; adjacent literals are already one."""

    value: str


@dataclass(frozen=True, slots=True)
class CoalescedString(Expression):
    """Adjacent string literals with parameter markers among them: one string once parameters are known."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class TypedLiteral(Expression):
    """DATE '…', TIMESTAMP '…', X'…': `type_name` in capitals (DATE TIME TIMESTAMP TIMESTAMP_LTZ TIMESTAMP_NTZ X).

    `value` is checked: days, microseconds (of UTC when `zoned`, else of the wall clock), nanoseconds of day, bytes, or
    the text itself for DATE and TIMESTAMP special words such as 'now', which only a session can answer.
    """

    type_name: str
    text: str
    value: int | bytes | str
    zoned: bool = False


@dataclass(frozen=True, slots=True)
class CalendarInterval(Expression):
    """An interval of months, days and microseconds (legacy setting, or mixed units where they are allowed)."""

    months: int
    days: int
    microseconds: int


@dataclass(frozen=True, slots=True)
class YearMonthInterval(Expression):
    """`unit_from` and `unit_to` are 0 (YEAR) or 1 (MONTH), as in YearMonthIntervalType."""

    months: int
    unit_from: int
    unit_to: int


@dataclass(frozen=True, slots=True)
class DayTimeInterval(Expression):
    """`unit_from` and `unit_to` are 0 (DAY) to 3 (SECOND), as in DayTimeIntervalType."""

    microseconds: int
    unit_from: int
    unit_to: int


@dataclass(frozen=True, slots=True)
class Parameter(Expression):
    """`:name`, or `?` (name is empty; counted by position in the text)."""

    name: str
