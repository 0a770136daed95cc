"""Makes a DataFrame of the input of a JSON plan: rows, dicts, an Arrow table, a pandas DataFrame or a file path."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_type
from pyspark.sql.types import (
    CalendarIntervalType,
    DataType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
    VariantType,
    YearMonthIntervalType,
)

from twinspark.plans_json.cells import BadCell, arrow_column
from twinspark.plans_json.dialect import dialect_of
from twinspark.plans_json.problems import DataError
from twinspark.plans_json.types import schema_of
from twinspark.types.text import TypeTextError

FORMATS = {".parquet": "parquet", ".csv": "csv", ".json": "json", ".jsonl": "json", ".ndjson": "json", ".orc": "orc"}
ZONE = "spark.sql.session.timeZone"
AS_TEXT = (
    VariantType,
    YearMonthIntervalType,
    CalendarIntervalType,
)  # sent as text, which Spark parses, since Arrow has no such type


def frame_of(session: Any, data: Any, schema: Any = None) -> Any:
    """`data` as a DataFrame of `session`, with the columns and types that `schema` declares."""
    declared = None if schema is None else declared_schema(schema)
    if isinstance(data, str | Path):
        return frame_of_path(session, str(data), declared)
    if isinstance(data, pa.RecordBatch):
        data = pa.Table.from_batches([data])
    if isinstance(data, pa.Table):
        return session.createDataFrame(data) if declared is None else frame_of_table(session, data, declared)
    if isinstance(data, pd.DataFrame):
        return session.createDataFrame(data) if declared is None else frame_of_pandas(session, data, declared)
    if isinstance(data, DataFrame):
        return data if declared is None else data.to(declared)
    return frame_of_rows(session, data, declared)


def empty_copy(session: Any, data: Any, schema: Any = None) -> Any:
    """A DataFrame with the same columns but no rows, for local data whose schema is known.

    Analyzing a plan over it is fast; over the data itself, PySpark would send all rows for each analysis.
    """
    if isinstance(data, str | Path | DataFrame):
        return None
    if schema is not None:
        return session.createDataFrame([], declared_schema(schema))
    if isinstance(data, pa.Table | pa.RecordBatch) and not any(map(has_no_zone, data.schema.types)):
        return session.createDataFrame([], from_arrow_schema(data.schema))
    return None


def has_no_zone(type: pa.DataType) -> bool:
    """Whether the type contains timestamps without a zone, whose Spark type depends on a setting of the session."""
    if pa.types.is_nested(type):
        return any(has_no_zone(type.field(at).type) for at in range(type.num_fields))
    return pa.types.is_timestamp(type) and type.tz is None


def declared_schema(schema: Any) -> StructType:
    if isinstance(schema, pa.Schema):
        found: StructType = from_arrow_schema(schema)
        return found
    try:
        return schema_of(schema)
    except TypeTextError as error:
        raise DataError(None, None, str(error)) from error


def frame_of_path(session: Any, path: str, schema: StructType | None) -> Any:
    """Spark reads the file; with a declared schema, a value that does not fit raises instead of becoming null."""
    suffix = Path(path.rstrip("/")).suffix.lower()
    if suffix not in FORMATS:
        raise DataError(None, None, f"the path {path!r} should end in {', '.join(FORMATS)}")
    reader = session.read.format(FORMATS[suffix])
    if suffix == ".csv":
        reader = reader.option("header", True).option("inferSchema", schema is None)
    if FORMATS[suffix] in ("csv", "json") and schema is not None:
        reader = reader.option("mode", "FAILFAST")
    return (reader if schema is None else reader.schema(schema)).load(path)


def frame_of_rows(session: Any, rows: Any, schema: StructType | None) -> Any:
    if not isinstance(rows, Sequence):
        kind = type(rows).__name__
        raise DataError(None, None, f"expected rows, an Arrow table, a pandas frame or a path, not {kind}")
    if schema is None:
        raise DataError(None, None, "rows need a schema")
    zone = session.conf.get(ZONE)
    carried = [transfer_type(field.dataType) for field in schema.fields]
    arrays = [
        column_array(cells, StructField(field.name, type, field.nullable), zone)
        for cells, field, type in zip(columns_of(rows, schema.names), schema.fields, carried, strict=True)
    ]
    return frame_of_arrays(session, arrays, schema)


def transfer_type(type: DataType) -> DataType:
    return StringType() if isinstance(type, AS_TEXT) else type


def columns_of(rows: Sequence[Any], names: list[str]) -> list[list[Any]]:
    """The values of each declared column; rows are lists in the schema's order, or objects, where absent keys are
    null."""
    objects = [row for row in rows if isinstance(row, dict)]
    keys = keys_of(objects, names)
    lists = rows if not objects else [[r.get(k) for k in keys] if isinstance(r, dict) else r for r in rows]
    for at, row in enumerate(lists):
        if not isinstance(row, list | tuple) or len(row) != len(names):
            raise DataError(at, None, f"expected a list of {len(names)} cells or an object, not {row!r:.60}")
    return [[row[position] for row in lists] for position in range(len(names))]


def keys_of(objects: list[dict[str, Any]], names: list[str]) -> list[str]:
    """The key of each column in the rows: its name, or the same name in another case."""
    by_lower = {key.lower(): key for key in set().union(*objects)}
    return [name if any(name in row for row in objects[:1]) else by_lower.get(name.lower(), name) for name in names]


def column_array(cells: list[Any], field: StructField, zone: str) -> pa.Array:
    if not field.nullable and None in cells:
        raise DataError(cells.index(None), field.name, "null in a column that is declared not null")
    try:
        return arrow_column(cells, field.dataType, zone)
    except BadCell as error:
        raise DataError(error.index, field.name, error.message) from error


def frame_of_arrays(session: Any, arrays: list[Any], schema: StructType) -> Any:
    carried = StructType([StructField(f.name, transfer_type(f.dataType), f.nullable) for f in schema.fields])
    frame = session.createDataFrame(pa.Table.from_arrays(arrays, names=schema.names), carried)
    if carried == schema:
        return frame
    functions = dialect_of(session).functions
    positions = frame.toDF(*(f"c{at}" for at in range(len(arrays))))
    return positions.select(*(read_text(functions, at, field) for at, field in enumerate(schema.fields)))


def read_text(functions: Any, position: int, field: StructField) -> Any:
    column = functions.col(f"c{position}")
    if isinstance(field.dataType, VariantType):
        column = functions.parse_json(column)
    elif isinstance(field.dataType, AS_TEXT):
        column = column.cast(field.dataType)
    return column.alias(field.name)


def frame_of_table(session: Any, table: pa.Table, schema: StructType) -> Any:
    positions = declared_positions(table.column_names, schema.names)
    zone = session.conf.get(ZONE) if any(pa.types.is_string(type) for type in table.schema.types) else "UTC"
    arrays = [fit_column(table.column(at), field, zone) for at, field in zip(positions, schema.fields, strict=True)]
    return frame_of_arrays(session, arrays, schema)


def declared_positions(found: list[str], declared: list[str]) -> list[int]:
    """Matches columns by name, ignoring case if there is no exact match, or by position if no name matches."""
    lower = [name.lower() for name in found]
    if len(found) == len(declared) and not set(lower) & {name.lower() for name in declared}:
        return list(range(len(found)))
    missing = [name for name in declared if name.lower() not in lower]
    if missing:
        raise DataError(None, missing[0], f"the data has no such column (it has {', '.join(found)})")
    return [found.index(name) if name in found else lower.index(name.lower()) for name in declared]


def fit_column(column: pa.ChunkedArray, field: StructField, zone: str) -> Any:
    """The column cast to its declared type; unchanged if it has that type already."""
    type = transfer_type(field.dataType)
    wanted = to_arrow_type(type, timezone="UTC")
    if column.type == wanted or (
        pa.types.is_timestamp(column.type) and isinstance(type, TimestampType | TimestampNTZType)
    ):
        return column
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        return column_array(column.to_pylist(), StructField(field.name, type, field.nullable), zone)
    try:
        return column.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        row = first_bad(column, lambda part: casts(part, wanted))
        raise DataError(
            row, field.name, f"{column[row].as_py()!r} does not fit the type {type.simpleString()}"
        ) from error


def casts(part: pa.ChunkedArray, wanted: pa.DataType) -> bool:
    try:
        part.cast(wanted)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return False
    return True


def first_bad(column: pa.ChunkedArray, fits: Callable[[pa.ChunkedArray], bool]) -> int:
    """The first row that does not fit, by binary search; the column has at least one."""
    start, end = 0, len(column)
    while end - start > 1:
        middle = (start + end) // 2
        start, end = (middle, end) if fits(column[start:middle]) else (start, middle)
    return start


def frame_of_pandas(session: Any, frame: pd.DataFrame, schema: StructType) -> Any:
    names = [str(name) for name in frame.columns]
    columns = [pandas_column(frame.iloc[:, at]) for at in range(len(names))]
    if not any(isinstance(column, list) for column in columns):
        return frame_of_table(session, pa.Table.from_arrays(columns, names=names), schema)
    zone = session.conf.get(ZONE)
    arrays = [
        column_array(columns[at], field, zone)
        if isinstance(columns[at], list)
        else fit_column(pa.chunked_array([columns[at]]), field, zone)
        for at, field in zip(declared_positions(names, schema.names), schema.fields, strict=True)
    ]
    return frame_of_arrays(session, arrays, schema)


def pandas_column(series: "pd.Series[Any]") -> Any:
    """An Arrow array, or for Python objects a list of values, which are converted to their declared type later."""
    if series.dtype == object:
        return [None if missing else value for value, missing in zip(series, series.isna(), strict=True)]
    return pa.Array.from_pandas(series)
