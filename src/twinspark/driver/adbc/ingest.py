"""Ingests Arrow data into a table with INSERT statements of many rows, since Thrift has no way to upload rows."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from twinspark.driver.cursor import Cursor
from twinspark.driver.errors import InterfaceError, ProgrammingError
from twinspark.driver.parameters import literal
from twinspark.driver.result_types import from_arrow
from twinspark.types import quote_identifier, sql_name

INGEST = "adbc.ingest."
MODES = {"create", "append", "replace", "create_append"}
ROWS = 1000  # per statement


@dataclass(frozen=True)
class Ingest:
    table: str
    mode: str

    @staticmethod
    def of(options: dict[str, str]) -> "Ingest | None":
        """None if no target table is set: then the statement is a query."""
        parts = [options.get(f"{INGEST}target_{part}") for part in ("catalog", "db_schema", "table")]
        if parts[-1] is None:
            return None
        mode = options.get(f"{INGEST}mode", "adbc.ingest.mode.create").removeprefix(f"{INGEST}mode.")
        if mode not in MODES:
            raise ProgrammingError(f"an unknown ingest mode: {mode}", "22023")
        return Ingest(".".join(quote_identifier(part) for part in parts if part), mode)

    def run(self, cursor: Cursor, rows: pa.RecordBatchReader | None) -> int:
        if rows is None:
            raise InterfaceError("there is no data to ingest", "24000")
        for statement in self.preparation(rows.schema):
            cursor.execute(statement)
        count = 0
        for batch in rows:
            for start in range(0, batch.num_rows, ROWS):
                cursor.execute(self.insert(batch.slice(start, ROWS)))
            count += batch.num_rows
        return count

    def preparation(self, schema: pa.Schema) -> Iterator[str]:
        if self.mode == "replace":
            yield f"DROP TABLE IF EXISTS {self.table}"
        if self.mode != "append":
            columns = ", ".join(f"{quote_identifier(field.name)} {type_of(field)}" for field in schema)
            yield f"CREATE TABLE {'IF NOT EXISTS ' if self.mode == 'create_append' else ''}{self.table} ({columns})"

    def insert(self, batch: pa.RecordBatch) -> str:
        names = ", ".join(map(quote_identifier, batch.schema.names))
        types = [type_of(field) for field in batch.schema]
        rows = ", ".join(f"({', '.join(map(cast_literal, row.values(), types))})" for row in batch.to_pylist())
        return f"INSERT INTO {self.table} ({names}) VALUES {rows}"


def cast_literal(value: Any, kind: str) -> str:
    return f"CAST({literal(value)} AS {kind})"


def type_of(field: pa.Field) -> str:
    found = pa.types.is_large_string(field.type) or from_arrow(field.type)
    if found is None:
        raise ProgrammingError(f"column {field.name!r}: no Spark type for {field.type}", "0A000")
    return "STRING" if found is True else sql_name(found)
