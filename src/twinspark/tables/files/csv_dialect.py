"""CSV options that define the format of lines and values, and column names from the header."""

import gzip
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from twinspark.errors import NotNative, reasons
from twinspark.tables.files.csv_values import Formats
from twinspark.tables.files.listing import LeafFile

KNOWN = {"header", "inferschema", "sep", "delimiter", "quote", "escape", "nullvalue", "mode", "encoding", "charset",
         "multiline", "enforceschema", "ignoreleadingwhitespace", "ignoretrailingwhitespace", "comment", "dateformat",
         "timestampformat", "columnnameofcorruptrecord"}  # fmt: skip
BLANK_LINE = r"[\x00-\x20]*"
WHOLE_LINE = re.compile(r"([^\r\n]*)(?:\r\n|[\r\n])")
TakeApart = Callable[[str], list[str]]  # splits a line with the extension
FIRST_LINES = 1 << 20  # bytes in which the first line must end


@dataclass(frozen=True)
class Dialect:
    """The options that define the format of a line and its values."""

    separator: str
    escape: str
    null_value: str
    header: bool
    infer: bool
    mode: str
    several_lines: bool  # multiLine: a quoted value may contain line ends
    comment: str
    formats: Formats
    blanks: str = ""  # a pattern of the blanks that are trimmed around values
    before: int = 0  # blank lines and comments before the first line
    returns: bool = False  # lines end with CRLF
    odd: bool = False  # DuckDB would split lines differently: the extension splits them

    @property
    def is_permissive(self) -> bool:
        """Whether missing and invalid values are null (mode PERMISSIVE)."""
        return self.mode == "PERMISSIVE"

    @property
    def drops(self) -> bool:
        return self.mode == "DROPMALFORMED"

    @property
    def fails(self) -> bool:
        return not self.is_permissive and not self.drops

    @property
    def field_pattern(self) -> str:
        """A pattern of fields that univocity and DuckDB read alike: quotes only around the whole field."""
        separator = re.escape(self.separator)
        inside = '(?:[^"]|"")*' if self.escape == '"' else r'[^"\\]*'
        return f'(?:"{inside}"|(?:[^"{separator}\\r\\n][^{separator}"\\r\\n]*)?)'

    @property
    def plain_line(self) -> str:
        return f"{self.field_pattern}(?:{re.escape(self.separator)}{self.field_pattern})*"

    @property
    def distinguishes_empty(self) -> bool:
        """Whether "" differs from an empty field; DuckDB's reader does not distinguish them."""
        return bool(self.null_value)

    @property
    def can_be_split(self) -> bool:
        """Whether the extension can split lines: it supports one way of escaping."""
        return self.escape == "\\" and not self.blanks and not self.several_lines

    def with_leading(self, leading: int) -> "Dialect":
        return replace(self, before=leading)


def dialect_of(options: Mapping[str, str], zone: str) -> Dialect:
    check_agreed(options)
    separator = options.get("sep", options.get("delimiter", ","))
    separator = {"\\t": "\t"}.get(separator, separator)
    if not is_separator(separator) or options.get("escape", "\\") not in ('"', "\\"):
        raise NotNative(reasons.CSV_DIALECT, "this separator or escape character")
    return Dialect(
        separator,
        options.get("escape", "\\"),
        options.get("nullvalue", ""),
        is_on(options, "header"),
        is_on(options, "inferschema"),
        options.get("mode", "PERMISSIVE").upper(),
        is_on(options, "multiline"),
        comment_of(options, separator),
        Formats(zone, options.get("dateformat", ""), options.get("timestampformat", "")),
        blanks_of(options),
    )


def is_separator(text: str) -> bool:
    """One character that is one byte too, as csv.c reads it."""
    return len(text) == 1 and text.isascii() and text not in '"\\\r\n\x00\x01'


def check_agreed(options: Mapping[str, str]) -> None:
    agreed = {"quote": '"', "encoding": "UTF-8", "charset": "UTF-8", "enforceschema": "true"}
    for key, value in agreed.items():
        if options.get(key, value).upper() != value.upper():
            raise NotNative(reasons.FILE_OPTION, f"csv: {key} = {options[key]!r}")


def is_on(options: Mapping[str, str], key: str) -> bool:
    return options.get(key, "false").lower() == "true"


