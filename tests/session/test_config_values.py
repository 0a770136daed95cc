"""Texts of settings mean what Spark makes of them, and are refused with its errors."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from twinspark.config.entries import defaults, entries
from twinspark.config.values import first_unusual, is_on, number_of, read_value, text_of, typed_value, value_of
from twinspark.errors import SparkError

RECORDED = Path(__file__).with_name("recorded_config_values.jsonl")


def answer(key: str, text: str) -> dict[str, Any]:
    try:
        return {"value": read_value(entries()[key], text)}
    except SparkError as error:
        return {"condition": error.condition, "parameters": error.parameters}


def expected(row: dict[str, Any]) -> dict[str, Any]:
    """Settings without a default are Some(value) in the JVM."""
    if isinstance(row.get("value"), str):
        return {"value": row["value"].removeprefix("Some(").removesuffix(")")}
    return {name: row[name] for name in ("value", "condition", "parameters") if name in row}


def test_every_recorded_text_means_what_spark_makes_of_it() -> None:
    rows = [json.loads(line) for line in RECORDED.read_text().splitlines()]
    wrong = [(row, found) for row in rows if not same(found := answer(row["key"], row["text"]), expected(row))]
    assert wrong == []


def same(found: dict[str, Any], wanted: dict[str, Any]) -> bool:
    left, right = found.get("value"), wanted.get("value")
    both_nan = isinstance(left, float) and isinstance(right, float) and math.isnan(left) and math.isnan(right)
    return found == wanted or both_nan


def test_every_default_is_a_value_of_its_setting() -> None:
    typed = {key: typed_value(key, text) for key, text in defaults().items() if key in entries()}
    assert typed and None not in typed.values()


def test_a_setting_that_nobody_set_has_its_default() -> None:
    assert is_on({}, "spark.sql.ansi.enabled")
    assert number_of({}, "spark.sql.shuffle.partitions") == 200
    assert number_of({}, "spark.sql.broadcastTimeout") == 300
    assert text_of({}, "spark.sql.mapKeyDedupPolicy") == "EXCEPTION"
    assert value_of({}, "spark.sql.leafNodeDefaultParallelism") is None


def test_texts_are_read_by_the_type_of_the_setting() -> None:
    assert is_on({"spark.sql.legacy.sizeOfNull": " TrUe "}, "spark.sql.legacy.sizeOfNull")
    assert text_of({"spark.sql.mapKeyDedupPolicy": " last_win"}, "spark.sql.mapKeyDedupPolicy") == "LAST_WIN"
    assert number_of({"spark.sql.files.maxPartitionBytes": "1KiB"}, "spark.sql.files.maxPartitionBytes") == 1024
    with pytest.raises(SparkError, match=r"INVALID_CONF_VALUE\.TYPE_MISMATCH"):
        is_on({"spark.sql.caseSensitive": "yes"}, "spark.sql.caseSensitive")


def test_unusual_settings_are_those_with_another_value_than_the_default() -> None:
    keys = ["spark.sql.caseSensitive", "spark.sql.files.maxPartitionBytes"]
    assert first_unusual({"spark.sql.caseSensitive": " FALSE "}, keys) is None
    assert first_unusual({"spark.sql.files.maxPartitionBytes": "128m"}, keys) is None
    assert first_unusual({"spark.sql.files.maxPartitionBytes": "1g"}, keys) == keys[1]
