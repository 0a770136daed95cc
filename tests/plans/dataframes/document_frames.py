"""Documents: variants, JSON and CSV read and written, texts in a column read as JSON; documents.sql asks in SQL."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

DOCUMENTS = [
    '{"a":1,"b":[1,2.5,"x",null,{"c":true}]}',
    '{"b":{"a b":"é","😀":1},"a":null}',
    "[]",
    "{}",
    "null",
    "true",
    '"s"',
    '""',
    "0",
    "-0",
    "127",
    "128",
    "-32769",
    "2147483648",
    "-9223372036854775808",
    "9223372036854775808",
    "1.50",
    "-0.0",
    "0.00000001",
    "12345678901234567890123456789012345678",
    "123456789012345678901234567890123456789",
    "1e3",
    "-1E-7",
    "1e400",
    "99999999.995",
    '"12"',
    '"1.5"',
    '"t"',
    '"2020-01-01"',
    '"2020-01-01 10:00:00"',
    '[1,"a"]',
    "[1,1.5]",
    "[1.5,1e5]",
    '[{"a":1},{"b":[2]}]',
    '{"a":[[1],[2.5]],"z":{"y":{"x":"deep"}}}',
    '"\\u00e9\\ud83d\\ude00\\n"',
    '{"a":1',
    "{a:1}",
    "{'a':1}",
    "",
    "  ",
    "nul",
    "01",
    "1.",
    "[1,]",
    '{"a":1,"a":2}',
    "1 2",
    "[1]x",
    "NaN",
    None,
]
TARGETS = ["boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal(10,2)", "decimal(38,10)"]
TARGETS += [
    "string",
    "binary",
    "date",
    "timestamp",
    "timestamp_ntz",
    "array<string>",
    "array<int>",
    "map<string,string>",
]
TARGETS += ["struct<a string, b double>", "array<variant>"]
PATHS = ["$", "$.a", "$[0]", "$.b[1]", '$["b"]["a b"]', "$.z.y.x"]
SCHEMAS = [
    "a int, b string, c double",
    "a bigint, _corrupt_record string",
    "array<struct<a string, b int>>",
    "map<string,string>",
    "a array<int>, b map<string,double>, _corrupt_record string",
    "a array<date>, b decimal(5,2), c array<decimal(10,1)>",
]
LINES = [
    "1,a,2.5",
    "x,b",
    "1",
    "1,2,3,4",
    '"1","a,b",3',
    "",
    " ",
    ",",
    ",,",
    "+7,é,1e3",
    "300,,NaN",
    "2020-01-01,x,-Inf",
    None,
]
TEXTS = ['{"a":1,"b":"x"}', '{"a":"z","c":[1,2]}', '[{"a":1},{"b":2}]', "", '{"a":', '{"b":{"q":1.5}}']


def document_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for topic in (variants, json_texts, csv_lines, columns_of_texts):
        yield from ((f"documents, {topic.__name__}: {name}", frame) for name, frame in topic(spark))


def variants(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    texts = spark.createDataFrame([(text,) for text in DOCUMENTS], "j string")
    value = F.try_parse_json("j")
    yield "parsed", texts.select(value.alias("v"), F.to_json(value), value.cast("string"))
    yield (
        "schemas",
        texts.select(
            F.schema_of_variant(value), F.is_variant_null(value), F.expr("is_valid_variant(try_parse_json(j))")
        ),
    )
    for path in PATHS:
        yield path, texts.select(F.variant_get(value, path, "variant"), F.try_variant_get(value, path, "string"))
    for target in TARGETS:
        yield target, texts.select(F.try_variant_get(value, "$", target), F.try_variant_get(value, "$[0]", target))


def json_texts(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    texts = spark.createDataFrame([(text,) for text in DOCUMENTS if text is None or "\\ud" not in text], "j string")
    for schema in SCHEMAS:
        yield schema, texts.select(F.from_json("j", schema))


def csv_lines(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    lines = spark.createDataFrame([(line,) for line in LINES], "j string")
    for schema in ("a int, b string, c double", "a string", "a bigint, b boolean, c float"):
        yield schema, lines.select(F.from_csv("j", schema))


def columns_of_texts(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    texts = spark.createDataFrame([(text,) for text in TEXTS], "v string")
    yield "a schema", spark.read.schema("a int, b string").json(texts)
    yield "a corrupt column", spark.read.schema("a int, b string, _corrupt_record string").json(texts)
    yield "malformed ones dropped", spark.read.schema("a int, b string").json(texts, mode="DROPMALFORMED")
    yield "a schema found", spark.read.json(texts)
    yield "dates", spark.read.schema("d date, n decimal(5,1)").json(texts)
