"""Parses Spark SQL text into a syntax tree, by Spark's grammar and with Spark's parse errors."""

from twinspark.read.sql import tree
from twinspark.read.sql.lexer.config import DEFAULT, ParserConfig
from twinspark.read.sql.lexer.errors import ParseError
from twinspark.read.sql.lexer.tokens import leading_kinds
from twinspark.read.sql.parser import (
    bind_parameters,
    parameter_markers,
    parse_expression,
    parse_multipart_identifier,
    parse_query,
    parse_sort_order,
    parse_statement,
    split_statements,
)
from twinspark.read.sql.type_texts import (
    parse_columns,
    parse_ddl,
    parse_schema,
    parse_schema_argument,
    parse_type,
)

__all__ = [
    "DEFAULT",
    "ParseError",
    "ParserConfig",
    "bind_parameters",
    "leading_kinds",
    "parameter_markers",
    "parse_columns",
    "parse_ddl",
    "parse_expression",
    "parse_multipart_identifier",
    "parse_query",
    "parse_schema",
    "parse_schema_argument",
    "parse_sort_order",
    "parse_statement",
    "parse_type",
    "split_statements",
    "tree",
]
