"""Writes files as Spark does: part files, partition directories and _SUCCESS, staged and then moved to the target."""

import itertools
import os
import shutil
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import duckdb
from pyspark.sql.types import (
    BooleanType,
    ByteType,
    DateType,
    DecimalType,
    IntegerType,
    LongType,
    NullType,
    ShortType,
    StringType,
    StructField,
    StructType,
)

from twinspark.errors import NotNative, SparkError, reasons
from twinspark.errors.marker import unmark
from twinspark.functions.strings.collations import is_indeterminate
from twinspark.tables.files import orc_write, text_rows
from twinspark.tables.files.disk_errors import writing_to
from twinspark.tables.files.listing import file_uri, local_path
from twinspark.tables.files.partition_columns import DEFAULT_PARTITION, escape
from twinspark.types import DataType, TimeType, VariantType, as_nullable, has_collation, has_user_type, nested_types
from twinspark.types.duckdb import duck_name, duck_text

SPARK_SCHEMA = "org.apache.spark.sql.parquet.row.metadata"
PARQUET_CODECS = {"snappy": "snappy", "gzip": "gz", "zstd": "zstd", "none": "", "uncompressed": ""}
KNOWN = {
    "parquet": {"compression"},
    "csv": {"sep", "delimiter", "header", "nullvalue", "compression"},
    "json": {"compression"},
    "text": {"compression"},
    "orc": {"compression", "orc.compress"},
}
# Options of readers, which Spark's writers do not look at (FileSourceOptions, CSVOptions, JSONOptions).
OF_READERS = {
    *("mergeschema", "pathglobfilter", "recursivefilelookup", "modifiedbefore", "modifiedafter"),
    *("ignoremissingfiles", "ignorecorruptfiles"),
}
OF_TEXT_READERS = {"mode", "multiline", "samplingratio", "columnnameofcorruptrecord", "preferdate"}
ONLY_READ = {
    "csv": {*OF_READERS, *OF_TEXT_READERS, "inferschema", "enforceschema", "unescapedquotehandling"},
    "json": {*OF_READERS, *OF_TEXT_READERS, "primitivesasstring", "prefersdecimal", "dropfieldifallnull"},
}
ENDINGS = {"csv": ".csv", "json": ".json", "text": ".txt"}
# Types of partition columns that both engines cast to the same strings.
PARTITION_TYPES = (ByteType, ShortType, IntegerType, LongType, StringType, BooleanType, DateType, DecimalType)
NOT_WRITTEN = (NullType, VariantType, TimeType)
CHUNK = "twinspark_partition_{}"
LONGEST_NAME = 255  # bytes of a file name


@dataclass(frozen=True)
class FileWrite:
    """One write: rows as SQL, the target path, and the save mode."""

    select: str
    format: str
    path: str
    schema: StructType
    mode: str = "error"
    partition_by: Sequence[str] = ()
    options: Mapping[str, str] = field(default_factory=dict)
    dynamic_overwrite: bool = False
    time_zone: str = "UTC"
    places: Mapping[str, str] = field(default_factory=dict)  # locations of partitions outside of the directory
    parts: str = ""  # SQL of the number of a row's file, if the query defines the partitions

    @property
    def data_schema(self) -> StructType:
        partitions = {name.lower() for name in self.partition_by}
        return StructType([f for f in self.schema.fields if f.name.lower() not in partitions])

    @property
    def partition_fields(self) -> list[StructField]:
        by_name = {f.name.lower(): f for f in self.schema.fields}
        return [by_name[name.lower()] for name in self.partition_by]


@dataclass(frozen=True)
class FileRows:
    """The rows of a write: SQL with the schema's columns, and the expression that assigns them to files."""

    select: str
    parts: str = ""


@dataclass(frozen=True)
class Written:
    """The files and the row count of a finished write."""

    files: tuple[str, ...]
    rows: int


