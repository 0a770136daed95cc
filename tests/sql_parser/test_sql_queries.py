"""The parser on queries: trees of a few telling texts, and what is an alias and what a clause."""

import pytest

from twinspark.read.sql import ParseError, parse_expression, parse_multipart_identifier, parse_query, tree


def projections(text: str) -> tuple[tree.Expression, ...]:
    body = parse_query(text).body
    assert isinstance(body, tree.Select) and isinstance(body.projections, tuple)
    return body.projections


def test_precedence_follows_the_grammar() -> None:
    a, b, c = (tree.Column(0, 0, (name,)) for name in "abc")
    product = tree.Binary(0, 0, "*", b, c)
    assert parse_expression("a + b * c") == tree.Binary(0, 0, "+", a, product)
    assert parse_expression("a | b & c") == tree.Binary(0, 0, "|", a, tree.Binary(0, 0, "&", b, c))
    assert parse_expression("not a and b") == tree.Logical(0, 0, "AND", tree.Not(0, 0, a), b)
    assert parse_expression("a = b = c") == tree.Binary(0, 0, "=", tree.Binary(0, 0, "=", a, b), c)


def test_a_minus_before_a_number_belongs_to_it() -> None:
    assert parse_expression("-1") == tree.NumberLiteral(0, 0, "integer", "-1")
    one = tree.NumberLiteral(0, 0, "integer", "1")
    assert parse_expression("a -1") == tree.Binary(0, 0, "-", tree.Column(0, 0, ("a",)), one)


def test_positions_are_those_of_the_text() -> None:
    text = "select (a) + b from t"
    (found,) = projections(text)
    assert text[found.start : found.stop] == "(a) + b"


# Recorded from Spark 4.2.1: the column names of these queries.
@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("select 1 from", "from"),
        ("select 1 where", "where"),
        ("select 1 limit limit 1", "limit"),
        ("select 1 and", "and"),
        ("select 1 union from values(1)", "union"),
        ("select 1 from from values(1)", "from"),
    ],
)
def test_keywords_are_names_where_nothing_else_fits(text: str, name: str) -> None:
    (found,) = projections(text)
    assert isinstance(found, tree.Alias) and found.names == (name,)


# Recorded from Spark 4.2.1: error, hint, line and position.
@pytest.mark.parametrize(
    ("text", "error", "hint", "place"),
    [
        ("select 1 a b c", "'b'", "", (1, 11)),
        ("select", "end of input", "", (1, 6)),
        ("select 1 1", "'1'", ": extra input '1'", (1, 9)),
        ("select (1", "end of input", "", (1, 9)),
        ("select 1)", "')'", ": extra input ')'", (1, 8)),
        ("selec 1", "'selec'", "", (1, 0)),
        ("select a.1", "'.1'", ": extra input '.1'", (1, 8)),
        ("select 1 ! = 2", "'!'", "", (1, 9)),
        ("select cast(1 as int, 2)", "','", "", (1, 20)),
        ("select * from values 1 x y z", "'y'", "", (1, 25)),
    ],
)
def test_syntax_errors(text: str, error: str, hint: str, place: tuple[int, int]) -> None:
    with pytest.raises(ParseError) as caught:
        parse_query(text)
    assert caught.value.condition == "PARSE_SYNTAX_ERROR"
    assert caught.value.parameters == {"error": error, "hint": hint}
    assert (caught.value.line, caught.value.position) == place


def test_the_message_points_at_the_place() -> None:
    with pytest.raises(ParseError) as caught:
        parse_query("select 1 a b c")
    assert str(caught.value) == (
        "\n[PARSE_SYNTAX_ERROR] Syntax error at or near 'b'. SQLSTATE: 42601 (line 1, pos 11)\n"
        "\n== SQL ==\nselect 1 a b c\n-----------^^^\n"
    )


def test_the_message_of_a_complaint_shows_the_fragment() -> None:
    with pytest.raises(ParseError) as caught:
        parse_query("select a !in (1)")
    assert str(caught.value).endswith("== SQL (line 1, position 10) ==\nselect a !in (1)\n         ^\n")


def test_multipart_identifiers() -> None:
    assert parse_multipart_identifier("a.`b.c`.`d``e`") == ("a", "b.c", "d`e")
    with pytest.raises(ParseError) as caught:
        parse_multipart_identifier("test-table")
    assert caught.value.condition == "INVALID_IDENTIFIER"
    assert caught.value.parameters == {"ident": "test-table"}


@pytest.mark.parametrize(
    "form", ["trim({})", "substring({}, 1, 2)", "first({}) over w", "cast({} as int)", "(select {})"]
)
def test_time_does_not_double_with_every_level(form: str) -> None:
    text = "a"
    for _ in range(40):
        text = form.format(text)
    assert parse_expression(text) is not None
    with pytest.raises(ParseError):
        parse_expression(text.replace("a", "a b c", 1))


@pytest.mark.parametrize("rows", ["TABLE(t)", "row => TABLE(t)"])
@pytest.mark.parametrize("clause", ["PARTITION BY a - 1", "PARTITION BY a ORDER BY b ASC"])
def test_a_named_argument_ends_the_clauses_of_a_table_argument(rows: str, clause: str) -> None:
    shown = str(parse_query(f"SELECT * FROM f({rows} {clause}, c => 'x')"))
    assert shown.count("TableArgument(") == 1
    assert "NamedArgument(name='c', value=StringLiteral(value='x'))" in shown
