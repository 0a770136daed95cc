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
