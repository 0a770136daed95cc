"""Every kind of message of the protocol is in some recorded case, or on the list of what is Spark's."""

import sys
from pathlib import Path

import pytest
from recorded_plans import FILES, ORDERS, PARTITIONS, read

from tools.spark_list import sections

sys.path.insert(0, str(Path(__file__).parents[1] / "proto"))  # sessions are recorded there
from message_kinds import kinds_in, members
from recorded_sessions import read_recorded

TITLES = {
    "Relations": "relation",
    "Expressions": "expression",
    "Constants": "literal",
    "Types": "type",
    "Catalog calls": "catalog",
    "Commands": "command",
}


def kinds_on_the_list() -> set[str]:
    return {
        f"{TITLES[title]}.{member}"
        for title, lines in sections().items()
        for member, answer in lines
        if answer.startswith("Spark: ")
    }


@pytest.fixture(scope="module")
def recorded_kinds() -> set[str]:
    found = {kind for step in read_recorded() for kind in step.kinds}
    for path in (*FILES.values(), ORDERS, PARTITIONS):
        for case in read(path):
            found |= kinds_in(case.message())
    return found


def test_every_kind_has_a_case_or_a_reason(recorded_kinds: set[str]) -> None:
    assert sorted(members() - recorded_kinds - kinds_on_the_list()) == []
