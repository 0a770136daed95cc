"""A TRowSet, in any of its three forms, as Arrow record batches of the result's schema."""

from collections.abc import Iterator

import pyarrow as pa

from twinspark.driver.errors import InterfaceError
from twinspark.driver.messages import Message
from twinspark.driver.result_types import ResultTypes


def batches_of(results: Message, types: ResultTypes) -> Iterator[pa.RecordBatch]:
    if results.get("resultLinks"):
        raise InterfaceError("the server sent links to files though none were asked for")
    if results.get("arrowBatches"):
        yield from arrow_batches(results["arrowBatches"], types)
    elif columns := results.get("columns") or results.get("rows"):
        yield types.batch([next(iter(column.values())) for column in columns])


def arrow_batches(sent: list[Message], types: ResultTypes) -> Iterator[pa.RecordBatch]:
    if types.wire is None:
        raise InterfaceError("Arrow batches came without an arrowSchema")
    for item in sent:
        rows = 0
        for batch in read_batches(decompressed(item["batch"], types.lz4), types.wire):
            rows += batch.num_rows
            yield types.batch(batch.columns)
        if rows != item.get("rowCount", rows):
            raise InterfaceError(f"an Arrow batch announced {item['rowCount']} rows and held {rows}")


def decompressed(data: memoryview, lz4: bool) -> pa.Buffer:
    buffer = pa.py_buffer(data)
    if not lz4:
        return buffer
    with pa.input_stream(buffer, compression="lz4") as stream:
        return stream.read_buffer()


def read_batches(buffer: pa.Buffer, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """One or more encapsulated messages; some servers repeat the schema in front."""
    reader = pa.BufferReader(buffer)
    try:
        while reader.tell() < buffer.size:
            message = pa.ipc.read_message(reader)
            if message.type == "record batch":
                yield pa.ipc.read_record_batch(message, schema)
    except (pa.ArrowInvalid, EOFError, OSError) as error:
        raise InterfaceError(f"an Arrow batch cannot be read: {error}", "08P01") from error
