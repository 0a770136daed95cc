"""README holds the numbers that the commands wrote (`make readme`), and links in all pages lead to files."""

import re
from pathlib import Path

import pytest

from tools.readme_numbers import PAGE, PARTS, with_numbers

ROOT = Path(__file__).parent.parent
PAGES = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]


def test_numbers_are_current() -> None:
    assert PAGE.read_text() == with_numbers(PAGE.read_text())


@pytest.mark.parametrize("part", PARTS)
def test_every_number_has_its_marks(part: str) -> None:
    assert f"<!-- make readme: {part} -->" in PAGE.read_text()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:|#)([^)#\s]+)[^)\s]*\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_named_source_files_exist(page: Path) -> None:
    """A path in backticks counts from the repository, from src/twinspark or from src/twinspark/duck."""
    paths = re.findall(r"`([a-z_]+/[a-z_0-9/]+\.(?:py|c|h|txt|sql|tsv))`", page.read_text())
    roots = (ROOT, ROOT / "src" / "twinspark", ROOT / "src" / "twinspark" / "duck")
    assert [path for path in paths if not any((root / path).exists() for root in roots)] == []
