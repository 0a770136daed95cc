"""Inside a worker: table functions over pickled rows read and write Arrow instead, and those that terminate are asked
how often they would.

Nothing heavy is imported before the fork, as in `rows`."""

from collections.abc import Callable, Iterator
from inspect import getclosurevars
from typing import IO, Any

from twinspark.pythons.rows import ROWS, RowReader, TwinsparkElsewhere, as_declared, converter

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
    """Spark terminates a function once for each of its tasks; that is once only if there is no more than one row."""

    def counted(batches: Iterator[Any]) -> Iterator[Any]:
        count = 0
        for batch in batches:
            count += row_count(batch)
            yield batch
        if count > 1:
            raise TwinsparkElsewhere("a Python table function that terminates, over rows that Spark may divide")

    return lambda split, batches: mapper(split, counted(batches))


def row_count(batch: Any) -> int:
    """A batch of Arrow, a list of columns, or one row's values."""
    if hasattr(batch, "num_rows"):
        return int(batch.num_rows)
    return 1 if isinstance(batch, tuple) or not len(batch) else len(batch[0])


class TableWriter:
    """All rows that a function gave, as structs, with the number of the call that gave them."""

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
            rows += map(self._checked, given)
            numbers += [number] * len(given)
            if len(rows) >= ROWS:
                yield self._batch(rows, numbers)
                rows, numbers = [], []
        yield self._batch(rows, numbers)

    def _checked(self, row: Any) -> Any:
        """A row of another kind is none for the JVM, whose fields are null."""
        if row is None:
            return (None,) * len(self._fields)
        if type(row) is not tuple or len(row) != len(self._fields):
            raise TwinsparkElsewhere("a row of another shape than declared from a pickled Python table function")
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