def write_files(write: FileWrite, connection: Any) -> Written | None:
    """Writes files and moves them to the target; None if the mode is `ignore` and the path exists."""
    check(write)
    path = local_path(write.path)
    if os.path.exists(path) and write.mode in ("error", "errorifexists"):
        raise SparkError("PATH_ALREADY_EXISTS", outputPath=file_uri(path))
    if os.path.exists(path) and write.mode == "ignore":
        return None
    staged = Path(os.path.dirname(path)) / staged_name(os.path.basename(path))
    try:
        with writing_to(path):
            written = stage(write, staged, connection)
            move_into_place(write, staged, Path(path))
    finally:
        shutil.rmtree(staged, ignore_errors=True)
    return Written(tuple(os.path.join(path, each) for each in written.files), written.rows)


def staged_name(name: str) -> str:
    """The name of the hidden staging directory beside the target, of a valid length if the target's name is."""
    made = f".{name}-{uuid.uuid4()}"
    return made if len(os.fsencode(made)) <= LONGEST_NAME else f".{uuid.uuid4()}"


def check(write: FileWrite) -> None:
    """Writes that Spark rejects or that are not supported fall back to Spark before any file is created."""
    if "\\" in write.path:
        raise NotNative(reasons.FILE_PATH, "a backslash, which DuckDB reads as a slash")
    if write.format not in KNOWN:
        raise NotNative(reasons.WRITE_FORMAT, write.format)
    if unknown := unknown_options(write.format, write.options):
        raise NotNative(reasons.WRITE_OPTION, f"{write.format}: {unknown[0]}")
    names = [name.lower() for name in write.schema.names]
    if len(set(names)) != len(names) or not write.data_schema.fields:
        raise NotNative(reasons.WRITE_COLUMNS, "repeated columns, or partition columns only")
    if not {name.lower() for name in write.partition_by} <= set(names):
        raise NotNative(reasons.ERROR_MESSAGE, "partitionBy names a column that does not exist")
    if any(isinstance(type, NOT_WRITTEN) for type in nested_types(write.schema)):
        raise NotNative(reasons.WRITE_COLUMNS, "untyped nulls, variants or TIME")
    by_collation = [field for field in write.schema.fields if has_collation(field.dataType)]
    if by_collation and is_indeterminate(write.schema):
        raise NotNative(reasons.COLLATION_STORAGE, "columns whose collation is not certain")
    if by_collation and (write.format != "parquet" or any(map(has_collation, partition_types(write)))):
        raise NotNative(reasons.COLLATION_STORAGE, "files")
    if write.format != "parquet" and has_user_type(write.schema):
        raise NotNative(reasons.WRITE_COLUMNS, "user-defined types")
    if write.format == "orc" and orc_codec(write) not in orc_write.CODECS:
        raise NotNative(reasons.WRITE_OPTION, f"{orc_codec(write)} for ORC")
    if not all(isinstance(f.dataType, PARTITION_TYPES) for f in write.partition_fields):
        raise NotNative(reasons.WRITE_COLUMNS, "partition columns of a type whose directory names only Spark writes")


def unknown_options(format: str, options: Iterable[str]) -> list[str]:
    """Options, by their lower case names, that the native writer of the format does not support."""
    return sorted(set(options) - KNOWN[format] - ONLY_READ.get(format, OF_READERS) - {"path"})


def partition_types(write: FileWrite) -> list[DataType]:
    return [field.dataType for field in write.partition_fields]


def stage(write: FileWrite, directory: Path, connection: Any) -> Written:
    """Writes the rows to a staging directory with the target's layout; returns its files."""
    raw = directory / "_raw"
    raw.mkdir(parents=True, exist_ok=True)
    rows, sources = copy_rows(write, str(raw), connection)
    numbered = (
        number_files(write, raw, sources, connection) if write.parts else [(0, source) for source in sorted(sources)]
    )
    job = uuid.uuid4()
    files = [lay_out(write, directory, job, at, source) for at, source in numbered]
    shutil.rmtree(raw)
    (directory / "_SUCCESS").touch()
    return Written(tuple(files), rows)


