"""Reads text files as Spark does: one string column, one row per line."""

from collections.abc import Mapping, Sequence

from pyspark.sql.types import DataType, StringType, StructField, StructType

from twinspark.errors import NotNative, reasons
from twinspark.tables.column_types import column_type
from twinspark.tables.files.partition_columns import DEFAULT_PARTITION, directory_values, merged_schema, unescape
from twinspark.tables.files.scan import FileScan, Request, check_options, data_schema, file_scan
from twinspark.types.duckdb import duck_name, duck_text, duck_texts

# Lines are split in memory: DuckDB's line readers drop empty lines, which Spark keeps.
LARGEST_FILE = 256 << 20


def scan(request: Request) -> FileScan:
    check_options(request, {"wholetext", "linesep"})
    if any(leaf.size > LARGEST_FILE for leaf in request.files):
        raise NotNative(reasons.FILE_SIZE, "a text file of more than 256 MiB")
    if any(not is_plain(leaf.name) for leaf in request.files):
        raise NotNative(reasons.FILE_COMPRESSED, "text")
    data = data_schema(request, lambda: StructType([StructField("value", StringType(), True)]))
    if [field.dataType for field in data.fields] != [StringType()]:
        raise NotNative(reasons.FILE_COLUMN_TYPE, "text files read into other columns than one string")
    whole = merged_schema(data, request.partitioning.schema, request.context.case_sensitive)
    return file_scan(request, whole, lines(data.names[0], whole, request) if request.files else "")


def is_plain(name: str) -> bool:
    """Whether the name has no suffix of a compression codec, by which Hadoop would decompress it."""
    return not name.endswith((".bz2", ".lz4", ".snappy", ".zst", ".deflate", ".gz"))


def lines(name: str, whole: StructType, request: Request) -> str:
    """SQL of the files' lines, or with `wholetext` of their whole contents."""
    files = f"read_text({duck_texts(request.paths_as_read)})"
    if reads_whole_text(request):
        return select_sql({name: "content"}, whole, request, files)
    content, end = contents_and_line_end(request)
    pieces = f"(SELECT unnest({pieces_of(content, end)}) AS piece, filename FROM {files})"
    return select_sql({name: f"unnest({split('piece', end)})"}, whole, request, pieces)


def select_sql(value: Mapping[str, str], whole: StructType, request: Request, source: str) -> str:
    values = {**value, **directory_columns(request)}
    columns = ", ".join(f"{values[column]} AS {duck_name(column)}" for column in whole.names)
    place = request.file_column if request.context.metadata_column is not None else ""  # only for the hidden column
    return f"SELECT {columns}{place} FROM {source}"


def directory_columns(request: Request) -> dict[str, str]:
    """SQL of the partition columns by file name, since read_text does not return them."""
    found = {leaf.path: directory_values(leaf.directory, request.listing.base_paths) for leaf in request.files}
    fields = request.partitioning.schema.fields
    return {field.name: directory_column(found, at, field.dataType) for at, field in enumerate(fields)}


def directory_column(found: Mapping[str, Sequence[tuple[str, str]]], at: int, type: DataType) -> str:
    texts = {path: parts[at][1] for path, parts in found.items()}
    values = {path: unescape(text) for path, text in texts.items() if text != DEFAULT_PARTITION}
    entries = ", ".join(f"{duck_text(path)}: {duck_text(text)}" for path, text in values.items())
    return (
        f"CAST(MAP {{{entries}}}[filename] AS {column_type(type)})" if values else f"CAST(NULL AS {column_type(type)})"
    )


def contents_and_line_end(request: Request) -> tuple[str, int]:
    """SQL of the files' contents, and the character that ends lines: by default CR, LF and CRLF."""
    separator = request.options.get("linesep")
    if separator is None:
        return "replace(replace(content, chr(13) || chr(10), chr(10)), chr(13), chr(10))", 10
    if len(separator) != 1 or not separator.isascii():
        raise NotNative(reasons.FILE_OPTION, "text: a lineSep of several characters, or outside ASCII")
    return "content", ord(separator)


def pieces_of(content: str, end: int) -> str:
    """The content split after every hundredth line: DuckDB's unnest scans a whole list for every 2,048 of its elements,
    and a file may have millions of lines."""
    line = f"[^\\x{end:02x}]"
    return f"regexp_extract_all({content}, '(?:{line}*\\x{end:02x}){{1,100}}|{line}+')"


def split(content: str, end: int) -> str:
    """A line end at the end of a file starts no new line (Hadoop's LineReader)."""
    unended = f"CASE WHEN ends_with({content}, chr({end})) THEN left({content}, -1) ELSE {content} END"
    return f"string_split({unended}, chr({end}))"


def reads_whole_text(request: Request) -> bool:
    return request.options.get("wholetext", "false").lower() == "true"
