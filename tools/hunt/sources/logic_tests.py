"""sqllogictest files (SQLite's, DuckDB's, DataFusion's): their statements and queries, not their answers."""

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tools.hunt.git_files import GitCopy
from tools.hunt.scripts import Script, is_harmless, is_query

RECORD = re.compile(r"(?m)^(statement|query)\b[^\n]*\n(.*?)(?=^----|\n[ \t]*\n|\Z)", re.DOTALL)
# Names of types and clauses that Spark's parser does not have; the rest is Spark's to reject.
TYPES = {
    r"(?i)\bvarchar\b(?!\s*\()": "STRING",
    r"(?i)\btext\b(?=\s*[,)(]|\s+not\b|\s+null\b)": "STRING",
    r"(?i)\bdouble\s+precision\b": "DOUBLE",
    r"(?i)\bhugeint\b": "DECIMAL(38,0)",
    r"(?i)\bint(1|2|4|8)\b": "BIGINT",
    r"(?i)\b(primary\s+key|unique)\b(\s*\([^)]*\))?": "",
    r"(?i)\bblob\b": "BINARY",
}
MERGED = re.compile(r"(?is)^(insert\s+into\s+\S+)\s*values\s*(\(.*\))\s*;?$")


@dataclass(frozen=True)
class LogicTests:
    """Where the files are, how many queries of each are taken, and at most how many files are read."""

    source: str
    patterns: tuple[str, ...]
    most: int = 120
    files: int = 10_000

    def scripts(self, copy: GitCopy, seed: int) -> Iterator[Script]:
        names = list(copy.matching(*self.patterns))
        for name in names if len(names) <= self.files else random.Random(seed).sample(names, self.files):
            records = [record[1].strip().rstrip(";").strip() for record in RECORD.findall(copy.text(name))]
            statements = self.sample(list(merge_inserts(filter(is_wanted, map(translate, records)))), f"{seed} {name}")
            if statements:
                yield Script(self.source, name, statements)

    def sample(self, statements: list[str], seed: str) -> tuple[str, ...]:
        """All changes, and a random choice of the queries where there are many."""
        queries = [i for i, statement in enumerate(statements) if is_query(statement)]
        left_out = set(queries) - set(random.Random(seed).sample(queries, min(self.most, len(queries))))
        left = [text for i, text in enumerate(statements) if i not in left_out]
        return tuple(left) if len(left) < 5 * self.most else ()


def is_wanted(statement: str) -> bool:
    foreign = (
        "pragma",
        "copy",
        "attach",
        "load",
        "checkpoint",
        "call",
        "export",
        "detach",
        "install",
        "begin",
        "commit",
    )
    return (
        bool(statement)
        and "${" not in statement
        and is_harmless(statement)
        and not statement.lower().startswith(foreign)
    )


def translate(statement: str) -> str:
    statement = "\n".join(line for line in statement.splitlines() if not line.startswith("#"))
    if re.match(r"(?i)\s*create\s+(temp\w*\s+)?table\b", statement):
        for pattern, spelling in TYPES.items():
            statement = re.sub(pattern, spelling, statement)
        return re.sub(r"(?i)create\s+temp\w*\s+table", "CREATE TABLE", statement)
    return statement


def merge_inserts(statements: Iterator[str]) -> Iterator[str]:
    """Neighbouring inserts into one table become one statement: each would be a job of its own on Spark."""
    head, rows = "", list[str]()
    for statement in statements:
        found = MERGED.match(statement)
        if found and found[1] == head and len(rows) < 500:
            rows.append(found[2])
            continue
        if rows:
            yield f"{head} VALUES {', '.join(rows)}"
        head, rows = (found[1], [found[2]]) if found else ("", [])
        if not found:
            yield statement
    if rows:
        yield f"{head} VALUES {', '.join(rows)}"
