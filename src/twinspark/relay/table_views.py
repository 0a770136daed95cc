"""Makes our tables readable on Spark: before a request is sent, tables it may name become views in Spark's catalog."""

import logging
import re
import threading
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import grpc
import pyarrow as pa
from google.protobuf.message import Message
from pyspark.sql.connect.proto import base_pb2, commands_pb2, relations_pb2

from twinspark.errors import JavaError, NotNative, SparkError
from twinspark.read.sql import leading_kinds
from twinspark.relay.grpc_calls import Relay
from twinspark.sessions.tables import ServerCatalogs
from twinspark.tables.catalog import Identifier
from twinspark.tables.names import make_database
from twinspark.wire.connect.compressed_plans import decompress_plan

if TYPE_CHECKING:
    from twinspark.tables.files.table import FileTable
    from twinspark.tables.session_catalog import Function, SessionCatalog, View

log = logging.getLogger("twinspark.session")
USER = "twinspark-tables"
HOME = "spark_catalog"
# --conf …=true declares that a remote Spark can read our files and that its catalog may contain views of our tables.
SHOW_TABLES = "twinspark.spark.showTables"
# Listing a thousand paths by a Spark job takes seconds; listing them in the driver does not.
LISTING = "SET spark.sql.sources.parallelPartitionDiscovery.threshold = 1000000"


# A table whose files are missing or damaged gets no view; a request that only contains a word like its name does not
# need it.
UNREADABLE = (SparkError, JavaError, NotNative, OSError, ValueError)
REQUESTS: dict[str, type[base_pb2.ExecutePlanRequest] | type[base_pb2.AnalyzePlanRequest]] = {
    "ExecutePlan": base_pb2.ExecutePlanRequest,
    "AnalyzePlan": base_pb2.AnalyzePlanRequest,
}


PIPELINE, DATASETS, STREAM = "pipeline", "datasets of a pipeline", "stream"
DEFINITIONS = ("define_output", "define_sql_graph_elements")
# Statements about a table that neither read nor write rows, by their first keyword.
DESCRIBING = frozenset({"DESC", "DESCRIBE", "ANALYZE", "SHOW", "EXPLAIN"})


class Identifiers:
    """The identifiers in all texts of a message: names of tables, SQL text, and others."""

    def __init__(self, texts: list[str], lists_functions: bool = False, streams: str = "") -> None:
        self._text = "\n".join(texts).lower()
        self.streams = streams
        starts = [leading_kinds(text, 3) for text in texts]
        self.describes = any(first in DESCRIBING for first, *_ in starts)
        self.lists_functions = lists_functions or any(map(lists_all_functions, starts))
        self._words = set(re.findall(r"\w+", self._text))

    @classmethod
    def of(cls, request: base_pb2.ExecutePlanRequest | base_pb2.AnalyzePlanRequest) -> "Identifiers":
        if isinstance(request, base_pb2.ExecutePlanRequest):
            request.plan.CopyFrom(decompress_plan(request.plan))  # a compressed plan is opaque bytes
        return cls(list(texts_of(request)), calls_for_functions(request), streaming_kind(request))

    def add(self, text: str) -> None:
        self._text += text.lower()
        self._words |= set(re.findall(r"\w+", text.lower()))

    def use(self, queries: Any, own: bool) -> Any:
        return queries.Use(own, self.describes, bool(self.streams), self.streams == DATASETS)

    def __contains__(self, name: str) -> bool:
        return name in self._words or (not name.isidentifier() and name in self._text)


def lists_all_functions(start: list[str]) -> bool:
    """SHOW [USER] FUNCTIONS lists functions that it does not name."""
    return start[0] == "SHOW" and "FUNCTIONS" in start[1:]


def calls_for_functions(request: base_pb2.ExecutePlanRequest | base_pb2.AnalyzePlanRequest) -> bool:
    """spark.catalog.listFunctions(); an AnalyzePlan request for its schema is excluded."""
    plan = request.plan if isinstance(request, base_pb2.ExecutePlanRequest) else request.schema.plan
    return bool(plan.root.catalog.WhichOneof("cat_type") == "list_functions")


def streaming_kind(request: base_pb2.ExecutePlanRequest | base_pb2.AnalyzePlanRequest) -> str:
    """DATASETS, PIPELINE or STREAM for requests whose tables must be real tables of Spark, not views; else empty."""
    command = request.plan.command if isinstance(request, base_pb2.ExecutePlanRequest) else commands_pb2.Command()
    if command.HasField("pipeline_command"):
        return DATASETS if command.pipeline_command.WhichOneof("command_type") in DEFINITIONS else PIPELINE
    return STREAM if command.HasField("write_stream_operation_start") or reads_stream(request) else ""


def reads_stream(message: Message) -> bool:
    if isinstance(message, relations_pb2.Read) and message.is_streaming:
        return True
    parts = (value for field, value in message.ListFields() if field.type == field.TYPE_MESSAGE)
    each = (part for value in parts for part in ([value] if isinstance(value, Message) else messages_of(value)))
    return any(map(reads_stream, each))


