"""CREATE TABLE without columns: what the files at its place tell of them."""

import os
from collections.abc import Mapping

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.errors import NotNative
from twinspark.read.proto import read_relation
from twinspark.session.writes_source import ForSpark
from twinspark.tables.file_table import FORMATS
from twinspark.tables.listing import local_path
from twinspark.types import StructType

OPTION = "option."


def inferred_schema(provider: str, properties: Mapping[str, str], context: Context) -> StructType:
    """As a reader would find it; where directories name partitions the table would have these, too."""
    place = properties.get("location", "")
    if provider not in FORMATS or not holds_files_only(local_path(place) if place else ""):
        raise ForSpark("a table whose columns and partitions are to be found")
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
        raise ForSpark(why.reason) from why


def holds_files_only(path: str) -> bool:
    if not os.path.isdir(path):
        return os.path.isfile(path)
    with os.scandir(path) as entries:
        shown = [entry for entry in entries if not entry.name.startswith(("_", "."))]
    return bool(shown) and all(entry.is_file() for entry in shown)
