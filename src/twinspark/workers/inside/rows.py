"""Serializers for functions over pickled rows that read and write Arrow instead (runs inside a worker).

Spark's JVM pickles rows for such functions and unpickles what they return; here the worker converts Arrow to the same
Python values, and what the function returns to what the JVM would make of it (EvaluatePython.makeFromJava).
Nothing heavy is imported before the fork: threads of pyarrow or pandas would not survive it."""

import os
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from itertools import islice
from types import TracebackType
from typing import IO, Any

from twinspark.workers import wire
from twinspark.workers.inside.java_maps import UnknownOrder, given_order, returned_order, typed_hash, unpickled_hash

BATCHED = 100
HERE = os.path.dirname(__file__)
ROWS = 10_000
Convert = Callable[[Any], Any]


class FallsBack(Exception):
    """A value or a row that only Spark can convert; the message says which."""


def report_fall_backs(worker: Any) -> None:
    """A FallsBack is sent in a frame of its own, so that the text of another exception cannot be mistaken for it."""
    report = worker.handle_worker_exception

    def report_or_fall_back(error: BaseException, outfile: IO[bytes]) -> None:
        if (found := fall_back_in(error)) is None:
            report(error, outfile)
        else:
            outfile.write(wire.integer(wire.FALL_BACK) + wire.text(str(found)))

    worker.handle_worker_exception = report_or_fall_back


def fall_back_in(error: BaseException | None) -> FallsBack | None:
    """PySpark wraps errors that a table function's rows raise in its own."""
    while error is not None and not isinstance(error, FallsBack):
        error = error.__cause__ or error.__context__
    return error


def hide_from_tracebacks(util: Any) -> None:
    """Spark removes its own frames from simplified tracebacks; this removes the frames of this package, too."""
    simplify = util.try_simplify_traceback

    def without_ours(traceback: TracebackType | None) -> Any:
        frames = []
        while traceback is not None:
            if not traceback.tb_frame.f_code.co_filename.startswith(HERE):
                frames.append(traceback)
            traceback = traceback.tb_next
        shown = None
        for frame in reversed(frames):
            shown = TracebackType(shown, frame.tb_frame, frame.tb_lasti, frame.tb_lineno)
        return simplify(shown)

    util.try_simplify_traceback = without_ours


def read_udfs(pickler: Any, infile: Any, eval_type: int, runner_conf: Any, eval_conf: Any) -> Any:
    from pyspark import worker
    from pyspark.sql.types import _parse_datatype_json_string

    read = worker.twinspark_read_udfs(pickler, infile, eval_type, runner_conf, eval_conf)
    if eval_type != BATCHED:
        return read
    func, profiler, _, _ = read
    results = _parse_datatype_json_string(eval_conf.get("output_type", lower_str=False))
    as_bytes = bool(runner_conf.binary_as_bytes)
    return func, profiler, RowReader(eval_conf.input_type.fields, as_bytes), RowWriter(results.fields)


# ---- arguments


class RowReader:
    """Converts Arrow to the Python values that Spark's pickled rows hold."""

    def __init__(self, fields: Any, as_bytes: bool) -> None:
        self._fields = fields
        self._as_bytes = as_bytes

    def load_stream(self, stream: IO[bytes]) -> Iterator[tuple[Any, ...]]:
        import pyarrow as pa

        for batch in pa.ipc.open_stream(stream):
            columns = [self._values(batch.column(place), field) for place, field in enumerate(self._fields)]
            yield from zip(*columns, strict=True) if columns else ((),) * batch.num_rows

    def _values(self, column: Any, field: Any) -> list[Any]:
        values = column.cast(internal(column.type)).to_pylist()
        if field.dataType.needConversion():
            return [field.dataType.fromInternal(as_rows(value, field.dataType)) for value in values]
        if field.dataType.typeName() in ("array", "map"):
            return [as_rows(value, field.dataType) for value in values]
        if field.dataType.typeName() == "binary" and not self._as_bytes:
            return [None if value is None else bytearray(value) for value in values]
        return list(values)


