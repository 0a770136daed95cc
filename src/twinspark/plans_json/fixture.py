"""Runs fixtures (an input, a plan and the result that Spark returned) and reports the first difference."""

import base64
import json
import math
from datetime import UTC, date, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql.types import ArrayType, DataType, MapType, StructType, TimestampType, VariantVal

from twinspark.plans_json.execute import execute_plan
from twinspark.plans_json.problems import DataError, PlanError

ORDER_KEPT = ("select", "filter", "withColumn", "withColumnRenamed", "drop", "limit", "offset", "stop")


def read_fixtures(path: str | Path) -> list[dict[str, Any]]:
    """Reads one fixture, a list of them, or `{"input": …, "cases": […]}` with cases that share an input."""
    written = json.loads(Path(path).read_text())
    if isinstance(written, dict) and "cases" in written:
        return [{"input": written["input"], **case} for case in written["cases"]]
    return written if isinstance(written, list) else [written]


def answer_of(fixture: dict[str, Any], session: Any) -> dict[str, Any]:
    """The result of the session: schema and rows as JSON values, or the name of the error."""
    given = fixture["input"]
    try:
        frame = execute_plan(given.get("rows", given.get("path")), given.get("schema"), fixture["plan"], session)
        return {"schema": schema_json(frame.schema), "rows": rows_json(frame)}
    except PySparkException as error:
        return {"error": error.getCondition() or type(error).__name__}
    except (PlanError, DataError) as error:
        return {"error": str(error)}


def first_difference(fixture: dict[str, Any], session: Any) -> str | None:
    """The first difference from the expected result, or None."""
    expected, found = fixture["expected"], answer_of(fixture, session)
    if "error" in expected or "error" in found:
        return difference_text("error", expected.get("error"), found.get("error"))
    difference = schema_difference(expected["schema"], found["schema"])
    if difference or expected.get("rows") is None:
        return difference
    return rows_difference(expected["rows"], found["rows"], is_ordered(fixture["plan"]))


def difference_text(what: str, expected: object, found: object) -> str | None:
    return None if expected == found else f"{what}: expected {expected!r}, found {found!r}"


def schema_difference(expected: list[dict[str, Any]], found: list[dict[str, Any]]) -> str | None:
    names = difference_text("columns", [field["name"] for field in expected], [field["name"] for field in found])
    if names:
        return names
    for wanted, field in zip(expected, found, strict=True):
        for key in ("type", "nullable"):
            if key in wanted and wanted[key] != field[key]:
                return difference_text(f"{key} of column {field['name']!r}", wanted[key], field[key])
    return None


def rows_difference(expected: list[Any], found: list[Any], ordered: bool) -> str | None:
    """Compares rows as JSON texts, so that -0.0 and 0.0, or 1, 1.0 and true, are different."""
    wanted, given = list(map(json.dumps, expected)), list(map(json.dumps, found))
    if not ordered:
        wanted, given = sorted(wanted), sorted(given)
    if len(wanted) != len(given):
        return f"rows: expected {len(wanted)}, found {len(given)}"
    for at, (left, right) in enumerate(zip(wanted, given, strict=True)):
        if left != right:
            return f"row {at}: expected {left}, found {right}"
    return None


def is_ordered(plan: list[dict[str, Any]]) -> bool:
    """Whether the plan determines the row order: no step after the last orderBy may change it."""
    last = next((step["op"] for step in reversed(plan) if not keeps_order(step)), None)
    return last == "orderBy"


def keeps_order(step: dict[str, Any]) -> bool:
    """Whether the step keeps the order of its input; one with a window function sorts the rows by its window."""
    return step["op"] in ORDER_KEPT and not has_window(step.get("payload"))


def has_window(written: Any) -> bool:
    if isinstance(written, dict):
        return "window" in written or "over" in written or any(map(has_window, written.values()))
    return isinstance(written, list) and any(map(has_window, written))


def schema_json(schema: StructType) -> list[dict[str, Any]]:
    return [{"name": f.name, "type": f.dataType.simpleString(), "nullable": f.nullable} for f in schema.fields]


def rows_json(frame: Any) -> list[list[Any]]:
    """Every cell as a JSON value that `execute_plan` would read back."""
    types = [field.dataType for field in frame.schema.fields]
    # toArrow of PySpark 4.2 raises for null structs whose fields are not nullable, so it is not used.
    return [[cell_json(cell, type) for cell, type in zip(row, types, strict=True)] for row in frame.collect()]


def cell_json(cell: Any, type: DataType) -> Any:
    if cell is None:
        return None
    match type:
        case ArrayType():
            return [cell_json(element, type.elementType) for element in cell]
        case MapType():
            return [[cell_json(key, type.keyType), cell_json(cell[key], type.valueType)] for key in cell]
        case StructType():
            return {f.name: cell_json(part, f.dataType) for f, part in zip(type.fields, cell, strict=True)}
        case TimestampType():
            return cell.astimezone(UTC).isoformat()  # PySpark returns the local time of the machine
    return scalar_json(cell)


def scalar_json(cell: Any) -> Any:
    match cell:
        case float():
            return cell if math.isfinite(cell) else {"inf": "Infinity", "-inf": "-Infinity"}.get(str(cell), "NaN")
        case Decimal():
            return format(cell, "f")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return cell / timedelta(seconds=1)
        case bytes() | bytearray():
            return base64.b64encode(cell).decode()
        case VariantVal():
            return cell.toJson()
    return cell
