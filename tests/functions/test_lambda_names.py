"""Columns called as the parameters of our own lambdas: DuckDB would take the column where a lambda says `one.field`."""

import pytest

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_rows
from twinspark.duck.run import connect
from twinspark.plan.relations import Field, Scan
from twinspark.read.sql import parse_type
from twinspark.read.sql_text import read_query_text

NAMES = ("e", "s", "s1", "one", "element", "elements", "entry", "i", "best", "p", "f", "g", "u", "n", "m", "c", "kept")
LIST = "list array<struct<key: string, value: int, b: int>>"
ROW = "[{'key': 'k', 'value': 1, 'b': 2}]"
CASES = [  # as Spark 4.2.1 answers
    ("list.b", [2]),
    ("map_from_entries(transform(list, x -> struct(x.key, x.value)))", {"k": 1}),
    ("string(list)", "[{k, 1, 2}]"),
    ("string(map('a', 1))", "{a -> 1}"),
    ("aggregate(array(1, 2), 0, (x, y) -> x + y)", 3),
    ("cast(list as array<struct<key: string, value: bigint, b: string>>)", [{"key": "k", "value": 1, "b": "2"}]),
    ("arrays_zip(list.b, list.value)", [{"0": 2, "1": 1}]),
    ("array_join(array('a', null, 'b'), '-')", "a-b"),
    ("array_remove(array(1, 2), 2)", [1]),
    ("collect_set(list[0].b)", [2]),
    ("max_by(list[0].b, list[0].value, 2)", [2]),
    ("mode(list[0].b, true)", 2),
    ("listagg(distinct list[0].key) within group (order by list[0].key)", "k"),
]


@pytest.mark.parametrize(("expression", "expected"), CASES)
def test_lambda_parameters_are_not_columns(expression: str, expected: object) -> None:
    kind = "struct<key: string, value: string, b: string, v: string, h: string, o: string, item: string>"
    columns = parse_type(f"struct<{', '.join(f'{n}: {kind}' for n in NAMES)}, {LIST.replace(' ', ': ', 1)}>").fields
    fields = tuple(Field(column.name, column.dataType, True) for column in columns)
    connection = connect()
    wrong = ", ".join(f"'{one}': 'wrong'" for one in ("key", "value", "b", "v", "h", "o", "item"))
    made = ", ".join([*(f"{{{wrong}}} AS {name}" for name in NAMES), f"{ROW} AS list"])
    connection.execute(f"CREATE TABLE clashing AS SELECT {made}")
    view = Scan(sql="clashing", names=tuple(column.name for column in columns), fields=fields)
    frame = read_query_text(f"SELECT {expression} FROM t", Context(views={("t",): view}))
    assert connection.execute(compile_rows(frame.plain(), Context()).text).fetchall() == [(expected,)]
