"""A small server of Iceberg's REST catalog, for tests: PyIceberg's SQL catalog behind the specification's endpoints."""

import json
import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from pyiceberg import exceptions
from pyiceberg.catalog.rest import CreateTableRequest
from pyiceberg.table import CommitTableRequest

from twinspark.tables.iceberg.sqlite_catalog import LocalCatalog

STATUS = {
    exceptions.NoSuchNamespaceError: 404,
    exceptions.NoSuchTableError: 404,
    exceptions.NamespaceAlreadyExistsError: 409,
    exceptions.TableAlreadyExistsError: 409,
    exceptions.NamespaceNotEmptyError: 409,
    exceptions.CommitFailedException: 409,
}
NAMESPACE = r"/v1/namespaces/(?P<namespace>[^/]+)"
TABLE = NAMESPACE + r"/tables/(?P<table>[^/]+)"
Name = tuple[str, ...]


class RestServer:
    """Serves one catalog until it is stopped; `commits` counts what was asked of it."""

    def __init__(self, database: str, warehouse: str) -> None:
        self.catalog = LocalCatalog("rest", uri=f"sqlite:///{database}?check_same_thread=False", warehouse=warehouse)
        self.lock = threading.Lock()
        self.commits = 0
        self.http = ThreadingHTTPServer(("127.0.0.1", 0), handler_for(self))
        self.url = f"http://127.0.0.1:{self.http.server_port}"
        self.thread = threading.Thread(target=self.http.serve_forever, daemon=True)
        self.thread.start()

    def stop(self) -> None:
        self.http.shutdown()
        self.http.server_close()
        self.thread.join()

    # ---- namespaces

    def config(self, **_: Any) -> Any:
        return {"defaults": {}, "overrides": {}}

    def list_namespaces(self, query: dict[str, list[str]], **_: Any) -> Any:
        parent = tuple(query["parent"][0].split("\x1f")) if "parent" in query else ()
        return {"namespaces": [list(each) for each in self.catalog.list_namespaces(parent)]}

    def create_namespace(self, body: Any, **_: Any) -> Any:
        self.catalog.create_namespace(tuple(body["namespace"]), {"exists": "true", **body.get("properties", {})})
        return body

    def load_namespace(self, namespace: Name, **_: Any) -> Any:
        return {"namespace": list(namespace), "properties": self.catalog.load_namespace_properties(namespace)}

    def drop_namespace(self, namespace: Name, **_: Any) -> Any:
        self.catalog.drop_namespace(namespace)

    def update_namespace(self, namespace: Name, body: Any, **_: Any) -> Any:
        done = self.catalog.update_namespace_properties(namespace, set(body["removals"] or ()), body["updates"] or {})
        return {"removed": done.removed, "updated": done.updated, "missing": done.missing}

    # ---- tables

    def list_tables(self, namespace: Name, **_: Any) -> Any:
        found = self.catalog.list_tables(namespace)
        return {"identifiers": [{"namespace": list(each[:-1]), "name": each[-1]} for each in found]}

    def create_table(self, namespace: Name, body: Any, **_: Any) -> Any:
        wanted = CreateTableRequest.model_validate({"location": None, **body})
        told = (wanted.table_schema, wanted.location, wanted.partition_spec, wanted.write_order, wanted.properties)
        name = (*namespace, wanted.name)
        if self.catalog.table_exists(name):
            raise exceptions.TableAlreadyExistsError(f"Table already exists: {'.'.join(name)}")
        if wanted.stage_create:
            staged = self.catalog.create_table_transaction(name, *told)
            return {"metadata": json.loads(staged.table_metadata.model_dump_json()), "config": {}}
        return shown(self.catalog.create_table(name, *told))

    def load_table(self, table: Name, **_: Any) -> Any:
        return shown(self.catalog.load_table(table))

    def commit(self, table: Name, body: Any, **_: Any) -> Any:
        self.commits += 1
        wanted = CommitTableRequest.model_validate(body)
        done = self.catalog.commit_table(SimpleNamespace(name=lambda: table), wanted.requirements, wanted.updates)
        return {
            "metadata-location": done.metadata_location,
            "metadata": json.loads(done.metadata.model_dump_json()),
        }

    def drop_table(self, table: Name, query: dict[str, list[str]], **_: Any) -> Any:
        purge = query.get("purgeRequested", ["false"])[0].lower() == "true"
        (self.catalog.purge_table if purge else self.catalog.drop_table)(table)

    def rename(self, body: Any, **_: Any) -> Any:
        source, target = ((*body[side]["namespace"], body[side]["name"]) for side in ("source", "destination"))
        self.catalog.rename_table(source, target)

    def register(self, namespace: Name, body: Any, **_: Any) -> Any:
        return shown(self.catalog.register_table((*namespace, body["name"]), body["metadata-location"]))


ROUTES: list[tuple[str, str, Callable[..., Any]]] = [
    ("GET", r"/v1/config", RestServer.config),
    ("GET", r"/v1/namespaces", RestServer.list_namespaces),
    ("POST", r"/v1/namespaces", RestServer.create_namespace),
    ("GET", NAMESPACE, RestServer.load_namespace),
    ("DELETE", NAMESPACE, RestServer.drop_namespace),
    ("POST", NAMESPACE + "/properties", RestServer.update_namespace),
    ("GET", NAMESPACE + "/tables", RestServer.list_tables),
    ("POST", NAMESPACE + "/tables", RestServer.create_table),
    ("POST", NAMESPACE + "/register", RestServer.register),
    ("GET", TABLE, RestServer.load_table),
    ("POST", TABLE, RestServer.commit),
    ("DELETE", TABLE, RestServer.drop_table),
    ("POST", r"/v1/tables/rename", RestServer.rename),
]


def shown(table: Any) -> Any:
    return {
        "metadata-location": table.metadata_location,
        "metadata": json.loads(table.metadata.model_dump_json()),
        "config": {},
    }


def handler_for(server: RestServer) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def answer(self) -> None:
            status, found = self.found()
            data = b"" if found is None else json.dumps(found).encode()
            self.send_response(status if found is not None else 204)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.wfile.write(data)

        def found(self) -> tuple[int, Any]:
            size = int(self.headers.get("Content-Length") or 0)
            body = json.loads(self.rfile.read(size)) if size else None
            path, query = urlsplit(self.path).path, parse_qs(urlsplit(self.path).query)
            for method, pattern, serve in ROUTES:
                if method == self.command and (match := re.fullmatch(pattern, path)):
                    return self.served(serve, names_of(match), body, query)
            return 404, failure(f"no endpoint {self.command} {path}", "NoSuchEndpoint", 404)

        def served(self, serve: Callable[..., Any], names: dict[str, Name], body: Any, query: Any) -> tuple[int, Any]:
            try:
                with server.lock:
                    return 200, serve(server, **names, body=body, query=query)
            except tuple(STATUS) as error:
                code = STATUS[type(error)]
                return code, failure(str(error), type(error).__name__, code)

        do_GET = do_POST = do_DELETE = answer

        def log_message(self, *_: Any) -> None:
            pass

    return Handler


def names_of(match: re.Match[str]) -> dict[str, Name]:
    told = {key: tuple(unquote(value).split("\x1f")) for key, value in match.groupdict().items()}
    if "table" in told:
        return {"table": (*told["namespace"], *told["table"])}
    return told


def failure(message: str, kind: str, code: int) -> Any:
    return {"error": {"message": message, "type": kind, "code": code}}
