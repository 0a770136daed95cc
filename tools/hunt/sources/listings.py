"""Plain lists of queries: sqlglot's fixtures and Calcite's .iq files."""

import re
from collections.abc import Iterator

from tools.hunt.git_files import GitCopy
from tools.hunt.scripts import Script, is_harmless, split_statements
from tools.hunt.sources.scala_text import single_literals

CHUNK = 60
SQL = re.compile(r"(?is)^\s*\(?\s*(select|with|values|from|create|insert|merge|delete|update|table)\s+\S")
IQ_OUTPUT = re.compile(r"(?m)^(!.*|#.*|\+[-+]+\+|\|.*\||\(\d+ rows?\)|Enumerable.*|  +Enumerable.*)$")


def chunks(source: str, name: str, statements: list[str]) -> Iterator[Script]:
    """Queries that do not depend on each other, some on each session."""
    for start in range(0, len(statements), CHUNK):
        yield Script(source, f"{name}#{start}", tuple(statements[start : start + CHUNK]))


def sqlglot_fixtures(copy: GitCopy) -> Iterator[Script]:
    for name in copy.matching("tests/fixtures/*.sql"):
        yield from chunks("sqlglot", name, list(filter(is_harmless, split_statements(copy.text(name)))))
    for name in copy.matching("tests/dialects/test_*.py"):
        texts = [literal.text for literal in single_literals(copy.text(name), {})]
        yield from chunks(
            "sqlglot", name, [text for text in dict.fromkeys(texts) if SQL.match(text) and is_harmless(text)]
        )


def calcite_files(copy: GitCopy) -> Iterator[Script]:
    for name in copy.matching("core/src/test/resources/sql/*.iq", "babel/src/test/resources/sql/*.iq"):
        texts = split_statements(IQ_OUTPUT.sub("", copy.text(name)))
        yield from chunks("calcite", name, [text for text in texts if SQL.match(text) and is_harmless(text)])
