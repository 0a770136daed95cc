"""The definition of a new table from CREATE TABLE, saveAsTable or writeTo: validated, created and filled with rows."""

import os
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame
from twinspark.commands.ddl.constraints import with_checks
from twinspark.commands.ddl.schema_inference import OPTION
from twinspark.commands.ddl.targets import Parts, name_of, quote_name
from twinspark.commands.dml.source import ForSpark
from twinspark.commands.dml.write import Rows, spark_errors
from twinspark.commands.names import check_no_collation
from twinspark.commands.results import Answer
from twinspark.errors import JavaError, SparkError, reasons
from twinspark.functions.strings.collations import is_indeterminate
from twinspark.sessions.tables import tables_of
from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.catalogs import ICEBERG_CLASSES, PREFIX, SESSION_CATALOG, Name
from twinspark.tables.char_types import CHAR_TYPE, plain_schema, raw_schema
from twinspark.tables.collations import split_marks
from twinspark.tables.delta.table import DeltaTable
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.table import FORMATS, FileTable
from twinspark.tables.files.write import PARTITION_TYPES, unknown_options
from twinspark.tables.iceberg.maintenance import keep_short
from twinspark.tables.session_catalog import SessionCatalog
from twinspark.tables.transforms import Transform
from twinspark.tables.valid_names import check_relation_name
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

Command = Callable[[], Answer]
PROVIDERS = {"iceberg", "delta", *FORMATS}


@dataclass(frozen=True)
class Definition:
    """A new table as CREATE TABLE, saveAsTable or writeTo define it."""

    name: Name
    catalog: SessionCatalog
    provider: str
    partitions: Sequence[Transform]
    properties: dict[str, str]
    context: Context

    @property
    def full_name(self) -> str:
        return quote_name(self.name.qualifier)

    def spec(self, schema: StructType) -> TableSpec:
        properties = {name: value for name, value in self.properties.items() if name not in ("provider", "location")}
        provider = self.properties.get("provider", self.provider)
        return TableSpec(schema, self.partitions, properties, provider, self.properties.get("location"))

    def aside(self) -> "Definition":
        """The same definition under an unused name."""
        identifier = Identifier(self.name.identifier.namespace, f"{self.name.identifier.name}_{uuid.uuid4().hex}")
        return replace(self, name=Name(self.name.catalog, identifier))

    def create(self, schema: StructType) -> None:
        self.check_schema(schema)
        self.catalog.create_table(self.name.identifier, self.spec(self.stored_schema(schema)))

    def create_as(self, rows: Rows) -> None:
        """The table becomes visible with its rows; a failed query leaves no table."""
        if self.provider != "iceberg":
            self.create_files_as(rows)
            return
        with spark_errors(rows):
            self.staged_as(rows, self.catalog.stage_create)

    def replace_as(self, rows: Rows, or_create: bool) -> None:
        """The old table stays until the new one is complete."""
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
        """One Delta commit, which keeps the history: the schema may change, the partitioning may not."""
        if [transform.column for transform in self.partitions] != [t.column for t in old.partitioning]:
            raise self.not_replaceable()
        with spark_errors(rows):
            old.replace_all(plain_schema(rows.schema), rows.select(), rows.connection)

    def staged_as(self, rows: Rows, stage: Callable[..., Any]) -> None:
        with stage(self.name.identifier, self.spec(raw_schema(rows.schema))) as staged:
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
            table = with_checks(made, self.name.qualifier, self.context)
            table.write(in_order(rows, made.schema), "append", rows.connection)

    def check_empty(self) -> None:
        """Raises an error if the location contains files, since their rows would belong to the new table."""
        if self.has_files:
            raise SparkError(
                "_LEGACY_ERROR_TEMP_1241",
                tablePath=f"file://{local_path(self.properties['location'])}",
                config="spark.sql.legacy.allowNonEmptyLocationInCTAS",
            )

    def replace(self, schema: StructType, or_create: bool) -> None:
        self.check_replaceable(or_create)
        self.check_schema(schema)
        stage = self.catalog.stage_create_or_replace if or_create else self.catalog.stage_replace
        stage(self.name.identifier, self.spec(self.stored_schema(schema))).commit()

    def check_replaceable(self, or_create: bool) -> None:
        """The existing table must be an Iceberg table: a directory of files cannot be replaced atomically."""
        other = self.catalog.other(self.name.identifier)
        if self.provider != "iceberg" or other is not None:
            raise self.not_replaceable()
        if not or_create and not self.catalog.table_exists(self.name.identifier):
            path = f"[{quote_name(self.name.qualifier[:-1])}]"
            raise SparkError("TABLE_OR_VIEW_NOT_FOUND", relationName=self.full_name, searchPath=path)

    def not_replaceable(self) -> SparkError:
        operation = "REPLACE TABLE"
        return SparkError("UNSUPPORTED_FEATURE.TABLE_OPERATION", tableName=self.full_name, operation=operation)

    def check_schema(self, schema: StructType) -> None:
        check_names(schema.names)
        if any(isinstance(part, MapType) and has_collation(part.keyType) for part in nested_types(schema)):
            raise ForSpark(reasons.COLLATION_STORAGE, "the keys of maps")
        if is_indeterminate(schema):
            raise ForSpark(reasons.COLLATION_STORAGE, "columns whose collation is not certain")
        if has_collation(schema) and self.provider != "parquet":
            raise ForSpark(reasons.COLLATION_STORAGE, f"{self.provider} tables")
        names = {name.lower() for name in schema.names}
        for transform in self.partitions:
            if transform.column[0].lower() not in names:
                raise SparkError(
                    "COLUMN_NOT_DEFINED_IN_TABLE",
                    colType="partition",
                    colName=quote_name(transform.column),
                    tableName=self.full_name,
                    tableCols=", ".join(map(quote_identifier, schema.names)),
                )
        by = {transform.column[0].lower() for transform in self.partitions}
        types = [plain_type(field.dataType) for field in schema.fields if field.name.lower() in by]
        if any(map(has_collation, types)):
            raise ForSpark(reasons.COLLATION_STORAGE, "partition columns")
        if self.provider in FORMATS and not all(isinstance(type, PARTITION_TYPES) for type in types):
            raise ForSpark(reasons.WRITE_COLUMNS, "partition columns of a type whose directory names only Spark writes")
        if self.provider in FORMATS and len(self.partitions) == len(schema.fields):
            raise SparkError("ALL_PARTITION_COLUMNS_NOT_ALLOWED")

    def check_writable(self) -> None:
        """A table of files whose options only Spark's writer supports is created on Spark."""
        if self.provider not in FORMATS:
            return
        options = [key.removeprefix(OPTION).lower() for key in self.properties if key.startswith(OPTION)]
        if unknown := unknown_options(self.provider, options):
            raise ForSpark(reasons.WRITE_OPTION, f"{self.provider}: {unknown[0]}")

    @property
    def has_files(self) -> bool:
        place = self.properties.get("location")
        return place is not None and os.path.isdir(local_path(place)) and bool(os.listdir(local_path(place)))

    def stored_schema(self, schema: StructType) -> StructType:
        """File tables store CHAR and VARCHAR lengths separately; Iceberg tables store the types themselves."""
        if self.provider in FORMATS:
            return plain_schema(schema)
        schema, _ = split_marks(schema)
        return raw_schema(schema) if self.provider == "iceberg" else plain_schema(schema)


