"""`twinspark run`: how a SQL file falls into statements."""

from twinspark.cli.run import statements_of


def test_semicolons_in_quotes_and_comments_do_not_split() -> None:
    text = "select ';' as a; -- no; split\nselect `x;y` /* ; */ from t;\n\n-- only a comment;\n"
    assert statements_of(text) == ["select ';' as a", "-- no; split\nselect `x;y` /* ; */ from t"]


def test_escaped_quote_stays_inside() -> None:
    assert statements_of(r"select 'it\'s; fine'; select 2") == [r"select 'it\'s; fine'", "select 2"]
