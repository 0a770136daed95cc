"""The methods of TCLIService, over the sessions and operations that their handles name."""

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field

from twinspark.doors.thrift.backend import Arguments, Backend, BackendError, BackendSession
from twinspark.doors.thrift.metadata import listing
from twinspark.doors.thrift.operations import Identifier, Operation
from twinspark.doors.thrift.parameters import arguments_of
from twinspark.doors.thrift.results import HandleError, Rows, statement_rows
from twinspark.doors.thrift.row_sets import Form, form_of
from twinspark.read.sql.lexer.keywords import KEYWORDS, SYNONYMS
from twinspark.release import SPARK_VERSION
from twinspark.types import quote_identifier
from twinspark.wire.thrift.messages import LISTINGS, Message
from twinspark.wire.thrift.protocol import (
    HIVE_V10,
    LOG_OUTPUT,
    SESSION_CONF_PREFIX,
    SPARK_V9,
    TERMINAL,
    USE_DATABASE,
    OperationState,
    OperationType,
    ResultFormat,
    StatusCode,
    is_spark_version,
)

OK: Message = {"statusCode": StatusCode.SUCCESS}
DIRECT_WAIT = 1.0  # how long a client waits for direct results; only afterwards it has a handle to cancel by
LONG_POLL, PROGRESS_POLL = 5.0, 0.5
INFO: dict[int, Message] = {
    2: {"stringValue": "twinspark"},
    13: {"stringValue": "Spark SQL"},
    14: {"stringValue": "\\"},
    17: {"stringValue": "Spark SQL"},
    18: {"stringValue": SPARK_VERSION},
    29: {"stringValue": "`"},
    30: {"lenValue": 128},
    32: {"lenValue": 128},
    34: {"lenValue": 128},
    35: {"lenValue": 128},
    46: {"smallIntValue": 0},
    10003: {"stringValue": "N"},
    # Spark leaves out keywords with synonyms
    10006: {"stringValue": ",".join(sorted(KEYWORDS - set(SYNONYMS.values())))},
}


@dataclass
class Peer:
    """The peer: its login name, whether the connection is local, and the sessions it opened."""

    user: str
    is_local: bool
    is_gone: Callable[[], bool]
    opened: set[bytes] = field(default_factory=set)


@dataclass
class Session:
    backend: BackendSession
    version: int
    lz4: bool
    identifier: Identifier = field(default_factory=Identifier)
    operations: dict[bytes, Operation] = field(default_factory=dict)
    used: float = field(default_factory=time.monotonic)
    user: str = ""

    def is_of(self, peer: Peer) -> bool:
        """Another user's handle is treated as unknown."""
        return self.user == peer.user or self.identifier.key in peer.opened

    def idle_seconds(self) -> float:
        """Since the last call that named it; a running statement counts as use."""
        if any(operation.state not in TERMINAL for operation in list(self.operations.values())):
            self.used = time.monotonic()
        return time.monotonic() - self.used

    @property
    def handle(self) -> Message:
        return {"sessionId": self.identifier.message()}


