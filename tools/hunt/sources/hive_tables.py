"""The tables that Hive's test queries read, made from the data files beside them as Parquet files."""

import io
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.orc
import pyarrow.parquet

from tools.hunt.git_files import GitCopy

DATA = "sql/hive/src/test/resources/data/files/"
KEY_VALUE = {"key": pa.int32(), "value": pa.string()}
Change = Callable[[pa.Table], pa.Table]


@dataclass(frozen=True)
class HiveTable:
    """A file with its columns, and what makes a partitioned table of it."""

    name: str
    file: str
    columns: dict[str, pa.DataType]
    delimiter: str = "\x01"
    change: Change = lambda table: table


def add_partitions(table: pa.Table) -> pa.Table:
    """TestHive's srcpart: the same rows for two days and two hours."""
    return pa.concat_tables(
        with_constants(table, {"ds": day, "hr": hour}) for day in ("2008-04-08", "2008-04-09") for hour in ("11", "12")
    )


def with_constants(table: pa.Table, values: dict[str, str]) -> pa.Table:
    for name, value in values.items():
        table = table.append_column(name, pa.array([value] * table.num_rows, pa.string()))
    return table


def columns(text: str) -> dict[str, pa.DataType]:
    kinds = {
        "int": pa.int32(),
        "bigint": pa.int64(),
        "string": pa.string(),
        "double": pa.float64(),
        "float": pa.float32(),
    }
    kinds |= {"smallint": pa.int16(), "tinyint": pa.int8(), "boolean": pa.bool_(), "decimal": pa.decimal128(4, 2)}
    return {name: kinds[kind] for name, kind in (part.split() for part in text.split(", "))}


LINEITEM = columns(
    "l_orderkey int, l_partkey int, l_suppkey int, l_linenumber int, l_quantity double, l_extendedprice double, "
    "l_discount double, l_tax double, l_returnflag string, l_linestatus string, l_shipdate string, "
    "l_commitdate string, l_receiptdate string, l_shipinstruct string, l_shipmode string, l_comment string"
)
PART = columns(
    "p_partkey int, p_name string, p_mfgr string, p_brand string, p_type string, p_size int, p_container string, "
    "p_retailprice double, p_comment string"
)
OVER = columns(
    "t tinyint, si smallint, i int, b bigint, f float, d double, bo boolean, s string, ts string, "
    "dec string, bin string"
)
HIVE_TABLES = (
    HiveTable("src", "kv1.txt", KEY_VALUE),
    HiveTable("src1", "kv3.txt", {"key": pa.string(), "value": pa.string()}),
    HiveTable("srcbucket", "srcbucket0.txt", KEY_VALUE),
    HiveTable("srcbucket2", "srcbucket20.txt", KEY_VALUE),
    HiveTable("srcpart", "kv1.txt", KEY_VALUE, change=add_partitions),
    HiveTable("lineitem", "lineitem.txt", LINEITEM, "|"),
    HiveTable("part", "part_tiny.txt", PART),
    HiveTable("over1k", "over1k", OVER, "|"),
    HiveTable("over10k", "over10k", OVER, "|"),
    HiveTable("alltypesorc", "alltypesorc", {}),
)


def write_table(copy: GitCopy, table: HiveTable, folder: Path) -> Path:
    """Once; both servers read the same file."""
    path = (folder / f"{table.name}.parquet").resolve()
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        pyarrow.parquet.write_table(table.change(read_table(copy, table)), path)
    return path


def read_table(copy: GitCopy, table: HiveTable) -> pa.Table:
    content = copy.content(DATA + table.file)
    if not table.columns:
        return pyarrow.orc.read_table(io.BytesIO(content))
    rows = list(rows_of(content.decode(errors="replace"), table))
    return pa.table(
        {name: column_of([row[i] for row in rows], kind) for i, (name, kind) in enumerate(table.columns.items())}
    )


def rows_of(text: str, table: HiveTable) -> Iterator[list[str | None]]:
    for line in text.splitlines():
        cells = [None if cell in ("", "\\N") else cell for cell in line.split(table.delimiter)]
        yield (cells + [None] * len(table.columns))[: len(table.columns)]


def column_of(cells: list[str | None], kind: pa.DataType) -> pa.Array:
    return pa.array(cells, pa.string()).cast(kind)
