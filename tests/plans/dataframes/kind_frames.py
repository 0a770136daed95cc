"""DataFrames over kinds of constants, types, expressions and relations that few programs send, some made by hand as
clients of other languages send them."""

from collections.abc import Iterator
from datetime import date, time
from decimal import Decimal
from typing import Any

import numpy as np
from dataframes.frames import people
from google.protobuf import json_format
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.connect import plan as connect_plan
from pyspark.sql.connect import proto
from pyspark.sql.connect.column import Column
from pyspark.sql.connect.dataframe import DataFrame as Frame
from pyspark.sql.connect.expressions import Expression
from pyspark.testing.objects import ExamplePointUDT


class Given(Expression):
    """An expression whose message is there already."""

    def __init__(self, **member: Any) -> None:
        super().__init__()
        self._message = json_format.ParseDict(member, proto.Expression())

    def to_plan(self, session: Any) -> proto.Expression:
        return self._message

    def __repr__(self) -> str:
        return str(self._message)


def given(**member: Any) -> Column:
    return Column(Given(**member))


def constant(**member: Any) -> Column:
    return given(literal=member)


def kind_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for topic in (constants, declared_constants, nested_constants, inner_names, types, expressions, relations):
        for name, frame in topic(spark).items():
            yield f"kinds, {topic.__name__}: {name}", frame


def chosen(spark: Any, columns: dict[str, Any]) -> dict[str, DataFrame]:
    return {name: spark.range(2).select(column) for name, column in columns.items()}


def constants(spark: Any) -> dict[str, DataFrame]:
    columns = {
        "byte": F.lit(np.int8(-7)),
        "short": F.lit(np.int16(300)),
        "float": F.lit(np.float32(1.5)),
        "decimal": F.lit(Decimal("1.50")),
        "decimal without digits before the point": F.lit(Decimal("0.001")),
        "decimal, large": F.lit(Decimal("1E+3")),
        "date": F.lit(date(1582, 10, 4)),
        "timestamp_ntz": constant(timestampNtz=1_600_000_000_123_456),
        "year_month_interval": F.typeof(constant(yearMonthInterval=-25)),  # pyarrow does not know the type itself
        "year_month_interval as text": constant(yearMonthInterval=-25).cast("string"),
        "day_time_interval": constant(dayTimeInterval=-90_061_000_001),
        "calendar_interval": constant(calendarInterval={"months": 14, "days": -3, "microseconds": "61000001"}),
        "time": F.hour(F.lit(time(1, 2, 3, 4))),
        "null of a type": constant(null={"integer": {}}),
        "null of no type": constant(null={"null": {}}),
    }
    return chosen(spark, columns)


def declared_constants(spark: Any) -> dict[str, DataFrame]:
    """Constants that bring their types with them."""
    decimal = {"decimal": {"precision": 10, "scale": 4}}
    columns = {
        "years": F.typeof(
            constant(yearMonthInterval=36, dataType={"yearMonthInterval": {"startField": 0, "endField": 0}})
        ),
        "days": constant(
            dayTimeInterval=2 * 86_400_000_000, dataType={"dayTimeInterval": {"startField": 0, "endField": 0}}
        ),
        "days and more": constant(
            dayTimeInterval=2 * 86_400_000_000 + 1, dataType={"dayTimeInterval": {"startField": 0, "endField": 0}}
        ),
        "string": constant(string="a", dataType={"string": {}}),
        "char": constant(string="a", dataType={"char": {"length": 3}}),
        "varchar": constant(string="abcd", dataType={"varChar": {"length": 3}}),
        "integer as long": constant(integer=1, dataType={"long": {}}),
        "decimal in its message": constant(decimal={"value": "1.5", "precision": 10, "scale": 4}),
        "decimal in its type": constant(decimal={"value": "1.5"}, dataType=decimal),
        "decimal with too few digits": constant(decimal={"value": "123.456", "precision": 4, "scale": 2}),
        "decimal in a smaller type": constant(
            decimal={"value": "1.55"}, dataType={"decimal": {"precision": 2, "scale": 1}}
        ),
        "decimal beyond its type": constant(
            decimal={"value": "155"}, dataType={"decimal": {"precision": 2, "scale": 1}}
        ),
        "null": constant(null={}, dataType={"integer": {}}),
        "null of nothing": constant(null={}),
        "nothing": constant(),
        "hours": constant(
            dayTimeInterval=-7_199_999_999, dataType={"dayTimeInterval": {"startField": 0, "endField": 1}}
        ),
        "collated": constant(string="a", dataType={"string": {"collation": "UTF8_LCASE"}}),
    }
    return chosen(spark, columns)


