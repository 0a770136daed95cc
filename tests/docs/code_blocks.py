"""Finds the fenced code blocks of README.md and docs/, with the line they begin in and why one is not run.

A block that cannot run on a machine of its own (it needs a cluster, a cloud, a compiler's hour) has the sentence
`*Not run by the tests: the reason.*` in the line before it, where readers see it too."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = ("python", "bash", "sql", "toml")
FENCE = re.compile(r"^(?P<indent> *)```(?P<language>\w*)\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL)
NOT_RUN = re.compile(r"\*Not run by the (?:everyday )?tests: ([^\n]+)\*\s*\Z")


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    language: str
    text: str
    not_run: str  # the reason, or nothing


def pages() -> list[Path]:
    """All but the decisions, which quote code that was given up."""
    documents = [page for page in (ROOT / "docs").rglob("*.md") if page.parent.name != "decisions"]
    return [ROOT / "README.md", *sorted(documents)]


def blocks_of(page: Path) -> Iterator[Block]:
    text = page.read_text()
    for found in FENCE.finditer(text):
        if found["language"] in LANGUAGES:
            before = NOT_RUN.search(text[: found.start()])
            line = text.count("\n", 0, found.start()) + 2
            body = "".join(each.removeprefix(found["indent"]) for each in found["text"].splitlines(keepends=True))
            yield Block(str(page.relative_to(ROOT)), line, found["language"], body, before[1] if before else "")
