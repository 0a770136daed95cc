"""Partition transforms: columns and functions of PARTITIONED BY, from calls in SQL or Connect plans."""

from collections.abc import Sequence
from dataclasses import dataclass

from twinspark.errors import SparkError
from twinspark.types import quote_if_needed

ColumnPath = tuple[str, ...]


@dataclass(frozen=True)
class Identity:
    column: ColumnPath

    def __str__(self) -> str:
        return name_of(self.column)


@dataclass(frozen=True)
class Bucket:
    column: ColumnPath
    count: int

    def __str__(self) -> str:
        return f"bucket({self.count}, {name_of(self.column)})"


@dataclass(frozen=True)
class Truncate:
    column: ColumnPath
    width: int

    def __str__(self) -> str:
        return f"truncate({self.width}, {name_of(self.column)})"


@dataclass(frozen=True)
class Year:
    column: ColumnPath

    def __str__(self) -> str:
        return f"years({name_of(self.column)})"


@dataclass(frozen=True)
class Month:
    column: ColumnPath

    def __str__(self) -> str:
        return f"months({name_of(self.column)})"


@dataclass(frozen=True)
class Day:
    """The SPIP's date(col)."""

    column: ColumnPath

    def __str__(self) -> str:
        return f"days({name_of(self.column)})"


@dataclass(frozen=True)
class Hour:
    """The SPIP's datehour(col)."""

    column: ColumnPath

    def __str__(self) -> str:
        return f"hours({name_of(self.column)})"


Transform = Identity | Bucket | Truncate | Year | Month | Day | Hour
BY_NAME: dict[str, type[Identity] | type[Year] | type[Month] | type[Day] | type[Hour]] = {
    "identity": Identity,
    "year": Year,
    "years": Year,
    "month": Month,
    "months": Month,
    "date": Day,
    "day": Day,
    "days": Day,
    "datehour": Hour,
    "date_hour": Hour,
    "hour": Hour,
    "hours": Hour,
}
WITH_NUMBER: dict[str, type[Bucket] | type[Truncate]] = {"bucket": Bucket, "truncate": Truncate}


def of_call(function: str, arguments: Sequence[ColumnPath | int]) -> Transform:
    """The transform of a call such as `days(ts)` or `bucket(16, id)`; arguments are column paths and integers."""
    name = function.lower()
    columns = [argument for argument in arguments if isinstance(argument, tuple)]
    numbers = [argument for argument in arguments if isinstance(argument, int)]
    if name in BY_NAME and len(columns) == 1 and not numbers:
        return BY_NAME[name](columns[0])
    if name in WITH_NUMBER and len(columns) == 1 and len(numbers) == 1 and numbers[0] > 0:
        return WITH_NUMBER[name](columns[0], numbers[0])
    raise not_a_transform(f"{function}({', '.join(map(argument_text, arguments))})")


def not_a_transform(text: str) -> SparkError:
    return SparkError("UNSUPPORTED_PARTITION_TRANSFORM", transform=f"`{text}`")


def argument_text(argument: ColumnPath | int) -> str:
    return str(argument) if isinstance(argument, int) else name_of(argument)


def name_of(column: ColumnPath) -> str:
    return ".".join(quote_if_needed(part) for part in column)
