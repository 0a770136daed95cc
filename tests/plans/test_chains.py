"""Long chains of projections: one SELECT, columns passed on as one object, plan ids found through them."""

from pyspark.sql.connect.proto import Relation

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_rows
from twinspark.compile.query import stream_rows
from twinspark.duck import run
from twinspark.plan.relations import Project
from twinspark.read.proto import read_relation


def chain(length: int) -> Relation:
    """spark.range(1000) with a new column after the other, each made of id, under growing plan ids."""
    plan = Relation()
    plan.common.plan_id = 0
    plan.range.end, plan.range.step = 1000, 1
    for number in range(length):
        above = Relation()
        above.common.plan_id = number + 1
        above.with_columns.input.CopyFrom(plan)
        alias = above.with_columns.aliases.add(name=[f"c{number}"])
        call = alias.expr.unresolved_function
        call.function_name = "+"
        call.arguments.add().unresolved_attribute.unparsed_identifier = "id"
        call.arguments.add().literal.integer = number
        plan = above
    return plan


def test_a_chain_is_one_select() -> None:
    plan = read_relation(chain(40), Context())
    text = compile_rows(plan, Context()).text
    assert text.count("SELECT") == 1
    cursor = run.connect().cursor()
    table = stream_rows(plan, Context(), cursor).read_all()
    assert (table.num_rows, table.num_columns) == (1000, 41)
    assert table.column("c39")[999].as_py() == 999 + 39


def chain_of_each_other(length: int) -> Relation:
    plan = chain(length)
    below = plan
    for number in range(length - 1, 0, -1):
        call = below.with_columns.aliases[0].expr.unresolved_function
        call.arguments[0].unresolved_attribute.unparsed_identifier = f"c{number - 1}"
        below = below.with_columns.input
    return plan


def test_columns_made_of_each_other_are_not_written_again_and_again() -> None:
    plan = read_relation(chain_of_each_other(120), Context())
    text = compile_rows(plan, Context()).text
    assert len(text) < 60_000
    table = stream_rows(plan, Context(), run.connect().cursor()).read_all()
    assert table.column("c119")[999].as_py() == 999 + sum(range(120))


def test_columns_passed_on_are_not_made_again() -> None:
    plan = read_relation(chain(10), Context())
    assert isinstance(plan, Project)
    assert isinstance(plan.input, Project)
    assert all(a is b for a, b in zip(plan.expressions[:9], plan.input.expressions[:9], strict=True) if a == b)
    assert plan.expressions[0] is plan.input.expressions[0]
    assert plan.fields[:10] == plan.input.fields
    assert plan.fields[3] is plan.input.fields[3]


def test_a_column_of_the_first_frame_is_found_above_the_chain() -> None:
    plan = Relation()
    plan.filter.input.CopyFrom(chain(30))
    call = plan.filter.condition.unresolved_function
    call.function_name = "<"
    first = call.arguments.add().unresolved_attribute
    first.unparsed_identifier, first.plan_id = "id", 0
    call.arguments.add().literal.integer = 5
    cursor = run.connect().cursor()
    assert stream_rows(read_relation(plan, Context()), Context(), cursor).read_all().num_rows == 5


def test_rows_of_many_columns_are_counted_without_depth() -> None:
    """A sum that is deeper than 1,000 DuckDB refuses."""
    plan = Relation()
    below = plan.drop_na.input.project
    below.input.CopyFrom(chain(0))
    for number in range(1200):
        alias = below.expressions.add().alias
        alias.name.append(f"c{number}")
        alias.expr.unresolved_attribute.unparsed_identifier = "id"
    cursor = run.connect().cursor()
    assert stream_rows(read_relation(plan, Context()), Context(), cursor).read_all().num_rows == 1000