def nested_constants(spark: Any) -> dict[str, DataFrame]:
    pair = {"fields": [
        {"name": "a", "dataType": {"integer": {}}, "nullable": True},
        {"name": "b", "dataType": {"string": {}}, "nullable": False},
    ]}  # fmt: skip
    one, two, none = {"integer": 1}, {"integer": 2}, {"null": {"integer": {}}}
    integers = {"array": {"elementType": {"integer": {}}, "containsNull": True}}
    texts = {"map": {"keyType": {"string": {}}, "valueType": {"integer": {}}, "valueContainsNull": True}}
    columns = {
        "array": F.lit([1, 2]),
        "array of an element type": constant(array={"elementType": {"integer": {}}, "elements": [one, two]}),
        "array of a type": constant(array={"elements": [one, none]}, dataType=integers),
        "array of no type": constant(array={"elements": [one, two]}),
        "array of nulls": constant(array={"elementType": {"integer": {}}, "elements": [one, none]}),
        "array of nothing": constant(array={"elementType": {"integer": {}}}),
        "array of arrays": F.lit([[1], [2, 3]]),
        "array of numbers in numpy": F.lit(np.array([1.5, 2.5])),
        "specialized_array of ints": constant(specializedArray={"ints": {"values": [1, 2]}}),
        "specialized_array of longs": constant(specializedArray={"longs": {"values": [1, 2]}}),
        "specialized_array of strings": constant(specializedArray={"strings": {"values": ["a", ""]}}),
        "specialized_array of bools": constant(specializedArray={"bools": {"values": [True]}}),
        "specialized_array of floats": constant(specializedArray={"floats": {"values": [1.5]}}),
        "specialized_array of doubles": constant(specializedArray={"doubles": {"values": [0.1]}}),
        "map": constant(map={"keys": [{"string": "x"}], "values": [one]}, dataType=texts),
        "map of parts": constant(
            map={"keyType": {"string": {}}, "valueType": {"integer": {}}, "keys": [{"string": "x"}], "values": [one]}
        ),
        "map of nulls": constant(map={"keys": [{"string": "x"}], "values": [none]}, dataType=texts),
        "map of equal keys": constant(map={"keys": [one, one], "values": [one, two]}),
        "map of equal keys of a type": constant(
            map={"keys": [{"string": "x"}, {"string": "y"}, {"string": "x"}], "values": [one, one, two]}, dataType=texts
        ),
        "struct without a type": constant(struct={"elements": [one]}),
        "array of other values": constant(array={"elements": [one, {"long": 3}]}, dataType=integers),
        "array of a wrong type": constant(array={"elements": [one]}, dataType=texts),
        "struct": constant(struct={"elements": [one, {"string": "x"}]}, dataType={"struct": pair}),
        "struct of a part": constant(struct={"structType": {"struct": pair}, "elements": [one, {"string": "x"}]}),
        "struct, its field": constant(struct={"elements": [one, {"string": "x"}]}, dataType={"struct": pair})["b"],
    }
    return chosen(spark, columns)


