"""Asks a running Spark for the answers of function_cases: `python tests/python_functions/record_functions.py sc://…`."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import data_source_cases  # noqa: F401  (its cases are among CASES)
import group_cases  # noqa: F401
import join_cases  # noqa: F401
import map_cases  # noqa: F401
import moment_cases  # noqa: F401
import name_cases  # noqa: F401
import partition_cases  # noqa: F401
import table_function_cases  # noqa: F401
import user_type_cases  # noqa: F401
import variant_function_cases  # noqa: F401
from function_cases import CASES
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

RECORDED = Path(__file__).parent / "recorded_functions.json"


def answer_of(make: Any, spark: Any) -> dict[str, Any]:
    """Schema and rows, or the error: of Python's exceptions the last line, which names no place on a machine."""
    try:
        frame = make(spark)
        return {"schema": frame.schema.jsonValue(), "rows": sorted(repr(tuple(row)) for row in frame.collect())}
    except PySparkException as error:
        return {"error": type(error).__name__, "condition": error.getCondition(), "message": last_line(str(error))}


def last_line(message: str) -> str:
    shown = message.split("\n\nJVM stacktrace")[0].split(";\n")[0]  # behind it Spark draws its plan
    lines = [line for line in shown.split(" SQLSTATE: 38000")[0].splitlines() if line.strip()]
    told = lines if "[PYTHON_EXCEPTION]" not in shown else exception_lines(lines)
    return re.sub(r"(?m)^/.*/(\w+\.py:\d+)$", r"\1", re.sub(r"#\d+", "#", "\n".join(told)))  # no machine's folders


def exception_lines(lines: list[str]) -> list[str]:
    """The exception itself: what stands behind the last frame of the traceback."""
    frames = [place for place, line in enumerate(lines) if line.startswith(("  File ", "    "))]
    return lines[frames[-1] + 1 :]


def main() -> None:
    spark = SparkSession.builder.remote(sys.argv[1]).create()
    known = json.loads(RECORDED.read_text()) if RECORDED.exists() else {}
    chosen = sys.argv[2:] or CASES
    for name in chosen:
        known[name] = answer_of(CASES[name], spark)
        print(name, known[name].get("message", ""))
    RECORDED.write_text(json.dumps({name: known[name] for name in CASES if name in known}, indent=1) + "\n")
    spark.stop()


if __name__ == "__main__":
    main()
