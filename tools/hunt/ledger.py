"""The counts of all hunts so far, per source, in one small file; docs/contribute/exactness.md shows them as a table."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from tools.hunt.verdicts import EQUAL, ERRORS, FINDINGS, NATIVE_NOT, ORDER, UNTRIED

HERE = Path(__file__).parent
COUNTS = HERE / "counts.json"
PAGE = HERE.parent.parent / "docs" / "contribute" / "exactness.md"
MARKS = re.compile(r"(?s)(<!-- make hunt: counts -->\n).*?(<!-- end -->)")
COLUMNS = {"statements": "statements", "native": "native", "not native": "not native", "untried": "untried"}
Counts = dict[str, dict[str, int]]


def load() -> Counts:
    return json.loads(COUNTS.read_text()) if COUNTS.exists() else {}


def add(verdicts: dict[str, Counter[str]]) -> None:
    """The newest run of a source replaces its older counts; differences that were ever found stay counted."""
    counts = load()
    for source, found in verdicts.items():
        counts[source] = merge(counts.get(source, {}), found)
    COUNTS.write_text(json.dumps(dict(sorted(counts.items())), indent=1) + "\n")
    write_page(counts)


def merge(old: dict[str, int], found: Counter[str]) -> dict[str, int]:
    now = {
        "statements": sum(found.values()),
        "native": found[EQUAL] + found[ERRORS] + sum(found[word] for word in FINDINGS),
        "not native": found[NATIVE_NOT],
        "untried": found[UNTRIED],
        "row order": found[ORDER],
        "different": sum(found[word] for word in FINDINGS if word != ORDER),
    }
    return {**now, "most different": max(now["different"], old.get("most different", 0))}


def write_page(counts: Counts) -> None:
    text = PAGE.read_text()
    PAGE.write_text(MARKS.sub(lambda found: found[1] + table(counts) + "\n" + found[2], text))


def table(counts: Counts) -> str:
    keys = ("statements", "native", "not native", "untried", "row order", "different", "most different")
    total = {key: sum(one.get(key, 0) for one in counts.values()) for key in keys}
    rows = [*counts.items(), ("all", total)]
    return "\n".join(
        [line(("source", *keys)), line(["---"] * 8), *(line((name, *cells(one, keys))) for name, one in rows)]
    )


def cells(counts: dict[str, int], keys: Iterable[str]) -> list[str]:
    return [f"{counts.get(key, 0):,}" for key in keys]


def line(words: Iterable[str]) -> str:
    return "| " + " | ".join(words) + " |"
