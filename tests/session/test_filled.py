"""Bytes filled in place are those that Arrow would have made, whatever stands around them."""

import pyarrow as pa
import pytest

from twinspark.wire.connect.response_buffer import BatchStream, join_parts

END_OF_STREAM = b"\xff\xff\xff\xff\x00\x00\x00\x00"
BATCHES = {
    "flat": pa.record_batch({"a": [1, None, 3], "b": ["x", "", None]}),
    "nested": pa.record_batch({"c": [[1, 2], None], "d": [{"e": None}, {"e": 1.5}]}),
    "sliced": pa.record_batch({"a": list(range(1000)), "s": [str(i) for i in range(1000)]}).slice(333, 17),
    "empty": pa.record_batch({"a": pa.array([], pa.int8())}),
    "without columns": pa.RecordBatch.from_struct_array(pa.array([{}] * 3, pa.struct([]))),
}


@pytest.mark.parametrize("name", BATCHES)
def test_a_batch_between_other_bytes(name: str) -> None:
    batch = BATCHES[name]
    stream = BatchStream(batch, len(batch.schema.serialize()))
    whole = batch.schema.serialize().to_pybytes() + batch.serialize().to_pybytes() + END_OF_STREAM
    assert join_parts((b"before", stream, b"after")) == b"before" + whole + b"after"
    assert len(stream) == len(whole)


def test_no_parts_at_all() -> None:
    assert join_parts(()) == b""
    assert join_parts((b"", b"one")) == b"one"
