"""The page in docs is made from the kept results, and is up to date."""

import report


def test_counts_are_summed_over_groups() -> None:
    result = {"groups": {"a": (1, 2), "b": (2, 2)}}
    assert report.counts(result) == "3 of 4 (75.0 %)"
    assert report.counts(result, "a") == "1 of 2 (50.0 %)"
    assert report.counts(None) == "not measured"


def test_missing_cases_are_listed_with_their_reason() -> None:
    text = report.missing("duckdb", {"reasons": {"not native: a|b": 1}, "lost": {"x.y": "not native: a|b"}})
    assert "| `x.y` | not native: a\\|b |" in text


def test_the_page_is_what_the_kept_results_say() -> None:
    assert report.PAGE.read_text() == report.page()
