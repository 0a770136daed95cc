"""Cases of arrays taken as sets, searched and sorted; the answers are shown as JSON, which tells -0.0 from 0.0."""

import random
from collections.abc import Callable
from typing import Any

import pyarrow as pa

from native_cases.case import case, table

DOUBLES = [None, 0.0, -0.0, 1.5, float("nan"), float("inf"), -1.0, 1e300]
PERSON = pa.struct([("a", pa.int32()), ("b", pa.string()), ("d", pa.float64())])


def one_of(rng: random.Random, values: list[Any]) -> Callable[[], Any]:
    return lambda: rng.choice(values)


def person(rng: random.Random) -> dict[str, Any] | None:
    if rng.random() < 0.1:
        return None
    return {"a": rng.choice([None, 1, 2]), "b": rng.choice([None, "", "x", "é"]), "d": rng.choice(DOUBLES)}


def lists(rng: random.Random, rows: int, element: Callable[[], Any]) -> list[Any]:
    return [None if rng.random() < 0.05 else [element() for _ in range(rng.randint(0, 6))] for _ in range(rows)]


def arrays(rng: random.Random, rows: int) -> pa.Table:
    doubles, people = one_of(rng, DOUBLES), lambda: person(rng)
    return table(
        a=(pa.list_(pa.float64()), lists(rng, rows, doubles)),
        b=(pa.list_(pa.float64()), lists(rng, rows, doubles)),
        p=(pa.list_(PERSON), lists(rng, rows, people)),
        q=(pa.list_(PERSON), lists(rng, rows, people)),
        v=(pa.float64(), [doubles() for _ in range(rows)]),
        k=(pa.list_(pa.string()), lists(rng, rows, one_of(rng, [None, "", "b", "ab", "xyz"]))),
    )


def shown(sql: str) -> str:
    return f"spark_to_json({sql}, false)"


def spark(sql: str) -> str:
    return f"to_json({sql}, map('ignoreNullFields', 'false'))"


NORMAL = {"a": "list_transform(a, lambda x: x + 0)", "b": "list_transform(b, lambda x: x + 0)"}
for name in ("except", "intersect"):
    ours = f"list_select({NORMAL['a']}, spark_array_{name}({NORMAL['a']}, {NORMAL['b']}))"
    case(f"sets_{name}", arrays, spark(f"array_{name}(a, b)"), shown(ours))
case("sets_overlap", arrays, "arrays_overlap(a, b)", "spark_arrays_overlap(a, b)")
case("sets_overlap_structs", arrays, "arrays_overlap(p, q)", "spark_arrays_overlap(p, q)")
ours = f"list_select({NORMAL['a']}, spark_array_distinct({NORMAL['a']}))"
case("sets_distinct", arrays, spark("array_distinct(a)"), shown(ours))
case("sets_position", arrays, "array_position(a, v)", "spark_array_position(a, [v])")
case("sets_remove", arrays, spark("array_remove(a, v)"), shown("list_select(a, spark_array_others(a, [v]))"))
for name in ("max", "min"):
    case(f"sets_{name}", arrays, spark(f"array_{name}(p)"), shown(f"p[spark_array_{name}(p)]"))
for name, mode in {"sort_array(p)": 0, "sort_array(p, false)": 1, "array_sort(p)": 2}.items():
    case(f"sets_sort_{mode}", arrays, spark(name), shown(f"list_select(p, spark_sort_positions(p, {mode}))"))
case("sets_compare", arrays, "p < q", "(spark_compare([p], [q]) < 0)")
case("sets_keys", arrays, "p < q", "(spark_sort_key([p]) < spark_sort_key([q]))")

LENGTHS = "coalesce(length({}), 1) - coalesce(length({}), 1)"
TABLE = "list_transform(k, lambda x: list_transform(k, lambda y: CAST(" + LENGTHS.format("x", "y") + " AS INTEGER)))"
case(
    "sets_sort_by",
    arrays,
    spark(f"array_sort(k, (x, y) -> {LENGTHS.format('x', 'y')})"),
    shown(f"list_select(k, spark_sort_by({TABLE}))"),
)
