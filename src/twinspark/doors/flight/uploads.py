"""Rows that clients upload: decoded and validated, since wrong offsets in them would make Arrow read foreign memory."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

import pyarrow as pa

from twinspark.doors.flight.status import invalid
from twinspark.wire.flight.frames import RECORDS, SCHEMA, FrameError, message_kind, stream_of
from twinspark.wire.flight.messages import core


class Frame(NamedTuple):
    """The two parts of an Arrow message in a FlightData."""

    header: bytes
    body: bytes


def frames_of(messages: Iterable[bytes]) -> Iterator[Frame]:
    """A schema, then record batches; a first message that only names the command has no header."""
    is_first = True
    for each in map(core.FlightData.FromString, messages):
        if each.data_header:
            if kind_of(each.data_header) != (SCHEMA if is_first else RECORDS):
                raise invalid("an upload is a schema and then record batches")
            is_first = False
            yield Frame(each.data_header, each.data_body)


def kind_of(header: bytes) -> int:
    try:
        return message_kind(memoryview(header))
    except FrameError as error:
        raise invalid(str(error)) from error


def read_rows(frames: list[Frame]) -> pa.Table:
    try:
        rows = pa.ipc.open_stream(stream_of(frames)).read_all()
        rows.validate(full=True)
    except (pa.ArrowException, OSError) as error:
        raise invalid(f"the uploaded rows are malformed: {error}") from error
    return rows


def read_upload(messages: Iterable[bytes]) -> pa.Table | None:
    """All rows of an upload; None if it has no schema."""
    frames = list(frames_of(messages))
    return read_rows(frames) if frames else None
