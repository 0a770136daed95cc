"""Reads Connect relations without input: files, tables and views, local rows of the client, SQL queries."""

from __future__ import annotations

import hashlib

import pyarrow as pa
from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.partitions.partition_counts import cuts_as_usual
from twinspark.analysis.relations.local_data import local_data
from twinspark.analysis.scope.frames import Frame, frame_of, source_frame
from twinspark.analysis.scope.names import Scope
from twinspark.errors import JavaError, NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression
from twinspark.plan.relations import OneRow
from twinspark.plan.scans import FileSource, relation_of
from twinspark.read.proto.expressions import read_expression
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.read.proto.json_lines import read_json_lines
from twinspark.read.proto.literals import read_literal
from twinspark.read.proto.python.sources import read_python_source
from twinspark.read.proto.relations import RELATIONS, read_frame
from twinspark.read.proto.streams import read_stream
from twinspark.read.proto.types import read_schema_text
from twinspark.read.sql_text import read_query_text
from twinspark.read.time_travel import by_options
from twinspark.read.views import VIEW_READERS, table_frame
from twinspark.types import StructType, has_time

VIEW_READERS[relations_pb2.Relation] = read_frame

FILE_FORMATS = frozenset({"parquet", "csv", "json", "text", "orc"})
TABLE_FORMATS = frozenset({"delta", "iceberg"})
# Options of all formats that select the files to read.
INDEX_OPTIONS = frozenset(
    {"basepath", "recursivefilelookup", "pathglobfilter", "modifiedbefore", "modifiedafter", "path"}
)


@RELATIONS.handles("read")
def read_read(message: relations_pb2.Read, context: Context) -> Frame:
    if message.is_streaming:
        return read_stream(message, context)
    if message.WhichOneof("read_type") == "named_table":
        return read_table(message.named_table, context)
    return read_files(message.data_source, context)


def read_table(message: relations_pb2.Read.NamedTable, context: Context) -> Frame:
    parts = attribute_parts(message.unparsed_identifier)
    return by_options(parts, context, message.options) if message.options else table_frame(parts, context)


def read_files(message: relations_pb2.Read.DataSource, context: Context) -> Frame:
    if message.predicates:
        raise NotNative(reasons.FILE_FORMAT, "a JDBC source with predicates")
    format = (message.format or context.conf("spark.sql.sources.default")).lower()
    definition = context.pythons.source(format) if context.pythons is not None and format not in FILE_FORMATS else None
    if definition is not None:
        return read_python_source(message, definition, context)
    if format in TABLE_FORMATS:
        raise NotNative(reasons.TABLE_BY_PATH, format)
    if format not in FILE_FORMATS:
        raise NotNative(reasons.FILE_FORMAT, format)
    schema = read_schema_text(message.schema) if message.schema else None
    paths = list(message.paths) or [v for k, v in message.options.items() if k.lower() == "path"]
    options = dict(message.options)
    try:
        found = context.scan_files(format, paths, options, schema, context)
        return source_frame(relation_of(found, is_in_one_piece(found, context)))
    except NotNative as refused:
        if format != "json" or context.needs_file_metadata:
            raise
        lowered = {name.lower(): value for name, value in options.items()}
        where = {name: value for name, value in lowered.items() if name in INDEX_OPTIONS}
        how = {name: value for name, value in lowered.items() if name not in INDEX_OPTIONS}
        if how.pop("multiline", "false").lower() == "true":
            where["wholetext"] = "true"  # each file is one text: an object, or an array of rows
        lines = context.scan_files("text", paths, where, None, context)
        files = (lines.looked.found, *sorted(where.items()))
        return read_json_lines(frame_of(relation_of(lines)), how, schema, refused, context, files)


def is_in_one_piece(found: FileSource, context: Context) -> bool:
    """Spark does not split files that are smaller than the open cost (FilePartition.maxSplitBytes)."""
    return len(found.input_files) == 1 and found.size_in_bytes <= 4194304 and cuts_as_usual(context.config)


@RELATIONS.handles("sql")
def read_sql(message: relations_pb2.SQL, context: Context) -> Frame:
    scope = Scope(frame_of(OneRow()), context)
    named: dict[str, Expression] = {k: read_literal(v, context.settings) for k, v in message.args.items()}
    named |= {k: read_expression(v, scope) for k, v in message.named_arguments.items()}
    positional: list[Expression] = [read_literal(v, context.settings) for v in message.pos_args]
    positional += [read_expression(v, scope) for v in message.pos_arguments]
    return read_query_text(message.query, context, named, positional)


# ---- rows sent by the client


@RELATIONS.handles("local_relation")
def read_local_relation(message: relations_pb2.LocalRelation, context: Context) -> Frame:
    schema = read_schema_text(message.schema) if message.schema else None
    data = message.data if message.HasField("data") else None
    return local_frame([data] if data is not None else [], schema, context)


@RELATIONS.handles("cached_local_relation")
def read_cached_local_relation(message: relations_pb2.CachedLocalRelation, context: Context) -> Frame:
    kept = relations_pb2.LocalRelation()
    kept.ParseFromString(context.local_relations(message.hash))
    return read_local_relation(kept, context)


@RELATIONS.handles("chunked_cached_local_relation")
def read_chunked_local_relation(message: relations_pb2.ChunkedCachedLocalRelation, context: Context) -> Frame:
    schema = None
    if message.HasField("schemaHash"):
        schema = read_schema_text(context.local_relations(message.schemaHash).decode())
    return local_frame([context.local_relations(hash) for hash in message.dataHashes], schema, context)


def together(tables: list[pa.Table]) -> pa.Table:
    """Rows without columns only have a length, which concat_tables loses."""
    return pa.Table.from_batches([batch for table in tables for batch in table.to_batches()], tables[0].schema)


def sent_rows(chunk: bytes) -> pa.Table:
    """Validates a client's Arrow stream: DuckDB would follow offsets that lead outside of its buffers."""
    try:
        table = pa.ipc.open_stream(chunk).read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, MemoryError) as failure:
        raise JavaError("java.io.IOException", "Local rows are not a valid Arrow stream") from failure
    return table


def local_frame(chunks: list[bytes], schema: StructType | None, context: Context) -> Frame:
    tables = [sent_rows(chunk) for chunk in chunks]
    digest = hashlib.blake2b(digest_size=16)
    for chunk in chunks:
        digest.update(chunk)
    table = together(tables) if tables else None
    settings = context.settings if schema is not None and has_time(schema) else Settings()
    return frame_of(local_data(table, schema, digest.hexdigest(), settings))
