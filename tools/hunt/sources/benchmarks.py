"""Benchmarks that come as a schema and queries (the Join Order Benchmark, ClickBench), over a few random rows."""

import random
import re
from collections.abc import Iterator

from tools.hunt.git_files import GitCopy
from tools.hunt.scripts import Script, is_harmless, split_statements

TABLE = re.compile(r"(?is)^create\s+table\s+(?:if\s+not\s+exists\s+)?(\w+)\s*\((.*)\)[^)]*$")
COLUMN = re.compile(r"(?i)^\s*\"?(\w+)\"?\s+(\w+)")
NO_COLUMNS = {"primary", "unique", "constraint", "foreign"}
TYPES = {"smallint": "SMALLINT", "integer": "INT", "int": "INT", "bigint": "BIGINT", "date": "DATE"}
ROWS = 12
TEXTS = ("''", "'a'", "'(producer)'", "'USA'", "'http://google.com/x'", "'Bert'", "'2000'", "'b c'")
CHUNK = 15  # queries of a script: the views are made anew for each


def benchmark(copy: GitCopy, seed: int, source: str, schema: str, queries: str) -> Iterator[Script]:
    chance = random.Random(seed)
    tables = [view for text in split_statements(copy.text(schema)) if (view := view_of(text, chance))]
    names = [name for name in copy.matching(queries) if name != schema]
    texts = [text for name in names for text in split_statements(copy.text(name)) if is_harmless(text)]
    for start in range(0, len(texts), CHUNK):
        yield Script(source, f"{source}#{start}", tuple(texts[start : start + CHUNK]), tuple(tables))


def view_of(text: str, chance: random.Random) -> str:
    """A temporary view of random rows in place of the table; empty for other statements."""
    found = TABLE.match(text)
    if not found:
        return ""
    columns = list(columns_of(found[2]))
    rows = [", ".join(value(type, chance) for _, type in columns) for _ in range(ROWS)]
    names = ", ".join(f"CAST(c{i} AS {type}) AS {name}" for i, (name, type) in enumerate(columns))
    inner = ", ".join(f"c{i}" for i in range(len(columns)))
    return f"CREATE TEMPORARY VIEW {found[1]} AS SELECT {names} FROM VALUES ({'), ('.join(rows)}) AS t({inner})"


def columns_of(text: str) -> Iterator[tuple[str, str]]:
    for part in re.split(r",(?![^(]*\))", text):
        found = COLUMN.match(part)
        if found and found[1].lower() not in NO_COLUMNS:
            yield found[1], "TIMESTAMP" if found[2].lower() == "timestamp" else TYPES.get(found[2].lower(), "STRING")


def value(type: str, chance: random.Random) -> str:
    """Few different values, so that joins and groups meet."""
    if chance.random() < 0.05:
        return "NULL"
    if type == "DATE":
        return f"DATE'2013-07-{chance.randint(1, 28):02}'"
    if type == "TIMESTAMP":
        return f"TIMESTAMP'2013-07-{chance.randint(1, 28):02} {chance.randint(0, 23):02}:15:30'"
    if type == "STRING":
        return chance.choice(
            ["''", "'a'", "'(producer)'", "'USA'", "'http://google.com/x'", "'Bert'", "'2000'", "'b c'"]
        )
    return str(chance.choice([0, 1, 2, 3, 5, 62, 2000, 2008]))