def inner_names(spark: Any) -> dict[str, DataFrame]:
    """How constants are written inside others, in names of columns."""
    kinds: dict[str, list[Any]] = {
        "byte": [-1],
        "short": [2],
        "long": [3],
        "float": [1.5, 1e10, "NaN", "Infinity", 0.1],
        "double": [1.5, 1e-10, "NaN", "-Infinity"],
        "boolean": [True, False],
        "string": ["a'b", 'c"d', "e\\f", "g\nh", ""],
        "binary": ["AQI="],
        "date": [-1],
        "timestamp": [1_600_000_000_000_001],
        "timestamp_ntz": [1_600_000_000_000_000],
        "day_time_interval": [-1],
        "decimal": [{"value": "1.50", "precision": 10, "scale": 2}, {"value": "-0.0000001"}],
    }

    def inside(kind: str, values: list[Any]) -> Column:
        type = {"decimal": {"precision": 10, "scale": 7}} if kind == "decimal" else {kind: {}}
        elements: list[Any] = [{kind: value} for value in values] + [{"null": {kind: {}}}]
        return constant(array={"elements": elements}, dataType={"array": {"elementType": type, "containsNull": True}})

    return chosen(spark, {kind: inside(kind, values) for kind, values in kinds.items()})


def types(spark: Any) -> dict[str, DataFrame]:
    """Casts to types that come as messages."""
    n, s = F.col("id"), F.lit("2")
    columns = {
        "null": F.lit(None).cast(T.NullType()),
        "boolean": n.cast(T.BooleanType()),
        "byte": n.cast(T.ByteType()),
        "short": n.cast(T.ShortType()),
        "integer": n.cast(T.IntegerType()),
        "float": n.cast(T.FloatType()),
        "double": n.cast(T.DoubleType()),
        "decimal": n.cast(T.DecimalType(5, 2)),
        "binary": s.cast(T.BinaryType()),
        "string": n.cast(T.StringType()),
        "char": n.cast(T.CharType(3)),
        "var_char": n.cast(T.VarcharType(3)),
        "date": F.lit("2020-01-02").cast(T.DateType()),
        "timestamp": F.lit("2020-01-02 03:04:05").cast(T.TimestampType()),
        "timestamp_ntz": F.lit("2020-01-02 03:04:05").cast(T.TimestampNTZType()),
        "time": F.lit("03:04:05").cast(T.TimeType()),
        "time of seconds": F.lit("03:04:05.123456").cast(T.TimeType(3)),
        "calendar_interval": F.lit("1 month 2 days").cast(T.CalendarIntervalType()),
        "year_month_interval": n.cast(T.YearMonthIntervalType(0, 0)).cast("string"),
        "day_time_interval": n.cast(T.DayTimeIntervalType(0, 0)),
        "array": F.array(n).cast(T.ArrayType(T.IntegerType(), True)),
        "array without nulls": F.array(n).cast(T.ArrayType(T.IntegerType(), False)),
        "map": F.create_map(n, s).cast(T.MapType(T.StringType(), T.IntegerType())),
        "struct": F.struct(n, s).cast(T.StructType().add("a", T.StringType()).add("b", T.IntegerType())),
        "variant": n.cast(T.VariantType()).cast("string"),
        "udt": F.lit(None).cast(ExamplePointUDT()),
        "geometry": n.cast(T.GeometryType(4326)),
        "geography": n.cast(T.GeographyType(4326)),
        "unparsed": given(cast={"expr": {"literal": {"integer": 1}}, "type": {"unparsed": {"dataTypeString": "long"}}}),
        "unparsed, nested": given(
            cast={
                "expr": {"literal": {"null": {"null": {}}}},
                "type": {"unparsed": {"dataTypeString": "array<struct<a:int>>"}},
            }
        ),
    }
    return chosen(spark, columns)