def in_order(rows: Rows, schema: StructType) -> str:
    """A Delta table has its partition columns last."""
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
    """Spark's session catalog accepts only alphanumeric names (SessionCatalog.validateName)."""
    if name.catalog == SESSION_CATALOG:
        check_relation_name(name.identifier.name)


def definition(
    parts: Parts, context: Context, provider: str, partitions: Sequence[Transform], properties: dict[str, str]
) -> Definition:
    name = name_of(parts, context)
    check_name(name)
    written = provider or context.config.get("twinspark.tables.provider") or "iceberg"
    chosen = provider_in(name.catalog, written, context)
    if chosen not in PROVIDERS:
        raise ForSpark(reasons.TABLE_FORMAT, chosen)
    catalog = tables_of(context).catalogs.get(name.catalog)
    check_no_collation(catalog, name.identifier.namespace)
    if chosen in FORMATS and "location" in properties:
        whole = catalog.absolute_location(name.identifier.namespace, properties["location"])
        properties = {**properties, "location": whole}
    shown = {"provider": written} if chosen in FORMATS else {}
    return Definition(name, catalog, chosen, partitions, {**shown, **properties}, context)


def provider_in(catalog: str, written: str, context: Context) -> str:
    """Iceberg's own catalogs contain Iceberg tables only: there USING names the format of the data files."""
    chosen = written.lower()
    kind = context.config.get(f"{PREFIX}{catalog}", "")
    if catalog == SESSION_CATALOG or not kind.startswith(ICEBERG_CLASSES):
        return chosen
    if chosen in ("iceberg", "parquet"):
        return "iceberg"
    if chosen in ("orc", "avro"):
        raise ForSpark(reasons.ICEBERG_TABLE, f"data files in the format {chosen}")
    raise JavaError("java.lang.IllegalArgumentException", f"Unsupported format in USING: {written}")


def rows_for(made: Definition, frame: Frame, context: Context) -> Rows:
    """The new table has the query's columns, all nullable (V2CreateTableAsSelectBaseExec)."""
    found = frame.plain().schema
    schema = StructType([StructField(f.name, as_nullable(f.dataType), True, stored_metadata(f)) for f in found.fields])
    made.check_schema(schema)
    made.check_writable()
    return Rows.of(frame, schema, context, into_files=made.provider not in ("iceberg", "delta"))


def stored_metadata(field: StructField) -> dict[str, Any]:
    """A comment, and the declared length of a CHAR or VARCHAR, which the new column also gets."""
    return {key: value for key, value in (field.metadata or {}).items() if key in ("comment", CHAR_TYPE)}
