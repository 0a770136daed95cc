"""Says whether two runs of the demo's pipeline printed and wrote the same, or where they first differ."""

from __future__ import annotations

from itertools import zip_longest
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet


def first_difference(native_text: str, spark_text: str, native: Path, spark: Path) -> str | None:
    """None when everything is equal: first what was printed (schemas with nullability, sorted rows), then the files."""
    return printed_difference(native_text, spark_text) or written_difference(native, spark)


def printed_difference(native_text: str, spark_text: str) -> str | None:
    """The first line of stdout that is not the same."""
    pairs = zip_longest(native_text.splitlines(), spark_text.splitlines())
    for number, (ours, theirs) in enumerate(pairs, 1):
        if ours != theirs:
            return f"line {number} of the output\n  embedded: {ours}\n  Spark:    {theirs}"
    return None


def written_difference(native: Path, spark: Path) -> str | None:
    """The first report whose files do not hold the same columns, types and rows."""
    reports = sorted({path.name for path in (*native.iterdir(), *spark.iterdir())})
    for name in reports:
        difference = report_difference(written_rows(native / name), written_rows(spark / name))
        if difference:
            return f"report {name}: {difference}"
    return None


def written_rows(report: Path) -> pa.Table:
    """All rows of a directory of part files, in one order that does not depend on how they were cut into files."""
    parquet = sorted(report.glob("*.parquet"))
    csv = [path for path in sorted(report.glob("*.csv")) if path.stat().st_size]
    tables = [read_parquet(path) for path in parquet] or [read_csv(path) for path in csv]
    table = pa.concat_tables(tables)
    return table.sort_by([(name, "ascending") for name in table.column_names])


def read_parquet(path: Path) -> pa.Table:
    """Spark stores an instant as INT96 without a zone, others as INT64 in UTC: both are read as microseconds in UTC."""
    table = pyarrow.parquet.read_table(path, coerce_int96_timestamp_unit="us")
    instants = [
        pa.field(field.name, pa.timestamp("us", "UTC") if pa.types.is_timestamp(field.type) else field.type)
        for field in table.schema
    ]
    return table.cast(pa.schema(instants))


def read_csv(path: Path) -> pa.Table:
    """Every cell as the text it is: 1.50 is not 1.5."""
    with path.open() as lines:
        names = lines.readline().rstrip("\n").split(",")
    options = pyarrow.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()))
    return pyarrow.csv.read_csv(path, convert_options=options)


def report_difference(ours: pa.Table, theirs: pa.Table) -> str | None:
    """Columns and types, then the number of rows, then the first row that differs."""
    if ours.schema != theirs.schema:
        return f"schema\n  embedded: {ours.schema}\n  Spark:    {theirs.schema}"
    if ours.num_rows != theirs.num_rows:
        return f"{ours.num_rows} rows, on Spark {theirs.num_rows}"
    if ours.equals(theirs):
        return None
    rows = zip(ours.to_pylist(), theirs.to_pylist(), strict=True)
    number, (mine, other) = next((n, pair) for n, pair in enumerate(rows, 1) if pair[0] != pair[1])
    return f"sorted row {number}\n  embedded: {mine}\n  Spark:    {other}"
