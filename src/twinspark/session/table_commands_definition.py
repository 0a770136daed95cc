"""A table that is to be: what CREATE TABLE, saveAsTable and writeTo say of it, checked, made and filled."""

import os
import re
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame
from twinspark.errors import JavaError, SparkError
from twinspark.functions.collations import is_indeterminate
from twinspark.session.sql_names import check_no_collation
from twinspark.session.sql_results import Answer
from twinspark.session.tables_session import tables_of
from twinspark.session.tables_targets import (
    Parts,
    name_of,
    quoted,
)
from twinspark.session.writes import Rows, spark_errors
from twinspark.session.writes_source import ForSpark
from twinspark.tables.catalog import Identifier
from twinspark.tables.catalogs import ICEBERG_CLASSES, PREFIX, SESSION_CATALOG, Name
from twinspark.tables.char_types import CHAR_TYPE, plain_schema, raw_schema
from twinspark.tables.collations import told_apart
from twinspark.tables.delta import DeltaTable
from twinspark.tables.file_table import FORMATS, FileTable
from twinspark.tables.iceberg.maintenance import keep_short
from twinspark.tables.listing import local_path
from twinspark.tables.session_catalog import SessionCatalog
from twinspark.tables.transforms import Transform
from twinspark.tables.write import PARTITION_TYPES
from twinspark.types import (
    MapType,
    StructField,
    StructType,
    as_nullable,
    has_collation,
    nested_types,
    plain_type,
    quote_identifier,
)

if TYPE_CHECKING:
    pass

Command = Callable[[], Answer]
PLAIN_NAME = re.compile(r"[a-zA-Z0-9_]+")
PROVIDERS = {"iceberg", "delta", *FORMATS}


@dataclass(frozen=True)
class Definition:
    """A table that is to be: what CREATE TABLE, saveAsTable and writeTo say of it."""

    name: Name
    catalog: SessionCatalog
    provider: str
    partitions: Sequence[Transform]
    properties: dict[str, str]

    @property
    def full_name(self) -> str:
        return quoted(self.name.qualifier)

    @property
    def told(self) -> dict[str, str]:
        return {"provider": self.provider, **self.properties}

    def aside(self) -> "Definition":
        """The same under a name nobody uses."""
        identifier = Identifier(self.name.identifier.namespace, f"{self.name.identifier.name}_{uuid.uuid4().hex}")
        return replace(self, name=Name(self.name.catalog, identifier))

    def create(self, schema: StructType) -> None:
        self.checked(schema)
        self.catalog.create_table(self.name.identifier, self.kept(schema), self.partitions, self.told)

    def create_as(self, rows: Rows) -> None:
        """Nobody sees the table before its rows are there; a failed query leaves nothing."""
        if self.provider != "iceberg":
            self.create_files_as(rows)
            return
        with spark_errors(rows):
            self.staged_as(rows, self.catalog.stage_create)

    def replace_as(self, rows: Rows, or_create: bool) -> None:
        """The old table stays until the new one is whole."""
        if isinstance(old := self.catalog.other(self.name.identifier), DeltaTable) and self.provider == "delta":
            self.replace_delta(old, rows)
            return
        if self.provider == "delta" and or_create and not self.catalog.table_exists(self.name.identifier):
            self.create_files_as(rows)
            return
        self.check_replaceable(or_create)
        stage = self.catalog.stage_create_or_replace if or_create else self.catalog.stage_replace
        with spark_errors(rows):
            self.staged_as(rows, stage)

    def replace_delta(self, old: DeltaTable, rows: Rows) -> None:
        """One commit of Delta's, which keeps its history: another schema, but the same partitions."""
        if [transform.column for transform in self.partitions] != [t.column for t in old.partitioning]:
            raise self.not_replaceable()
        with spark_errors(rows):
            old.replace_all(plain_schema(rows.schema), rows.select(), rows.connection)

    def staged_as(self, rows: Rows, stage: Callable[..., Any]) -> None:
        with stage(self.name.identifier, raw_schema(rows.schema), self.partitions, self.told) as staged:
            staged.write(rows.connection, rows.select())
            staged.commit()
        keep_short(self.catalog.iceberg, self.name.identifier)

    def create_files_as(self, rows: Rows) -> None:
        self.check_empty()
        self.create(rows.schema)
        try:
            with spark_errors(rows):
                self.fill(self.catalog.load_table(self.name.identifier), rows)
        except BaseException:
            self.catalog.drop_table(self.name.identifier)
            raise

    def fill(self, made: Any, rows: Rows) -> None:
        if isinstance(made, FileTable):
            self.catalog.insert_into_files(made, rows.files(), "append", rows.connection)
        else:
            self.catalog.insert(self.name.identifier, rows.connection, in_order(rows, made.schema), "append")

    def check_empty(self) -> None:
        """Rows of nobody's knowledge would be the new table's too."""
        place = self.properties.get("location")
        if place is not None and os.path.isdir(local_path(place)) and os.listdir(local_path(place)):
            raise SparkError(
                "_LEGACY_ERROR_TEMP_1241",
                tablePath=f"file://{local_path(place)}",
                config="spark.sql.legacy.allowNonEmptyLocationInCTAS",
            )

    def replace(self, schema: StructType, or_create: bool) -> None:
        self.check_replaceable(or_create)
        self.checked(schema)
        stage = self.catalog.stage_create_or_replace if or_create else self.catalog.stage_replace
        stage(self.name.identifier, self.kept(schema), self.partitions, self.told).commit()

    def check_replaceable(self, or_create: bool) -> None:
        """What is there must be an Iceberg table: a directory of files cannot be replaced in one step."""
        other = self.catalog.other(self.name.identifier)
        if self.provider != "iceberg" or other is not None:
            raise self.not_replaceable()
        if not or_create and not self.catalog.table_exists(self.name.identifier):
            path = f"[{quoted(self.name.qualifier[:-1])}]"
            raise SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=self.full_name, searchPath=path)

    def not_replaceable(self) -> SparkError:
        operation = "REPLACE TABLE"
        return SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=self.full_name, operation=operation)

    def checked(self, schema: StructType) -> None:
        check_names(schema.names)
        if any(isinstance(part, MapType) and has_collation(part.keyType) for part in nested_types(schema)):
            raise ForSpark("maps whose keys have a collation")
        if is_indeterminate(schema):
            raise ForSpark("columns of no certain collation")
        if has_collation(schema) and self.provider != "parquet":
            raise ForSpark(f"tables of {self.provider} with collated texts")
        names = {name.lower() for name in schema.names}
        for transform in self.partitions:
            if transform.column[0].lower() not in names:
                raise SparkError(
                    "COLUMN_NOT_DEFINED_IN_TABLE",
                    colType="partition",
                    colName=quoted(transform.column),
                    tableName=self.full_name,
                    tableCols=", ".join(map(quote_identifier, schema.names)),
                )
        by = {transform.column[0].lower() for transform in self.partitions}
        types = [plain_type(field.dataType) for field in schema.fields if field.name.lower() in by]
        if any(map(has_collation, types)):
            raise ForSpark("partition columns with a collation")
        if self.provider in FORMATS and not all(isinstance(type, PARTITION_TYPES) for type in types):
            raise ForSpark("partition columns whose directory names only Spark can write")
        if self.provider in FORMATS and len(self.partitions) == len(schema.fields):
            raise SparkError("ALL_PARTITION_COLUMNS_NOT_ALLOWED")

    def kept(self, schema: StructType) -> StructType:
        """File tables keep the lengths of texts beside the columns; Iceberg's remember the types themselves."""
        if self.provider in FORMATS:
            return plain_schema(schema)
        schema, _ = told_apart(schema)
        return raw_schema(schema) if self.provider == "iceberg" else plain_schema(schema)


