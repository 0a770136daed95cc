"""Asks Spark what each kind of setting makes of a text: the typed value, or the error that setting it raises.

usage: python tests/session/record_config_values.py
"""

import json
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from twinspark.config.entries import entries

OUT = Path(__file__).with_name("recorded_config_values.jsonl")
NUMBERS = ["5", " 5 ", "+5", "-5", "2147483647", "2147483648", "5.0", "1_000", "\u0663", "", "5L", "0x10", "1e3"]
NUMBERS += ["9223372036854775807", "9223372036854775808", "\u00a05", "- 5", "--5"]
TIMES = ["1", "1s", " 1S ", " -1S", "1 s", "1.5s", "1ms", "1500ms", "-1500ms", "1us", "1m", "1min", "2h", "3d", "1sec"]
TIMES += ["-1", "-5s", "", "9223372036854775807d", "9223372036854775808", "+1", "1ns", "s"]
TEXTS = {
    "spark.sql.legacy.sizeOfNull": ["true", " TrUe ", "FALSE", "\ttrue\n", "t", "1", "", "on", "true;", "\u00a0true"],
    "spark.sql.cteRecursionLevelLimit": NUMBERS,
    "spark.sql.files.maxRecordsPerFile": NUMBERS,
    "spark.sql.shuffle.partitions": ["0", "1", "-1", " 7 "],
    "spark.sql.statistics.ndv.maxError": ["0.5", " 0.5 ", "1d", "1e-3", ".5", "5.", "0x1p-3", "NaN", "Infinity", "-inf",
                                          "1,5", "", "\u0663", "1_0", "nan", "+1F", "e3"],
    "spark.sql.files.maxPartitionBytes": ["1", "1b", "1k", " 1K ", " -1k", "1kb", "1KiB", "1 k", "1.5k", "-1", "-1b",
                                          "10gb", "3m", "3mib", "2tb", "1pb", "1eb", "", "k", "9223372036854775807",
                                          "9223372036854775808", "9000pb", "1\u00a0k", "+1", "--1"],
    "spark.sql.broadcastTimeout": TIMES,
    "spark.sql.streaming.pollingDelay": TIMES,
    "spark.sql.session.timeZone": ["PST", "CST", "VST", "EST", "pst", "PST8PDT", "UTC", "+8", "+08:00", "8:00", "GMT+8",
                                   "Europe/Paris", "europe/paris", "XYZ", "", " UTC"],
    "spark.sql.sources.default": ["parquet", " ORC ", ""],
}  # fmt: skip


def texts() -> dict[str, list[str]]:
    """Those above, and every setting with a list of options."""
    chosen = {entry.key: entry.options[-1] for entry in entries().values() if entry.options}
    spelled = {key: [one, one.lower(), one.upper(), f" {one}\n", one + "x", ""] for key, one in chosen.items()}
    return {**TEXTS, **spelled}


def record(session: SparkSession) -> list[dict[str, Any]]:
    confs = getattr(session._jvm, "org.apache.spark.sql.internal.SQLConf$").__getattr__("MODULE$")
    session._jvm.java.lang.Class.forName("org.apache.spark.sql.connect.config.Connect$")  # registers its keys
    known = {key: entry for key in texts() if (entry := confs.getConfigEntry(key)) is not None}
    return [answer(entry, text) for key, entry in known.items() for text in texts()[key]]


def answer(entry: Any, text: str) -> dict[str, Any]:
    key = entry.key()
    try:
        typed = entry.valueConverter().apply(text)
    except PySparkException as error:
        return {"key": key, "text": text, "condition": error.getCondition(), "parameters": error.getMessageParameters()}
    return {"key": key, "text": text, "value": typed if isinstance(typed, bool | int | float) else str(typed)}


def main() -> None:
    session = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
    rows = record(session)
    OUT.write_text("".join(json.dumps(row) + "\n" for row in rows))
    print(f"{len(rows)} answers in {OUT.name}")


if __name__ == "__main__":
    main()
