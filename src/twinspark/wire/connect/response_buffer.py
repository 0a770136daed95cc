"""Builds the bytes of a response in place: Arrow writes rows into the final buffer, copied once and without the GIL."""

import ctypes
from collections.abc import Sequence

import pyarrow as pa

# Called with NULL it returns uninitialized bytes: the only way to create a bytes object and fill it afterwards.
_new_bytes = ctypes.pythonapi.PyBytes_FromStringAndSize
_new_bytes.restype = ctypes.py_object
_new_bytes.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t]
_address = ctypes.pythonapi.PyBytes_AsString
_address.restype = ctypes.c_void_p
_address.argtypes = [ctypes.py_object]


class BatchStream:
    """An Arrow IPC stream with one record batch, which is serialized later by `write`."""

    def __init__(self, batch: pa.RecordBatch, schema_size: int) -> None:
        self._batch = batch
        self._size = schema_size + pa.ipc.get_record_batch_size(batch) + 8  # end-of-stream marker

    def __len__(self) -> int:
        return self._size

    def write(self, into: memoryview) -> None:
        with pa.ipc.new_stream(pa.FixedSizeBufferWriter(pa.py_buffer(into)), self._batch.schema) as stream:
            stream.write_batch(self._batch)


Part = bytes | BatchStream


def join_parts(parts: Sequence[Part]) -> bytes:
    data: bytes = _new_bytes(None, sum(map(len, parts)))
    view = memoryview((ctypes.c_char * len(data)).from_address(_address(data))).cast("B")
    at = 0
    for part in parts:
        target = view[at : at + len(part)]
        if isinstance(part, BatchStream):
            part.write(target)
        else:
            target[:] = part
        at += len(part)
    return data
