"""Files to read, built the same way for Spark (when answers are recorded) and for us (when they are checked)."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

Build = Callable[[Path], None]


@dataclass(frozen=True)
class Case:
    """One read: what is built, and how it is asked for; `{dir}` in paths and options is the built directory."""

    build: Build
    format: str = "parquet"
    paths: tuple[str, ...] = ("{dir}",)
    options: Mapping[str, str] = field(default_factory=dict)
    schema: str | None = None
    config: Mapping[str, str] = field(default_factory=dict)


CASES: dict[str, Case] = {}


def case(name: str, build: Build, **how: Any) -> None:
    assert name not in CASES
    CASES[name] = Case(build, **how)


def parquet(path: str, table: pa.Table, **how: Any) -> Build:
    def build(directory: Path) -> None:
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        pq.write_table(table, target, **how)

    return build


def text(path: str, content: str | bytes) -> Build:
    def build(directory: Path) -> None:
        target = directory / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())

    return build


def together(*builds: Build) -> Build:
    return lambda directory: [build(directory) for build in builds] and None


def one(value: Any, type: pa.DataType, name: str = "a") -> pa.Table:
    return pa.table({name: pa.array([value, None], type)})


def json_lines(*rows: Any) -> str:
    return "".join(json.dumps(row) + "\n" for row in rows)


TYPES: dict[str, tuple[Any, pa.DataType]] = {
    "int8": (-5, pa.int8()),
    "int16": (-5, pa.int16()),
    "int32": (-5, pa.int32()),
    "int64": (-5, pa.int64()),
    "uint8": (255, pa.uint8()),
    "uint16": (65535, pa.uint16()),
    "uint32": (2**32 - 1, pa.uint32()),
    "uint64": (2**64 - 1, pa.uint64()),
    "float": (1.5, pa.float32()),
    "double": (1.5, pa.float64()),
    "boolean": (True, pa.bool_()),
    "string": ("né", pa.string()),
    "large_string": ("né", pa.large_string()),
    "binary": (b"\x00\xff", pa.binary()),
    "fixed": (b"abc", pa.binary(3)),
    "dictionary": ("x", pa.dictionary(pa.int32(), pa.string())),
    "decimal9": (Decimal("1.23"), pa.decimal128(9, 2)),
    "decimal18": (Decimal("-1.23"), pa.decimal128(18, 2)),
    "decimal38": (Decimal("1.23"), pa.decimal128(38, 2)),
    "date": (date(1500, 1, 1), pa.date32()),
    "timestamp_ntz": (datetime(2020, 1, 1, 1, 2, 3, 4), pa.timestamp("us")),
    "timestamp_ms_ntz": (datetime(2020, 1, 1, 1, 2, 3, 4000), pa.timestamp("ms")),
    "timestamp_utc": (datetime(2020, 1, 1, 1, 2, 3, 4, UTC), pa.timestamp("us", "UTC")),
    "timestamp_old": (datetime(1500, 1, 1, 1, 2, 3, 4, UTC), pa.timestamp("us", "Europe/Paris")),
    "timestamp_ns": (datetime(2020, 1, 1), pa.timestamp("ns")),
    "time": (3_600_000_000, pa.time64("us")),
    "null": (None, pa.null()),
    "list": ([1, None], pa.list_(pa.int32())),
    "list_of_uint": ([1, None], pa.list_(pa.uint16())),
    "list_of_struct": ([{"x": 1, "y": "b"}, None], pa.list_(pa.struct([("x", pa.uint8()), ("y", pa.string())]))),
    "map": ([("k", 1), ("l", None)], pa.map_(pa.string(), pa.int64())),
    "map_of_struct": ([("k", {"x": 1}), ("l", None)], pa.map_(pa.string(), pa.struct([("x", pa.uint32())]))),
    "struct": ({"x": 1, "Y": None}, pa.struct([("x", pa.int32()), ("Y", pa.date32())])),
    "half": (1.5, pa.float16()),
    "duration": (5, pa.duration("us")),
}
for name, (value, type) in TYPES.items():
    case(f"parquet type {name}", parquet("f.parquet", one(value, type), store_schema=False))

INT96 = {"use_deprecated_int96_timestamps": True, "store_schema": False}
INSTANT = datetime(2020, 7, 1, 1, 2, 3, 4)
case("parquet int96", parquet("f.parquet", one(INSTANT, pa.timestamp("us")), **INT96))
case("parquet int96 old", parquet("f.parquet", one(datetime(1500, 1, 1), pa.timestamp("us")), **INT96))
case("parquet int96 in list", parquet("f.parquet", one([INSTANT, None], pa.list_(pa.timestamp("us"))), **INT96))
case(
    "parquet int96 in struct",
    parquet("f.parquet", one({"t": INSTANT}, pa.struct([("t", pa.timestamp("us"))])), **INT96),
)
case(
    "parquet int96 in map",
    parquet("f.parquet", one([("k", INSTANT)], pa.map_(pa.string(), pa.timestamp("us"))), **INT96),
)
case(
    "parquet legacy list name",
    parquet("f.parquet", one([1, 2], pa.list_(pa.int32())), use_compliant_nested_type=False),
)

SMALL = pa.table({"a": pa.array([1, 2], pa.int32()), "b": ["x", None]})
OTHER = pa.table({"b": ["y"], "c": pa.array([3.5])})
WIDE = pa.table({"a": pa.array([2**40], pa.int64()), "b": ["z"]})
TWO = together(parquet("1.parquet", SMALL), parquet("2.parquet", OTHER))
case("parquet two schemas, first wins", TWO)
case("parquet two schemas merged", TWO, options={"mergeSchema": "true"})
case("parquet merge by setting", TWO, config={"spark.sql.parquet.mergeSchema": "true"})
case("parquet second file wider", together(parquet("1.parquet", SMALL), parquet("2.parquet", WIDE)))
case("parquet first file wider", together(parquet("1.parquet", WIDE), parquet("2.parquet", SMALL)))
case("parquet user schema", TWO, schema="c double, a int, missing string")
case("parquet user schema not null", parquet("1.parquet", SMALL), schema="a int not null")
case("parquet user schema wider", parquet("1.parquet", SMALL), schema="a bigint, b string")
case("parquet user schema int to double", parquet("1.parquet", SMALL), schema="a double")
case("parquet user schema other case", parquet("1.parquet", SMALL), schema="A int, B string")
case(
    "parquet case sensitive",
    parquet("1.parquet", SMALL),
    schema="A int, b string",
    config={"spark.sql.caseSensitive": "true"},
)
NESTED = pa.table({"s": pa.array([{"x": 1, "y": "a"}, None])})
case("parquet nested field missing", parquet("1.parquet", NESTED), schema="s struct<y: string, z: int, x: bigint>")
case("parquet hidden files", together(parquet("_x.parquet", OTHER), parquet(".y.parquet", OTHER), TWO))
case("parquet subdirectory ignored", together(parquet("sub/3.parquet", SMALL), TWO))
case("parquet recursive", together(parquet("sub/3.parquet", SMALL), TWO), options={"recursiveFileLookup": "true"})
case("parquet glob filter", TWO, options={"pathGlobFilter": "1*"})
case("parquet glob", TWO, paths=("{dir}/{1,3}*.parquet",))
case("parquet glob star", TWO, paths=("{dir}/*",))
case("parquet glob range", TWO, paths=("{dir}/[2-3].parquet",))
case("parquet no such glob", TWO, paths=("{dir}/x*",))
case("parquet no such path", TWO, paths=("{dir}/none",))
case("parquet empty directory", text("_SUCCESS", ""))
case("parquet empty directory, user schema", text("_SUCCESS", ""), schema="a int, b array<string>")
case("parquet two paths", TWO, paths=("{dir}/1.parquet", "{dir}/2.parquet"))
case("parquet file uri", TWO, paths=("file:{dir}/1.parquet",))


def partitioned(*directories: str) -> Build:
    return together(
        *(parquet(f"{directory}/f.parquet", pa.table({"i": [at]})) for at, directory in enumerate(directories))
    )


DEFAULT = "__HIVE_DEFAULT_PARTITION__"
PARTITIONS = {
    "int": ("k=1", "k=02", "k=-3"),
    "long": ("k=1", "k=3000000000"),
    "double": ("k=1", "k=1.5"),
    "string": ("k=1", "k=a b"),
    "escaped": ("k=a%2Fb", "k=a%20b", "k=%25"),
    "date": ("k=2020-01-01", "k=2020-02-29"),
    "bad date": ("k=2020-01-01", "k=2020-02-30"),
    "null": ("k=1", "k=__HIVE_DEFAULT_PARTITION__"),
    "only null": ("k=__HIVE_DEFAULT_PARTITION__",),
    "two levels": ("k=1/l=a", "k=2/l=b"),
    "long and double": ("k=3000000000", "k=1.5"),
    "decimal": ("k=30000000000000000000", "k=1"),
    "date and int": ("k=2020-01-01", "k=5"),
    "timestamp": ("k=2020-01-01 01%3A02%3A03", "k=2020-01-01"),
    "true": ("k=true", "k=false"),
    "scientific": ("k=1e3",),
    "trailing d": ("k=1d",),
    "plus": ("k=+1", "k=a+b"),
    "nan": ("k=NaN", "k=1"),
    "time": ("k=01%3A02%3A03",),
    "uneven": ("k=1", "l=1"),
    "with root file": ("k=1", "."),
    "upper case": ("K=1", "k=2"),
    "quote": ("k=it's", 'k=say "hi"'),
    "month": ("k=2024-01", "k=2024-02"),
    "hour": ("k=2024-01-01-05", "k=2024-01-01T05"),
    "minutes": ("k=05%3A30",),
    "other digits": ("k=١٢",),
}
for name, directories in PARTITIONS.items():
    case(f"partition {name}", partitioned(*directories))
case("partition without inference", partitioned("k=1", "k=2"),
     config={"spark.sql.sources.partitionColumnTypeInference.enabled": "false"})  # fmt: skip
case("partition typed by user", partitioned("k=1", "k=2"), schema="K string, i bigint")
case("partition typed by user first", partitioned("k=1", "k=2"), schema="i bigint, k bigint, m int")
case("partition overlapping column", parquet("i=7/f.parquet", pa.table({"i": [1], "j": [2]})))
case("partition single directory", partitioned("k=1", "k=2"), paths=("{dir}/k=1",))
case("partition base path", partitioned("k=1", "k=2"), paths=("{dir}/k=1",), options={"basePath": "{dir}"})
case("partition glob", partitioned("k=1", "k=2"), paths=("{dir}/k=*",))


def copied(name: str) -> Build:
    return text(name, (Path(__file__).parent / "data" / name).read_bytes())


case("parquet written by spark", copied("spark_types.parquet"))
case("parquet written by spark, some columns", copied("spark_types.parquet"), schema="l bigint, ts timestamp, zz int")

case("text lines", text("f.txt", "a\n\n b \r\nc\rd\n"), format="text")
case("text without last line end", text("f.txt", "é\n\nlast"), format="text")
case("text only line ends", text("f.txt", "\n\n"), format="text")
case("text whole", text("f.txt", "a\nb\n"), format="text", options={"wholetext": "true"})
case("text named by user", text("f.txt", "a\nb\n"), format="text", schema="line string")
case("text read as int", text("f.txt", "1\n"), format="text", schema="line int")
case("text partitioned", text("k=1/f.txt", "1\n"), format="text")
TEXTS = together(text("k=1/l=2024-01-01/f.txt", "1\n2\n"), text(f"k={DEFAULT}/l=2024-01-02/f.txt", "x"))
LINES = together(text("k=1/f.json", '{"a":1}\n'), text("k=2/f.json", '{"a":2}\nbad\n{"b":3}\n'))
case("text partitioned twice", TEXTS, format="text")
case("json partitioned, a malformed line", LINES, format="json")


def csv(name: str, content: str | bytes, *, schema: str | None = None, **options: str) -> None:
    case(f"csv {name}", text("f.csv", content), format="csv", options=options, schema=schema)


HEADED = {"header": "true"}
INFERRED = {"inferSchema": "true"}
csv("plain", "1,a,2.5\n2,b,3.5\n")
csv("header", "id,name,x\n1,a,2.5\n2,b,3.5\n", **HEADED)
csv("header inferred", "id,name,x\n1,a,2.5\n2,b,3.5\n", **HEADED, **INFERRED)
csv("header crlf", "a,b\r\n1,2\r\n3,4", **HEADED, **INFERRED)
csv("carriage returns", "a,b\r1,2\r3,4")
csv("mixed line ends", "a,b\r\n1,2\n3,4\n")
csv("byte order mark", b"\xef\xbb\xbfa,b\n1,2\n", **HEADED)
csv("header repeated names", "a,a,A,\n1,2,3,4\n", **HEADED)
csv("header only", "a,b\n", **HEADED)
csv("header line again", "a,b\n1,2\na,b\n", **HEADED)
csv("empty", "")
csv("all types", "1,3000000000,1.5,true,2020-01-01,2020-01-01 01:02:03,x,\n,,,,,,,\n", **INFERRED)
csv("timestamps", "2020-01-01T01:02:03Z,2020-01-01 01:02:03.5\n2020-01-01,2021-01-01\n", **INFERRED)
csv("int and double", "1,1,3000000000\n2.5,3000000000,1.5\n", **INFERRED)
csv("int and boolean", "1,true\ntrue,1\n", **INFERRED)
csv("dates and text", "2020-01-01,x\nx,2020-01-01 00:00:00\n", **INFERRED)
csv("dates and numbers", "2020-01-01\n2020\n", **INFERRED)
csv("phone numbers", "25-989-741-2988,12 Main St\n", **INFERRED)
csv("odd numbers", "1e3,1.,.5,+1,-0,01\n", **INFERRED)
csv("odd numbers that stay", ".5,+1,-0,01,+.5\n", **INFERRED)
csv("exponents", "-1.25e2,1.5E-3\n", **INFERRED)
csv("words for numbers", "NaN,Infinity,0x1,1d\n", **INFERRED)
csv("long digits", "12345678901234567890,1.5e400\n", **INFERRED)
csv("spaced numbers", " 1, 1 ,1 \n", **INFERRED)
csv("booleans", "TRUE,False,t,yes\n", **INFERRED)
csv("short dates", "2020-1-1,1/2/2020\n", **INFERRED)
csv("bad dates", "2020-02-30,2020-13-01\n", **INFERRED)
csv("quoted", '"a,b","c d",e\n"",x,"1"\n')
csv("quoted inferred", '"a,b","2.5","1"\n"",1,"2"\n', **INFERRED)
csv("doubled quotes", '"c""d",e\n')
csv("doubled quotes as escape", '"c""d",e\n"""",""\n', escape='"')
csv("escaped quotes", '"e\\"f",g\n')
csv("backslash outside quotes", "a\\b,c\\\n\\,d\n")
csv("quote inside", 'a"b,c\n')
csv("text after quote", '"x"y,z\n')
csv("line end in quotes", '"multi\nline",x\n')
csv("short rows", "a,b,c\n1,2\n1\n", **HEADED)
csv("long rows", "a,b\n1,2,3\n", **HEADED)
csv("short rows dropped", "a,b,c\n1,2\n1,2,3\n", **HEADED, mode="DROPMALFORMED")
csv("blank lines", "a,b\n\n1,2\n", **HEADED)
csv("lines of spaces", "a,b\n  \n1,2\n", **HEADED)
csv("spaces kept", " a , b\n1, 2 \n", **HEADED)
CUT = {"ignoreLeadingWhiteSpace": "true"}
CUT_BOTH = {**CUT, "ignoreTrailingWhiteSpace": "true"}
BLANKS = " a , b \n 1 ,2 \n   , x\ty \n\x03 3,\u00a04 \n"
csv("leading blanks cut", BLANKS, **HEADED, **INFERRED, **CUT)
csv("blanks cut", BLANKS, **HEADED, **INFERRED, **CUT_BOTH)
csv("blanks cut around null value", " NA ,1\n,NA\n", nullValue="NA", **CUT_BOTH)
csv("blanks cut around quotes", 'a, "b" \n', **CUT_BOTH)
csv("trailing blanks cut", "a ,b\n", ignoreTrailingWhiteSpace="true")
csv("null value", "NA,x\n,NA\n", nullValue="NA")
csv("null value and quoted nothing", 'NA,x\n,""\n', nullValue="NA")
csv("tabs", "a\tb\n1\t2\n", **HEADED, sep="\t")
csv("bars", "a|b\n1|x,y\n", **HEADED, delimiter="|")
csv("a separator beyond ASCII", "a§b\n1§2\n", **HEADED, sep="§")
csv("two characters", "a||b\n1||2\n", **HEADED, sep="||")
csv("comments", "#c\n1,2\n", comment="#")
csv("bad utf-8", b"a,\xff\n")
TYPED = "i int, s string, d double, da date, ts timestamp, b boolean, dec decimal(5,2), l bigint"
csv("typed", "1,x,1.5,2020-01-01,2020-01-01 01:02:03,true,1.5,3\n+2,,1e3,,2020-01-01,FALSE,-123.45,\n", schema=TYPED)
csv("typed with header", "z,y\n1,x\n", **HEADED, schema="i int, s string")
csv("typed, bad int", "1,a\nx,b\n", schema="i int, s string")
csv("typed, int out of range", "2147483648\n", schema="i int")
csv("typed, double forms", "1.,inf,NaN,1d\n", schema="a double,b double,c double,d double")
csv("typed, decimal to round", "1.234\n", schema="d decimal(5,2)")
csv("typed, fewer columns", "1,2,3\n", schema="a int, b int")
csv("typed, more columns", "1,2\n", schema="a int, b int, c string")
# Lines that only univocity takes apart as Spark does.
PANDAS = (
    'id,say,n\n1,"He said ""hi"", then left",1\n2,"""",2\n3,"a\\"b",3\n4,x"y,4\n5,"p"q"r",5\n6,"t" ,6\n7,"u" v"w,\n'
)
csv("quotes of all kinds", PANDAS, **HEADED, **INFERRED)
csv("quotes of all kinds and blank lines", "\n\n" + PANDAS.replace("3,", "\n \n3,"), **HEADED, **INFERRED)
csv("quotes in the first line", '"a""b",c"d\n1,2\n', **HEADED, **INFERRED)
csv("two escapes before a quote", '"a\\\\",b\n')
csv("quote then escape", '"a"\\b,c\n')
csv("quotes dropped unless they fit", '1,"a""b"\n2,c,d\n', schema="i int, s string", mode="DROPMALFORMED")
csv("long and short rows inferred", "a,b\n1,2,3\n4\n5,x\n", **HEADED, **INFERRED)
csv("comments before and between", "# one\n\n#two\na,b\n1,2\n#3,4\n5,#6\n #7,8\n", comment="#", **HEADED)
csv("comments inferred", "#x\n1,2\n#3\n3,4\n", comment="#", **INFERRED)
csv("null value and quoted nothing inferred", 'a,b\nNA,1\n"",2\n3,NA\n', nullValue="NA", **HEADED, **INFERRED)
SEVERAL = {"multiLine": "true"}
csv("several lines", 'id,text\n1,"two\nlines, and more"\n2,plain\n3,"\n"\n', **HEADED, **INFERRED, **SEVERAL)
csv("several lines, quotes doubled", 'a,b\n"x ""y""\nz",1\n', **HEADED, **SEVERAL, escape='"')
csv("several lines, quotes inside", 'a,b\n"x ""y""\nz",1\n', **HEADED, **SEVERAL)
csv("several lines, returns", 'a,b\r\n"x\r\nz",1\r\n', **HEADED, **SEVERAL)
csv("several lines, blank ones", "a,b\n\n1,2\n  \n3,4\n", **HEADED, **SEVERAL)
csv("several lines, short rows", 'a,b,c\n1\n2,"3\n4"\n', **HEADED, **SEVERAL)
DAYS = "d,t\n01/02/2024,2024/01/02 03:04\n31/12/1999,1999/12/31 23:59\n"
csv("date format", DAYS, **HEADED, **INFERRED, dateFormat="dd/MM/yyyy")
csv("timestamp format", DAYS, **HEADED, **INFERRED, timestampFormat="yyyy/MM/dd HH:mm")
csv("both formats", DAYS, **HEADED, **INFERRED, dateFormat="dd/MM/yyyy", timestampFormat="yyyy/MM/dd HH:mm")
csv("date format, other dates", "d\n01/02/2024\n2024-01-02\n", **HEADED, **INFERRED, dateFormat="dd/MM/yyyy")
csv("date format and moments", "d\n01/02/2024\n2024-01-02 01:00:00\n", **HEADED, **INFERRED, dateFormat="dd/MM/yyyy")
csv("date format of names", "d\nJan 5 2024\nFeb 29 2024\n", **HEADED, **INFERRED, dateFormat="MMM d yyyy")
csv("date format, typed", "1/2/2024,x\n2024-01-02,y\n30/2/2024,z\n", schema="d date, s string", dateFormat="d/M/yyyy")
csv("date format of years", "2024,1\n", schema="d date, i int", dateFormat="yyyy")
ZONED = "2024-01-02T03:04:05+02:00\n2024-01-02 03:04:05\n2024-01-02T03:04:05Z\n"
csv("timestamp format of zones", ZONED, schema="t timestamp", timestampFormat="yyyy-MM-dd'T'HH:mm:ssXXX")
csv("timestamp format of parts", "03:04 PM 1/2/24\n", schema="t timestamp", timestampFormat="hh:mm a d/M/yy")
csv("timestamp format that is none", "2024\n", schema="t timestamp", timestampFormat="YYYY")
# Values of many forms: each alone in its column to be inferred, and all of them as every type.
FORMS = [
    "1",
    "-1",
    "007",
    "2147483648",
    "1.5",
    ".5",
    "1e3",
    "1.25e1",
    "1d",
    "1.5F",
    "NaN",
    "Inf",
    "-Infinity",
    "nan",
    "t",
    "true",
    "False",
    "2024-01-01",
    "2024-1-1",
    "2024-13-01",
    "2024-01",
    "2024/01/01",
    "01/02/2024",
    "2024-01-01T10:00:00+02:00",
    "2024-01-01T10:00",
    "2024-01-01T1:2:3.123456789",
    "2024-01-01T25:00:00",
    "0001-01-01",
    "9999-12-31",
    "abc",
    "12345ABC",
    "555-1234",
    "$5",
    "1_000",
    "1..2",
    "1.2.3.4",
    "-",
    "+",
    ".",
    "1e",
    "4000e",
    "é",
    "2024Q1",
    "-x",
    "12:00AM",
]
EVERY_TYPE = [
    "tinyint",
    "smallint",
    "int",
    "bigint",
    "float",
    "double",
    "date",
    "timestamp",
    "boolean",
    "decimal(5,2)",
    "decimal(38,0)",
]
csv("inferred, forms", ",".join(FORMS) + "\n", **INFERRED)
csv(
    "typed, forms",
    "".join(",".join([form] * len(EVERY_TYPE)) + "\n" for form in FORMS),
    schema=", ".join(f"c{at} {type}" for at, type in enumerate(EVERY_TYPE)),
)
case(
    "csv timestamps elsewhere",
    text("f.csv", "2024-03-10 02:30:00\n2024-11-03 01:30:00\n2024-01-01T10:00:00Z\n"),
    format="csv",
    options=INFERRED,
    config={"spark.sql.session.timeZone": "America/Los_Angeles"},
)
csv("corrupt record column", "1\nx\n", schema="a int, _corrupt_record string")
case("csv two files", together(text("1.csv", "a,b\n1,2\n"), text("2.csv", "a,b\n3,x\n")), format="csv",
     options={**HEADED, **INFERRED})  # fmt: skip
