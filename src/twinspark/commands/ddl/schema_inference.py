"""CREATE TABLE without columns: infers the schema from the files at its location."""

import os
from collections.abc import Mapping

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.commands.dml.source import ForSpark
from twinspark.errors import NotNative, reasons
from twinspark.read.proto import read_relation
from twinspark.tables.files.listing import local_path
from twinspark.tables.files.table import FORMATS
from twinspark.types import StructType

OPTION = "option."


def inferred_schema(provider: str, properties: Mapping[str, str], context: Context) -> StructType:
    """The schema that a reader would infer; partition directories would add partition columns, so they fall back to
    Spark."""
    place = properties.get("location", "")
    if provider not in FORMATS or not holds_files_only(local_path(place) if place else ""):
        raise ForSpark(reasons.TABLE_DEFINITION, "columns and partitions that are inferred from files")
    relation = relations_pb2.Relation()
    source = relation.read.data_source
    source.format = provider
    source.paths.append(place)
    for key, value in properties.items():
        if key.startswith(OPTION):
            source.options[key.removeprefix(OPTION)] = value
    try:
        return read_relation(relation, context).schema
    except NotNative as why:
        raise ForSpark(why.cause.reason, why.cause.detail) from why


def holds_files_only(path: str) -> bool:
    if not os.path.isdir(path):
        return os.path.isfile(path)
    with os.scandir(path) as entries:
        shown = [entry for entry in entries if not entry.name.startswith(("_", "."))]
    return bool(shown) and all(entry.is_file() for entry in shown)
