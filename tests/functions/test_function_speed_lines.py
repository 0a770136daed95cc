"""Every native function is measured beside DuckDB's own (bench/function_lines.txt), or a reason is given."""

import re
from pathlib import Path

from tools.fuzz.ledger import native_functions
from twinspark.functions import canonical

LINES = Path(__file__).parents[2] / "bench" / "function_lines.txt"
UNMEASURED = "# ---- not measured"


def words(texts: list[str]) -> set[str]:
    """Names and operators; a bar is written with a backslash there."""
    found = (re.findall(r"\w+|[^\w\s]+", text.lower().replace("\\|", "|")) for text in texts)
    return {canonical(word) for part in found for word in part}


def test_every_native_function_is_measured_or_has_a_reason() -> None:
    measured, _, reasons = LINES.read_text().partition(UNMEASURED)
    names = words([part for line in measured.splitlines() for part in line.split(" | ")[:2]])
    given = [name for line in reasons.splitlines() if " | " in line for name in line.split(" | ")[1].split()]
    known = names | {canonical(name) for name in given}
    families = tuple(name.removesuffix("*") for name in given if name.endswith("*"))
    assert [name for name in native_functions() if canonical(name) not in known and not name.startswith(families)] == []