def internal(kind: Any) -> Any:
    """The type with dates, timestamps and intervals as Spark's internal numbers."""
    import pyarrow as pa

    if pa.types.is_date32(kind):
        return pa.int32()
    if pa.types.is_timestamp(kind) or pa.types.is_duration(kind):
        return pa.int64()
    if pa.types.is_list(kind):
        return pa.list_(internal(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(each.name, internal(each.type)) for each in kind])
    if pa.types.is_map(kind):
        return pa.map_(internal(kind.key_type), internal(kind.item_type))
    return kind


def as_rows(value: Any, kind: Any) -> Any:
    """Converts Arrow's dicts to rows for structs; a variant is unchanged."""
    if value is None:
        return None
    if hasattr(kind, "sqlType"):
        return as_rows(value, kind.sqlType())
    if kind.typeName() == "struct":
        return tuple(as_rows(value.get(field.name), field.dataType) for field in kind.fields)
    if kind.typeName() == "map":
        return as_dict(value, kind)
    return [as_rows(each, kind.elementType) for each in value] if kind.typeName() == "array" else value


def as_dict(pairs: list[tuple[Any, Any]], kind: Any) -> dict[Any, Any]:
    """In the order of the HashMap that Spark would have pickled."""
    keys = [key for key, _ in pairs]
    if len(pairs) > 1:
        order = in_order(given_order, keys, typed_hash(kind.keyType.typeName()))
        pairs = [pairs[place] for place in order]
    return {as_rows(key, kind.keyType): as_rows(value, kind.valueType) for key, value in pairs}


def in_order(rule: Callable[..., list[int]], keys: list[Any], hash_of: Callable[[Any], int]) -> list[int]:
    try:
        return rule(keys, hash_of)
    except UnknownOrder as unknown:
        raise FallsBack(str(unknown)) from unknown


# ---- results


