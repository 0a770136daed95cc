"""Which refusals of functions are Spark's to the word; asks a Spark: record_refusals.py sc://host:port [function …]

Calls every function with arguments of many types and numbers, in both ANSI modes. A condition that our errors and
Spark's had in common every time (parameters and places in the text as well) is written to spark_refusals.txt; with
names given, only their lines are made anew.
"""

import logging
import random
import re
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

from twinspark.analysis.expressions import calls
from twinspark.analysis.expressions.recorded_errors import SAME_ERRORS
from twinspark.doors.connect.server import ConnectServer
from twinspark.functions.notation import spark_names as known
from twinspark.functions.notation.registry import names
from twinspark.sessions.settings import Settings

VALUES = (
    *("1", "1L", "1S", "1.5", "1.5D", "'a'", "'1'", "true", "null", "x'00'", "date'2020-01-01'"),
    *("timestamp'2020-01-01 01:02:03'", "timestamp_ntz'2020-01-01 01:02:03'", "interval 1 year", "interval 1 day"),
    *("array(1)", "array('a')", "map(1,2)", "named_struct('a',1)"),
)
CALLS = {2: 26, 3: 14, 4: 4, 5: 2}  # by the number of arguments
NO_CALLS = frozenset(
    {"and", "or", "not", "in", "case", "when", "window", "interval", "timestamp", "date", "like", "rlike"}
    | {"between", "div", "ilike", "is"}
)
LEAST = {"WRONG_NUM_ARGS.WITHOUT_SUGGESTION": 1}
FILE = Path(known.__file__).with_name("spark_refusals.txt")


def calls_of(function: str) -> list[str]:
    chance = random.Random(function)
    drawn = [", ".join(chance.choices(VALUES, k=count)) for count, times in CALLS.items() for _ in range(times)]
    return [f"select {function}({arguments})" for arguments in ("", *VALUES, *drawn)]


def refusal(spark: Any, query: str) -> list[Any] | None:
    try:
        spark.sql(query)
        return None
    except PySparkException as error:
        places = [[c.startIndex(), c.stopIndex(), c.fragment()] for c in error.getQueryContext() or []]
        return [error.getCondition(), error.getMessageParameters(), places]


def compared(function: str, ours: Any, sparks: Any) -> tuple[Counter[str], set[str]]:
    """How often each condition was the same, and in which it was not."""
    same: Counter[str] = Counter()
    differs: set[str] = set()
    for query in calls_of(function):
        found = refusal(ours, query)
        if found is None or found[0] in (None, "TWINSPARK_NOT_NATIVE", "UNRESOLVED_ROUTINE", "UNSUPPORTED_TIME_TYPE"):
            continue
        same[found[0]] += 1
        if found != refusal(sparks, query):
            differs.add(found[0])
    return same, differs


def main() -> None:
    logging.disable(logging.CRITICAL)
    always = SAME_ERRORS
    calls.raises_same_error = lambda name, condition: True
    server = ConnectServer(Settings(engine="duckdb"))
    ours, sparks = (SparkSession.builder.remote(url).create() for url in (server.url, sys.argv[1]))
    lines = dict(line.split(": ") for line in FILE.read_text().splitlines()) if sys.argv[2:] else {}
    for function in sys.argv[2:] or [n for n in names() if re.fullmatch(r"\w+", n) and n not in always | NO_CALLS]:
        same: Counter[str] = Counter()
        differs: set[str] = set()
        for ansi in ("true", "false"):
            for spark in (ours, sparks):
                spark.conf.set("spark.sql.ansi.enabled", ansi)
            counted, wrong = compared(function, ours, sparks)
            same += counted
            differs |= wrong
        equal = sorted(c for c in same if c not in differs and same[c] >= LEAST.get(c, 4))
        lines.pop(function, None)
        if equal:
            lines[function] = " ".join(equal)
    FILE.write_text("".join(f"{name}: {conditions}\n" for name, conditions in sorted(lines.items())))
    ours.stop()
    sparks.stop()
    server.stop()


if __name__ == "__main__":
    main()
