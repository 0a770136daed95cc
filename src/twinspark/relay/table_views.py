"""Makes our tables readable on Spark: before a request is sent, tables it may name become views in Spark's catalog."""

import logging
import re
import threading
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.message import Message
from pyspark.sql.connect.proto import base_pb2

from twinspark.errors import JavaError, NotNative, SparkError
from twinspark.read.sql import leading_kinds
from twinspark.relay.grpc_calls import Relay
from twinspark.sessions.tables import ServerCatalogs
from twinspark.tables.catalog import Identifier
from twinspark.tables.names import make_database
from twinspark.wire.connect.compressed_plans import decompress_plan

if TYPE_CHECKING:
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


# Statements about a table that neither read nor write rows, by their first keyword.
DESCRIBING = frozenset({"DESC", "DESCRIBE", "ANALYZE", "SHOW", "EXPLAIN"})


class Identifiers:
    """The identifiers in all texts of a message: names of tables, SQL text, and others."""

    def __init__(self, texts: list[str], lists_functions: bool = False) -> None:
        self._text = "\n".join(texts).lower()
        starts = [leading_kinds(text, 3) for text in texts]
        self.describes = any(first in DESCRIBING for first, *_ in starts)
        self.lists_functions = lists_functions or any(map(lists_all_functions, starts))
        self._words = set(re.findall(r"\w+", self._text))

    @classmethod
    def of(cls, request: base_pb2.ExecutePlanRequest | base_pb2.AnalyzePlanRequest) -> "Identifiers":
        if isinstance(request, base_pb2.ExecutePlanRequest):
            request.plan.CopyFrom(decompress_plan(request.plan))  # a compressed plan is opaque bytes
        return cls(list(texts_of(request)), calls_for_functions(request))

    def add(self, text: str) -> None:
        self._text += text.lower()
        self._words |= set(re.findall(r"\w+", text.lower()))

    def __contains__(self, name: str) -> bool:
        return name in self._words or (not name.isidentifier() and name in self._text)


def lists_all_functions(start: list[str]) -> bool:
    """SHOW [USER] FUNCTIONS lists functions that it does not name."""
    return start[0] == "SHOW" and "FUNCTIONS" in start[1:]


def calls_for_functions(request: base_pb2.ExecutePlanRequest | base_pb2.AnalyzePlanRequest) -> bool:
    """spark.catalog.listFunctions(); an AnalyzePlan request for its schema is excluded."""
    plan = request.plan if isinstance(request, base_pb2.ExecutePlanRequest) else request.schema.plan
    return bool(plan.root.catalog.WhichOneof("cat_type") == "list_functions")


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

    def bring(self, relay: Relay, generation: int, rpc: str, request: bytes) -> None:
        """Creates views for whatever the texts of a request may name: extra views are harmless, missing ones are
        not."""
        if not self.allowed or rpc not in REQUESTS or self._catalogs.is_empty({}):
            return
        identifiers = Identifiers.of(REQUESTS[rpc].FromString(request))
        with self._lock:
            self._begin(relay, generation)
            for statement in self._statements(identifiers):
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

    def _statements(self, identifiers: Identifiers) -> Iterator[str]:
        """Databases first, then tables, then views and functions, each after those it depends on."""
        home = self._catalogs.of({}).get(HOME)
        from twinspark.tables import spark_ddl as queries

        there = [each for (database,) in home.list_namespaces() for each in home.list_tables([database])]
        views, functions = self._views(home, there, identifiers), self._functions(home, identifiers)
        if functions:
            views = self._views(home, there, identifiers)  # those that the functions' bodies name
        named = [each for each in there if each.name in identifiers] + [each.identifier for each in functions]
        yield from self._new_databases(home, identifiers, {each.namespace[0] for each in named})
        yield from self._forgotten(queries, {(each.namespace[0], each.name) for each in there})
        yield from self._forgotten_functions(home, queries)
        made_of = [view.identifier for view in reversed(views)]
        plain = [each for each in there if each.name in identifiers and each not in made_of]
        yield from self._show_tables(home, queries, plain, identifiers.describes)
        yield from self._show_functions(queries, functions)
        yield from self._show_tables(home, queries, made_of)

    def _show_tables(
        self, home: "SessionCatalog", queries: Any, named: list[Identifier], describes: bool = False
    ) -> Iterator[str]:
        for identifier in named:
            key = (identifier.namespace[0], identifier.name)
            known = self._known.get(key)
            try:
                self._known[key], statements = queries.table_statements(home, identifier, known, self._own, describes)
            except UNREADABLE as why:
                log.warning("no view of the table %s can be created on Spark: %s", identifier, why)
                yield from queries.forget(*key, self._known.pop(key, ""))
                continue
            if statements and known is not None and queries.changes_kind(known, self._known[key]):
                yield from queries.forget(*key, known)
            yield from statements

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
