"""Ask a running Spark what its parser says to the cases, and write it down.

usage: record_cases.py sc://host:port [FILE …]
Statements are given to EXPLAIN, which reads them and does not run them; scripts are run, so they must be harmless.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from pyspark.errors import ParseException, PySparkException
from pyspark.sql.connect.session import SparkSession
from sql_cases import ARROW, CASES, Case, read_cases

PLACE = re.compile(r"\(line (\d+), pos(?:ition)? (\d+)\)")


def answer_of(spark: SparkSession, case: Case) -> str:
    prefix = "" if case.text.startswith("begin ") else "EXPLAIN\n"
    try:
        spark.sql(prefix + case.text).collect()
    except ParseException as error:
        return f"{error.getCondition()} {json.dumps(details_of(error, prefix), sort_keys=True, ensure_ascii=False)}"
    except PySparkException:
        return "ok"  # its parser had nothing to say: analysis or execution did
    return "ok"


def details_of(error: ParseException, prefix: str) -> dict[str, Any]:
    details: dict[str, Any] = dict(error.getMessageParameters() or {})
    contexts = error.getQueryContext() or []
    if contexts:
        details["fragment"] = contexts[0].fragment().removeprefix(prefix)
    elif found := PLACE.search(str(error)):
        details |= {"line": int(found[1]) - bool(prefix), "position": int(found[2])}
    return details


def record(spark: SparkSession, path: Path) -> None:
    cases = read_cases(path)
    settings = cases[0].settings
    for key, value in settings.items():
        spark.conf.set(key, value)
    head = "".join(f"--SET {key}={value}\n" for key, value in settings.items()) + ("\n" if settings else "")
    path.write_text(head + "\n".join(f"{case.text}\n{ARROW}{answer_of(spark, case)}\n" for case in cases))


def main() -> None:
    url, *names = sys.argv[1:]
    for path in [CASES / name for name in names] or sorted(CASES.glob("*.sql")):
        spark = SparkSession.builder.remote(url).create()
        record(spark, path)
        spark.stop()
        print(path.name, len(read_cases(path)))


if __name__ == "__main__":
    main()
