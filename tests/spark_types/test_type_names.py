"""A type's four spellings agree, for every type there is."""

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyspark.sql import types as t

from twinspark.driver.result_types import from_arrow
from twinspark.types import sql_name
from twinspark.types.arrow import arrow_type
from twinspark.types.text import TypeTextError, parse_reported_type
from twinspark.wire.thrift.protocol import TypeId
from twinspark.wire.thrift.type_descriptions import type_desc, type_of_desc

LEAVES = [
    t.BooleanType(), t.ByteType(), t.ShortType(), t.IntegerType(), t.LongType(), t.FloatType(), t.DoubleType(),
    t.StringType(), t.StringType("UTF8_LCASE"), t.BinaryType(), t.DateType(), t.TimestampType(), t.TimestampNTZType(),
    t.NullType(), t.VariantType(), t.CharType(3), t.VarcharType(9), t.CalendarIntervalType(), t.TimeType(6),
    t.DayTimeIntervalType(0, 3), t.DayTimeIntervalType(1, 1), t.YearMonthIntervalType(0, 1),
    t.YearMonthIntervalType(1, 1),
]  # fmt: skip
NAMES = st.text("abcXYZ_019 .-`äö:<>,'", min_size=1, max_size=8).filter(lambda name: name.strip() == name)
DECIMALS = st.integers(1, 38).flatmap(lambda p: st.integers(0, p).map(lambda s: t.DecimalType(p, s)))


def nested(inner: st.SearchStrategy[t.DataType]) -> st.SearchStrategy[t.DataType]:
    field = st.builds(t.StructField, NAMES, inner, st.booleans())
    return st.one_of(
        inner.map(t.ArrayType),
        st.builds(t.MapType, inner, inner),
        st.lists(field, max_size=4, unique_by=lambda f: f.name).map(t.StructType),
    )


TYPES = st.recursive(st.sampled_from(LEAVES) | DECIMALS, nested, max_leaves=6)


@settings(max_examples=300, deadline=None)
@given(TYPES)
def test_sql_names_come_back(kind: t.DataType) -> None:
    assert parse_reported_type(sql_name(kind)) == kind


@settings(max_examples=200, deadline=None)
@given(st.recursive(st.sampled_from(LEAVES) | DECIMALS, lambda inner: st.builds(t.ArrayType, inner), max_leaves=3))
def test_simple_strings_are_understood(kind: t.DataType) -> None:
    """DESCRIBE QUERY spells types this way; nullability is not in it."""
    assert parse_reported_type(kind.simpleString()).simpleString() == kind.simpleString()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("DECIMAL", t.DecimalType(10, 0)),
        ("numeric( 18 , 4 )", t.DecimalType(18, 4)),
        ("INTERVAL_YEAR_MONTH", t.YearMonthIntervalType(0, 1)),
        ("interval_day_time", t.DayTimeIntervalType(0, 3)),
        ("interval day to second", t.DayTimeIntervalType(0, 3)),
        ("INTERVAL MONTH", t.YearMonthIntervalType(1, 1)),
        ("timestamp_ltz", t.TimestampType()),
        ("struct<a b:int>", t.StructType([t.StructField("a b", t.IntegerType())])),
        (
            "STRUCT<`a:b`: INT NOT NULL COMMENT 'it\\'s'>",
            t.StructType([t.StructField("a:b", t.IntegerType(), False, {"comment": "it's"})]),
        ),
    ],
)
def test_spellings_met_in_the_field(text: str, expected: t.DataType) -> None:
    assert parse_reported_type(text) == expected


WRONG = ["", "DECIMLA(3,2)", "ARRAY<INT", "ARRAY<>", "INT INT", "DECIMAL(a)", "struct<a:int,... 3 more fields>"]


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_type_is_refused(text: str) -> None:
    with pytest.raises(TypeTextError):
        parse_reported_type(text)


@pytest.mark.parametrize("kind", [*LEAVES, t.DecimalType(18, 4)], ids=str)
def test_type_desc_says_what_it_can(kind: t.DataType) -> None:
    desc = type_desc(kind)
    identifier = desc["types"][0]["primitiveEntry"]["type"]
    if isinstance(kind, t.DecimalType | t.CharType | t.VarcharType):
        assert type_of_desc(desc) == kind
    elif identifier == TypeId.STRING:
        assert type_of_desc(desc) == t.StringType()
    else:
        assert type(type_of_desc(desc)) in (type(kind), t.TimestampType)


def test_nested_types_are_not_in_a_type_desc() -> None:
    for kind in (t.ArrayType(t.IntegerType()), t.MapType(t.StringType(), t.IntegerType()), t.StructType([])):
        assert type_of_desc(type_desc(kind)) is None


@settings(max_examples=200, deadline=None)
@given(TYPES)
def test_arrow_types_name_their_spark_type(kind: t.DataType) -> None:
    arrow = arrow_type(kind, "Asia/Tokyo")
    back = from_arrow(arrow)
    if back is not None:
        assert arrow_type(back, "Asia/Tokyo").id == arrow.id


def test_the_session_zone_is_on_every_timestamp() -> None:
    inside = arrow_type(t.ArrayType(t.StructType([t.StructField("t", t.TimestampType())])), "Asia/Tokyo")
    assert inside.value_type.field("t").type == pa.timestamp("us", "Asia/Tokyo")
