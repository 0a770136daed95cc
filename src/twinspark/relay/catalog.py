"""Reads Spark's own catalog, for tables that were created there and names that twinspark's catalogs do not contain."""

import re
from collections.abc import Sequence
from typing import Any

import grpc
import pyarrow as pa
from pyspark.sql.connect.proto import base_pb2

from twinspark.config.values import is_on
from twinspark.relay.table_views import TableViews
from twinspark.sessions.session import Session
from twinspark.tables.catalog import Identifier
from twinspark.tables.names import DATABASE_OF_OURS
from twinspark.types import quote_identifier

HOME = "spark_catalog"
SEARCHES_PATH = "spark.sql.path.enabled"
Row = tuple[Any, ...]


class SparkCatalog:
    """Queried while a statement is read; databases that exist on Spark only to hold views of our tables are left
    out."""

    def __init__(self, session: Session, shown: TableViews) -> None:
        self._session = session
        self._shown = shown

    def claims(self, parts: Sequence[str]) -> bool:
        """Whether Spark's catalog has a table of that name, or has its schema. A bare name may also be a temporary
        view, or be in any schema of the search path. Spark does not know the further catalogs that are opened here."""
        if self._catalog_of(parts) in set(self._session.catalogs.names()) - {HOME}:
            return False
        if len(parts) == 1 and is_on(self._session.config.snapshot(), SEARCHES_PATH):
            return True
        schema = parts[-2].lower() if len(parts) > 1 else self._session.current.database
        if (schema,) in self._session.catalogs.get(HOME).list_namespaces():
            return self._has_table(parts)
        found = self._schema(schema)
        return self._has_table(parts) if found is None else is_sparks(found)

    def _catalog_of(self, parts: Sequence[str]) -> str:
        """The first part may also be a schema of the current catalog: then it is no catalog's name."""
        return parts[0] if len(parts) > 2 else self._session.current.catalog

    def _has_table(self, parts: Sequence[str]) -> bool:
        """False if Spark raises an error, such as for an unknown catalog: it will raise it again for the whole
        statement."""
        try:
            answer = self._call("table_exists", table_name=".".join(map(quote_identifier, parts)))
        except grpc.RpcError:
            return True
        return bool(answer.column(0)[0].as_py())

    def has_table(self, parts: Sequence[str]) -> bool:
        """Whether Spark has such a table; False where it knows no such catalog."""
        try:
            answer = self._call("table_exists", table_name=".".join(map(quote_identifier, parts)))
        except grpc.RpcError:
            return False
        return bool(answer.column(0)[0].as_py())

    def has_schema(self, name: str) -> bool:
        found = self._schema(name)
        return found is not None and is_sparks(found)

    def schemas(self) -> dict[str, Row]:
        """Rows of listDatabases() by name."""
        rows = rows_of(self._call("list_databases"))
        return {row[0]: row for row in rows if is_sparks(row)}

    def tables(self, schema: str) -> dict[str, Row]:
        """Rows of listTables() by name, without the views of our tables; empty if there is no such schema."""
        if self._schema(schema) is None:
            return {}
        rows = rows_of(self._call("list_tables", db_name=f"{HOME}.{quote_identifier(schema)}"))
        ours = self._shown.stand_ins()
        return {row[0]: row for row in rows if not row[-1] and str(Identifier.of(schema, row[0])) not in ours}

    def has_function(self, name: str) -> bool:
        """Whether a function of that full name exists."""
        return bool(self._call("function_exists", function_name=name).column(0)[0].as_py())

    def functions(self, schema: str) -> list[str]:
        """The full names of functions, as SHOW FUNCTIONS lists them."""
        if self._schema(schema) is None:
            return []
        found = self.ask(f"SHOW USER FUNCTIONS IN {quote_identifier(schema)}")
        return [name for (name,) in rows_of(found) if name.startswith(f"{HOME}.")]

    def information(self, schema: str, table: str) -> str:
        """The text of SHOW TABLE EXTENDED."""
        listed = self.ask(f"SHOW TABLE EXTENDED IN {quote_identifier(schema)} LIKE '{table}'")
        return next(str(row[3]) for row in rows_of(listed) if not row[2])

    def drop_shadow(self, schema: str) -> None:
        """Drops the database on Spark with everything in it, after our database of that name was dropped."""
        found = self._schema(schema)
        if found is not None and not is_sparks(found):
            self.ask(f"DROP DATABASE IF EXISTS {quote_identifier(schema)} CASCADE")
            self._shown.forget_database(schema)

    def ask(self, statement: str) -> pa.Table:
        request = self._request()
        request.plan.root.sql.query = statement
        return self._rows(request)

    def _schema(self, name: str) -> Row | None:
        """Its row of listDatabases(), with a pattern if the name allows one: a metastore may have thousands."""
        pattern = {"pattern": name.lower()} if re.fullmatch(r"\w+", name) else {}
        rows = rows_of(self._call("list_databases", **pattern))
        return next((row for row in rows if row[0] == name.lower()), None)

    def _call(self, kind: str, **arguments: str) -> pa.Table:
        request = self._request()
        message = getattr(request.plan.root.catalog, kind)
        message.SetInParent()
        for name, value in arguments.items():
            setattr(message, name, value)
        return self._rows(request)

    def _request(self) -> base_pb2.ExecutePlanRequest:
        request = base_pb2.ExecutePlanRequest(session_id=self._session.session_id)
        request.user_context.user_id = self._session.user_id
        return request

    def _rows(self, request: base_pb2.ExecutePlanRequest) -> pa.Table:
        responses = self._session.spark.stream("ExecutePlan", request.SerializeToString())
        answers = (base_pb2.ExecutePlanResponse.FromString(data) for data in responses)
        batches = [each.arrow_batch.data for each in answers if each.HasField("arrow_batch")]
        return pa.concat_tables(pa.ipc.open_stream(data).read_all() for data in batches)


def is_sparks(schema: Row) -> bool:
    """Whether the database was not created for views of our tables."""
    return bool(schema[1] == HOME and schema[2] != DATABASE_OF_OURS)


def rows_of(table: pa.Table) -> list[Row]:
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
