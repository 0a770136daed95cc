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
    """The unescaped value; adjacent literals are concatenated."""

    value: str


@dataclass(frozen=True, slots=True)
class CoalescedString(Expression):
    """Adjacent string literals with parameter markers among them: one string once the parameters are bound."""

    parts: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class TypedLiteral(Expression):
    """DATE '…', TIMESTAMP '…', X'…': `type_name` in upper case (DATE TIME TIMESTAMP TIMESTAMP_LTZ TIMESTAMP_NTZ X).

    `value` is validated: days, microseconds (in UTC if `zoned`, otherwise in local time), nanoseconds of day, bytes, or
    the text itself for special values of DATE and TIMESTAMP such as 'now', which depend on the session."""

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
    """`:name`, or `?` (with an empty name; identified by its offset in the text)."""

    name: str
