"""The tools behind the recorded cases: reading and writing them, lifting literals, rendering values."""

from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pytest
from pyspark.sql import types as t

from tools.cases.calls import find_call, split_arguments
from tools.cases.connect import Mode
from tools.cases.files import Answer, Section, read_cases, refusal, whole_sections, write_cases
from tools.cases.lift import column_name, lifted_query
from tools.cases.render import render_column
from tools.cases.signature_files import read_accepted
from tools.cases.typetext import result_text
from tools.record.grid import topic_cases, topic_names
from tools.replay.run import function_of

ONE, TWO, ABC = (column_name(literal) for literal in ("1", "-2", "'abc'"))


@pytest.mark.parametrize(
    ("expression", "lifted"),
    [
        ("substring('abc', 1, -2)", f"substring({ABC}, {ONE}, {TWO})"),
        ("cast(1 as decimal(10,2))", f"cast({ONE} as decimal(10,2))"),
        ("interval '1' day", "interval '1' day"),
        ("1 -2", f"{ONE} -{column_name('2')}"),
        ("CAST(NULL AS DECIMAL(5,2))", column_name("CAST(NULL AS DECIMAL(5,2))")),
        ("named_struct('a', 'abc')", f"named_struct('a', {ABC})"),
        ("x1 + c2", "x1 + c2"),
        ("""f("it's 1")""", f"""f({column_name('"it' + "'" + 's 1"')})"""),
    ],
)
def test_literals_become_columns(expression: str, lifted: str) -> None:
    assert lifted_query([expression])[0] == [lifted]


def test_lifted_columns_come_from_one_row() -> None:
    assert lifted_query(["f('abc', 1)", "g(1)"])[1] == f"FROM VALUES ('abc', 1) AS t({ABC}, {ONE})"


def test_only_the_first_literal_is_lifted_on_request() -> None:
    assert lifted_query(["round(1, -2)"], only_first=True)[0] == [f"round({ONE}, -2)"]


def test_cases_are_read_as_they_were_written(tmp_path: Path) -> None:
    first, off = Section(Mode()), Section(Mode(ansi=False))
    cases = {
        first: {
            "f('a\\tb')": Answer("string!", '"a\\tb"', "f(a\tb)"),
            "1 + 1": Answer("int!", "2", "(1 + 1)"),
            "1 / 0": refusal("DIVIDE_BY_ZERO"),
        },
        off: {"1 / 0": Answer("double?", "NULL", "")},
        Section(Mode(), "", "VALUES (1), (2) AS t(x)"): {"x": Answer("int!", "1 ¦ 2", "x")},
    }
    write_cases(tmp_path / "some.txt", cases)
    read = read_cases(tmp_path / "some.txt")
    assert list(read) == list(cases)
    assert read[first] == cases[first]
    assert whole_sections(read)[off]["1 / 0"] == Answer("double?", "NULL", "")
    assert whole_sections(read)[off]["1 + 1"] == Answer("int!", "2", "")


@pytest.mark.parametrize(
    ("values", "kind", "texts"),
    [
        (pa.array([1.0, float("nan"), -0.0, None]), t.DoubleType(), ["1.0", "NaN", "-0.0", "NULL"]),
        (pa.array([0.1], pa.float32()), t.FloatType(), ["0.1"]),
        (pa.array([Decimal("1.50")]), t.DecimalType(3, 2), ["1.50"]),
        (pa.array([b"\xff\x00"]), t.BinaryType(), ["X'FF00'"]),
        (pa.array(["a\n😀"]), t.StringType(), ['"a\\n😀"']),
        (pa.array([b"a\xff"]).view(pa.string()), t.StringType(), ['"a\\udcff"']),
        (pa.array([-1], pa.timestamp("us", "Asia/Kolkata")), t.TimestampType(), ["1969-12-31T23:59:59.999999"]),
        (pa.array([10**15], pa.timestamp("us")), t.TimestampNTZType(), ["2001-09-09T01:46:40"]),
        (pa.array([-719163], pa.int32()).cast(pa.date32()), t.DateType(), ["-719163 days"]),
        (
            pa.array([[1, None], None, []], pa.list_(pa.int32())),
            t.ArrayType(t.IntegerType()),
            ["[1, NULL]", "NULL", "[]"],
        ),
        (
            pa.array([[("k", 1)], None], pa.map_(pa.string(), pa.int32())),
            t.MapType(t.StringType(), t.IntegerType()),
            ['{"k": 1}', "NULL"],
        ),
        (pa.array([{"a": 1}, None]), t.StructType().add("a", t.LongType()), ["(a: 1)", "NULL"]),
    ],
)
def test_values_are_rendered_exactly(values: pa.Array, kind: t.DataType, texts: list[str]) -> None:
    assert render_column(values, kind) == texts


def test_the_same_instant_renders_alike_in_every_unit() -> None:
    moment = datetime(2024, 3, 10, 10, 30, tzinfo=UTC)
    columns = [pa.array([moment], pa.timestamp(unit, "UTC")) for unit in ("s", "us", "ns")]
    texts = {render_column(column, t.TimestampType())[0] for column in columns}
    assert texts == {"2024-03-10T10:30:00"}


def test_types_show_where_null_is_excluded() -> None:
    inside = t.StructType().add("a", t.IntegerType(), False).add("b c", t.StringType())
    kind = t.MapType(t.StringType(), t.ArrayType(inside, False), True)
    assert result_text(kind, False) == "map<string,array<struct<a:int!,`b c`:string>!>>!"


def test_calls_are_found_in_text() -> None:
    assert find_call("SELECT concat('(', f(1, 'a,b')) FROM t", "f") == (["1", "'a,b'"], ") FROM t")
    assert split_arguments("array(1, 2), 'x,y', (a, b)") == ["array(1, 2)", "'x,y'", "(a, b)"]


def test_signature_lines_keep_lambdas_whole() -> None:
    line = "f(array<int>!, x -> x + 1) -> array<int>! | f(ai, x -> x + 1) | as f(ai, lambda)"
    assert read_accepted(line) == ("f(ai, x -> x + 1)", Answer("array<int>!", "", "f(ai, lambda)"))


@pytest.mark.parametrize(
    ("expression", "function"),
    [
        ("upper('x')", "upper"),
        ("TRY_CAST('x' AS INT)", "cast"),
        ("1 + abs(2)", "+"),
        ("'in (' LIKE 'a'", "like"),
        ("CASE WHEN f(1) THEN 2 END", "case"),
        ("-2147483648", "-"),
    ],
)
def test_every_case_is_about_one_function(expression: str, function: str) -> None:
    assert function_of(expression) == function


@pytest.mark.parametrize("topic", topic_names())
def test_topic_tables_expand_to_full_expressions(topic: str) -> None:
    cases = topic_cases(topic)
    assert sum(map(len, cases.values())) >= 40
    assert not [e for expressions in cases.values() for e in expressions if "{<" in e or "\t" in e]
