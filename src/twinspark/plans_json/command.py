"""Implements `twinspark run PLAN.json --input … --output …` and `twinspark run --fixture f.json`."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException

from twinspark.plans_json.execute import execute_plan
from twinspark.plans_json.fixture import first_difference, read_fixtures
from twinspark.plans_json.input_data import FORMATS
from twinspark.plans_json.problems import DataError, PlanError

SHOWN_ROWS = 1000


def run_arguments(plan: str | Path, arguments: list[str], session: Any) -> int:
    """Parses the command's arguments after the plan's path, runs the plan and returns the exit code."""
    parser = argparse.ArgumentParser(prog="twinspark run PLAN.json")
    parser.add_argument("--input", help=f"data for the plan ({', '.join(FORMATS)}); else the plan file's own input")
    parser.add_argument("--schema", help="the input's columns, as Spark writes them: 'id bigint, name string'")
    parser.add_argument("--output", help="where the answer is written; else it is printed")
    parser.add_argument("--mode", default="error", choices=["error", "overwrite", "append", "ignore"])
    given = parser.parse_args(arguments)
    return run(plan, given.input, given.output, session, schema=given.schema, mode=given.mode)


def run(
    plan: str | Path, input: str | None, output: str | None, session: Any, schema: Any = None, mode: str = "error"
) -> int:
    """Runs the plan in a file; prints problems, and returns a nonzero exit code if there are any."""
    try:
        written = json.loads(Path(plan).read_text())
        data, declared = input_of(written, input, schema)
        frame = execute_plan(data, declared, written, session)
        write(frame, output, mode)
    except (PlanError, DataError, PySparkException, json.JSONDecodeError) as error:
        print(error, *getattr(error, "__notes__", []), sep="\n", file=sys.stderr)
        return 1
    return 0


def input_of(written: Any, path: str | None, schema: Any) -> tuple[Any, Any]:
    """The file of --input, or the input in the plan's own file."""
    if path is not None:
        return path, schema
    own = written.get("input") if isinstance(written, dict) else None
    if own is None:
        raise DataError(None, None, "the plan needs --input, or an 'input' key in its own file")
    return own.get("rows", own.get("path")), own.get("schema")


def write(frame: Any, path: str | None, mode: str) -> None:
    if path is None:
        frame.show(SHOWN_ROWS, truncate=False)
        return
    suffix = Path(path.rstrip("/")).suffix.lower()
    if suffix not in FORMATS:
        raise DataError(None, None, f"the output {path!r} should end in {', '.join(FORMATS)}")
    writer = frame.write.format(FORMATS[suffix]).mode(mode)
    (writer.option("header", True) if suffix == ".csv" else writer).save(path)


def run_fixture(path: str | Path, session: Any) -> int:
    """Prints `equal`, or the first difference of every fixture in the file that differs."""
    fixtures = read_fixtures(path)
    found = [(fixture, first_difference(fixture, session)) for fixture in fixtures]
    differences = [f"{fixture.get('name', path)}: {difference}" for fixture, difference in found if difference]
    print(*differences, sep="\n") if differences else print(f"equal ({len(fixtures)})")
    return 1 if differences else 0
