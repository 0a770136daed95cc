"""The RPCs of FlightService, one method each, from bytes to bytes."""

import uuid
from collections.abc import Iterator
from itertools import chain
from typing import Any

import pyarrow as pa

from twinspark.doors.connect.service import ConnectService
from twinspark.doors.flight.actions import ACTIONS
from twinspark.doors.flight.identity import cookie_of, login_of, set_cookie, user_of
from twinspark.doors.flight.ingest import ingest
from twinspark.doors.flight.listings import is_listing, listing, listing_schema
from twinspark.doors.flight.results import FrameWriter
from twinspark.doors.flight.session import FlightSession
from twinspark.doors.flight.statements import (
    Prepared,
    Statement,
    bound_rows,
    only_row,
    query_schema,
    run_update,
)
from twinspark.doors.flight.status import answers_once, answers_stream, invalid, not_supported
from twinspark.doors.flight.uploads import read_upload
from twinspark.doors.http2 import Call, Kind, Method
from twinspark.sessions.access.tokens import Tokens
from twinspark.wire.connect.proto_fields import bytes_field
from twinspark.wire.flight.frames import arrow_messages, flight_data, schema_frame
from twinspark.wire.flight.messages import core, serialize, sql

SERVICE = "arrow.flight.protocol.FlightService"
SESSION = "flight session"  # key of what is known about a connection
UNKNOWN = -1
PAYLOAD, BODY = 2, 1  # of HandshakeResponse and Result; written even if empty, as no message may have no bytes here


class FlightService:
    """Finds the session of each call and works in it."""

    def __init__(self, connect: ConnectService, tokens: Tokens) -> None:
        self._connect, self._tokens = connect, tokens

    def Handshake(self, requests: Iterator[bytes], call: Call) -> Iterator[bytes]:
        """The check of every call has tested the login; a client that waits for the headers sends no message."""
        call.metadata = (("authorization", login_of(call.headers).bearer()),)
        yield bytes_field(PAYLOAD, b"")

    @answers_once
    def GetFlightInfo(self, data: bytes, call: Call) -> bytes:
        descriptor = core.FlightDescriptor.FromString(data)
        command, session = unpack(descriptor.cmd), self._session(call)
        if is_listing(command):
            return flight_info(descriptor, listing_schema(command), descriptor.cmd)
        statement = Statement.from_relation(prepared_of(command).run(session), session)
        ticket = sql.pack(sql.TicketStatementQuery(statement_handle=statement.handle))
        return flight_info(descriptor, statement.schema, ticket)

    @answers_once
    def GetSchema(self, data: bytes, call: Call) -> bytes:
        command, session = unpack(core.FlightDescriptor.FromString(data).cmd), self._session(call)
        schema = listing_schema(command) if is_listing(command) else planned_schema(command, session)
        return serialize(core.SchemaResult(schema=schema.serialize().to_pybytes()))

    @answers_stream
    def DoGet(self, data: bytes, call: Call) -> Iterator[bytes]:
        command, session = unpack(core.Ticket.FromString(data).ticket), self._session(call)
        if is_listing(command):
            yield from listing_frames(listing(command, session))
        elif isinstance(command, sql.TicketStatementQuery):
            yield from statement_frames(Statement.of(command.statement_handle), session)
        else:
            raise invalid("a ticket of this server is needed")

    @answers_stream
    def DoPut(self, requests: Iterator[bytes], call: Call) -> Iterator[bytes]:
        first = next(requests, None)
        if first is None:
            raise invalid("DoPut without a message")
        command, session = unpack(core.FlightData.FromString(first).flight_descriptor.cmd), self._session(call)
        answer = put(command, chain([first], requests), session)
        yield serialize(core.PutResult(app_metadata=serialize(answer)))

    @answers_stream
    def DoAction(self, data: bytes, call: Call) -> Iterator[bytes]:
        action = core.Action.FromString(data)
        if action.type not in ACTIONS:
            raise not_supported(f"there is no action {action.type[:80]!r}")
        session = self._session(call)
        yield bytes_field(BODY, ACTIONS[action.type][0](action.body, session))

    @answers_stream
    def ListActions(self, data: bytes, call: Call) -> Iterator[bytes]:
        for name, (_, description) in ACTIONS.items():
            yield serialize(core.ActionType(type=name, description=description))

    @answers_stream
    def ListFlights(self, data: bytes, call: Call) -> Iterator[bytes]:
        """Statements are not published."""
        yield from ()

    def _session(self, call: Call) -> FlightSession:
        """The session of the client's cookie; a client without cookies has one for each connection."""
        call.may_take_long()
        user, cookie = user_of(call.headers, self._tokens), cookie_of(call.headers)
        session_id = cookie or self._connection_session(call, user)
        if cookie is None:
            call.metadata = (set_cookie(session_id),)
        else:
            call.connection.known[cookie] = True  # the client returns cookies: its session outlives the connection
        return FlightSession(self._connect, user, session_id, call)

    def _connection_session(self, call: Call, user: str) -> str:
        known = call.connection.known
        key = f"{SESSION} {user}"
        if key not in known:
            known[key] = str(uuid.uuid4())
            call.connection.add_callback(lambda: self._leave(user, known[key], known))
        return str(known[key])

    def _leave(self, user: str, session_id: str, known: dict[str, Any]) -> None:
        if session_id not in known:
            self._connect.end_session(user, session_id)


