"""The codec: every message and every column comes back as it was sent, whole, in pieces, or not at all."""

import struct
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twinspark.wire.thrift import binary as wire
from twinspark.wire.thrift.binary import Reader, WireError, Writer
from twinspark.wire.thrift.columns import COLUMNS, read_column, write_column
from twinspark.wire.thrift.messages import (
    FIELDS,
    METHODS,
    STRUCTS,
    Struct,
    call_parts,
    read_wrapped,
    request_of,
    response_of,
)
from twinspark.wire.thrift.row_values import IDS

KINDS = {
    line.split(": ")[0]: {part.split(" ")[1]: part.split(" ")[2] for part in line.split(": ")[1].split(", ")}
    for line in FIELDS.replace(",\n  ", ", ").strip().splitlines()
}
ARROW_VALUES: dict[str, st.SearchStrategy[Any]] = {
    "bool": st.booleans(),
    "byte": st.integers(-128, 127),
    "i16": st.integers(-(1 << 15), (1 << 15) - 1),
    "i32": st.integers(-(1 << 31), (1 << 31) - 1),
    "i64": st.integers(-(1 << 63), (1 << 63) - 1),
    "double": st.floats(allow_nan=False),
    "string": st.text(),
    "binary": st.binary(),
}


def values_of(kind: str, depth: int = 3) -> st.SearchStrategy[Any]:
    if kind in ARROW_VALUES:
        return ARROW_VALUES[kind]
    if kind == "rows":
        return st.integers(1, 5).flatmap(rows_of)
    outer, _, inner = kind[:-1].partition("<")
    if outer == "list":
        return st.lists(values_of(inner, depth - 1), max_size=3 if depth > 0 else 0)
    if outer == "map":
        return st.dictionaries(st.text(max_size=5), values_of(inner, depth - 1), max_size=3)
    if outer == "column":
        return st.lists(st.none() | ARROW_VALUES[inner], max_size=9).map(lambda v: pa.array(v, COLUMNS[inner].arrow))
    return messages_of(kind, depth - 1)


def rows_of(height: int) -> st.SearchStrategy[list[dict[str, pa.Array]]]:
    """Columns of one height, as many and of such kinds as may be."""
    return st.lists(st.sampled_from(sorted(IDS)).flatmap(lambda name: row_column(name, height)), min_size=1, max_size=4)


def row_column(name: str, height: int) -> st.SearchStrategy[dict[str, pa.Array]]:
    values = st.lists(st.none() | ARROW_VALUES[name.removesuffix("Val")], min_size=height, max_size=height)
    return values.map(lambda found: {name: pa.array(found, COLUMNS[name.removesuffix("Val")].arrow)})


def messages_of(name: str, depth: int = 3) -> st.SearchStrategy[dict[str, Any]]:
    if depth < 0:
        return st.just({})
    return st.fixed_dictionaries({}, optional={field: values_of(kind, depth) for field, kind in KINDS[name].items()})


def comparable(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: comparable(inner) for name, inner in value.items()}
    if isinstance(value, list):
        return [comparable(inner) for inner in value]
    return bytes(value) if isinstance(value, memoryview) else value


def written(spec: Struct, message: dict[str, Any]) -> bytes:
    writer = Writer()
    spec.write(writer, message)
    return writer.bytes()


@pytest.mark.parametrize("name", sorted(KINDS))
def test_every_message_comes_back(name: str) -> None:
    @settings(max_examples=25, deadline=None)
    @given(messages_of(name))
    def check(message: dict[str, Any]) -> None:
        reader = Reader(written(STRUCTS[name], message))
        assert comparable(STRUCTS[name].read(reader)) == comparable(message)
        assert reader.position == len(reader.data)

    check()


@settings(max_examples=60, deadline=None)
@given(messages_of("TFetchResultsResp"), st.integers(1, 7))
def test_a_message_in_pieces_reads_the_same(message: dict[str, Any], piece: int) -> None:
    data = written(STRUCTS["TFetchResultsResp"], message)
    sent = 0

    def more(at_least: int) -> bytes:
        nonlocal sent
        count = -(-at_least // piece) * piece
        found = data[sent : sent + count]
        sent += count
        return found

    assert comparable(STRUCTS["TFetchResultsResp"].read(Reader(more=more))) == comparable(message)


@pytest.mark.parametrize("name", sorted(COLUMNS))
def test_columns_and_their_slices_come_back(name: str) -> None:
    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.none() | ARROW_VALUES[name], max_size=40), st.integers(0, 12))
    def check(values: list[Any], start: int) -> None:
        array = pa.array(values, COLUMNS[name].arrow).slice(start)
        writer = Writer()
        write_column(writer, COLUMNS[name], array)
        found = read_column(Reader(writer.bytes()), COLUMNS[name])
        found.validate(full=True)
        assert found.to_pylist() == array.to_pylist()

    check()


def test_nulls_are_trimmed_as_spark_trims_them() -> None:
    writer = Writer()
    write_column(writer, COLUMNS["i32"], pa.array([None] + [1] * 30, pa.int32()))
    assert writer.bytes().endswith(b"\x0b\x00\x02\x00\x00\x00\x01\x01\x00")


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_noise_is_an_error_and_never_more(noise: bytes) -> None:
    try:
        found = STRUCTS["TExecuteStatementReq"].read(Reader(noise))
    except WireError:
        return
    assert set(found) <= set(KINDS["TExecuteStatementReq"])


@settings(max_examples=60, deadline=None)
@given(messages_of("TGetResultSetMetadataResp"), st.data())
def test_a_truncated_message_is_an_error(message: dict[str, Any], data: st.DataObject) -> None:
    whole = written(STRUCTS["TGetResultSetMetadataResp"], message)
    with pytest.raises(WireError):
        STRUCTS["TGetResultSetMetadataResp"].read(Reader(whole[: data.draw(st.integers(0, len(whole) - 1))]))


def test_unknown_fields_are_stepped_over_without_being_read() -> None:
    """A later protocol may add anything: here a map of lists of structs with bytes that are no UTF-8."""
    writer = Writer()
    writer.field(wire.MAP, 9999)
    writer.map_head(wire.STRING, wire.LIST, 1)
    writer.binary(b"\xff\xfe")
    writer.list_head(wire.STRUCT, 1)
    writer.field(wire.STRING, 1)
    writer.binary(b"\x80")
    writer.stop()
    writer.field(wire.I32, 1)
    writer.number(wire.I32, 3)
    writer.stop()
    assert STRUCTS["TStatus"].read(Reader(writer.bytes())) == {"statusCode": 3}


def test_deep_nesting_is_refused() -> None:
    deep = struct.pack(">bh", wire.STRUCT, 77) * 5000
    with pytest.raises(WireError, match="deep"):
        STRUCTS["TStatus"].read(Reader(deep))


@pytest.mark.parametrize("method", METHODS)
def test_calls_and_replies_are_wrapped_where_thrift_wants_them(method: str) -> None:
    call = Reader(call_parts(method, wire.CALL, 7, 1, request_of(method), {}).bytes())
    assert call.message_head() == (method, wire.CALL, 7)
    assert read_wrapped(call, 1, request_of(method)) == {}
    reply = Reader(call_parts(method, wire.REPLY, 7, 0, response_of(method), {}).bytes())
    assert reply.message_head() == (method, wire.REPLY, 7)
    assert read_wrapped(reply, 0, response_of(method)) == {}
