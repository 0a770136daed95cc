"""Every kind of statement that our parser knows was answered by Spark in a recorded case, and refused in another."""

import json
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from recorded_commands import HERE

from twinspark.read.sql import ParseError, ParserConfig, parse_statement, tree
from twinspark.read.sql.tree_nodes import tree_nodes

PLACES = ("commands/recorded", "sql_queries/recorded")
NEVER_REFUSED = {
    "ClearCache": "there is nothing in it that could be wrong",
    "ManageResource": "LIST answers whatever is there; what ADD refuses has no condition",
    "ShowCatalogs": "a pattern that nothing is like gives no rows",
    "ShowCollations": "a pattern that nothing is like gives no rows",
    "ShowCurrentNamespace": "there is nothing in it that could be wrong",
}
ALWAYS_REFUSED = {
    "CallProcedure": "Spark's own catalog has no procedures",
    "CloseCursor": "cursors are off unless spark.sql.scripting.cursorEnabled",
    "CreateFlow": "pipelines only",
    "CreateIndex": "no table of Spark's own takes one",
    "CreatePipelineDataset": "pipelines only",
    "DeclareCursor": "cursors are off",
    "Delete": "Spark's own tables take none",
    "DescribeProcedure": "Spark's own catalog has no procedures",
    "DropIndex": "no table of Spark's own has one",
    "FetchCursor": "cursors are off",
    "LoadData": "Hive's tables only",
    "Merge": "Spark's own tables take none",
    "OpenCursor": "cursors are off",
    "SetPath": "off unless spark.sql.path.enabled",
    "ShowProcedures": "Spark's own catalog has no procedures",
}
# Plans are told by what the client sees of them, and a metric view without its YAML does not parse.
ELSEWHERE = {"Explain": "explain", "CreateMetricView": "every_kind"}
MISTAKES = ("UNRESOLVED_COLUMN", "TABLE_OR_VIEW_NOT_FOUND", "AMBIGUOUS_REFERENCE", "DATATYPE_MISMATCH")
KINDS = sorted(
    name
    for name, kind in vars(tree).items()
    if isinstance(kind, type) and issubclass(kind, tree.Statement) and kind not in (tree.Statement, tree.Command)
)


def cases() -> Iterator[dict[str, Any]]:
    for place in PLACES:
        for path in sorted((HERE.parent / place).glob("*.jsonl")):
            yield from map(json.loads, path.read_text().splitlines())


def kinds_in(text: str) -> set[str]:
    """Of the statement and of those inside a script."""
    try:
        statement = parse_statement(text, ParserConfig.of({}))
    except ParseError:
        return set()
    return {type(node).__name__ for node in tree_nodes(statement) if isinstance(node, tree.Statement)}


@cache
def recorded() -> tuple[set[str], set[str]]:
    answered: set[str] = set()
    refused: set[str] = set()
    for case in cases():
        text = case.get("text") or case.get("sql") or ""
        if not text.startswith(">>> "):
            (refused if case.get("condition") else answered).update(kinds_in(text))
    return answered, refused


@pytest.mark.parametrize("kind", KINDS)
def test_a_statement_of_this_kind_was_recorded(kind: str) -> None:
    answered, refused = recorded()
    if kind in ELSEWHERE:
        assert (HERE / "recorded" / f"{ELSEWHERE[kind]}.jsonl").read_text()
        return
    assert kind in answered or kind in ALWAYS_REFUSED, "no recorded case is answered"
    assert kind in refused or kind in NEVER_REFUSED, "no recorded case is refused"


def test_no_excuse_is_out_of_date() -> None:
    answered, refused = recorded()
    assert not answered & set(ALWAYS_REFUSED)
    assert not refused & set(NEVER_REFUSED)
    assert (set(ALWAYS_REFUSED) | set(NEVER_REFUSED)) <= set(KINDS)


@pytest.mark.parametrize("mistake", MISTAKES)
def test_everyday_mistakes_were_recorded_with_their_places(mistake: str) -> None:
    found = [case for case in cases() if str(case.get("condition", "")).startswith(mistake)]
    assert len([case for case in found if case.get("contexts") or case.get("places")]) > 3


def test_syntax_errors_were_recorded() -> None:
    assert len([case for case in cases() if case.get("condition") == "PARSE_SYNTAX_ERROR"]) > 3