def copy_rows(write: FileWrite, directory: str, connection: Any) -> tuple[int, list[str]]:
    try:
        [(rows, sources)] = connection.execute(copy_sql(write, directory)).fetchall()
    except duckdb.Error as error:
        raise write_failure(error) from error
    return rows, sources


def number_files(write: FileWrite, raw: Path, sources: Sequence[str], connection: Any) -> list[tuple[int, str]]:
    """Files with their task numbers. Without partition columns the first file exists even without rows, so that readers
    find the schema (with them Spark uses EmptyDirectoryDataWriter)."""
    found = sorted((int(Path(source).parts[-2].partition("=")[2]), source) for source in sources)
    if not write.partition_by and 0 not in dict(found):
        nothing = replace(write, parts="", select=f"SELECT * FROM ({write.select}) WHERE false")
        return [(0, copy_rows(nothing, str(raw), connection)[1][0]), *found]
    return found


def write_failure(error: duckdb.Error) -> Exception:
    found = unmark(str(error))
    return found if isinstance(found, NotNative) else error


def copy_sql(write: FileWrite, directory: str) -> str:
    """The COPY statement, which returns the row count and the written files."""
    partitions = [f"{partition_text(f)} AS {CHUNK.format(at)}" for at, f in enumerate(write.partition_fields)]
    if write.parts:
        partitions.append(f"printf('%05d', {write.parts}) AS {CHUNK.format(len(partitions))}")
    columns = ", ".join([data_columns(write), *partitions])
    chunks = ", ".join(CHUNK.format(at) for at in range(len(partitions)))
    target = f"PARTITION_BY ({chunks}), OVERWRITE_OR_IGNORE" if chunks else "PER_THREAD_OUTPUT false"
    return (
        f"COPY (SELECT {columns} FROM ({write.select})) TO {duck_text(directory if chunks else f'{directory}/0')} "
        f"({format_options(write)}, RETURN_FILES, {target})"
    )


def data_columns(write: FileWrite) -> str:
    if write.format == "orc":
        return orc_write.columns(write.data_schema)
    if write.format == "parquet":
        return ", ".join(duck_name(name) for name in write.data_schema.names)
    return f"{line_sql(write)} AS {duck_name(header(write) or 'line')}"


def line_sql(write: FileWrite) -> str:
    if write.format == "csv":
        return text_rows.csv_line(write.data_schema, write.options, write.time_zone)
    if write.format == "json":
        return text_rows.json_line(write.data_schema, write.time_zone)
    if [f.dataType for f in write.data_schema.fields] != [StringType()]:
        raise NotNative(reasons.WRITE_COLUMNS, "text files of other columns than one string")
    return f"coalesce({duck_name(write.data_schema.names[0])}, '')"


def format_options(write: FileWrite) -> str:
    if write.format == "orc":
        return "FORMAT parquet, COMPRESSION lz4_raw"  # an intermediate file
    codec = write.options.get("compression", "snappy" if write.format == "parquet" else "none").lower()
    if write.format == "parquet":
        if codec not in PARQUET_CODECS:
            raise NotNative(reasons.WRITE_OPTION, f"{codec} for Parquet")
        schema = as_nullable(write.data_schema)
        return (
            f"FORMAT parquet, COMPRESSION {codec if PARQUET_CODECS[codec] else 'uncompressed'}, "
            f"KV_METADATA {{{duck_text(SPARK_SCHEMA)}: {duck_text(schema.json())}}}"
        )
    if codec not in ("none", "uncompressed", "gzip"):
        raise NotNative(reasons.WRITE_OPTION, f"{codec} for text")
    compression = "gzip" if codec == "gzip" else "none"
    # The lines are formatted already: DuckDB only writes them.
    headed = "true" if header(write) else "false"
    return f"FORMAT csv, HEADER {headed}, QUOTE '', ESCAPE '', DELIMITER '\x01', COMPRESSION {compression}"


