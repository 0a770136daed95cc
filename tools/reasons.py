"""Writes docs/reference/reasons.md: every reason for falling back to Spark, with its code and what to write instead.

python -m tools.reasons
"""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from twinspark.errors.reasons.reason import Reason
from twinspark.errors.reasons.registry import TOPICS, reasons_in

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "reasons.md"
HEAD = """# Why a query falls back to Spark

twinspark runs a query on its native engine (DuckDB) only where the answer is exactly Spark's. Otherwise the query falls
back to Spark, or fails with `TWINSPARK_NOT_NATIVE` where `twinspark.engine` is `duckdb`. Each reason has a code that
does not change. It is reported

* in `spark.conf.get("twinspark.lastOperation")`, as JSON with `engine`, `code`, `reason` and `instead`,
* in the log of the server, one line for each operation,
* as the label `reason` of the counter `twinspark_operations_total`,
* in the error `TWINSPARK_NOT_NATIVE`, as the message parameters `code`, `reason` and `instead`,
* by `twinspark explain`.

The function, option, type or setting of the query that caused it follows after the sentence. This page is
written by `make reasons` from `src/twinspark/errors/reasons`.
"""


def page() -> str:
    return "\n".join([HEAD, *(section for topic in TOPICS for section in section_of(topic))])


def section_of(topic: ModuleType) -> Iterator[str]:
    assert topic.__doc__ is not None
    title = topic.__doc__.partition(": ")[2].rstrip(".")
    yield f"## {title[0].upper()}{title[1:]}\n\n| code | reason | instead |\n|---|---|---|"
    yield from map(row, sorted(reasons_in(topic), key=lambda each: each.code))
    yield ""


def row(reason: Reason) -> str:
    return f"| `{reason.code}` | {reason.sentence} | {reason.instead} |"


if __name__ == "__main__":
    PAGE.write_text(page())
