"""`make attack` itself: attacks are left out of the everyday suite, and the counts reach the page."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

COUNTS = Path(__file__).parents[1] / "tables" / "stress_counts.py"


@pytest.mark.attack
def test_a_server_answers_an_attacker(serve: Callable[..., object]) -> None:
    serve("--engine", "duckdb").check_alive()  # type: ignore[attr-defined]


def test_attacks_are_left_out_by_default(request: pytest.FixtureRequest) -> None:
    chosen = request.config.getoption("-m")
    assert "not attack" in chosen
    assert not any(item.get_closest_marker("attack") for item in request.session.items)


def test_counts_reach_the_page(tmp_path: Path) -> None:
    counted, page = tmp_path / "counts", tmp_path / "page.md"
    counted.write_text("".join(json.dumps(["doors: logins", each]) + "\n" for each in (1000, 500)))
    page.write_text("before\n<!-- make attack -->\nold\n<!-- end -->\nafter\n")
    subprocess.run([sys.executable, COUNTS, counted, page, "make attack"], check=True)
    assert "| doors: logins | 1,500 |" in page.read_text()
    assert "old" not in page.read_text() and page.read_text().endswith("after\n")


def test_a_count_names_its_part(count: Callable[[str, int], None]) -> None:
    with pytest.raises(AssertionError, match="begins with none"):
        count("elsewhere: probes", 1)