def header(write: FileWrite) -> str | None:
    if write.format != "csv" or write.options.get("header", "false").lower() != "true":
        return None
    return text_rows.csv_header(write.data_schema, write.options.get("sep", write.options.get("delimiter", ",")))


def partition_text(field: StructField) -> str:
    """A null and an empty string share the default directory."""
    text = f"CAST({duck_name(field.name)} AS VARCHAR)"
    return f"coalesce(nullif({text}, ''), {duck_text(DEFAULT_PARTITION)})"


def lay_out(write: FileWrite, directory: Path, job: uuid.UUID, at: int, source: str) -> str:
    """Renames a file that DuckDB wrote to the path that Spark would use; returns the relative path."""
    folders_of = Path(source).parts[: -2 if write.parts else -1]
    values = [unquote(part.partition("=")[2]) for part in folders_of[-len(write.partition_by) or len(folders_of) :]]
    folders = [f"{escape(f.name)}={escape(value)}" for f, value in zip(write.partition_fields, values, strict=True)]
    (directory / os.path.join("", *folders)).mkdir(parents=True, exist_ok=True)
    names = (os.path.join(*folders, part_name(write, at, job, count)) for count in itertools.count())
    relative = next(name for name in names if not (directory / name).exists())
    if write.format == "orc":
        orc_write.transcode(source, str(directory / relative), write.data_schema, orc_codec(write))
    else:
        os.rename(source, directory / relative)
    return relative


def orc_codec(write: FileWrite) -> str:
    """The codec by the option compression, by orc.compress, or by default (OrcOptions.compressionCodec)."""
    return write.options.get("compression", write.options.get("orc.compress", "zstd")).lower()


def part_name(write: FileWrite, at: int, job: uuid.UUID, count: int) -> str:
    """The part file name of the task `at`; its second file in a directory is c001 after c000."""
    codec = write.options.get("compression", "").lower()
    if write.format == "parquet":
        name = PARQUET_CODECS[codec or "snappy"]
        ending = f".{name}.parquet" if name else ".parquet"
    elif write.format == "orc":
        name = orc_write.CODECS[orc_codec(write)]
        ending = f".{name}.orc" if name else ".orc"
    else:
        ending = ENDINGS[write.format] + (".gz" if codec == "gzip" else "")
    return f"part-{at:05d}-{job}{'.' if write.partition_by else '-'}c{count:03d}{ending}"


def move_into_place(write: FileWrite, staged: Path, path: Path) -> None:
    """Overwrite swaps directories; append and dynamic overwrite move files into the existing directory."""
    move_to_locations(write, staged)
    if not path.exists() or (write.mode == "overwrite" and not write.dynamic_overwrite):
        swap(staged, path)
        return
    if write.mode == "overwrite":
        for folder in sorted({file.parent for file in visible_files(staged)}):
            shutil.rmtree(path / folder.relative_to(staged), ignore_errors=True)
    for file in visible_files(staged):
        target = path / file.relative_to(staged)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.rename(file, target)
    (path / "_SUCCESS").touch()


def move_to_locations(write: FileWrite, staged: Path) -> None:
    """Moves the files of partitions with locations of their own."""
    for folder, place in write.places.items():
        files = visible_files(staged / folder)
        if write.mode == "overwrite" and (files or not write.dynamic_overwrite):
            shutil.rmtree(place, ignore_errors=True)
        for file in files:
            os.makedirs(place, exist_ok=True)
            shutil.move(file, os.path.join(place, file.name))  # may be on another disk
        shutil.rmtree(staged / folder, ignore_errors=True)


def visible_files(directory: Path) -> list[Path]:
    return sorted(file for file in directory.rglob("part-*") if file.is_file())


def swap(staged: Path, path: Path) -> None:
    old = path.with_name(staged_name(path.name))
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.exists():
        os.rename(path, old)
    os.rename(staged, path)
    if old.is_dir():
        shutil.rmtree(old)
    elif old.exists():
        old.unlink()