def comment_of(options: Mapping[str, str], separator: str) -> str:
    comment = options.get("comment", "")
    if comment and (len(comment) > 1 or comment in f'"\\{separator}' or not " " < comment < "\x7f"):
        raise NotNative(reasons.CSV_DIALECT, "this comment character")
    if comment and is_on(options, "multiline"):
        raise NotNative(reasons.CSV_DIALECT, "comment together with multiLine")
    return comment


def blanks_of(options: Mapping[str, str]) -> str:
    leading, trailing = (is_on(options, f"ignore{side}whitespace") for side in ("leading", "trailing"))
    if trailing and not leading:
        raise NotNative(reasons.CSV_DIALECT, "ignoreTrailingWhiteSpace without ignoreLeadingWhiteSpace")
    if leading and (options.get("comment") or is_on(options, "multiline")):
        raise NotNative(
            reasons.CSV_DIALECT,
            "ignoreLeadingWhiteSpace or ignoreTrailingWhiteSpace together with comment or multiLine",
        )
    return r"^[\x00-\x20]+|[\x00-\x20]+$" if trailing else r"^[\x00-\x20]+" if leading else ""


# ---- the first line


def first_lines(files: Sequence[LeafFile], dialect: Dialect) -> tuple[Dialect, list[str]]:
    """The first line of each file that is no comment; the number of lines before it must be equal in all files."""
    found = [first_line(leaf, dialect) for leaf in files]
    if len({leading for leading, _ in found}) > 1:
        raise NotNative(reasons.CSV_DIALECT, "files with different first lines")
    return dialect.with_leading(found[0][0]), [line for _, line in found]


def first_line(leaf: LeafFile, dialect: Dialect) -> tuple[int, str]:
    for at, found in enumerate(WHOLE_LINE.finditer(beginning(leaf))):
        line = found[1]
        if not re.fullmatch(BLANK_LINE, line) and not (dialect.comment and line.startswith(dialect.comment)):
            return at, line
    raise NotNative(reasons.FILE_SIZE, "a CSV file that begins without a line")


def beginning(leaf: LeafFile) -> str:
    """The complete lines in a file's first FIRST_LINES bytes."""
    if leaf.name.endswith((".bz2", ".lz4", ".snappy", ".zst", ".deflate")):
        raise NotNative(reasons.FILE_COMPRESSED, "CSV")
    opener = gzip.open if leaf.name.endswith(".gz") else open
    with opener(leaf.path, "rb") as stream:
        raw = stream.read(FIRST_LINES)
    if len(raw) < FIRST_LINES:
        raw += b"\n"
    last = max(raw.rfind(b"\n"), raw.rfind(b"\r"))
    try:
        return raw[: last + 1].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotNative(reasons.CSV_DIALECT, "an encoding other than UTF-8") from error


def column_names(firsts: Collection[Sequence[str]], dialect: Dialect, case_sensitive: bool) -> list[str]:
    """Which file's header Spark uses depends on its listing: all files must have the same first line."""
    if (dialect.header and len(firsts) > 1) or len({len(first) for first in firsts}) > 1:
        raise NotNative(reasons.CSV_DIALECT, "files with different first lines")
    first = next(iter(firsts))
    return safe_header(first, dialect, case_sensitive) if dialect.header else default_names(len(first))


def default_names(count: int) -> list[str]:
    return [f"_c{at}" for at in range(count)]


def safe_header(first: Sequence[str], dialect: Dialect, case_sensitive: bool) -> list[str]:
    """CSVUtils.makeSafeHeader: empty names are numbered, duplicate ones get their position as suffix."""
    folded = [name if case_sensitive else name.lower() for name in first]
    repeated = {name for name in folded if folded.count(name) > 1}

    def safe(at: int, name: str) -> str:
        if name in ("", dialect.null_value):
            return f"_c{at}"
        return f"{name}{at}" if folded[at] in repeated else name

    return [safe(at, name) for at, name in enumerate(first)]


def split_line(line: str, dialect: Dialect, take_apart: TakeApart) -> list[str]:
    if not re.fullmatch(dialect.plain_line, line):
        if dialect.can_be_split:
            return take_apart(line)
        raise NotNative(reasons.CSV_DIALECT, "a first line with quotes or line ends inside")
    separator = re.escape(dialect.separator)
    fields = re.findall(rf'(?:^|{separator})("(?:[^"]|"")*"|[^{separator}]*)', line)
    if dialect.blanks:
        return [re.sub(dialect.blanks, "", field) for field in fields]
    return [field[1:-1].replace('""', '"') if field.startswith('"') else field for field in fields]
