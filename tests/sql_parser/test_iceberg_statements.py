"""Iceberg's extensions of ALTER TABLE: their nodes, and the errors of texts that almost match."""

import pytest

from twinspark.read.sql import ParseError, parse_sort_order, parse_statement, tree


def transform(name: str, *arguments: tree.Name | tree.Expression) -> tree.PartitionTransform:
    return tree.PartitionTransform(0, 0, name, arguments)


def name(*parts: str) -> tree.Name:
    return tree.Name(0, 0, parts)


def order(column: str, ordering: str = "", nulls: str = "") -> tree.OrderField:
    return tree.OrderField(0, 0, transform("identity", name(column)), ordering, nulls)


def age(number: int, unit: str) -> tree.Age:
    return tree.Age(0, 0, number, unit)


DAYS = transform("days", name("ts"))
BUCKET = transform("bucket", tree.NumberLiteral(0, 0, "integer", "4"), name("a", "b"))
CASES = [
    ("ADD PARTITION FIELD days(ts)", tree.AddPartitionField(0, 0, DAYS, None)),
    ("add partition field bucket(4, a.b) as shard", tree.AddPartitionField(0, 0, BUCKET, "shard")),
    ("DROP PARTITION FIELD shard", tree.DropPartitionField(0, 0, transform("identity", name("shard")))),
    (
        "REPLACE PARTITION FIELD ts_day WITH days(ts) AS d",
        tree.ReplacePartitionField(0, 0, transform("identity", name("ts_day")), DAYS, "d"),
    ),
    (
        "WRITE ORDERED BY s DESC, id NULLS LAST",
        tree.WriteOrder(0, 0, False, "ORDERED", (order("s", "DESC"), order("id", "", "LAST"))),
    ),
    (
        "WRITE LOCALLY ORDERED BY (id) /* ! */ DISTRIBUTED BY PARTITION ;",
        tree.WriteOrder(0, 0, True, "LOCALLY ORDERED", (order("id"),)),
    ),
    ("WRITE UNORDERED", tree.WriteOrder(0, 0, False, "UNORDERED", ())),
    ("WRITE DISTRIBUTED BY PARTITION", tree.WriteOrder(0, 0, True, "", ())),
    ("SET IDENTIFIER FIELDS id, a.b", tree.SetIdentifierFields(0, 0, (name("id"), name("a", "b")))),
    ("DROP IDENTIFIER FIELDS id", tree.DropIdentifierFields(0, 0, (name("id"),))),
    (
        "CREATE TAG IF NOT EXISTS `the last` AS OF VERSION 12 RETAIN 7 DAYS",
        tree.CreateReference(0, 0, "TAG", "the last", True, False, True, 12, age(7, "DAYS"), None, None),
    ),
    (
        "CREATE OR REPLACE BRANCH b WITH SNAPSHOT RETENTION 3 SNAPSHOTS 4 HOURS",
        tree.CreateReference(0, 0, "BRANCH", "b", True, True, False, None, None, 3, age(4, "HOURS")),
    ),
    (
        "REPLACE BRANCH b WITH SNAPSHOT RETENTION 30 MINUTES",
        tree.CreateReference(0, 0, "BRANCH", "b", False, True, False, None, None, None, age(30, "MINUTES")),
    ),
    ("DROP TAG IF EXISTS first", tree.DropReference(0, 0, "TAG", "first", True)),
]


@pytest.mark.parametrize(("text", "change"), CASES, ids=[text for text, _ in CASES])
def test_changes_of_tables(text: str, change: tree.IcebergChange) -> None:
    for table, parts in (("t", ("t",)), ("`my lake`.db.t", ("my lake", "db", "t"))):
        statement = parse_statement(f"-- a comment\nALTER TABLE {table} {text}")
        assert isinstance(statement, tree.AlterTable)
        assert (statement.name, statement.change) == (name(*parts), change)


@pytest.mark.parametrize(
    ("text", "token"),
    [
        ("ALTER TABLE t ADD PARTITION FIELD", "end of input"),
        ("ALTER TABLE t ADD PARTITION FIELDS a", "'FIELDS'"),
        ("ALTER TABLE t REPLACE PARTITION FIELD a", "end of input"),
        ("ALTER TABLE t WRITE", "end of input"),
        ("ALTER TABLE t WRITE UNORDERED ORDERED BY a", "'ORDERED'"),
        ("ALTER TABLE t SET IDENTIFIER FIELDS 1", "'1'"),
        ("ALTER TABLE t CREATE TAG a RETAIN 7", "end of input"),
        ("ALTER TABLE t CREATE TAG a WITH SNAPSHOT RETENTION 3 SNAPSHOTS", "'WITH'"),
        ("ALTER TABLE t CREATE OR REPLACE TAG IF NOT EXISTS a", "'NOT'"),
        ("ALTER TABLE t PARTITION (a = 1) WRITE UNORDERED", "'WRITE'"),
        ("ALTER VIEW t CREATE TAG x", "'CREATE'"),
    ],
)
def test_errors_name_the_token(text: str, token: str) -> None:
    with pytest.raises(ParseError) as raised:
        parse_statement(text)
    assert (raised.value.condition, raised.value.parameters["error"]) == ("PARSE_SYNTAX_ERROR", token)


def test_orders_of_procedures() -> None:
    assert parse_sort_order("a DESC NULLS LAST, `b c`") == (order("a", "DESC", "LAST"), order("b c"))
    with pytest.raises(ParseError):
        parse_sort_order("a SIDEWAYS")