def in_order(rows: Rows, schema: StructType) -> str:
    """A table of Delta's moves its partition columns to the end."""
    return f"SELECT {', '.join(map(quoted_name, schema.names))} FROM ({rows.select()})"


def quoted_name(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def check_names(names: Sequence[str]) -> None:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise SparkError("COLUMN_ALREADY_EXISTS", columnName=quote_identifier(name.lower()))
        seen.add(name.lower())


def check_name(name: Name) -> None:
    """Spark's session catalog takes plain words only (SessionCatalog.validateName)."""
    if name.catalog == SESSION_CATALOG and not PLAIN_NAME.fullmatch(name.identifier.name):
        raise SparkError("INVALID_SCHEMA_OR_RELATION_NAME", name=quote_identifier(name.identifier.name))


def definition(
    parts: Parts, context: Context, provider: str, partitions: Sequence[Transform], properties: dict[str, str]
) -> Definition:
    name = name_of(parts, context)
    check_name(name)
    written = provider or context.config.get("twinspark.tables.provider") or "iceberg"
    chosen = provider_in(name.catalog, written, context)
    if chosen not in PROVIDERS:
        raise ForSpark(f"tables of {chosen}")
    catalog = tables_of(context).catalogs.get(name.catalog)
    check_no_collation(catalog, name.identifier.namespace)
    if chosen in FORMATS and "location" in properties:
        whole = catalog.whole_place(name.identifier.namespace, properties["location"])
        properties = {**properties, "location": whole}
    shown = {"provider": written} if chosen in FORMATS else {}
    return Definition(name, catalog, chosen, partitions, {**shown, **properties})


def provider_in(catalog: str, written: str, context: Context) -> str:
    """Iceberg's own catalogs have Iceberg's tables only: there USING names the format of their files."""
    chosen = written.lower()
    kind = context.config.get(f"{PREFIX}{catalog}", "")
    if catalog == SESSION_CATALOG or not kind.startswith(ICEBERG_CLASSES):
        return chosen
    if chosen in ("iceberg", "parquet"):
        return "iceberg"
    if chosen in ("orc", "avro"):
        raise ForSpark(f"Iceberg's tables of {chosen} files")
    raise JavaError("java.lang.IllegalArgumentException", f"Unsupported format in USING: {written}")


def rows_for(made: Definition, frame: Frame, context: Context) -> Rows:
    """The new table's columns are the query's, all nullable (V2CreateTableAsSelectBaseExec)."""
    found = frame.plain().schema
    schema = StructType([StructField(f.name, as_nullable(f.dataType), True, kept_metadata(f)) for f in found.fields])
    made.checked(schema)
    return Rows.of(frame, schema, context)


def kept_metadata(field: StructField) -> dict[str, Any]:
    """A comment, and the declared length of a CHAR or VARCHAR, which the new column then has too."""
    return {key: value for key, value in (field.metadata or {}).items() if key in ("comment", CHAR_TYPE)}