def unpack(data: bytes) -> Any:
    command = sql.unpack(data)
    if command is None:
        raise invalid("only commands of Flight SQL are served")
    return command


def prepared_of(command: Any) -> Prepared:
    if isinstance(command, sql.CommandStatementQuery | sql.CommandStatementUpdate):
        return Prepared(command.query)
    if isinstance(command, sql.CommandPreparedStatementQuery | sql.CommandPreparedStatementUpdate):
        return Prepared.of(command.prepared_statement_handle)
    raise not_supported(f"{command.DESCRIPTOR.name} is not supported here")


def planned_schema(command: Any, session: FlightSession) -> pa.Schema:
    """By analysis only: a command is not run."""
    return query_schema(prepared_of(command).query, session) or pa.schema([])


def flight_info(descriptor: Any, schema: pa.Schema, ticket: bytes) -> bytes:
    """One endpoint without a location: the client reads from the server that it called."""
    info = core.FlightInfo(schema=schema.serialize().to_pybytes(), total_records=UNKNOWN, total_bytes=UNKNOWN)
    info.flight_descriptor.CopyFrom(descriptor)
    info.endpoint.add().ticket.ticket = ticket
    return serialize(info)


def listing_frames(batch: pa.RecordBatch) -> Iterator[bytes]:
    yield schema_frame(batch.schema)
    for header, body in arrow_messages(memoryview(batch.serialize())):
        yield flight_data(header, body)


def statement_frames(statement: Statement, session: FlightSession) -> Iterator[bytes]:
    """An empty frame passes on that the responses before it must not wait for further ones."""
    writer = FrameWriter(statement.schema)
    yield schema_frame(statement.schema)
    for stream in session.streams(statement.relation, statement.tag):
        if stream:
            yield from writer.frames(stream)
        else:
            yield b""


def put(command: Any, messages: Iterator[bytes], session: FlightSession) -> Any:
    """Binds parameters of a query, runs an update, or ingests rows; all messages of the client are read."""
    if isinstance(command, sql.CommandStatementIngest):
        return sql.DoPutUpdateResult(record_count=ingest(command, messages, session))
    prepared, rows = prepared_of(command), read_upload(messages)
    if isinstance(command, sql.CommandPreparedStatementQuery):
        bound = prepared.bind(only_row(rows)) if rows is not None and rows.num_columns else prepared
        return sql.DoPutPreparedStatementResult(prepared_statement_handle=bound.handle)
    if rows is None or not rows.num_columns:
        return sql.DoPutUpdateResult(record_count=run_update(prepared, session))
    counts = [run_update(prepared.bind(row), session) for row in bound_rows(rows)]
    return sql.DoPutUpdateResult(record_count=sum(counts) if UNKNOWN not in counts else UNKNOWN)


def methods_of(service: FlightService) -> dict[str, Method]:
    kinds: dict[Kind, tuple[str, ...]] = {
        Kind.UNARY: ("GetFlightInfo", "GetSchema"),
        Kind.STREAM: ("DoGet", "DoAction", "ListActions", "ListFlights"),
        Kind.EXCHANGE: ("Handshake", "DoPut"),
    }
    named = [(name, kind) for kind, names in kinds.items() for name in names]
    return {f"/{SERVICE}/{name}": Method(kind, getattr(service, name)) for name, kind in named}
