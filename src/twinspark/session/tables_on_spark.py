"""Our tables where Spark finds them: before a request goes there, those it may name become views of Spark's catalog."""

import logging
import re
import threading
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import grpc
from google.protobuf.message import Message
from pyspark.sql.connect.proto import base_pb2

from twinspark.session.later import imported
from twinspark.session.plans import decompressed
from twinspark.session.tables_session import ServerCatalogs
from twinspark.spark.relay import Relay
from twinspark.tables.catalog import Identifier
from twinspark.tables.names import make_database

if TYPE_CHECKING:
    from twinspark.tables.session_catalog import Function, SessionCatalog, View

log = logging.getLogger("twinspark.session")
USER = "twinspark-tables"
HOME = "spark_catalog"
# --conf …=true says of a remote Spark that it sees our files and that its catalog may hold views of our tables.
SHOW_TABLES = "twinspark.spark.showTables"
# Listing a thousand paths by a Spark job costs seconds; by the driver it does not.
LISTING = "SET spark.sql.sources.parallelPartitionDiscovery.threshold = 1000000"


REQUESTS: dict[str, Any] = {"ExecutePlan": base_pb2.ExecutePlanRequest, "AnalyzePlan": base_pb2.AnalyzePlanRequest}


# Statements about a table that neither read its rows nor write any.
ASKS = re.compile(r"\s*(?:DESC|DESCRIBE|ANALYZE|SHOW|EXPLAIN)\b", re.IGNORECASE)
# One that tells of functions it does not name.
LISTS_FUNCTIONS = re.compile(r"\s*SHOW\s+(?:\w+\s+)?FUNCTIONS\b", re.IGNORECASE)


class Words:
    """The words in all texts of a message, wherever they stand: names of tables, SQL, and much else."""

    def __init__(self, texts: list[str], lists_functions: bool = False) -> None:
        self._text = "\n".join(texts).lower()
        self.asks = any(ASKS.match(text) for text in texts)
        self.lists_functions = lists_functions or any(LISTS_FUNCTIONS.match(text) for text in texts)
        self._words = set(re.findall(r"\w+", self._text))

    @classmethod
    def of(cls, request: Any) -> "Words":
        if isinstance(request, base_pb2.ExecutePlanRequest):
            request.plan.CopyFrom(decompressed(request.plan))  # one that came compressed is all bytes
        return cls(list(texts_of(request)), calls_for_functions(request))

    def add(self, text: str) -> None:
        self._text += text.lower()
        self._words |= set(re.findall(r"\w+", text.lower()))

    def __contains__(self, name: str) -> bool:
        return name in self._words or (not name.isidentifier() and name in self._text)


def calls_for_functions(request: Any) -> bool:
    """spark.catalog.listFunctions(); its schema is asked for without one."""
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
    """Spark reads a body when the function is made."""
    placed: list[Function] = []
    while waiting := [each for each in functions if each not in placed]:
        names = {each.identifier.name for each in waiting}
        ready = [each for each in waiting if not names & (words_of(each) - {each.identifier.name})]
        placed += ready or waiting
    return placed


def words_of(function: "Function") -> set[str]:
    return set(re.findall(r"\w+", str(function.definition.get("body", "")).lower()))


