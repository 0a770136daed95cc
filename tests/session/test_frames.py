"""Responses written by hand must be what protobuf would have written, for any client to read."""

import pyarrow as pa
import pytest
from pyspark.sql.connect.proto import base_pb2
from pyspark.sql.types import LongType, StructField, StructType

from twinspark.wire.connect import response_frames as frames
from twinspark.wire.connect.response_frames import BatchWriter, Framer, schema_field

BATCH = pa.RecordBatch.from_pydict({"id": pa.array(range(1000), pa.int64()), "s": ["x" * 50] * 1000})


def parsed(parts: list[bytes]) -> base_pb2.ExecutePlanResponse:
    framer = Framer("session", "server", "operation")
    return base_pb2.ExecutePlanResponse.FromString(framer.frame(*parts).data)


def rows(data: bytes) -> pa.Table:
    return pa.ipc.open_stream(data).read_all()


def test_schema_and_first_batch_share_a_response() -> None:
    schema = StructType([StructField("id", LongType(), False)])
    (parts,) = BatchWriter(BATCH.schema, None).fields(BATCH)
    response = parsed([schema_field(schema), *parts])
    assert (response.session_id, response.operation_id, response.server_side_session_id) == (
        "session",
        "operation",
        "server",
    )
    assert response.response_id
    assert response.schema.struct.fields[0].name == "id"
    assert response.arrow_batch.row_count == 1000
    assert rows(response.arrow_batch.data) == pa.Table.from_batches([BATCH])


def test_batches_know_the_offset_of_their_first_row() -> None:
    writer = BatchWriter(BATCH.schema, None)
    offsets = [parsed(next(writer.fields(BATCH))).arrow_batch.start_offset for _ in range(3)]
    assert offsets == [0, 1000, 2000]


def test_large_batches_are_split_by_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frames, "BATCH_BYTES", 10_000)
    responses = [parsed(parts) for parts in BatchWriter(BATCH.schema, None).fields(BATCH)]
    assert len(responses) > 4
    assert [each.arrow_batch.start_offset for each in responses][:2] == [0, responses[0].arrow_batch.row_count]
    assert pa.concat_tables([rows(each.arrow_batch.data) for each in responses]) == pa.Table.from_batches([BATCH])


def test_a_batch_travels_in_chunks_to_a_client_that_asks() -> None:
    responses = [parsed(parts) for parts in BatchWriter(BATCH.schema, 4096).fields(BATCH)]
    batches = [each.arrow_batch for each in responses]
    assert {each.num_chunks_in_batch for each in batches} == {len(batches)}
    assert [each.chunk_index for each in batches] == list(range(len(batches)))
    assert {(each.row_count, each.start_offset) for each in batches} == {(1000, 0)}
    assert rows(b"".join(each.data for each in batches)) == pa.Table.from_batches([BATCH])


def test_result_complete_and_progress() -> None:
    framer = Framer("s", "v", "o")
    complete = base_pb2.ExecutePlanResponse.FromString(framer.result_complete().data)
    assert complete.HasField("result_complete")
    progress = base_pb2.ExecutePlanResponse.FromString(framer.progress(0.42).data).execution_progress
    assert (progress.stages[0].num_tasks, progress.stages[0].num_completed_tasks) == (100, 42)
