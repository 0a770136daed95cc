"""Where an error points: a call of the DataFrame API or a part of the SQL, drawn as Spark draws it."""

from typing import Any

import pytest
from pyspark.sql.connect.proto import expressions_pb2, relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck import run
from twinspark.errors import QueryContext, SparkError
from twinspark.read.proto import read_relation

DATABASE = run.connect()
LONG_TEXT = "select id from range(3) where id + nosuch > 1"


def divided_by_zero(fragment: str) -> Any:
    divided = expressions_pb2.Expression()
    divided.unresolved_function.function_name = "/"
    divided.unresolved_function.arguments.add().unresolved_attribute.unparsed_identifier = "id"
    divided.unresolved_function.arguments.add().literal.integer = 0
    if fragment:
        divided.common.origin.python_origin.fragment = fragment
        divided.common.origin.python_origin.call_site = "program.py:7"
    relation = relations_pb2.Relation()
    relation.project.input.range.end = 3
    relation.project.input.range.step = 1
    relation.project.expressions.append(divided)
    return relation


def failure(relation: Any) -> SparkError:
    context = Context()
    with pytest.raises(SparkError) as caught:
        stream_rows(read_relation(relation, context), context, DATABASE.cursor()).read_all()
    return caught.value


def test_a_call_of_the_dataframe_api() -> None:
    (place,) = failure(divided_by_zero("__truediv__")).contexts
    assert (place.fragment, place.call_site, place.is_dataframe) == ("__truediv__", "program.py:7", True)
    assert place.summary == '== DataFrame ==\n"__truediv__" was called from\nprogram.py:7\n'


def test_a_call_that_does_not_say_where_it_was_made() -> None:
    assert failure(divided_by_zero("")).contexts == (QueryContext(),)


def test_a_name_that_is_not_there() -> None:
    relation = divided_by_zero("__truediv__")
    name = relation.project.expressions[0].unresolved_function.arguments[0]
    name.unresolved_attribute.unparsed_identifier = "nosuch"
    name.common.origin.python_origin.fragment = "col"
    error = failure(relation)
    assert error.condition == "UNRESOLVED_COLUMN.WITH_SUGGESTION"
    assert [place.fragment for place in error.contexts] == ["col"]


@pytest.mark.parametrize(
    ("text", "summary"),
    [
        ("select 1/0", "== SQL (line 1, position 8) ==\nselect 1/0\n       ^^^\n"),
        (
            "select id,\n  id / (id-id) as x\nfrom range(3)",
            "== SQL (line 2, position 3) ==\n  id / (id-id) as x\n  ^^^^^^^^^^^^\n",
        ),
        (
            LONG_TEXT,
            "== SQL (line 1, position 36) ==\n...ect id from range(3) where id + nosuch > 1\n"
            "                                   ^^^^^^\n",
        ),
    ],
)
def test_a_part_of_the_text(text: str, summary: str) -> None:
    (place,) = failure(relations_pb2.Relation(sql={"query": text})).contexts
    assert place.summary == summary
