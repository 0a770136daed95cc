"""Reads JSON files that DuckDB parses differently from Spark line by line, with the functions for JSON in a column."""

from __future__ import annotations

import json
from collections.abc import Hashable

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame, frame_of
from twinspark.errors import NotNative, SparkError, reasons
from twinspark.functions.documents.from_json import schema_type
from twinspark.functions.documents.json_rows import EXACT, ONCE
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Expression, Literal
from twinspark.plan.relations import FailingRelation, Field, Fields, FileRecords, Project, Relation
from twinspark.read.proto.parses import infer_json_schema, rows_of
from twinspark.types import STRING, StructField, StructType, as_nullable

CORRUPT_COLUMN_OPTION = "columnnameofcorruptrecord"
UNUSED_NAME = "a column that no record has"
ANYTHING = StructField("nothing that is asked for", STRING)  # a field that no record has, so that all records match


def read_json_lines(
    lines: Frame,
    options: dict[str, str],
    schema: StructType | None,
    fallback: NotNative,
    context: Context,
    files: Hashable,
) -> Frame:
    """Option names are in lower case; `files` identifies the version of the files and how they are split into texts. If
    Spark fails on a file, raises `fallback`, the reason for which DuckDB's reader cannot read it."""
    default = context.conf("spark.sql.columnNameOfCorruptRecord")
    corrupt = options.setdefault(CORRUPT_COLUMN_OPTION, default)
    if options.get("mode", "permissive").lower() == "failfast":
        raise fallback  # a filter that Spark pushes into its reader may skip the record that fails
    if context.flag("spark.sql.json.enableExactStringParsing"):
        options[EXACT] = "true"
    known = as_nullable(schema) if schema is not None else cached_schema(files, lines, options, corrupt, context)
    if not isinstance(known, StructType) or not known.fields or names_directory(known, lines):
        raise fallback
    return frame_of(records(lines, known, options, corrupt, context.settings))


def names_directory(schema: StructType, lines: Frame) -> bool:
    """Whether a record has a column that is also a partition directory; Spark merges them by rules of its own."""
    return bool({name.lower() for name in schema.names} & {each.name.lower() for each in lines.attributes[1:]})


def cached_schema(files: Hashable, lines: Frame, options: dict[str, str], corrupt: str, context: Context) -> StructType:
    """The inferred schema, cached while the files are unchanged."""
    key = (files, *sorted(options.items()), *sorted(context.config.items()))
    found = _schemas.get(key) or infer_record_schema(lines, options, corrupt, context)
    if len(_schemas) > MOST_CACHED:
        _schemas.clear()
    _schemas[key] = found
    return found


_schemas: dict[Hashable, StructType] = {}
MOST_CACHED = 1_000


def infer_record_schema(lines: Frame, options: dict[str, str], corrupt: str, context: Context) -> StructType:
    """In mode DROPMALFORMED the column for corrupt records is not part of the schema (JsonInferSchema)."""
    drops = options.get("mode", "permissive").lower() == "dropmalformed"
    found = infer_schema(lines, options, context)
    if (
        corrupt in found.names
        and corrupt in infer_schema(lines, options | {CORRUPT_COLUMN_OPTION: UNUSED_NAME}, context).names
    ):
        raise NotNative(reasons.SCHEMA_INFERENCE, "a key that has the name of the column for corrupt records")
    return StructType([field for field in found.fields if not (drops and field.name == corrupt)])


def infer_schema(lines: Frame, options: dict[str, str], context: Context) -> StructType:
    parser_options = {name: value for name, value in options.items() if name != "mode"}
    found = schema_type(infer_json_schema(lines, json.dumps(parser_options), context))
    assert isinstance(found, StructType)
    return found


def records(lines: Frame, schema: StructType, options: dict[str, str], corrupt: str, settings: Settings) -> Relation:
    """Spark parses only the required columns of a record: others neither fail nor make it malformed."""
    directories = [lines.field(attribute) for attribute in lines.attributes[1:]]
    fields = (*(Field(field.name, field.dataType, True) for field in schema.fields), *directories)

    def read_required(required: frozenset[int]) -> Relation:
        chosen = [field for index, field in enumerate(schema.fields) if index in required]
        if [field.name for field in chosen] == [corrupt]:
            return FailingRelation(
                error=SparkError("UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN"), fields=fields
            )
        parser_options = options | {ONCE: "true"} if corrupt in [field.name for field in chosen] else options
        read = rows_of(lines, StructType(chosen or [ANYTHING]).json(), json.dumps(parser_options), settings).plain()
        indexes = [index for index in range(len(schema.fields)) if index in required]
        return with_null_columns(read, fields, indexes, len(directories))

    return FileRecords(input=lines.relation, pruned=read_required, fields=fields)


def with_null_columns(read: Relation, fields: Fields, indexes: list[int], last: int) -> Relation:
    """The columns that were read, at their indexes among all columns, and the last ones; the others are null."""
    if len(indexes) + last == len(fields):
        return read
    found: dict[int, Expression] = {index: read.column(at) for at, index in enumerate(indexes)}
    found |= {len(fields) - at: read.column(len(read.fields) - at) for at in range(1, last + 1)}
    made = tuple(found.get(index) or null(field) for index, field in enumerate(fields))
    return Project(input=read, expressions=made, fields=fields)


def null(field: Field) -> Expression:
    return Literal(type=field.type, nullable=True, value=None, text=field.name)
