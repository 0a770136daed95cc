"""The comparison itself: it must see what differs, and pass what may."""

from decimal import Decimal

import pytest
from pyspark.sql.types import IntegerType, StringType, StructField, StructType
from tpch_compare import Answer, difference

SCHEMA = StructType([StructField("k", IntegerType(), False), StructField("v", StringType())])
ROWS = [(1, "a"), (1, "b"), (2, "c")]


def answer(rows: list[tuple[object, ...]], schema: StructType = SCHEMA) -> Answer:
    return Answer(schema, rows, 0.0)


def test_ties_may_change_places() -> None:
    assert difference(answer([(1, "b"), (1, "a"), (2, "c")]), answer(ROWS), ["k"]) is None


def test_without_order_by_all_rows_are_ties() -> None:
    assert difference(answer(ROWS[::-1]), answer(ROWS), []) is None


def test_wrong_order_is_seen() -> None:
    assert difference(answer(ROWS[::-1]), answer(ROWS), ["k"]) == "the same rows in another order"


@pytest.mark.parametrize("rows", [ROWS[:2], [*ROWS, ROWS[0]], [(1, "a"), (1, "b"), (2, "d")]])
def test_other_rows_are_seen(rows: list[tuple[object, ...]]) -> None:
    assert "only" in str(difference(answer(rows), answer(ROWS), ["k"]))


def test_nullability_is_part_of_the_schema() -> None:
    nullable = StructType([StructField("k", IntegerType()), SCHEMA.fields[1]])
    assert "k int not null" in str(difference(answer(ROWS, nullable), answer(ROWS), []))


def test_metadata_is_part_of_the_schema() -> None:
    marked = StructType([StructField("k", IntegerType(), False, {"a": "b"}), SCHEMA.fields[1]])
    assert "{'a': 'b'}" in str(difference(answer(ROWS, marked), answer(ROWS), []))


def test_equal_answers_of_decimals() -> None:
    assert difference(answer([(Decimal("1.50"),)]), answer([(Decimal("1.50"),)]), []) is None
