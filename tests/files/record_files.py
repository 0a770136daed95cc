"""Asks a real Spark how it reads the files of file_cases.py: `record_files.py sc://host:port [case …]`.

With names only those cases are asked anew.
"""

import json
import sys
import tempfile
from datetime import timedelta
from pathlib import Path
from typing import Any

from file_cases import CASES, Case
from pyspark.errors import PySparkException
from pyspark.sql.connect.session import SparkSession

RECORDED = Path(__file__).parent / "recorded"


def plain(value: Any) -> Any:
    """Values whose repr is the same from both engines: intervals as the numbers that we keep them in."""
    if isinstance(value, timedelta):
        return (value.days * 86400 + value.seconds) * 1_000_000 + value.microseconds
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value


def answer(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(repr(plain(list(row.values()))) for row in rows)


def placed(case: Case, directory: str) -> tuple[list[str], dict[str, str]]:
    paths = [path.replace("{dir}", directory) for path in case.paths]
    return paths, {key: value.replace("{dir}", directory) for key, value in case.options.items()}


def user_schema(spark: SparkSession, case: Case) -> Any:
    if case.schema is None:
        return None
    return spark.client._analyze(method="ddl_parse", ddl_string=case.schema).parsed.jsonValue()


def ask(spark: SparkSession, case: Case, directory: str) -> dict[str, Any]:
    paths, options = placed(case, directory)
    reader = spark.read.options(**options)
    if case.schema is not None:
        reader = reader.schema(case.schema)
    try:
        frame = reader.format(case.format).load(paths)
        schema = frame.schema.jsonValue()
        return {"schema": schema, "rows": answer(frame.toArrow().to_pylist())}
    except PySparkException as error:
        return {"error": error.getCondition(), "message": str(error).replace(directory, "{dir}").split("\n")[0]}


def record(address: str, *names: str) -> None:
    answers = json.loads((RECORDED / "files.json").read_text()) if names else {}
    for name, case in CASES.items():
        if names and name not in names:
            continue
        spark = SparkSession.builder.remote(address).create()
        for key, value in case.config.items():
            spark.conf.set(key, value)
        with tempfile.TemporaryDirectory() as directory:
            case.build(Path(directory))
            answers[name] = {"user_schema": user_schema(spark, case), **ask(spark, case, directory)}
    RECORDED.mkdir(exist_ok=True)
    (RECORDED / "files.json").write_text(json.dumps(answers, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    record(*sys.argv[1:])
