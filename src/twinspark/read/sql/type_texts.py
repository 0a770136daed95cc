"""Parses texts that are a data type or a list of columns, for Column.cast, DataFrameReader.schema and others."""

from pyspark.sql import types as spark

from twinspark.read.sql.expressions.data_types import is_type_start, parse_column_types, parse_data_type
from twinspark.read.sql.grammar import GRAMMAR
from twinspark.read.sql.lexer.config import DEFAULT, ParserConfig
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.errors import ParseError
from twinspark.read.sql.lexer.syntax_errors import parse_all


def parse_type(text: str, config: ParserConfig = DEFAULT) -> spark.DataType:
    """One data type, as Column.cast takes it."""
    cursor = _cursor(text, config)
    cursor.names_extra_input = not is_type_start(cursor.kinds[0])
    return parse_all(cursor, parse_data_type)


def parse_columns(text: str, config: ParserConfig = DEFAULT) -> spark.StructType:
    """A list of columns, as DataFrameReader.schema takes it."""
    cursor = _cursor(text, config)
    return parse_all(cursor, parse_column_types) if text else spark.StructType([])


def parse_ddl(text: str, config: ParserConfig = DEFAULT) -> spark.DataType:
    """Columns, or a type, or the inside of STRUCT<…>, as createDataFrame takes it; if none parses, raises the first
    error."""
    try:
        return parse_columns(text, config)
    except ParseError as error:
        if error.exception != "ParseException":
            raise
        return _other_ddl(text, config, error)


def _other_ddl(text: str, config: ParserConfig, error: ParseError) -> spark.DataType:
    for form in (text, f"struct<{text.strip()}>"):
        try:
            return parse_type(form, config)
        except ParseError as other:
            if other.exception != "ParseException":
                raise
    raise error


def parse_schema(text: str, config: ParserConfig = DEFAULT) -> spark.StructType:
    """Like `parse_ddl`; a type other than a struct is the type of a column named value."""
    found = parse_ddl(text, config)
    return found if isinstance(found, spark.StructType) else spark.StructType([spark.StructField("value", found)])


def parse_schema_argument(text: str, config: ParserConfig = DEFAULT) -> spark.DataType:
    """Columns or a type, as from_json and others take it; if neither parses, raises the error of the second."""
    try:
        return _nonempty_columns(text, config)
    except ParseError:
        return parse_type(text, config)


def _nonempty_columns(text: str, config: ParserConfig) -> spark.StructType:
    cursor = _cursor(text, config)
    return parse_all(cursor, parse_column_types)


def _cursor(text: str, config: ParserConfig) -> Cursor:
    cursor = Cursor(text, config, GRAMMAR)
    cursor.gives_context = cursor.names_extra_input = False
    return cursor
