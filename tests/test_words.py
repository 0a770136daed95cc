"""Names, comments and pages use words that a Spark, database or Python engineer would search for (tools/words.py)."""

from tools.words import PROSE, SOURCE, all_complaints


def test_no_name_or_sentence_is_in_the_old_dialect() -> None:
    assert all_complaints([SOURCE, *PROSE]) == []