class TablesOnSpark:
    """One for a server: views are the same for all sessions of a Spark. A Spark of our own gets them, another one only
    when that is asked for: its catalog belongs to others too, and it may not see our files."""

    def __init__(self, catalogs: ServerCatalogs, allowed: bool, own: bool = False) -> None:
        self._catalogs = catalogs
        self.allowed = allowed
        self._own = own
        self._lock = threading.Lock()
        self._generation = 0
        self._session_id = ""
        self._known: dict[tuple[str, str], str] = {}  # (database, table) -> the state Spark's view shows
        self._known_functions: dict[Identifier, str] = {}
        self._databases: set[str] = set()

    def bring(self, relay: Relay, generation: int, rpc: str, request: bytes) -> None:
        """Whatever of ours the texts of a request may name: too many names do no harm, a missing one would."""
        if not self.allowed or rpc not in REQUESTS or self._catalogs.is_empty({}):
            return
        words = Words.of(REQUESTS[rpc].FromString(request))
        with self._lock:
            self._begin(relay, generation)
            for statement in self._statements(words):
                self._run(relay, statement)

    def stand_ins(self) -> set[str]:
        """The full names of what Spark has for our sake: those of ours, and of tables beside them."""
        with self._lock:
            known = dict(self._known)
        beside = [name for state in known.values() for name in imported("tables.on_spark").tables_beside(state)]
        return {*beside, *(str(Identifier.of(*key)) for key in known)}

    def forget_database(self, database: str) -> None:
        """It was dropped on Spark, with all that stood in it."""
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

    def _statements(self, words: Words) -> Iterator[str]:
        """Databases first, then tables, then views, those that others are made of before these."""
        home = self._catalogs.of({}).get(HOME)
        queries = imported("tables.on_spark")
        there = [each for (database,) in home.list_namespaces() for each in home.list_tables([database])]
        views, functions = self._views(home, there, words), self._functions(home, words)
        if functions:
            views = self._views(home, there, words)  # those that the functions' bodies name
        named = [each for each in there if each.name in words] + [each.identifier for each in functions]
        yield from self._new_databases(home, words, {each.namespace[0] for each in named})
        yield from self._forgotten(queries, {(each.namespace[0], each.name) for each in there})
        yield from self._forgotten_functions(home, queries)
        made_of = [view.identifier for view in reversed(views)]
        plain = [each for each in there if each.name in words and each not in made_of]
        yield from self._shown(home, queries, plain, words.asks)
        yield from self._shown_functions(queries, functions)
        yield from self._shown(home, queries, made_of)

    def _shown(
        self, home: "SessionCatalog", queries: Any, named: list[Identifier], asks: bool = False
    ) -> Iterator[str]:
        for identifier in named:
            key = (identifier.namespace[0], identifier.name)
            known = self._known.get(key)
            self._known[key], statements = queries.shown(home, identifier, known, self._own, asks)
            if statements and known is not None and queries.changes_kind(known, self._known[key]):
                yield from queries.forget(*key, known)
            yield from statements

    # ---- functions that our catalog keeps

    def _functions(self, home: "SessionCatalog", words: Words) -> "list[Function]":
        """Those that are named or to be listed, and before them those that their bodies call."""
        there = [each for (database,) in home.list_namespaces() for each in home.list_functions([database])]
        found: dict[Identifier, Function] = {}
        while new := [e for e in there if (words.lists_functions or e.name in words) and e not in found]:
            for identifier in new:
                function = home.load_function(identifier)
                assert function is not None
                found = {identifier: function, **found}
                words.add(str(function.definition.get("body", "")))
        return callees_first(list(found.values()))

    def _shown_functions(self, queries: Any, functions: "list[Function]") -> Iterator[str]:
        for function in functions:
            known = self._known_functions.get(function.identifier)
            self._known_functions[function.identifier], statements = queries.function_state(function, known)
            yield from statements

    def _forgotten_functions(self, home: "SessionCatalog", queries: Any) -> Iterator[str]:
        for identifier in [each for each in self._known_functions if home.load_function(each) is None]:
            del self._known_functions[identifier]
            yield queries.forget_function(identifier.namespace[0], identifier.name)

    # ---- tables and views

    def _views(self, home: "SessionCatalog", there: list[Identifier], words: Words) -> "list[View]":
        """The views that are named, and those their texts name; what the texts name is added to the words."""
        found: dict[Identifier, View] = {}
        while new := [each for each in there if each.name in words and each not in found and home.load_view(each)]:
            for identifier in new:
                view = home.load_view(identifier)
                assert view is not None
                found[identifier] = view
                words.add(view.text)
        return list(found.values())

    def _new_databases(self, home: "SessionCatalog", words: Words, needed: set[str]) -> Iterator[str]:
        """Those that are named, and those of what is named: a path may lead there."""
        for (database,) in home.list_namespaces():
            if database not in self._databases and (database in words or database in needed):
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
            # Spark will say of the query what is missing; why it is missing stands here.
            log.warning("showing a table to Spark failed: %s: %s", statement[:200], failure.details())
