"""Points of GEOMETRY and GEOGRAPHY inside of an expression; what is more than that goes to Spark."""

from typing import Any

import pytest

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.errors import NotNative
from twinspark.read.sql_text import read_query_text

POINT = "X'0101000000000000000000F03F0000000000000040'"
TURNED = "X'00000000013FF00000000000004000000000000000'"
ROWS = f"FROM VALUES ({POINT}, 3857), (NULL, 0), ({POINT}, NULL) AS rows(x, y)"
RECORDED: list[tuple[str, str, list[Any]]] = [  # Spark 4.2.1: the expression, its name, its values
    (
        f"hex(st_asbinary(st_geogfromwkb({POINT})))",
        f"hex(st_asbinary(st_geogfromwkb({POINT}), NDR))",
        ["0101000000000000000000F03F0000000000000040"],
    ),
    (
        f"hex(st_asbinary(st_geomfromwkb({POINT}), 'xdr'))",
        f"hex(st_asbinary(st_geomfromwkb({POINT}, 0), xdr))",
        ["00000000013FF00000000000004000000000000000"],
    ),
    (
        f"hex(st_asbinary(st_geomfromwkb({TURNED})))",
        f"hex(st_asbinary(st_geomfromwkb({TURNED}, 0), NDR))",
        ["0101000000000000000000F03F0000000000000040"],
    ),
    (f"st_srid(st_geogfromwkb({POINT}))", f"st_srid(st_geogfromwkb({POINT}))", [4326]),
    (f"st_srid(st_geomfromwkb({POINT}, 4326))", f"st_srid(st_geomfromwkb({POINT}, 4326))", [4326]),
    (
        f"st_srid(st_setsrid(st_geomfromwkb(x), y)) {ROWS}",
        "st_srid(st_setsrid(st_geomfromwkb(x, 0), y))",
        [3857, None, None],
    ),
]
TO_SPARK = [
    f"st_geogfromwkb({POINT})",
    "st_geogfromwkb(X'01')",
    "hex(st_asbinary(st_geomfromwkb(X'0101000000000000000000F07F0000000000000040')))",  # no place is infinite
    "hex(st_asbinary(st_geogfromwkb(X'0101000000000000000000694000000000000069C0')))",  # 200 degrees
    f"st_srid(st_setsrid(st_geogfromwkb(x), y)) {ROWS}",
    f"st_geogfromwkb({POINT}) = st_geogfromwkb({POINT})",
    f"count(*) {ROWS} GROUP BY st_geogfromwkb(x)",
    f"x {ROWS} ORDER BY st_geogfromwkb(x)",
    f"cast(st_geogfromwkb({POINT}) AS string)",
]


def answered(expression: str) -> tuple[str, list[Any]]:
    context = Context()
    plan = read_query_text(f"SELECT {expression}", context).plain()
    found = stream_rows(plan, context, connect().cursor()).read_all()
    return plan.fields[0].name, found.column(0).to_pylist()


@pytest.mark.parametrize(("expression", "name", "expected"), RECORDED)
def test_points_are_read_and_written(expression: str, name: str, expected: list[Any]) -> None:
    assert answered(expression) == (name, expected)


@pytest.mark.parametrize("expression", TO_SPARK)
def test_other_shapes_and_uses_go_to_spark(expression: str) -> None:
    with pytest.raises(NotNative):
        answered(expression)
