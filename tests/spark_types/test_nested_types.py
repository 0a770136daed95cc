"""Folds, rewritings and comparisons of nested types; values inside nested values are rewritten in DuckDB."""

from operator import eq

import duckdb
import pytest

from twinspark.types import (
    DOUBLE,
    FLOAT,
    INT,
    STRING,
    ArrayType,
    CharType,
    DataType,
    MapType,
    StructField,
    StructType,
    agree,
    as_nullable,
    fold_type,
    has_inner,
    inner_types,
    nested_types,
    plain_type,
    rewrite_leaves,
    same_structure,
    same_type,
    with_inner_types,
)
from twinspark.types.duckdb import ValueRewriter, cast_to


def struct(*fields: tuple[str, DataType]) -> StructType:
    return StructType([StructField(name, type, False, {"comment": name}) for name, type in fields])


DEEP = ArrayType(MapType(CharType(3), struct(("a", INT), ("b", ArrayType(STRING, False))), False), False)


def test_nested_types_come_from_outside_in() -> None:
    names = [type.typeName() for type in nested_types(DEEP)]
    assert names == ["array", "map", "char", "struct", "integer", "array", "string"]


def test_the_parts_of_a_type_make_it_again() -> None:
    for type in nested_types(DEEP):
        assert with_inner_types(type, inner_types(type)) == type


def test_a_fold_sees_results_of_the_types_inside() -> None:
    assert fold_type(DEEP, lambda type, inner: 1 + max(inner, default=0)) == 5


def test_rewritten_leaves_leave_names_metadata_and_nullability() -> None:
    wanted = ArrayType(MapType(STRING, struct(("a", INT), ("b", ArrayType(STRING, False))), False), False)
    assert plain_type(DEEP) == wanted
    assert rewrite_leaves(DEEP, lambda leaf: leaf) == DEEP
    assert not has_inner(plain_type(DEEP), CharType)


def test_nullability_inside_is_not_part_of_the_same_type() -> None:
    assert as_nullable(DEEP) != DEEP
    assert same_type(as_nullable(DEEP), DEEP)


@pytest.mark.parametrize(
    ("left", "right", "same", "structure"),
    [
        (struct(("a", INT)), struct(("A", INT)), True, True),
        (struct(("a", INT)), struct(("b", INT)), False, True),
        (struct(("a", INT)), struct(("a", INT), ("b", INT)), False, False),
        (ArrayType(struct(("a", INT))), ArrayType(struct(("b", INT))), False, True),
        (MapType(INT, STRING), MapType(INT, INT), False, False),
        (ArrayType(INT), INT, False, False),
    ],
)
def test_names_count_for_the_type_and_not_for_the_structure(
    left: DataType, right: DataType, same: bool, structure: bool
) -> None:
    assert same_type(left, right) is same
    assert same_structure(left, right) is structure
    assert agree(left, right, eq) is structure


def doubled(sql: str, type: DataType) -> str:
    return cast_to(f"{sql} * 2", type)


REWRITTEN = [
    ("[1.5, NULL]", ArrayType(DOUBLE), [3.0, None]),
    ("NULL", ArrayType(DOUBLE), None),
    ("{'a': 1.5, 'b': 'x'}", struct(("a", DOUBLE), ("b", STRING)), {"a": 3.0, "b": "x"}),
    ("NULL", struct(("a", DOUBLE), ("b", STRING)), None),
    ("MAP {1.5: [2.5]}", MapType(DOUBLE, ArrayType(DOUBLE)), {3.0: [5.0]}),
    ("NULL", MapType(DOUBLE, DOUBLE), None),
    ("[[{'a': [1.5]}]]", ArrayType(ArrayType(struct(("a", ArrayType(DOUBLE))))), [[{"a": [3.0]}]]),
    ("[1]", ArrayType(INT), [1]),
]


@pytest.mark.parametrize(("value", "type", "expected"), REWRITTEN)
def test_leaves_of_values_are_rewritten_in_duckdb(value: str, type: DataType, expected: object) -> None:
    rewriter = ValueRewriter(doubled, lambda each: has_inner(each, (type_of(DOUBLE), type_of(FLOAT))), "x")
    sql = rewriter.rewrite("v", type)
    assert duckdb.execute(f"SELECT {sql} FROM (SELECT {cast_to(value, type)} AS v)").fetchone() == (expected,)


def type_of(type: DataType) -> type:
    return type.__class__


def test_keys_of_maps_can_be_left_alone() -> None:
    rewriter = ValueRewriter(doubled, lambda each: has_inner(each, type_of(DOUBLE)), "x", keys=False)
    sql = rewriter.rewrite("v", MapType(DOUBLE, DOUBLE))
    assert duckdb.execute(f"SELECT {sql} FROM (SELECT MAP {{1.5::DOUBLE: 2::DOUBLE}} AS v)").fetchone() == ({1.5: 4.0},)
