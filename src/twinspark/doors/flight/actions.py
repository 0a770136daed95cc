"""The actions of Flight and Flight SQL: prepared statements, cancelling, and options of the session."""

from collections.abc import Callable
from typing import Any

from twinspark.doors.flight.session import FlightSession
from twinspark.doors.flight.statements import Prepared, Statement, parameter_schema, query_schema
from twinspark.doors.flight.status import invalid, not_supported
from twinspark.doors.http2 import CallRejected
from twinspark.types import quote_identifier
from twinspark.wire.flight.messages import core, serialize, sql

CANCELLED, NOT_CANCELLABLE = 1, 3
INVALID_NAME, INVALID_VALUE = 1, 2  # SetSessionOptionsResult.ErrorValue
CLOSED = 1
CATALOG, SCHEMA = "catalog", "schema"
SETTINGS = ("spark.", "twinspark.")


def create_prepared_statement(body: bytes, session: FlightSession) -> bytes:
    query = unpack(body).query
    schema = query_schema(query, session)
    answer = sql.ActionCreatePreparedStatementResult(prepared_statement_handle=Prepared(query).handle)
    answer.parameter_schema = parameter_schema(query).serialize().to_pybytes()
    if schema is not None:
        answer.dataset_schema = schema.serialize().to_pybytes()
    return sql.pack(answer)


def close_prepared_statement(body: bytes, session: FlightSession) -> bytes:
    """Nothing is stored for it."""
    unpack(body)
    return b""


def cancel_flight_info(body: bytes, session: FlightSession) -> bytes:
    info = core.CancelFlightInfoRequest.FromString(body).info
    return serialize(core.CancelFlightInfoResult(status=cancel(info, session)))


def cancel_query(body: bytes, session: FlightSession) -> bytes:
    """The older form of the same."""
    info = core.FlightInfo.FromString(unpack(body).info)
    return sql.pack(sql.ActionCancelQueryResult(result=cancel(info, session)))


def cancel(info: Any, session: FlightSession) -> int:
    tickets = [sql.unpack(each.ticket.ticket) for each in info.endpoint]
    handles = [each.statement_handle for each in tickets if isinstance(each, sql.TicketStatementQuery)]
    interrupted = [session.interrupt(Statement.of(handle).tag) for handle in handles]
    return CANCELLED if any(interrupted) else NOT_CANCELLABLE


def set_session_options(body: bytes, session: FlightSession) -> bytes:
    answer = core.SetSessionOptionsResult()
    for name, value in core.SetSessionOptionsRequest.FromString(body).session_options.items():
        if (problem := set_option(name, option_text(value), session)) is not None:
            answer.errors[name].value = problem
    return serialize(answer)


def option_text(value: Any) -> str | None:
    if value.HasField("string_list_value"):
        return None
    present = [field for field, _ in value.ListFields()]
    found = getattr(value, present[0].name) if present else ""
    return str(found).lower() if isinstance(found, bool) else str(found)


def set_option(name: str, value: str | None, session: FlightSession) -> int | None:
    """The catalog and schema by USE, settings of Spark and twinspark by their keys."""
    if name not in (CATALOG, SCHEMA) and not name.startswith(SETTINGS):
        return INVALID_NAME
    if value is None:
        return INVALID_VALUE
    try:
        if name.startswith(SETTINGS):
            session.change_setting(name, value)
        else:
            session.run_sql(f"{'SET CATALOG' if name == CATALOG else 'USE SCHEMA'} {quote_identifier(value)}")
    except CallRejected:
        return INVALID_VALUE
    return None


def get_session_options(body: bytes, session: FlightSession) -> bytes:
    answer = core.GetSessionOptionsResult()
    names = session.execute(session.prepare(), "SELECT current_catalog(), current_schema()").rows[0].to_pylist()[0]
    for option, value in zip((CATALOG, SCHEMA), names.values(), strict=True):
        answer.session_options[option].string_value = value
    return serialize(answer)


def close_session(body: bytes, session: FlightSession) -> bytes:
    session.release()
    return serialize(core.CloseSessionResult(status=CLOSED))


def reject_transaction(body: bytes, session: FlightSession) -> bytes:
    raise not_supported("Spark has no transactions over several statements")


def unpack(body: bytes) -> Any:
    found = sql.unpack(body)
    if found is None:
        raise invalid("the body of the action is not a message of Flight SQL")
    return found


ACTIONS: dict[str, tuple[Callable[[bytes, FlightSession], bytes], str]] = {
    "CreatePreparedStatement": (create_prepared_statement, "Prepares a statement, with or without parameters"),
    "ClosePreparedStatement": (close_prepared_statement, "Ends a prepared statement"),
    "BeginTransaction": (reject_transaction, "Not supported"),
    "EndTransaction": (reject_transaction, "Not supported"),
    "CancelFlightInfo": (cancel_flight_info, "Interrupts a statement that is being read"),
    "CancelQuery": (cancel_query, "Interrupts a statement that is being read"),
    "SetSessionOptions": (set_session_options, "Sets catalog, schema, and settings of Spark"),
    "GetSessionOptions": (get_session_options, "Reports catalog and schema"),
    "CloseSession": (close_session, "Ends the session"),
}