def expressions(spark: Any) -> dict[str, DataFrame]:
    df = people(spark)
    numbers = F.array(F.col("id"), F.lit(7))
    return {
        "lambda_function": df.select(F.transform(numbers, lambda x: x + F.col("id"))),
        "lambda_function of two": df.select(F.transform(numbers, lambda x, i: x * i).alias("t")),
        "lambda_function inside": df.select(
            F.transform(numbers, lambda x: F.exists(numbers, lambda y: y > x)).alias("t")
        ),
        "lambda_function of a merge": df.select(F.aggregate(numbers, F.lit(0), lambda a, x: a + x, lambda a: a * 2)),
        "lambda_function of too many": df.select(F.zip_with(numbers, numbers, lambda x, y: x - y)),
        "call_function": df.select(F.call_function("upper", F.col("s")), F.call_function("system.builtin.abs", "id")),
        "call_function of no such": df.select(F.call_function("nosuch", F.col("s"))),
        "call_function of an aggregate": df.select(F.call_function("sum", F.col("id"))),
        "unresolved_function distinct": df.select(F.count_distinct("s"), F.sum_distinct("id")),
        "try_cast": df.select(F.col("s").try_cast("int"), F.col("s").try_cast(T.DateType())),
        "cast of a wrong text": df.select(F.col("s").cast("int")),
        "alias of several names": df.select(F.explode(F.create_map("id", "s")).alias("k", "v")),
        "alias with metadata": df.select(F.col("id").alias("i", metadata={"max": 99})),
        "unresolved_regex": df.select(df.colRegex("`(id)?+.+`")),
        "unresolved_extract_value": df.select(numbers[0], F.create_map("id", "s")[F.col("id")]),
        "update_fields": df.select(F.struct("id", "s").withField("z", F.lit(1)).dropFields("id").alias("x")),
        "named_argument_expression": df.select(
            F.call_function("upper", F.col("s")), F.expr("mask('Ab', upperChar => '?')")
        ),
        "expression_string": df.select(F.expr("id + 1 as j"), F.expr("s")),
    }


def relations(spark: Any) -> dict[str, DataFrame]:
    df = people(spark).orderBy("id", "s")

    def shown(**options: Any) -> Frame:
        return Frame(connect_plan.ShowString(child=df._plan, **options), spark)

    def made(node: Any) -> Frame:
        return Frame(node, spark)

    numbers = spark.range(0, 5, 1, 1).select(
        (F.col("id") * 2).alias("x"), (F.col("id") % 3).alias("y"), F.lit("t").alias("s")
    )
    return {
        "show_string": shown(num_rows=20, truncate=20, vertical=False),
        "show_string, cut": shown(num_rows=1, truncate=3, vertical=False),
        "show_string, vertical": shown(num_rows=2, truncate=0, vertical=True),
        "html_string": made(connect_plan.HtmlString(child=df._plan, num_rows=2, truncate=5)),
        "tail": made(connect_plan.Tail(df._plan, 2)),
        "tail of nothing": made(connect_plan.Tail(df._plan, 0)),
        "hint": df.hint("broadcast").hint("nosuchhint", 1, "a").groupBy("s").count(),
        "hint with a wrong parameter": df.hint("coalesce", "x"),
        "collect_metrics": df.observe("m", F.count(F.lit(1)).alias("n"), F.max("id")),
        "collect_metrics of no aggregate": df.observe("m", F.col("id")),
        "cov": made(connect_plan.StatCov(child=numbers._plan, col1="x", col2="y")),
        "corr": made(connect_plan.StatCorr(child=numbers._plan, col1="x", col2="y", method="pearson")),
        "corr of no number": made(connect_plan.StatCorr(child=numbers._plan, col1="x", col2="s", method="pearson")),
        "cov of no such column": made(connect_plan.StatCov(child=numbers._plan, col1="x", col2="nosuch")),
        "drop": df.drop("id", "nosuch"),
        "read of no such table": spark.read.table("nosuch_catalog_table"),
        "read of no such format": spark.read.format("nosuchformat").load("x"),
    }