case(
    "csv two headers", together(text("1.csv", "a,b\n1,2\n"), text("2.csv", "b,a\n3,x\n")), format="csv", options=HEADED
)
TWO_LENGTHS = together(text("1.csv", "1,x\n2,y\n"), text("2.csv", "3,z,5\n"))
case("csv two lengths, typed", TWO_LENGTHS, format="csv", schema="a int, b string, c int")
TWO_HEADERS = together(text("1.csv", "a,b\n1,2\n"), text("2.csv", "b,a,c\n3,x,1\n4\n"))
case("csv two headers, typed", TWO_HEADERS, format="csv", options=HEADED, schema="p int, q string")
case("csv partitioned", together(text("k=1/f.csv", "a\n1\n"), text("k=2/f.csv", "a\n2\n")), format="csv",
     options={**HEADED, **INFERRED})  # fmt: skip


def js(name: str, content: str | bytes, *, schema: str | None = None, **options: str) -> None:
    case(f"json {name}", text("f.json", content), format="json", options=options, schema=schema)


js("plain", json_lines({"b": 1, "a": "x"}, {"a": None, "b": 2}))
js("nested", json_lines({"z": {"y": [1, 2], "x": "é"}, "m": [{"k": 1.5}, {"l": True}]}, {"z": None, "m": []}, {"q": 1}))
js("int and double", '{"a":1,"b":2.50}\n{"a":2.5,"b":3}\n')
js("nulls only", '{"a":null,"b":[],"c":[null]}\n')
js("empty object", '{"a":{}}\n{"a":{},"b":1}\n')
js("numbers and strings", '{"a":1}\n{"a":"x"}\n')
js("numbers and objects", '{"a":1}\n{"a":{"b":1}}\n')
js("big numbers", '{"a":12345678901234567890}\n')
js("not numbers", '{"a":NaN}\n')
js("exponents", '{"a":1e5,"b":-0,"c":-1.5E-2}\n')
js("escapes", '{"a":"\\u00e9\\n\\"\\ud83d\\ude00"}\n')
js("malformed", '{"a":1}\n{"a":\n')
js("single quotes", "{'a':1}\n")
js("repeated keys", '{"a":1,"a":2}\n')
js("keys in two cases", '{"a":1,"A":2}\n')
js("array lines", '[{"a":1},{"a":2}]\n')
js("blank lines", '{"a":1}\n\n{"a":2}\r\n')
js("null line", 'null\n{"a":2}\n')
js("empty", "")
js("key order", '{"b":1,"B2":2,"a_":3,"é":4,"_x":5}\n')
js("several lines", '{\n"a":1\n}\n', multiLine="true")
js("rows of an array over lines", '[\n {"a": 1, "b": {"c": "x", "d": [1, 2]}},\n {"a": null, "e": 1.5}\n]\n', **SEVERAL)
js("rows of an array, typed", '[{"a": 1,\n "b": "x"}, {"a": "y", "b": 2}]', schema="a int, b string", **SEVERAL)
js("the first of two objects", '{"a": 1,\n "b": 2}\n{"a": 3}\n', **SEVERAL)
js("an array that breaks off, typed", '[{"a": 1},\n {"a":', schema="a int", **SEVERAL)
js("rows of arrays in lines", '[{"a":1},{"a":2}]\n{"a":3}\n[]\n[{"a":4,"b":"x"}]\n')
js("dates stay text", '{"a":"2020-01-01","b":"2020-01-01T01:02:03Z"}\n')
js(
    "typed",
    '{"a":1,"b":"x","c":1.5,"d":true,"l":[1,2]}\n{}\n',
    schema="c double, a bigint, b string, d boolean, l array<bigint>",
)
js("typed, missing", '{"a":1}\n', schema="zz string, a bigint, s struct<x: bigint>")
js("typed, number as string", '{"a":1.50}\n', schema="a string")
js("typed, string as number", '{"a":"1"}\n', schema="a bigint")
js("typed, int", '{"a":1}\n', schema="a int")
js("typed, date", '{"a":"2020-01-01"}\n', schema="a date")
js("typed, dates", '{"a":"1999-12-31"}\n{"a":null}\n{}\n{"a":"9999-12-31"}\n{"a":"1600-01-01"}\n', schema="a date")
js("typed, early dates", '{"a":"1582-10-10"}\n{"a":"0001-01-01"}\n', schema="a date")
js("typed, no such date", '{"a":"2021-02-29"}\n', schema="a date")
js("typed, short date", '{"a":"2020-1-2"}\n', schema="a date")
js("typed, number as date", '{"a":18262}\n', schema="a date")
js(
    "typed, decimals",
    '{"a":1}\n{"a":-0.5}\n{"a":1e2}\n{"a":null}\n{}\n{"a":1234567890123.45}\n',
    schema="a decimal(15,2)",
)
js("typed, wide decimals", '{"a":1.1}\n{"a":-99999999999.9999}\n', schema="a decimal(38,4)")
js("typed, decimals without a fraction", '{"a":12}\n{"a":-3}\n', schema="a decimal(10,0)")
js("typed, rounded decimals", '{"a":1.005}\n{"a":2.995}\n', schema="a decimal(10,2)")
js("typed, long decimals", '{"a":12345678901234567.25}\n', schema="a decimal(20,2)")
js("typed, too large decimals", '{"a":1234.5}\n', schema="a decimal(5,2)")
js("typed, string as decimal", '{"a":"1.5"}\n', schema="a decimal(5,2)")
js(
    "typed, dates and decimals inside",
    '{"s":{"d":"2020-02-29","n":1.25}}\n{"s":{"d":null}}\n{"s":null}\n',
    schema="s struct<d: date, n: decimal(4,2)>",
)
js("typed, dates in an array", '{"l":["2020-02-29"]}\n', schema="l array<date>")
js("typed, int as double", '{"a":1}\n', schema="a double")
js("typed, other case", '{"A":1}\n', schema="a bigint")
js("corrupt record column", '{"a":1}\nx\n', schema="a bigint, _corrupt_record string")
case("json partitioned", together(text("k=1/f.json", '{"a":1}\n'), text("k=2/f.json", '{"a":2}\n')), format="json")
case("json two files", together(text("1.json", '{"a":1}\n'), text("2.json", '{"b":"x"}\n')), format="json")
