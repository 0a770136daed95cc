"""The rooms and passes in docs/contribute/architecture.md are current; `make architecture` writes them."""

import re

from tools.architecture import PAGE, with_rooms_and_passes

FILE_COUNT = re.compile(r" \| \d+ \|$", re.MULTILINE)


def without_counts(page: str) -> str:
    """How many files a room has changes with every other commit."""
    return FILE_COUNT.sub("", page)


def test_rooms_and_passes_are_current() -> None:
    page = PAGE.read_text()
    assert without_counts(page) == without_counts(with_rooms_and_passes(page))


def test_the_page_has_a_trace() -> None:
    assert re.search(r"\| calls \| 4,888 \| [\d,]+ \| [\d,]+ \|", PAGE.read_text())
