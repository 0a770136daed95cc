"""JSON files that DuckDB and Spark take apart differently are read line by line, as JSON in a column is."""

from __future__ import annotations

import json
from collections.abc import Hashable

from twinspark.analysis.context import Context
from twinspark.analysis.scope import Frame, frame_of
from twinspark.errors import NotNative, SparkError
from twinspark.functions.from_json import CORRUPT, schema_type
from twinspark.functions.json_rows import EXACT, ONCE
from twinspark.functions.settings import Settings
from twinspark.plan.expressions import Expression, Literal
from twinspark.plan.relations import Field, Fields, Project, Records, Refused, Relation
from twinspark.read.proto.parses import found_schema, rows_of
from twinspark.types import STRING, StructField, StructType, as_nullable

NAMED = "columnnameofcorruptrecord"
NOWHERE = "a column that no record has"
ANYTHING = StructField("nothing that is asked for", STRING)  # a column that every record fits


def read_json_lines(
    lines: Frame,
    options: dict[str, str],
    schema: StructType | None,
    refused: NotNative,
    context: Context,
    files: Hashable,
) -> Frame:
    """Options are named in lower case; `files` as they were when they were listed, and how they are cut into texts. A
    file that Spark fails over is refused as DuckDB's reader refused it."""
    told = context.config.get("spark.sql.columnNameOfCorruptRecord", CORRUPT)
    corrupt = options.setdefault(NAMED, told)
    if options.get("mode", "permissive").lower() == "failfast":
        raise refused  # a filter that Spark hands to its reader may skip the record that fails
    if context.config.get("spark.sql.json.enableExactStringParsing", "true").lower() == "true":
        options[EXACT] = "true"
    known = as_nullable(schema) if schema is not None else schema_kept(files, lines, options, corrupt, context)
    if not isinstance(known, StructType) or not known.fields or names_directory(known, lines):
        raise refused
    return frame_of(records(lines, known, options, corrupt, context.settings))


def names_directory(schema: StructType, lines: Frame) -> bool:
    """A column of the records that the directories have, too; Spark mixes them in its own way."""
    return bool({name.lower() for name in schema.names} & {each.name.lower() for each in lines.attributes[1:]})


def schema_kept(files: Hashable, lines: Frame, options: dict[str, str], corrupt: str, context: Context) -> StructType:
    """The schema that was found, for as long as the files are as they were."""
    key = (files, *sorted(options.items()), *sorted(context.config.items()))
    found = _schemas.get(key) or schema_found(lines, options, corrupt, context)
    if len(_schemas) > MOST_KEPT:
        _schemas.clear()
    _schemas[key] = found
    return found


_schemas: dict[Hashable, StructType] = {}
MOST_KEPT = 1_000


def schema_found(lines: Frame, options: dict[str, str], corrupt: str, context: Context) -> StructType:
    """In the mode DROPMALFORMED what is malformed has no column (JsonInferSchema)."""
    drops = options.get("mode", "permissive").lower() == "dropmalformed"
    found = inferred(lines, options, context)
    if corrupt in found.names and corrupt in inferred(lines, options | {NAMED: NOWHERE}, context).names:
        raise NotNative("JSON records with a key that is called as the column for corrupt ones")
    return StructType([field for field in found.fields if not (drops and field.name == corrupt)])


def inferred(lines: Frame, options: dict[str, str], context: Context) -> StructType:
    told = {name: value for name, value in options.items() if name != "mode"}
    found = schema_type(found_schema(lines, json.dumps(told), context))
    assert isinstance(found, StructType)
    return found


def records(lines: Frame, schema: StructType, options: dict[str, str], corrupt: str, settings: Settings) -> Relation:
    """Spark reads a record by the columns that are asked for: others neither fail nor make it malformed."""
    directories = [lines.field(attribute) for attribute in lines.attributes[1:]]
    fields = (*(Field(field.name, field.dataType, True) for field in schema.fields), *directories)

    def narrowed(asked: frozenset[int]) -> Relation:
        chosen = [field for place, field in enumerate(schema.fields) if place in asked]
        if [field.name for field in chosen] == [corrupt]:
            return Refused(error=SparkError("UNSUPPORTED_FEATURE.QUERY_ONLY_CORRUPT_RECORD_COLUMN"), fields=fields)
        told = options | {ONCE: "true"} if corrupt in [field.name for field in chosen] else options
        read = rows_of(lines, StructType(chosen or [ANYTHING]).json(), json.dumps(told), settings).plain()
        places = [place for place in range(len(schema.fields)) if place in asked]
        return under_all(read, fields, places, len(directories))

    return Records(input=lines.relation, narrowed=narrowed, fields=fields)


def under_all(read: Relation, fields: Fields, places: list[int], last: int) -> Relation:
    """The columns that were read, at their places among all, and the last ones; the others are null."""
    if len(places) + last == len(fields):
        return read
    found: dict[int, Expression] = {place: read.column(at) for at, place in enumerate(places)}
    found |= {len(fields) - at: read.column(len(read.fields) - at) for at in range(1, last + 1)}
    made = tuple(found.get(place) or null(field) for place, field in enumerate(fields))
    return Project(input=read, expressions=made, fields=fields)


def null(field: Field) -> Expression:
    return Literal(type=field.type, nullable=True, value=None, text=field.name)
