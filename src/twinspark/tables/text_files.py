"""Text files as Spark reads them: one string column, one row per line."""

from collections.abc import Mapping, Sequence

from pyspark.sql.types import DataType, StringType, StructField, StructType

from twinspark.errors import NotNative
from twinspark.tables.ducktext import duck_type, identifier, literal, literals
from twinspark.tables.filescan import FileScan, Request, check_options, data_schema, file_scan
from twinspark.tables.partitions import DEFAULT_PARTITION, directory_values, merged_schema, unescape

# Lines are split in memory: DuckDB's line readers drop empty lines, which Spark keeps.
LARGEST_FILE = 256 << 20


def scan(request: Request) -> FileScan:
    check_options(request, {"wholetext", "linesep"})
    if any(leaf.size > LARGEST_FILE for leaf in request.files):
        raise NotNative("a text file of more than 256 MiB")
    if any(not is_plain(leaf.name) for leaf in request.files):
        raise NotNative("compressed text files")
    data = data_schema(request, lambda: StructType([StructField("value", StringType(), True)]))
    if [field.dataType for field in data.fields] != [StringType()]:
        raise NotNative("text files read into other columns than one string")
    whole = merged_schema(data, request.partitioning.schema, request.context.case_sensitive)
    return file_scan(request, whole, lines(data.names[0], whole, request) if request.files else "")


def is_plain(name: str) -> bool:
    """Hadoop picks a codec by the ending."""
    return not name.endswith((".bz2", ".lz4", ".snappy", ".zst", ".deflate", ".gz"))


def lines(name: str, whole: StructType, request: Request) -> str:
    """The files' lines, or with `wholetext` their whole contents."""
    files = f"read_text({literals(request.paths_as_read)})"
    if is_whole(request):
        return selected({name: "content"}, whole, request, files)
    content, end = ended(request)
    pieces = f"(SELECT unnest({pieces_of(content, end)}) AS piece, filename FROM {files})"
    return selected({name: f"unnest({split('piece', end)})"}, whole, request, pieces)


def selected(value: Mapping[str, str], whole: StructType, request: Request, source: str) -> str:
    values = {**value, **directory_columns(request)}
    columns = ", ".join(f"{values[column]} AS {identifier(column)}" for column in whole.names)
    place = request.file_place if request.context.tells is not None else ""  # else rows are not told apart
    return f"SELECT {columns}{place} FROM {source}"


def directory_columns(request: Request) -> dict[str, str]:
    """The values of a file's directories, by its name: read_text does not tell them."""
    found = {leaf.path: directory_values(leaf.directory, request.listing.base_paths) for leaf in request.files}
    fields = request.partitioning.schema.fields
    return {field.name: directory_column(found, at, field.dataType) for at, field in enumerate(fields)}


def directory_column(found: Mapping[str, Sequence[tuple[str, str]]], at: int, type: DataType) -> str:
    texts = {path: parts[at][1] for path, parts in found.items()}
    told = {path: unescape(text) for path, text in texts.items() if text != DEFAULT_PARTITION}
    entries = ", ".join(f"{literal(path)}: {literal(text)}" for path, text in told.items())
    return f"CAST(MAP {{{entries}}}[filename] AS {duck_type(type)})" if told else f"CAST(NULL AS {duck_type(type)})"


def ended(request: Request) -> tuple[str, int]:
    """The files' contents, and the one character that ends their lines: CR, LF and CRLF do, if none was told."""
    separator = request.options.get("linesep")
    if separator is None:
        return "replace(replace(content, chr(13) || chr(10), chr(10)), chr(13), chr(10))", 10
    if len(separator) != 1 or not separator.isascii():
        raise NotNative("text whose lines end in more than one character, or in one beyond ASCII")
    return "content", ord(separator)


def pieces_of(content: str, end: int) -> str:
    """The content cut behind every hundredth line: DuckDB's unnest looks through a whole list for every 2,048 of its
    elements, and a file may have millions of lines."""
    line = f"[^\\x{end:02x}]"
    return f"regexp_extract_all({content}, '(?:{line}*\\x{end:02x}){{1,100}}|{line}+')"


def split(content: str, end: int) -> str:
    """A last line end opens no new line (Hadoop's LineReader)."""
    unended = f"CASE WHEN ends_with({content}, chr({end})) THEN left({content}, -1) ELSE {content} END"
    return f"string_split({unended}, chr({end}))"


def is_whole(request: Request) -> bool:
    return request.options.get("wholetext", "false").lower() == "true"
