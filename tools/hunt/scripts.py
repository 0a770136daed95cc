"""A script: statements of one foreign file or test, in order, for one session of their own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

# What would run other programs, read or write files of this machine, or end the server is left out.
HARMFUL = re.compile(
    r"(?is)^\s*(add|load|export|import|dfs|source|!|delete\s+(jar|file))\b|\busing\s*'[^']*'\s*(as\b|from\b|$)"
    r"|\blocation\b\s*[:('\"]|\bdirectory\b|\b(try_)?reflect\b|\bjava_method\b|\boptions\s*\([^)]*path|\bpath\s+'"
    r"|^\s*create\s+(or\s+replace\s+)?(temporary\s+)?function\b.*\bas\s*['\"]|\bcopy\b.*\bto\b|\bread_files\b"
    r"|\b(csv|json|text|parquet|orc|avro|xml|binaryfile)\s*\.\s*`|^\s*set\s+(hive|mapred|io|fs|hadoop)\."
)
# Statements whose answer is not the same twice, or names files and plans: only their schema is compared.
VOLATILE = re.compile(
    r"(?i)\b(rand|randn|random|uuid|now|current_\w+|curdate|localtimestamp|user|session_user|version|unix_timestamp"
    r"|shuffle|randstr|uniform|input_file_\w+|spark_partition_id|monotonically_increasing_id|tablesample|sample"
    r"|_metadata|ai_\w+)\b|^\s*(explain|show\s+(create|functions|table\s+extended|catalogs)"
    r"|desc\w*\s+(table\s+)?(extended|formatted|function|schema|database|namespace)|set)\b|'(now|today|tomorrow|yesterday)'"
)
QUERY = re.compile(r"(?is)^[\s(]*(select|with|values|from|table|show|desc|describe|explain)\b")
INSERTS = re.compile(r"(?is)\binsert\s+(into|overwrite)\b")
TOKEN = re.compile(r"(?s)'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|`[^`]*`|--[^\n]*|/\*.*?\*/|;|[^'\"`;/-]+|.")


@dataclass(frozen=True)
class Script:
    """Statements that share one session and one schema."""

    source: str
    name: str
    statements: tuple[str, ...]
    fixtures: tuple[str, ...] = ()  # views and tables that the statements read, made before they run

    def digest(self, mode: str) -> str:
        """The name under which Spark's answers are cached."""
        return sha256("\0".join((mode, *self.fixtures, "", *self.statements)).encode()).hexdigest()[:24]


def is_query(statement: str) -> bool:
    """Whether it changes nothing, so that later statements do not depend on it."""
    return bool(QUERY.match(statement)) and not INSERTS.search(statement)


def is_harmless(statement: str) -> bool:
    return not HARMFUL.search(statement)


def is_volatile(statement: str) -> bool:
    return bool(VOLATILE.search(statement))


def split_statements(text: str) -> Iterator[str]:
    """By semicolons outside of strings and comments; comments are left out."""
    parts: list[str] = []
    for token in TOKEN.findall(text):
        if token == ";":
            yield from non_empty("".join(parts))
            parts = []
        elif not token.startswith(("--", "/*")):
            parts.append(token)
    yield from non_empty("".join(parts))


def non_empty(statement: str) -> list[str]:
    return [statement.strip()] if statement.strip() else []
