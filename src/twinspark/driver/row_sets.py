"""Converts a TRowSet (Arrow batches, columns or rows) to record batches with the schema of the result."""

from collections.abc import Iterator

import pyarrow as pa

from twinspark.driver.errors import InterfaceError
from twinspark.driver.result_types import ResultTypes
from twinspark.wire.thrift.messages import Message


def batches_of(results: Message, types: ResultTypes) -> Iterator[pa.RecordBatch]:
    if results.get("resultLinks"):
        raise InterfaceError("the server sent links to files though none were requested")
    if results.get("arrowBatches"):
        yield from arrow_batches(results["arrowBatches"], types)
    elif columns := results.get("columns") or results.get("rows"):
        yield types.batch([next(iter(column.values())) for column in columns])


def arrow_batches(sent: list[Message], types: ResultTypes) -> Iterator[pa.RecordBatch]:
    if types.wire is None:
        raise InterfaceError("Arrow batches came without an arrowSchema")
    for item in sent:
        rows = 0
        for batch in read_batches(decompress(item["batch"], types.lz4), types.wire):
            rows += batch.num_rows
            yield types.batch(batch.columns)
        if rows != item.get("rowCount", rows):
            raise InterfaceError(f"an Arrow batch announced {item['rowCount']} rows and held {rows}")


def decompress(data: memoryview, lz4: bool) -> pa.Buffer:
    buffer = pa.py_buffer(data)
    if not lz4:
        return buffer
    with pa.input_stream(buffer, compression="lz4") as stream:
        return stream.read_buffer()


def read_batches(buffer: pa.Buffer, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Reads one or more encapsulated Arrow messages; some servers repeat the schema first."""
    reader = pa.BufferReader(buffer)
    try:
        while reader.tell() < buffer.size:
            message = pa.ipc.read_message(reader)
            if message.type == "record batch":
                yield pa.ipc.read_record_batch(message, schema)
    except (pa.ArrowInvalid, EOFError, OSError) as error:
        raise InterfaceError(f"an Arrow batch cannot be read: {error}", "08P01") from error
