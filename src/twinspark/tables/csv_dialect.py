"""How a CSV file is written: the options that shape its lines and values, and the names its first line gives."""

import gzip
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from twinspark.errors import NotNative
from twinspark.tables.csv_values import Formats
from twinspark.tables.listing import LeafFile

KNOWN = {"header", "inferschema", "sep", "delimiter", "quote", "escape", "nullvalue", "mode", "encoding", "charset",
         "multiline", "enforceschema", "ignoreleadingwhitespace", "ignoretrailingwhitespace", "comment", "dateformat",
         "timestampformat", "columnnameofcorruptrecord"}  # fmt: skip
BLANK_LINE = r"[\x00-\x20]*"
WHOLE_LINE = re.compile(r"([^\r\n]*)(?:\r\n|[\r\n])")
TakeApart = Callable[[str], list[str]]  # by the extension
FIRST_LINES = 1 << 20  # bytes in which the first line is looked for


@dataclass(frozen=True)
class Dialect:
    """The options that shape a line and its values."""

    separator: str
    escape: str
    null_value: str
    header: bool
    infer: bool
    mode: str
    several_lines: bool  # a quoted value may hold line ends
    comment: str
    formats: Formats
    blanks: str = ""  # a pattern of what is cut off around values
    before: int = 0  # blank lines and comments that stand before the first line
    returns: bool = False  # lines end with a carriage return, too
    odd: bool = False  # lines that DuckDB would split otherwise: the extension takes them apart

    @property
    def padded(self) -> bool:
        """Whether a row that is too short, or a value that does not fit, is null."""
        return self.mode == "PERMISSIVE"

    @property
    def drops(self) -> bool:
        return self.mode == "DROPMALFORMED"

    @property
    def fails(self) -> bool:
        return not self.padded and not self.drops

    @property
    def field_pattern(self) -> str:
        """A field that univocity and DuckDB read alike: quotes only around the whole of it."""
        separator = re.escape(self.separator)
        inside = '(?:[^"]|"")*' if self.escape == '"' else r'[^"\\]*'
        return f'(?:"{inside}"|(?:[^"{separator}\\r\\n][^{separator}"\\r\\n]*)?)'

    @property
    def plain_line(self) -> str:
        return f"{self.field_pattern}(?:{re.escape(self.separator)}{self.field_pattern})*"

    @property
    def is_quoted_nothing_told(self) -> bool:
        """Whether "" differs from nothing at all, which DuckDB does not tell."""
        return bool(self.null_value)

    @property
    def may_be_taken_apart(self) -> bool:
        """By the extension, which knows one way of escaping."""
        return self.escape == "\\" and not self.blanks and not self.several_lines

    def begun(self, leading: int) -> "Dialect":
        return replace(self, before=leading)


def dialect_of(options: Mapping[str, str], zone: str) -> Dialect:
    check_agreed(options)
    separator = options.get("sep", options.get("delimiter", ","))
    separator = {"\\t": "\t"}.get(separator, separator)
    if len(separator) != 1 or separator in '"\\\r\n\x01' or options.get("escape", "\\") not in ('"', "\\"):
        raise NotNative("a csv separator or escape of another kind")
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


def check_agreed(options: Mapping[str, str]) -> None:
    agreed = {"quote": '"', "encoding": "UTF-8", "charset": "UTF-8", "enforceschema": "true"}
    for key, value in agreed.items():
        if options.get(key, value).upper() != value.upper():
            raise NotNative(f"the csv option {key} set to {options[key]!r}")


def is_on(options: Mapping[str, str], key: str) -> bool:
    return options.get(key, "false").lower() == "true"


def comment_of(options: Mapping[str, str], separator: str) -> str:
    comment = options.get("comment", "")
    if comment and (len(comment) > 1 or comment in f'"\\{separator}' or not " " < comment < "\x7f"):
        raise NotNative("a csv comment of another kind")
    if comment and is_on(options, "multiline"):
        raise NotNative("comments in csv files of values over several lines")
    return comment


