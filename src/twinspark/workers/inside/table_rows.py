"""Serializers for table functions over pickled rows that read and write Arrow instead (runs inside a worker).

Also checks that a function with terminate() is terminated as often as in Spark. Nothing heavy is imported before the
fork, as in `rows`."""

from collections.abc import Callable, Iterator
from inspect import getclosurevars
from typing import IO, Any

from twinspark.workers.inside.rows import ROWS, FallsBack, RowReader, as_declared, converter

PICKLED_TABLE = 300


def read_udtf(pickler: Any, infile: Any, eval_type: int, runner_conf: Any, eval_conf: Any) -> Any:
    from pyspark import worker
    from pyspark.sql.types import _parse_datatype_json_string

    read = worker.twinspark_read_udtf(pickler, infile, eval_type, runner_conf, eval_conf)
    mapper, profiler, reader, writer = read
    if eval_conf.get("is_divided", "false") != "true" and getclosurevars(mapper).nonlocals.get("terminate"):
        mapper = terminating_once(mapper)
    if eval_type == PICKLED_TABLE:
        results = _parse_datatype_json_string(eval_conf.get("output_type", lower_str=False))
        reader = RowReader(eval_conf.input_type.fields, bool(runner_conf.binary_as_bytes))
        writer = TableWriter(results.fields)
    return mapper, profiler, reader, writer


def terminating_once(mapper: Callable[[int, Iterator[Any]], Iterator[Any]]) -> Callable[[int, Iterator[Any]], Any]:
    """Spark calls terminate() once for each task, which is certainly once only for at most one row; else falls back."""

    def count_rows(batches: Iterator[Any]) -> Iterator[Any]:
        count = 0
        for batch in batches:
            count += row_count(batch)
            yield batch
        if count > 1:
            raise FallsBack("a table function with terminate(), over rows that Spark may divide among tasks")

    return lambda split, batches: mapper(split, count_rows(batches))


def row_count(batch: Any) -> int:
    """The rows of an Arrow batch, a list of columns, or one row's values."""
    if hasattr(batch, "num_rows"):
        return int(batch.num_rows)
    return 1 if isinstance(batch, tuple) or not len(batch) else len(batch[0])


class TableWriter:
    """Writes all rows of a function as structs, with the number of the call that returned each."""

    def __init__(self, fields: Any) -> None:
        from pyspark.sql.pandas.types import to_arrow_type

        self._fields = fields
        self._converts = [converter(field.dataType) for field in fields]
        self._types = [to_arrow_type(field.dataType, timezone="UTC") for field in fields]

    def dump_stream(self, iterator: Iterator[Any], stream: IO[bytes]) -> None:
        from pyspark.sql.pandas.serializers import ArrowStreamSerializer

        ArrowStreamSerializer(write_start_stream=True).dump_stream(self._batches(iterator), stream)

    def _batches(self, iterator: Iterator[Any]) -> Iterator[Any]:
        rows: list[Any] = []
        numbers: list[int] = []
        for number, given in enumerate(iterator):
            rows += map(self._check_row, given)
            numbers += [number] * len(given)
            if len(rows) >= ROWS:
                yield self._batch(rows, numbers)
                rows, numbers = [], []
        yield self._batch(rows, numbers)

    def _check_row(self, row: Any) -> Any:
        """None is a row of nulls, as in the JVM; a row of another class or length falls back to Spark."""
        if row is None:
            return (None,) * len(self._fields)
        if type(row) is not tuple or len(row) != len(self._fields):
            raise FallsBack("a row with another number of fields than declared, from a pickled table function")
        return row

    def _batch(self, rows: list[Any], numbers: list[int]) -> Any:
        import pyarrow as pa

        columns = list(zip(*rows, strict=True)) if rows else [()] * len(self._fields)
        arrays = [self._array(column, place) for place, column in enumerate(columns)]
        named = [pa.field(field.name, kind) for field, kind in zip(self._fields, self._types, strict=True)]
        struct = (
            pa.StructArray.from_arrays(arrays, fields=named) if named else pa.array([{}] * len(rows), pa.struct([]))
        )
        return pa.RecordBatch.from_arrays([struct, pa.array(numbers, pa.int64())], ["rows", "numbers"])

    def _array(self, column: Any, place: int) -> Any:
        import pyarrow as pa

        name, kind, convert = self._fields[place].dataType.typeName(), self._types[place], self._converts[place]
        return as_declared(column, name, kind) or pa.array([convert(value) for value in column], kind)
