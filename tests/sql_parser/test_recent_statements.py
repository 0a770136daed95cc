"""Texts that were just parsed are not parsed again, and the first tokens of a text are known without parsing it."""

import pytest

from twinspark.read.sql import ParserConfig, leading_kinds, parse_statement
from twinspark.read.sql.parse_cache import MOST_CHARACTERS, RecentStatements
from twinspark.read.sql.statement_heads import Head, parse_head


def test_the_same_text_and_settings_give_the_same_tree() -> None:
    ansi, legacy = ParserConfig.of({}), ParserConfig.of({"spark.sql.ansi.enabled": "false"})
    first = parse_statement("SHOW TABLES IN a", ansi)
    assert parse_statement("SHOW TABLES IN a", ansi) is first
    other = parse_statement("SHOW TABLES IN a", legacy)
    assert other is not first and other == first


def test_only_so_many_characters_are_kept() -> None:
    recent, config = RecentStatements(), ParserConfig.of({})
    texts = [f"SHOW TABLES IN a{n} --{'.' * (MOST_CHARACTERS // 3)}" for n in range(3)]
    for text in texts:
        recent.keep(text, config, parse_statement(text, config))
    assert [recent.find(text, config) is not None for text in texts] == [False, True, True]
    recent.keep("x" * (MOST_CHARACTERS + 1), config, parse_statement("SHOW TABLES", config))
    assert recent.find(texts[2], config) is not None


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("", ["eof", "eof"]),
        ("-- a\n/* b /* c */ */ select 'x'", ["SELECT", "string"]),
        ("(`a`", ["(", "backquoted"]),
        ("Create temp", ["CREATE", "TEMPORARY"]),
        ("optimize t", ["identifier", "identifier"]),
    ],
)
def test_leading_tokens(text: str, kinds: list[str]) -> None:
    assert leading_kinds(text, 2) == kinds


@pytest.mark.parametrize(
    ("text", "head"),
    [
        (
            "create or replace temp view if not exists data.v as nothing",
            Head(("CREATE", "OR", "REPLACE", "TEMPORARY", "VIEW"), (("data", "v"),)),
        ),
        ("DROP FUNCTION IF EXISTS `a b`", Head(("DROP", "FUNCTION"), (("a b",),))),
        ("ALTER VIEW a RENAME TO b.c ?", Head(("ALTER", "VIEW"), (("a",), ("b", "c")))),
        ("DECLARE x, y INT", Head(("DECLARE",), (("x",), ("y",)))),
        ("DECLARE OR REPLACE VARIABLE x", Head(("DECLARE", "OR", "REPLACE", "VARIABLE"), (("x",),))),
        ("set catalog x", Head(("SET", "CATALOG"))),
        ("drop", Head(("DROP", "eof"))),
        ("", Head(())),
    ],
)
def test_heads(text: str, head: Head) -> None:
    assert parse_head(text) == head