class RowWriter:
    """Converts what functions return to Arrow: one value for each row, or a tuple of several functions' values."""

    def __init__(self, fields: Any) -> None:
        from pyspark.sql.pandas.types import to_arrow_type

        self._names = [field.dataType.typeName() for field in fields]
        self._converts = [converter(field.dataType) for field in fields]
        self._types = [to_arrow_type(field.dataType, timezone="UTC") for field in fields]

    def dump_stream(self, iterator: Iterator[Any], stream: IO[bytes]) -> None:
        from pyspark.sql.pandas.serializers import ArrowStreamSerializer

        ArrowStreamSerializer(write_start_stream=True).dump_stream(self._batches(iterator), stream)

    def _batches(self, iterator: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as pa

        while rows := list(islice(iterator, ROWS)):
            columns = [rows] if len(self._types) == 1 else list(zip(*rows, strict=True))
            arrays = [
                as_declared(column, name, kind) or pa.array([convert(value) for value in column], kind)
                for column, name, convert, kind in zip(columns, self._names, self._converts, self._types, strict=True)
            ]
            yield pa.RecordBatch.from_arrays(arrays, [f"_{place}" for place in range(len(arrays))])


def as_declared(column: Any, name: str, kind: Any) -> Any:
    """The whole column if all its values have the declared type, which is the usual case; else None."""
    import pyarrow as pa

    if name not in DECLARED or not set(map(type, column)) <= {DECLARED[name], type(None)}:
        return None
    try:
        return pa.array(column, kind)
    except (OverflowError, pa.ArrowInvalid):
        return None  # numbers beyond the type's range


DECLARED = {"byte": int, "short": int, "integer": int, "long": int, "double": float, "string": str, "boolean": bool}
PLAIN = frozenset({bool, int, float, str, bytes, bytearray, Decimal, list, tuple, dict, date, datetime, timedelta})
WIDTHS = {"byte": 8, "short": 16, "integer": 32, "long": 64}
MOMENTS = frozenset({"date", "timestamp", "timestamp_ntz", "daytimeinterval"})


def converter(kind: Any) -> Convert:
    """Values of other types than the one declared are null, as in the JVM."""
    name = kind.typeName()
    if hasattr(kind, "sqlType"):
        return converter(kind.sqlType())  # PySpark's wrapper of a UDT has serialized its values already
    if name in WIDTHS:
        return check_class(integer(WIDTHS[name]))
    if name in MOMENTS:
        return check_class(integer(64))
    if name == "array":
        return check_class(array(converter(kind.elementType)))
    if name == "map":
        return check_class(mapping(converter(kind.keyType), converter(kind.valueType)))
    if name == "struct":
        return check_class(struct(kind.names, [converter(field.dataType) for field in kind.fields]))
    if name == "decimal":
        return check_class(decimal(kind.precision, kind.scale))
    if name not in SIMPLE:
        raise FallsBack(f"{kind.simpleString()} returned by a pickled Python function")
    return check_class(SIMPLE[name])


def check_class(convert: Convert) -> Convert:
    def convert_checked(value: Any) -> Any:
        if value is None:
            return None
        if type(value) not in PLAIN:
            raise FallsBack(f"a {type(value).__name__} returned by a pickled Python function")
        return convert(value)

    return convert_checked


def integer(bits: int) -> Convert:
    """A number beyond 64 bits becomes null, as in the JVM; others wrap to the type's width."""
    half, full = 1 << (bits - 1), 1 << bits

    def convert(value: Any) -> int | None:
        if type(value) is not int or not -(1 << 63) <= value < 1 << 63:
            return None
        return (value + half) % full - half

    return convert


def decimal(precision: int, scale: int) -> Convert:
    unit = Decimal(1).scaleb(-scale)

    def convert(value: Any) -> Decimal | None:
        if type(value) is not Decimal:
            return None
        if not value.is_finite() or value.adjusted() >= precision - scale or value.adjusted() > 36 - scale:
            raise FallsBack("a decimal that its type cannot hold")
        rounded = value.quantize(unit, ROUND_HALF_UP)
        if rounded.adjusted() >= precision - scale:
            raise FallsBack("a decimal that its type cannot hold")
        return rounded

    return convert


def array(element: Convert) -> Convert:
    def convert(value: Any) -> list[Any] | None:
        if type(value) in (bytes, bytearray):
            raise FallsBack("bytes as an array from a pickled Python function")
        return [element(each) for each in value] if type(value) in (list, tuple) else None

    return convert


def mapping(key: Convert, item: Convert) -> Convert:
    def convert(value: Any) -> list[tuple[Any, Any]] | None:
        if type(value) is not dict:
            return None
        entries = list(value.items())
        if len(entries) > 1:
            order = in_order(returned_order, [each for each, _ in entries], unpickled_hash)
            entries = [entries[place] for place in order]
        pairs = [(key(each), item(other)) for each, other in entries]
        if any(each is None for each, _ in pairs):
            raise FallsBack("a null as the key of a map from a pickled Python function")
        return pairs

    return convert


def struct(names: list[str], fields: list[Convert]) -> Convert:
    if len(set(names)) < len(names):
        raise FallsBack("a struct with a name twice from a pickled Python function")

    def convert(value: Any) -> dict[str, Any] | None:
        if type(value) is not tuple:
            return None
        if len(value) != len(fields):
            raise FallsBack("a struct of another length than its type")
        return {name: field(each) for name, field, each in zip(names, fields, value, strict=True)}

    return convert


def text(value: Any) -> str:
    if type(value) is bool:
        return "true" if value else "false"
    if type(value) in (str, int) or (type(value) is Decimal and str(value).strip("-0123456789.") == ""):
        return str(value)
    raise FallsBack(f"a text that the JVM makes of a {type(value).__name__}")


def binary(value: Any) -> bytes | None:
    if type(value) is str:
        return value.encode()
    return bytes(value) if type(value) in (bytes, bytearray) else None


def variant(value: Any) -> Any:
    raise FallsBack(f"a variant that the JVM makes of a {type(value).__name__}")


SIMPLE: dict[str, Convert] = {
    "boolean": lambda value: value if type(value) is bool else None,
    "float": lambda value: value if type(value) is float else None,
    "double": lambda value: value if type(value) is float else None,
    "string": text,
    "binary": binary,
    "variant": lambda value: value if type(value) is dict else variant(value),
    "void": lambda value: None,
}
