"""Checks names of schemas, tables and views as Spark's session catalog does (SessionCatalog.validateName)."""

import re

from twinspark.errors import JavaError, SparkError
from twinspark.read.proto.identifiers import attribute_parts
from twinspark.types import quote_identifier

VALID = re.compile(r"[a-zA-Z0-9_]+")  # Java's \w: ASCII only
RELATIVE_URI = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:[^/].*", re.DOTALL)


def check_relation_name(name: str) -> None:
    if not VALID.fullmatch(name):
        raise invalid_name(name)


def check_schema_name(name: str) -> None:
    """Spark builds the default location first: Hadoop's Path reads `a:b.db` as a URI with the scheme `a`."""
    if RELATIVE_URI.fullmatch(name):
        message = f"java.net.URISyntaxException: Relative path in absolute URI: {name}.db"
        raise JavaError("java.lang.IllegalArgumentException", message)
    check_relation_name(name)


def invalid_name(name: str) -> SparkError:
    """Spark parses the name for the message (toSQLId), so a name that does not parse raises the parser's error."""
    shown = ".".join(map(quote_identifier, attribute_parts(name)))
    return SparkError("INVALID_SCHEMA_OR_RELATION_NAME", name=shown)
