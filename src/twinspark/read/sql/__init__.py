"""Spark SQL text to a syntax tree, by Spark's own grammar and with Spark's own errors."""

from twinspark.read.sql import tree
from twinspark.read.sql.config import DEFAULT, ParserConfig
from twinspark.read.sql.data_types import (
    parse_columns,
    parse_ddl,
    parse_schema,
    parse_schema_argument,
    parse_type,
)
from twinspark.read.sql.failures import ParseError
from twinspark.read.sql.parser import (
    bind_parameters,
    parameter_markers,
    parse_expression,
    parse_multipart_identifier,
    parse_query,
    parse_statement,
    split_statements,
)

__all__ = [
    "DEFAULT",
    "ParseError",
    "ParserConfig",
    "bind_parameters",
    "parameter_markers",
    "parse_columns",
    "parse_ddl",
    "parse_expression",
    "parse_multipart_identifier",
    "parse_query",
    "parse_schema",
    "parse_schema_argument",
    "parse_statement",
    "parse_type",
    "split_statements",
    "tree",
]
