"""Every recorded plan on the native engine: schema with nullability and metadata, rows, or the error, as Spark's."""

from pathlib import Path
from typing import Any

import pytest
from recorded_plans import FILES, Recorded, is_ordered, read, rows_of

from twinspark.analysis.context import Context
from twinspark.compile.query import CompiledQuery, stream_rows
from twinspark.duck import run
from twinspark.errors import NotNative, SparkError
from twinspark.read.proto import read_relation

GAPS = (Path(__file__).parent / "gaps.txt").read_text().splitlines()
CASES = [case for path in FILES.values() for case in read(path)]
DATABASE = run.connect()


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_as_spark(case: Recorded) -> None:
    try:
        answer = native(case)
    except NotNative as why:
        assert case.name in GAPS, f"no longer native: {why}"
        return
    assert case.name not in GAPS, "native now: take it off gaps.txt"
    assert answer == expected(case)


def collect(relation: Any, context: Context) -> Any:
    return stream_rows(relation, context, DATABASE.cursor()).read_all()


def expected(case: Recorded) -> dict[str, object]:
    if case.condition is not None:
        return {"condition": case.condition, "parameters": case.parameters}
    return {"schema": case.schema, "rows": case.rows}


def native(case: Recorded) -> dict[str, object]:
    plan, context = case.message(), Context(collect=collect)
    try:
        relation = read_relation(plan.root, context)
        table = CompiledQuery.of(relation, context, DATABASE.cursor()).stream().read_all()
    except SparkError as error:
        return {"condition": error.condition, "parameters": error.parameters}
    rows = rows_of(table, relation.schema, is_ordered(plan))
    return {"schema": relation.schema.jsonValue(), "rows": rows}