class Service:
    """All sessions of one Thrift server."""

    def __init__(self, backend: Backend, compress_local: bool = False) -> None:
        self.backend = backend
        self.compress_local = compress_local
        self.sessions: dict[bytes, Session] = {}
        self.owners: dict[bytes, Session] = {}  # by the key of an operation
        self.lock = threading.Lock()

    def answer(self, method: str, request: Message, peer: Peer) -> Message:
        """A response with a status; errors are reported there with Spark's message text."""
        try:
            reply = METHODS[method](self, request, peer)
        except HandleError as error:
            return {"status": error_status(str(error), error.sqlstate)}
        except StatementError as error:
            return {"status": error_status(str(error), error.sqlstate or "")}
        except BackendError as error:
            return {"status": error_status(f"Error running query: {error}", error.sqlstate or "")}
        return {"status": OK, **reply}

    def close(self) -> None:
        """Every session ends with the server."""
        for session in self.all_sessions():
            self.end(session)

    def all_sessions(self) -> list[Session]:
        with self.lock:
            return list(self.sessions.values())

    def session(self, request: Message, peer: Peer) -> Session:
        identifier = identifier_of(request, "sessionHandle", "sessionId")
        found = self.sessions.get(key_of(identifier))
        if found is None or not found.is_of(peer):
            raise HandleError(f"Invalid SessionHandle: SessionHandle [{handle_text(identifier)}]")
        found.used = time.monotonic()
        return found

    def owner(self, request: Message, peer: Peer) -> tuple[Session, Operation]:
        identifier = identifier_of(request, "operationHandle", "operationId")
        session = self.owners.get(key_of(identifier))
        operation = session.operations.get(key_of(identifier)) if session is not None else None
        if session is None or operation is None or not session.is_of(peer):
            kind = operation_name(request.get("operationHandle", {}).get("operationType"))
            description = f"opType={kind}, getHandleIdentifier()={handle_text(identifier)}"
            raise HandleError(f"Invalid OperationHandle: OperationHandle [{description}]")
        session.used = time.monotonic()
        return session, operation

    def operation(self, request: Message, peer: Peer) -> Operation:
        return self.owner(request, peer)[1]

    # Sessions

    def open_session(self, request: Message, peer: Peer) -> Message:
        version = agreed_version(request)
        configuration, database = settings_of(request)
        backend = self.backend.open(peer.user or request.get("username", ""), configuration)
        session = Session(backend, version, self.compress_local or not peer.is_local, user=peer.user)
        if database:
            backend.execute(backend.prepare(), f"USE {database}")
        with self.lock:
            self.sessions[session.identifier.key] = session
        peer.opened.add(session.identifier.key)
        reply: Message = {"serverProtocolVersion": version, "sessionHandle": session.handle, "configuration": {}}
        if is_spark_version(version):
            reply |= {"canUseMultipleCatalogs": True, "initialNamespace": request.get("initialNamespace")}
        if wanted := request.get("getInfos"):
            reply["getInfos"] = [info_value(kind) for kind in wanted]
        return reply

    def close_session(self, request: Message, peer: Peer) -> Message:
        self.end(self.session(request, peer))
        return {}

    def leave(self, peer: Peer) -> None:
        """Closes the sessions that a peer opened."""
        for session in [self.sessions[key] for key in peer.opened if key in self.sessions]:
            self.end(session)

    def end(self, session: Session) -> None:
        with self.lock:
            self.sessions.pop(session.identifier.key, None)
        for operation in list(session.operations.values()):
            self.drop(operation, session)
        session.backend.close()

    def get_info(self, request: Message, peer: Peer) -> Message:
        self.session(request, peer)
        return {"infoValue": info_value(request.get("infoType", -1))}

    # Operations

    def execute_statement(self, request: Message, peer: Peer) -> Message:
        session = self.session(request, peer)
        statement = request.get("statement", "")
        arguments = arguments_of(request.get("parameters"), session.backend.time_zone)
        form = form_of(session.version, request, session.lz4)
        run = run_statement(session.backend, statement, arguments, request.get("resultRowLimit"))
        operation = Operation(OperationType.EXECUTE_STATEMENT, form, run, session.backend)
        return self.launch(session, operation, request, peer)

    def list_metadata(self, method: str, request: Message, peer: Peer) -> Message:
        """Metadata is never sent as Arrow: databricks-sql-connector requests none and reads columns."""
        session = self.session(request, peer)
        catalogs = is_spark_version(session.version)
        form = Form(session.version)
        kind = OPERATION_TYPES.get(method, OperationType.UNKNOWN)
        operation = Operation(
            kind, form, lambda name: listing(method, session.backend, request, catalogs), session.backend
        )
        return self.launch(session, operation, {**request, "runAsync": False}, peer)

    def launch(self, session: Session, operation: Operation, request: Message, peer: Peer) -> Message:
        with self.lock:
            self.owners[operation.identifier.key] = session
            session.operations[operation.identifier.key] = operation
        operation.start(float(request.get("queryTimeout") or 0))
        direct = request.get("getDirectResults")
        if not request.get("runAsync"):
            operation.attend(peer.is_gone)
        elif direct:
            operation.done.wait(DIRECT_WAIT)
        if operation.state == OperationState.ERROR and not request.get("runAsync"):
            self.drop(operation, session)
            raise StatementError(operation.error, operation.sqlstate)
        reply: Message = {"operationHandle": operation.handle}
        if direct:
            reply["directResults"] = self.direct_results(operation, direct)
        return reply

    def direct_results(self, operation: Operation, wanted: Message) -> Message:
        found: Message = {"operationStatus": {"status": OK, **operation.status()}}
        if operation.state == OperationState.FINISHED:
            found["resultSetMetadata"] = {"status": OK, **operation.metadata()}
            found["resultSet"] = {
                "status": OK,
                **operation.fetch(0, wanted.get("maxRows", 0), wanted.get("maxBytes", 0)),
            }
        return found

    def get_operation_status(self, request: Message, peer: Peer) -> Message:
        """Waits briefly for the end, as Spark's server does, so that clients poll less often."""
        operation = self.operation(request, peer)
        operation.done.wait(PROGRESS_POLL if request.get("getProgressUpdate") else LONG_POLL)
        return operation.status()

    def cancel_operation(self, request: Message, peer: Peer) -> Message:
        self.operation(request, peer).cancel()
        return {}

    def close_operation(self, request: Message, peer: Peer) -> Message:
        session, operation = self.owner(request, peer)
        self.drop(operation, session)
        return {}

    def drop(self, operation: Operation, session: Session) -> None:
        with self.lock:
            self.owners.pop(operation.identifier.key, None)
            session.operations.pop(operation.identifier.key, None)
        operation.close()

    def get_result_set_metadata(self, request: Message, peer: Peer) -> Message:
        return self.operation(request, peer).metadata()

    def fetch_results(self, request: Message, peer: Peer) -> Message:
        operation = self.operation(request, peer)
        if request.get("fetchType") == LOG_OUTPUT:
            return {"hasMoreRows": False, "results": empty_log(operation.form)}
        reply = operation.fetch(
            request.get("orientation", 0),
            request.get("maxRows", 0),
            request.get("maxBytes", 0),
            request.get("startRowOffset"),
        )
        if request.get("includeResultSetMetadata") or operation.form.arrow:
            reply["resultSetMetadata"] = {"status": OK, **operation.metadata()}
        return reply

    def reject_token(self, request: Message, peer: Peer) -> Message:
        raise HandleError("Delegation token is not supported")

    def get_query_id(self, request: Message, peer: Peer) -> Message:
        return {"queryId": self.operation(request, peer).name}

    def get_log(self, request: Message, peer: Peer) -> Message:
        """Impala's clients request it when a statement is slow or has failed."""
        return {"log": self.operation(request, peer).error}

    def set_client_info(self, request: Message, peer: Peer) -> Message:
        self.session(request, peer)
        return {}


