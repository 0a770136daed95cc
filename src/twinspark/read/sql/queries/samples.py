"""Parses TABLESAMPLE in its four forms."""

from twinspark.read.sql.expressions.precedence import parse_expression, parse_value
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_multipart_identifier
from twinspark.read.sql.lexer.strings import parse_marker
from twinspark.read.sql.tree import Expression, Sample

_BYTES = "bkmg"


def is_sample(cursor: Cursor) -> bool:
    return cursor.kinds[cursor.at] == "TABLESAMPLE" and cursor.kinds[cursor.at + 1] in ("(", "SYSTEM", "BERNOULLI")


def parse_sample(cursor: Cursor) -> Sample:
    start = cursor.start
    cursor.expect("TABLESAMPLE")
    cursor.take_any("SYSTEM", "BERNOULLI")
    cursor.expect("(")
    kind, values = ("", ()) if cursor.peek(")") else _parse_method(cursor)
    cursor.expect(")")
    seed = None
    if cursor.take("REPEATABLE", "("):
        seed = parse_value(cursor)
        cursor.expect(")")
    _check_sample(cursor, start, kind, values)
    return Sample(start, cursor.stop, kind, values, seed)


def _parse_method(cursor: Cursor) -> tuple[str, tuple[Expression | str, ...]]:
    begin = cursor.start
    at = cursor.at + (cursor.kinds[cursor.at] == "-")
    if cursor.kinds[at] in ("integer", "decimal") and cursor.kinds[at + 1] == "PERCENT":
        cursor.at = at + 2
        return "PERCENT", (cursor.text[begin : cursor.stops[at]],)
    if cursor.kinds[cursor.at] == "BUCKET" and cursor.kinds[cursor.at + 1] in ("integer", "?", ":"):
        return _parse_bucket(cursor)
    value = parse_expression(cursor)
    if cursor.take("ROWS"):
        return "ROWS", (value,)
    if cursor.take("PERCENT"):  # a parameter marker
        return "PERCENT", (value,)
    return "BYTES", (cursor.text[begin : cursor.stop],)


def _parse_bucket(cursor: Cursor) -> tuple[str, tuple[Expression | str, ...]]:
    cursor.expect("BUCKET")
    numerator = _parse_whole_number(cursor)
    cursor.expect("OUT", "OF")
    denominator = _parse_whole_number(cursor)
    if not cursor.take("ON"):
        return "BUCKET", (numerator, denominator)
    parse_multipart_identifier(cursor)
    return ("BUCKET ON function" if cursor.take("(", ")") else "BUCKET ON colname"), (numerator, denominator)


def _parse_whole_number(cursor: Cursor) -> Expression | str:
    return cursor.tokens.word(cursor.at - 1) if cursor.take("integer") else parse_marker(cursor)


def _check_sample(cursor: Cursor, start: int, kind: str, values: tuple[Expression | str, ...]) -> None:
    if not kind:
        cursor.defer_error("_LEGACY_ERROR_TEMP_0014", start, cursor.stop)
    elif kind.startswith("BUCKET ON"):
        message = f"BUCKET x OUT OF y {kind.removeprefix('BUCKET ')}"
        cursor.defer_error("_LEGACY_ERROR_TEMP_0015", start, cursor.stop, msg=message)
    elif kind == "BYTES":
        _reject_bytes(cursor, start, str(values[0]))
    elif kind != "ROWS" and all(isinstance(value, str) for value in values):
        _check_fraction(cursor, start, kind, [float(str(value)) for value in values])


def _reject_bytes(cursor: Cursor, start: int, text: str) -> None:
    """Spark recognizes a size such as 300M but does not support it; anything else is not a size."""
    if text[:-1].isdigit() and text[-1:].lower() in _BYTES:
        cursor.defer_error("_LEGACY_ERROR_TEMP_0015", start, cursor.stop, msg="byteLengthLiteral")
    else:
        cursor.defer_error("_LEGACY_ERROR_TEMP_0016", start, cursor.stop, bytesStr=text)


def _check_fraction(cursor: Cursor, start: int, kind: str, numbers: list[float]) -> None:
    fraction = numbers[0] / (100 if kind == "PERCENT" else numbers[1])
    if not -1e-6 <= fraction <= 1 + 1e-6:  # RandomSampler.roundingEpsilon
        message = f"Sampling fraction ({fraction}) must be on interval [0, 1]"
        cursor.defer_error("_LEGACY_ERROR_TEMP_0064", start, cursor.stop, msg=message)
