"""Variants byte for byte: what Spark's parse_json made of recorded documents, and what ours makes of them."""

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from twinspark.duck import native
from twinspark.errors.marker import unmark

RECORDED = Path(__file__).parent / "recorded" / "variants.jsonl"
CASES = [json.loads(line) for line in RECORDED.read_text().splitlines()]


@pytest.fixture(scope="module")
def database() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config=native.CONFIG)
    native.load(connection)
    return connection


def test_bytes_are_sparks(database: duckdb.DuckDBPyConnection) -> None:
    for case in CASES:
        (made,) = one(database, "SELECT spark_try_parse_json(?)", case["json"])
        found = {part: made[part].hex() if made else None for part in ("value", "metadata")}
        assert found == {"value": case["value"], "metadata": case["metadata"]}, case["json"]


def test_valid_and_the_same_document(database: duckdb.DuckDBPyConnection) -> None:
    made = "SELECT spark_try_parse_json(?) v"
    query = f"SELECT spark_variant_json(v, 'UTC'), spark_is_valid_variant(v) FROM ({made})"
    for case in CASES:
        shown, valid = one(database, query, case["json"])
        assert valid is (None if case["value"] is None else True)
        if valid and "Infinity" not in shown:
            assert first_value(shown) == first_value(case["json"])


def first_value(text: str) -> Any:
    return json.JSONDecoder(parse_int=float).raw_decode(text.lstrip())[0]


@pytest.mark.parametrize("part", ["value", "metadata"])
def test_cut_bytes_are_refused(database: duckdb.DuckDBPyConnection, part: str) -> None:
    """Half a variant is not valid, and reading it neither crashes nor answers."""
    (whole,) = one(database, """SELECT spark_parse_json('{"a":[1,2.5,"xyz"],"bc":{"d":12345678901}}')""")
    for length in range(len(whole[part])):
        cut = {**whole, part: whole[part][:length]}
        made = "struct_pack(value := ?::BLOB, metadata := ?::BLOB)"
        assert one(database, f"SELECT spark_is_valid_variant({made})", cut["value"], cut["metadata"]) == (False,)
        try:
            database.execute(f"SELECT spark_variant_json({made}, 'UTC')", [cut["value"], cut["metadata"]]).fetchall()
        except duckdb.InvalidInputException as error:
            assert unmark(str(error)) is not None


def one(database: duckdb.DuckDBPyConnection, query: str, *parameters: Any) -> tuple[Any, ...]:
    found = database.execute(query, list(parameters)).fetchone()
    assert found is not None
    return tuple(found)
