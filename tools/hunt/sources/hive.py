"""Hive's clientpositive/*.q files from a copy of apache/spark: one script each, with Hive's tables as views."""

import re
from collections.abc import Iterator
from pathlib import Path

from tools.hunt.git_files import GitCopy
from tools.hunt.scripts import Script, is_harmless, split_statements
from tools.hunt.sources.hive_tables import HIVE_TABLES, write_table

QUERIES = "sql/hive/src/test/resources/ql/src/test/queries/clientpositive/*.q"
# How Hive stores a table does not change its rows.
STORAGE = re.compile(
    r"(?is)\bstored\s+as\s+(inputformat\s+'[^']*'\s+outputformat\s+'[^']*'|\w+)|\brow\s+format\s+(serde\s+'[^']*'"
    r"(\s+with\s+serdeproperties\s*\([^)]*\))?|delimited(\s+(fields|collection\s+items|map\s+keys|lines)\s+terminated\s+by"
    r"\s+('[^']*'|\"[^\"]*\"))*)|\bclustered\s+by\s*\([^)]*\)(\s+sorted\s+by\s*\([^)]*\))?\s+into\s+\d+\s+buckets"
)
COMMENT = re.compile(r"(?m)^\s*--.*$")


def hive_files(copy: GitCopy, folder: Path) -> Iterator[Script]:
    for name in copy.matching(QUERIES):
        yield from hive_script(copy, name, folder)


def hive_script(copy: GitCopy, name: str, folder: Path) -> Iterator[Script]:
    text = COMMENT.sub("", copy.text(name))
    statements = [STORAGE.sub("", statement).strip() for statement in split_statements(text)]
    chosen = tuple(one for one in statements if is_harmless(one) and not re.match(r"(?i)set\b|explain\b", one))[:150]
    if chosen:
        yield Script("hive", Path(name).stem, chosen, tuple(views(copy, text, folder)))


def views(copy: GitCopy, text: str, folder: Path) -> Iterator[str]:
    words = {word.lower() for word in re.findall(r"\w+", text)}
    for table in HIVE_TABLES:
        if table.name in words:
            path = write_table(copy, table, folder)
            yield f"CREATE OR REPLACE TEMPORARY VIEW {table.name} AS SELECT * FROM parquet.`{path}`"
