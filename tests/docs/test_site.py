"""The documentation site builds without a warning, loads nothing from another host, and its settings are current."""

import json
import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path
from xml.etree import ElementTree

from code_blocks import ROOT

from bench import tpch_plots
from tools import settings
from twinspark.sessions.access.limits import KINDS

LOADED = re.compile(r"""<(?:script|img|link|iframe)\b[^>]*?\b(?:src|href)=["']?((?:https?:)?//[^"'\s>]+)""")


def test_the_page_of_settings_is_current() -> None:
    assert settings.PAGE.read_text() == settings.page(), "make settings"


def test_a_folder_of_pages_can_be_taken_in_at_a_glance() -> None:
    counts = Counter(page.parent.name for page in (ROOT / "docs").rglob("*.md"))
    assert max(counts.values()) <= 25, counts


def test_the_benchmark_page_and_its_plots_are_current() -> None:
    report = json.loads(tpch_plots.RESULTS.read_text())
    assert tpch_plots.PAGE.read_text() == tpch_plots.page(report), "make bench-page"
    for name, drawing in tpch_plots.pictures(report).items():
        assert (tpch_plots.PICTURES / name).read_text() == drawing, "make bench-page"
        assert ElementTree.fromstring(drawing).tag.endswith("svg")


def test_every_limit_is_described() -> None:
    text = (ROOT / "docs" / "operate" / "limits.md").read_text()
    assert [name for name in KINDS if f"`{name}`" not in text] == []


def test_the_site_builds_and_is_self_contained(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(ROOT / "mkdocs.yml"), "-d", str(tmp_path)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    made = [*tmp_path.rglob("*.html")]
    assert {host for page in made for host in LOADED.findall(page.read_text())} == set()
    assert (tmp_path / "search" / "search_index.json").is_file()  # searched in the browser: no host is asked