def messages_of(values: Any) -> list[Message]:
    found = values.values() if hasattr(values, "values") else values
    return [each for each in found if isinstance(each, Message)]


def texts_of(message: Message) -> Iterator[str]:
    for field, value in message.ListFields():
        if field.type == field.TYPE_STRING:
            yield from [value] if isinstance(value, str) else value
        elif field.type == field.TYPE_MESSAGE:
            parts = [value] if isinstance(value, Message) else value.values() if hasattr(value, "values") else value
            for part in parts:
                if isinstance(part, Message):
                    yield from texts_of(part)


def callees_first(functions: "list[Function]") -> "list[Function]":
    """Orders functions so that each comes after those it calls, since Spark resolves a body when the function is
    created."""
    placed: list[Function] = []
    while waiting := [each for each in functions if each not in placed]:
        names = {each.identifier.name for each in waiting}
        ready = [each for each in waiting if not names & (identifiers_of(each) - {each.identifier.name})]
        placed += ready or waiting
    return placed


def identifiers_of(function: "Function") -> set[str]:
    return set(re.findall(r"\w+", str(function.definition.get("body", "")).lower()))


class TableViews:
    """One for a server, since views are shared by all sessions of a Spark. They are created on a Spark that we start;
    on a
    remote Spark only if configured, since its catalog is shared with others and it may not see our files."""

    def __init__(self, catalogs: ServerCatalogs, allowed: bool, own: bool = False) -> None:
        self._catalogs = catalogs
        self.allowed = allowed
        self._own = own
        self._lock = threading.Lock()
        self._generation = 0
        self._session_id = ""
        self._known: dict[tuple[str, str], str] = {}  # (database, table) -> the state that Spark's view represents
        self._known_functions: dict[Identifier, str] = {}
        self._databases: set[str] = set()

    @property
    def owns_catalog(self) -> bool:
        """Whether Spark's catalog ends with a Spark that this server started."""
        return self._own and self.allowed and not self._catalogs.is_metastore

    def note_adopted(self, table: "FileTable") -> None:
        """Spark created this table, which our catalog has from now on."""
        from twinspark.tables.spark_ddl import adopted_state  # imports PyIceberg, which takes a second

        with self._lock:
            self._known[table.identifier.namespace[0], table.identifier.name] = adopted_state(table)

    def bring(self, relay: Relay, generation: int, rpc: str, request: bytes) -> None:
        """Creates views for whatever the texts of a request may name: extra views are harmless, missing ones are
        not."""
        if not self.allowed or rpc not in REQUESTS or self._catalogs.is_empty({}):
            return
        identifiers = Identifiers.of(REQUESTS[rpc].FromString(request))
        with self._lock:
            self._begin(relay, generation)
            if identifiers.streams == PIPELINE:  # a run names no table: those that its definition named are refreshed
                identifiers.add(" ".join(name for _, name in self._known))
            for statement in self._statements(relay, identifiers):
                self._run(relay, statement)

    def stand_ins(self) -> set[str]:
        """The full names of objects that exist on Spark for our tables: views of ours, and of tables stored beside
        them."""
        with self._lock:
            known = dict(self._known)
        from twinspark.tables.spark_ddl import tables_beside  # imports PyIceberg, which takes a second

        beside = [name for state in known.values() for name in tables_beside(state)]
        return {*beside, *(str(Identifier.of(*key)) for key in known)}

    def forget_database(self, database: str) -> None:
        """The database was dropped on Spark, with everything in it."""
        with self._lock:
            self._databases.discard(database)
            self._known = {key: state for key, state in self._known.items() if key[0] != database}
            functions = self._known_functions.items()
            self._known_functions = {key: state for key, state in functions if key.namespace != (database,)}

    def _begin(self, relay: Relay, generation: int) -> None:
        if generation != self._generation:
            self._generation, self._session_id = generation, str(uuid.uuid4())
            self._known.clear()
            self._known_functions.clear()
            self._databases = {"default"}
            self._run(relay, LISTING)

    def _statements(self, relay: Relay, identifiers: Identifiers) -> Iterator[str]:
        """Databases first, then tables, then views and functions, each after those it depends on."""
        home = self._catalogs.of({}).get(HOME)
        from twinspark.tables import spark_ddl as queries

        there = [each for (database,) in home.list_namespaces() for each in home.list_tables([database])]
        views, functions = self._views(home, there, identifiers), self._functions(home, identifiers)
        if functions:
            views = self._views(home, there, identifiers)  # those that the functions' bodies name
        named = [each for each in there if each.name in identifiers] + [each.identifier for each in functions]
        yield from self._new_databases(home, identifiers, {each.namespace[0] for each in named})
        self._release_adopted(relay, home, queries)
        yield from self._forgotten(queries, {(each.namespace[0], each.name) for each in there})
        yield from self._forgotten_functions(home, queries)
        made_of = [view.identifier for view in reversed(views)]
        plain = [each for each in there if each.name in identifiers and each not in made_of]
        yield from self._show_tables(home, queries, plain, identifiers)
        yield from self._show_functions(queries, functions)
        yield from self._show_tables(home, queries, made_of)

    def _show_tables(
        self, home: "SessionCatalog", queries: Any, named: list[Identifier], request: Identifiers | None = None
    ) -> Iterator[str]:
        use = queries.Use(self._own) if request is None else request.use(queries, self._own)
        for identifier in named:
            key = (identifier.namespace[0], identifier.name)
            known = self._known.get(key)
            try:
                self._known[key], statements = queries.table_statements(home, identifier, known, use)
            except UNREADABLE as why:
                log.warning("no view of the table %s can be created on Spark: %s", identifier, why)
                yield from queries.forget(*key, self._known.pop(key, ""))
                continue
            if statements and known is not None and queries.changes_kind(known, self._known[key]):
                yield from queries.forget(*key, known)
            yield from statements

    def _release_adopted(self, relay: Relay, home: "SessionCatalog", queries: Any) -> None:
        """Drops what Spark has of adopted tables that were dropped, replaced or altered here. Spark would remove the
        files of such a managed table, which may be those of a new table: so its locations are changed before."""
        for key, state in [(key, state) for key, state in self._known.items() if queries.is_adopted(state)]:
            table = home.find_table(Identifier.of(*key))
            if table is None or queries.adopted_state(table) != state:
                partitions = self._answer(relay, queries.list_partitions(*key, state))
                for statement in queries.release(*key, partitions, f"{self._catalogs.directory}/released"):
                    self._answer(relay, statement)
                del self._known[key]

    # ---- functions in our catalog

    def _functions(self, home: "SessionCatalog", identifiers: Identifiers) -> "list[Function]":
        """Functions that are named or listed, preceded by those that their bodies call."""
        there = [each for (database,) in home.list_namespaces() for each in home.list_functions([database])]
        found: dict[Identifier, Function] = {}
        while new := [e for e in there if (identifiers.lists_functions or e.name in identifiers) and e not in found]:
            for identifier in new:
                function = home.load_function(identifier)
                assert function is not None
                found = {identifier: function, **found}
                identifiers.add(str(function.definition.get("body", "")))
        return callees_first(list(found.values()))

    def _show_functions(self, queries: Any, functions: "list[Function]") -> Iterator[str]:
        for function in functions:
            known = self._known_functions.get(function.identifier)
            self._known_functions[function.identifier], statements = queries.function_state(function, known)
            yield from statements

    def _forgotten_functions(self, home: "SessionCatalog", queries: Any) -> Iterator[str]:
        for identifier in [each for each in self._known_functions if home.load_function(each) is None]:
            del self._known_functions[identifier]
            yield queries.forget_function(identifier.namespace[0], identifier.name)

    # ---- tables and views

    def _views(self, home: "SessionCatalog", there: list[Identifier], identifiers: Identifiers) -> "list[View]":
        """The views that are named, and those that their texts name; what the texts name is added to the
        identifiers."""
        found: dict[Identifier, View] = {}
        while new := [
            each for each in there if each.name in identifiers and each not in found and home.load_view(each)
        ]:
            for identifier in new:
                view = home.load_view(identifier)
                assert view is not None
                found[identifier] = view
                identifiers.add(view.text)
        return list(found.values())

    def _new_databases(self, home: "SessionCatalog", identifiers: Identifiers, needed: set[str]) -> Iterator[str]:
        """Databases that are named, and those of what is named: a search path may contain them."""
        for (database,) in home.list_namespaces():
            if database not in self._databases and (database in identifiers or database in needed):
                self._databases.add(database)
                yield make_database(database)

    def _forgotten(self, queries: Any, there: set[tuple[str, str]]) -> Iterator[str]:
        for key in [key for key in self._known if key not in there]:
            yield from queries.forget(*key, self._known.pop(key))

    def _answer(self, relay: Relay, statement: str | None) -> list[str]:
        """The first column of the rows of a statement, which must not fail."""
        if statement is None:
            return []
        request = base_pb2.ExecutePlanRequest(session_id=self._session_id, operation_id=str(uuid.uuid4()))
        request.user_context.user_id = USER
        request.plan.root.sql.query = statement
        answers = map(base_pb2.ExecutePlanResponse.FromString, relay.stream("ExecutePlan", request.SerializeToString()))
        tables = [
            pa.ipc.open_stream(each.arrow_batch.data).read_all() for each in answers if each.HasField("arrow_batch")
        ]
        return [str(value) for table in tables if table.num_columns for value in table.column(0).to_pylist()]

    def _run(self, relay: Relay, statement: str) -> None:
        request = base_pb2.ExecutePlanRequest(session_id=self._session_id, operation_id=str(uuid.uuid4()))
        request.user_context.user_id = USER
        request.plan.command.sql_command.input.sql.query = statement
        try:
            for _ in relay.stream("ExecutePlan", request.SerializeToString()):
                pass
        except grpc.RpcError as failure:
            # Spark will report what is missing for the query; this is why it is missing.
            log.warning("creating a view of a table on Spark failed: %s: %s", statement[:200], failure.details())
