"""Compares what the two engines answered to one query: columns, rows, the order of rows, or the error."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum

NOT_NATIVE = "TWINSPARK_NOT_NATIVE"
MOST_SHOWN = 5  # rows of each side


class Verdict(Enum):
    """What a comparison found."""

    IDENTICAL = "identical"
    REORDERED = "same rows, another order"
    DIFFERENT = "different"
    ONLY_SPARK = "only Spark runs it"


@dataclass(frozen=True)
class Outcome:
    """Of one engine: columns and rows as text, or the condition and the message of an error."""

    columns: tuple[str, ...] = ()  # name, type and nullability
    rows: tuple[str, ...] = ()
    condition: str = ""
    error: str = ""
    seconds: float = 0.0


@dataclass(frozen=True)
class Comparison:
    verdict: Verdict
    differences: tuple[str, ...] = ()


def compare(native: Outcome, spark: Outcome) -> Comparison:
    """Values are equal if their texts are: every bit of a double counts, and NaN equals itself. An error is compared by
    its condition."""
    if native.condition == NOT_NATIVE:
        return Comparison(Verdict.ONLY_SPARK, (native.error,))
    if found := tuple(differences(native, spark)):
        return Comparison(Verdict.DIFFERENT, found)
    return Comparison(Verdict.IDENTICAL if native.rows == spark.rows else Verdict.REORDERED)


def differences(native: Outcome, spark: Outcome) -> Iterator[str]:
    if native.error or spark.error:
        if native.condition != spark.condition or not (native.error and spark.error):
            yield f"native engine: {ending(native)}; Spark: {ending(spark)}"
        return
    if native.columns != spark.columns:
        yield f"columns of the native engine: {', '.join(native.columns)}; of Spark: {', '.join(spark.columns)}"
    yield from row_differences(native.rows, spark.rows)


def ending(outcome: Outcome) -> str:
    """What a side came to: its number of rows, or its error."""
    return row_count(len(outcome.rows)) if not outcome.error else outcome.condition or outcome.error


def row_count(number: int) -> str:
    return f"{number:,} row{'' if number == 1 else 's'}"


def row_differences(native: Sequence[str], spark: Sequence[str]) -> Iterator[str]:
    """Rows that only one side has, however often; the first of them are shown."""
    counted, on_spark = Counter(native), Counter(spark)
    for name, only in (("the native engine", counted - on_spark), ("Spark", on_spark - counted)):
        if only:
            shown = "; ".join(list(only)[:MOST_SHOWN])
            yield f"{row_count(only.total())} of {name} only: {shown}"