def blanks_of(options: Mapping[str, str]) -> str:
    leading, trailing = (is_on(options, f"ignore{side}whitespace") for side in ("leading", "trailing"))
    if trailing and not leading:
        raise NotNative("the csv option ignoretrailingwhitespace alone, where univocity fails over blank values")
    if leading and (options.get("comment") or is_on(options, "multiline")):
        raise NotNative("csv files with blanks to cut off, and comments or values over several lines")
    return r"^[\x00-\x20]+|[\x00-\x20]+$" if trailing else r"^[\x00-\x20]+" if leading else ""


# ---- the first line


def first_lines(files: Sequence[LeafFile], dialect: Dialect) -> tuple[Dialect, list[str]]:
    """The first line of each file that is no comment; before it stand as many others in each."""
    found = [first_line(leaf, dialect) for leaf in files]
    if len({leading for leading, _ in found}) > 1:
        raise NotNative("csv files that begin differently")
    return dialect.begun(found[0][0]), [line for _, line in found]


def first_line(leaf: LeafFile, dialect: Dialect) -> tuple[int, str]:
    for at, found in enumerate(WHOLE_LINE.finditer(beginning(leaf))):
        line = found[1]
        if not re.fullmatch(BLANK_LINE, line) and not (dialect.comment and line.startswith(dialect.comment)):
            return at, line
    raise NotNative("a csv file without a line at its beginning")


def beginning(leaf: LeafFile) -> str:
    """Whole lines, up to the first so many bytes."""
    if leaf.name.endswith((".bz2", ".lz4", ".snappy", ".zst", ".deflate")):
        raise NotNative("compressed csv files")
    opener = gzip.open if leaf.name.endswith(".gz") else open
    with opener(leaf.path, "rb") as stream:
        raw = stream.read(FIRST_LINES)
    if len(raw) < FIRST_LINES:
        raw += b"\n"
    last = max(raw.rfind(b"\n"), raw.rfind(b"\r"))
    try:
        return raw[: last + 1].decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise NotNative("csv files that are not UTF-8") from error


def column_names(firsts: Collection[Sequence[str]], dialect: Dialect, case_sensitive: bool) -> list[str]:
    """Spark takes the first line it meets, in an order of its own: all files must begin alike."""
    if (dialect.header and len(firsts) > 1) or len({len(first) for first in firsts}) > 1:
        raise NotNative("csv files that begin differently")
    first = next(iter(firsts))
    return safe_header(first, dialect, case_sensitive) if dialect.header else numbered(len(first))


def numbered(count: int) -> list[str]:
    return [f"_c{at}" for at in range(count)]


def safe_header(first: Sequence[str], dialect: Dialect, case_sensitive: bool) -> list[str]:
    """CSVUtils.makeSafeHeader: empty names are numbered, repeated ones take their position."""
    folded = [name if case_sensitive else name.lower() for name in first]
    repeated = {name for name in folded if folded.count(name) > 1}

    def safe(at: int, name: str) -> str:
        if name in ("", dialect.null_value):
            return f"_c{at}"
        return f"{name}{at}" if folded[at] in repeated else name

    return [safe(at, name) for at, name in enumerate(first)]


def split_line(line: str, dialect: Dialect, take_apart: TakeApart) -> list[str]:
    if not re.fullmatch(dialect.plain_line, line):
        if dialect.may_be_taken_apart:
            return take_apart(line)
        raise NotNative("a csv file whose first line is not plain")
    separator = re.escape(dialect.separator)
    fields = re.findall(rf'(?:^|{separator})("(?:[^"]|"")*"|[^{separator}]*)', line)
    if dialect.blanks:
        return [re.sub(dialect.blanks, "", field) for field in fields]
    return [field[1:-1].replace('""', '"') if field.startswith('"') else field for field in fields]
