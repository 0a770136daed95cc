"""Descriptions of Spark's functions for DESCRIBE FUNCTION, extracted from the annotations in Spark's jar."""

import json
from functools import cache
from importlib.resources import files

CAST = "org.apache.spark.sql.catalyst.expressions.Cast"


@cache
def classes() -> dict[str, str]:
    """The Java class of each function, as spark.catalog.listFunctions returns it."""
    return {name: class_name for name, class_name, _ in lines()}


@cache
def versions() -> dict[str, str]:
    """The Spark version that introduced each function; an alias may be newer than its class."""
    return {name: since for name, _, since in lines()}


@cache
def lines() -> list[list[str]]:
    text = files("twinspark.functions.notation").joinpath("spark_function_classes.txt").read_text()
    return [line.split("\t") for line in text.splitlines()]


@cache
def descriptions() -> dict[str, dict[str, str]]:
    """The texts of Spark's ExpressionDescription annotations by function name, without empty ones
    (tools/spark_jar.py)."""
    text = files("twinspark.functions.notation").joinpath("function_descriptions.json").read_text()
    found: dict[str, dict[str, str]] = json.loads(text)
    return found


def usage(name: str) -> str:
    """The usage text, with the function's name in place of _FUNC_."""
    return descriptions()[name].get("usage", "").replace("_FUNC_", name) or "N/A."


def extended_description(name: str) -> str:
    """Arguments, examples, note and version in the format of ExpressionInfo."""
    told, since = descriptions()[name], versions()[name]
    shown = told.get("arguments", "") + told.get("examples", "")
    text = "".join([
        shown or "\n    No example/argument for _FUNC_.\n",
        f"\n    Note:\n      {told['note'].strip()}\n" if told.get("note") else "",
        f"\n    Since: {since}\n" if since else "",
        f"\n    Deprecated:\n      {told['deprecated'].strip()}\n" if told.get("deprecated") else "",
    ])  # fmt: skip
    return text.replace("_FUNC_", name)


def description(name: str, with_more: bool) -> list[str]:
    """The lines that DESCRIBE FUNCTION returns."""
    lines = [f"Function: {name}", *([f"Class: {classes()[name]}"] if classes()[name] else []), f"Usage: {usage(name)}"]
    return [*lines, f"Extended Usage:{extended_description(name)}"] if with_more else lines
