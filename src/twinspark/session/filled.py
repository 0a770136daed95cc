"""Bytes that are written where they will be sent from: rows go there in one copy, and without Python's lock."""

import ctypes
from collections.abc import Sequence

import pyarrow as pa

_new_bytes = ctypes.pythonapi.PyBytes_FromStringAndSize  # of no source: the one way to fill bytes after they are made
_new_bytes.restype = ctypes.py_object
_new_bytes.argtypes = [ctypes.c_void_p, ctypes.c_ssize_t]
_address = ctypes.pythonapi.PyBytes_AsString
_address.restype = ctypes.c_void_p
_address.argtypes = [ctypes.py_object]


class BatchStream:
    """One Arrow IPC stream of one batch, still to be written."""

    def __init__(self, batch: pa.RecordBatch, schema_size: int) -> None:
        self._batch = batch
        self._size = schema_size + pa.ipc.get_record_batch_size(batch) + 8  # the end of a stream takes eight

    def __len__(self) -> int:
        return self._size

    def write(self, into: memoryview) -> None:
        with pa.ipc.new_stream(pa.FixedSizeBufferWriter(pa.py_buffer(into)), self._batch.schema) as stream:
            stream.write_batch(self._batch)


Part = bytes | BatchStream


def joined(parts: Sequence[Part]) -> bytes:
    data: bytes = _new_bytes(None, sum(map(len, parts)))
    view = memoryview((ctypes.c_char * len(data)).from_address(_address(data))).cast("B")
    at = 0
    for part in parts:
        place = view[at : at + len(part)]
        if isinstance(part, BatchStream):
            part.write(place)
        else:
            place[:] = part
        at += len(part)
    return data