class StatementError(BackendError):
    """A failure with a complete message text."""


Method = Callable[[Service, Message, Peer], Message]


def lister(method: str) -> Method:
    return lambda service, request, peer: service.list_metadata(method, request, peer)


METHODS: dict[str, Method] = {
    "OpenSession": Service.open_session,
    "CloseSession": Service.close_session,
    "GetInfo": Service.get_info,
    "ExecuteStatement": Service.execute_statement,
    "GetOperationStatus": Service.get_operation_status,
    "CancelOperation": Service.cancel_operation,
    "CloseOperation": Service.close_operation,
    "GetResultSetMetadata": Service.get_result_set_metadata,
    "FetchResults": Service.fetch_results,
    "GetDelegationToken": Service.reject_token,
    "CancelDelegationToken": Service.reject_token,
    "RenewDelegationToken": Service.reject_token,
    "GetQueryId": Service.get_query_id,
    "SetClientInfo": Service.set_client_info,
    "GetLog": Service.get_log,
    **{name: lister(name) for name in LISTINGS},
}
OPERATION_TYPES = {
    "GetTypeInfo": OperationType.GET_TYPE_INFO,
    "GetCatalogs": OperationType.GET_CATALOGS,
    "GetSchemas": OperationType.GET_SCHEMAS,
    "GetTables": OperationType.GET_TABLES,
    "GetTableTypes": OperationType.GET_TABLE_TYPES,
    "GetColumns": OperationType.GET_COLUMNS,
    "GetFunctions": OperationType.GET_FUNCTIONS,
}


def run_statement(
    backend: BackendSession, statement: str, arguments: Arguments, limit: int | None
) -> Callable[[str], Rows]:
    return lambda name: statement_rows(backend.execute(name, statement, arguments), limit)


def info_value(kind: int) -> Message:
    if kind not in INFO:
        raise HandleError(f"Unrecognized GetInfoType value: {kind}")
    return INFO[kind]


def identifier_of(request: Message, handle: str, part: str) -> Message:
    """A handle's two secrets, or none if the client sent no handle."""
    found: Message = request.get(handle, {}).get(part, {})
    return found


def key_of(identifier: Message) -> bytes:
    """Both secrets are required."""
    return bytes(identifier.get("guid", b"")) + bytes(identifier.get("secret", b""))


def handle_text(identifier: Message) -> str:
    guid = bytes(identifier.get("guid", b""))
    return str(uuid.UUID(bytes=guid)) if len(guid) == 16 else guid.hex()


def operation_name(number: int | None) -> str:
    return OperationType(number).name if number in list(OperationType) else "UNKNOWN"


def error_status(message: str, sqlstate: str | None) -> Message:
    """Without infoMessages: hive-jdbc parses a stack trace from them, and fails on anything else."""
    return {"statusCode": StatusCode.ERROR, "errorMessage": message, "sqlState": sqlstate, "errorCode": 0}


def agreed_version(request: Message) -> int:
    """min(client, V10) for Hive clients; a SPARK version only for clients that offer one."""
    offered = max(request.get("client_protocol_i64") or 0, request.get("client_protocol", HIVE_V10))
    if is_spark_version(offered):
        return min(offered, SPARK_V9)
    return max(0, min(offered, HIVE_V10))


def settings_of(request: Message) -> tuple[dict[str, str], str]:
    """Spark's configuration and the quoted name of the initial database."""
    given: dict[str, str] = request.get("configuration") or {}
    settings = {}
    for key, value in given.items():
        name = key.removeprefix(SESSION_CONF_PREFIX)
        if name.startswith("spark."):
            settings[name] = value
    namespace = request.get("initialNamespace") or {}
    names = [namespace.get("catalogName"), namespace.get("schemaName")]
    database = given.get(USE_DATABASE)
    parts = database.split(".") if database else [name for name in names if name]
    return settings, ".".join(map(quote_identifier, parts))


def empty_log(form: Form) -> Message:
    if form.format == ResultFormat.ROW:
        return {"startRowOffset": 0, "rows": []}
    return {"startRowOffset": 0, "rows": [], "columns": []}
