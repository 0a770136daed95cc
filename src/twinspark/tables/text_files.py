"""Text files as Spark reads them: one string column, one row per line."""

from collections.abc import Sequence

from pyspark.sql.types import StringType, StructField, StructType

from twinspark.errors import NotNative
from twinspark.tables.ducktext import identifier, literals
from twinspark.tables.filescan import FileScan, Request, check_options, data_schema, file_scan

# Lines are split in memory: DuckDB's line readers drop empty lines, which Spark keeps.
LARGEST_FILE = 256 << 20


def scan(request: Request) -> FileScan:
    check_options(request, {"wholetext", "linesep"})
    if request.partitioning.directory_names:
        raise NotNative("partitioned text files")
    if any(leaf.size > LARGEST_FILE for leaf in request.files):
        raise NotNative("a text file of more than 256 MiB")
    if any(not is_plain(leaf.name) for leaf in request.files):
        raise NotNative("compressed text files")
    data = data_schema(request, lambda: StructType([StructField("value", StringType(), True)]))
    if [field.dataType for field in data.fields] != [StringType()]:
        raise NotNative("text files read into other columns than one string")
    paths = request.paths_as_read
    return file_scan(request, data, lines(paths, data.names[0], request) if paths else "")


def is_plain(name: str) -> bool:
    """Hadoop picks a codec by the ending."""
    return not name.endswith((".bz2", ".lz4", ".snappy", ".zst", ".deflate", ".gz"))


def lines(paths: Sequence[str], name: str, request: Request) -> str:
    """The files' lines, or with `wholetext` their whole contents."""
    content = "content" if is_whole(request) else f"unnest({lines_of(request)})"
    return f"SELECT {content} AS {identifier(name)} FROM read_text({literals(paths)})"


def lines_of(request: Request) -> str:
    separator = request.options.get("linesep")
    if separator is None:
        return split_lines("content")
    if len(separator) != 1 or not separator.isascii():
        raise NotNative("text whose lines end in more than one character, or in one beyond ASCII")
    end = f"chr({ord(separator)})"
    return f"string_split(CASE WHEN ends_with(content, {end}) THEN left(content, -1) ELSE content END, {end})"


def is_whole(request: Request) -> bool:
    return request.options.get("wholetext", "false").lower() == "true"


def split_lines(content: str) -> str:
    """CR, LF and CRLF end a line; a last line end opens no new line (Hadoop's LineReader)."""
    ended = f"replace(replace({content}, chr(13) || chr(10), chr(10)), chr(13), chr(10))"
    return f"string_split(regexp_replace({ended}, '\\n$', ''), chr(10))"
