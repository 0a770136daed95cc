"""Sketches against Apache DataSketches' own C++ library (the package datasketches): its images read, its answers given.

Its images are made here, by the library: no binary files are kept. What Spark itself writes is in the recorded cases.
"""

from collections.abc import Iterator
from typing import Any

import datasketches
import duckdb
import pytest

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.read.sql_text import read_query_text

COUNTS = [0, 1, 2, 7, 8, 25, 100, 383, 1000, 4096, 5000, 20000]


@pytest.fixture(scope="module")
def connection() -> Iterator[duckdb.DuckDBPyConnection]:
    made = connect()
    yield made
    made.close()


def answer(connection: duckdb.DuckDBPyConnection, sql: str) -> Any:
    plan = read_query_text(f"SELECT {sql}", Context()).plain()
    return stream_rows(plan, Context(), connection.cursor()).read_all().column(0)[0].as_py()


def theta(numbers: range, lg_k: int = 12) -> Any:
    made = datasketches.update_theta_sketch(lg_k)
    for each in numbers:
        made.update(each)
    made.trim()  # to the k smallest, as Spark's aggregate ends
    return made.compact()


def literal(image: bytes) -> str:
    return f"X'{image.hex()}'"


@pytest.mark.parametrize("lg_k", [5, 12, 16])
@pytest.mark.parametrize("count", COUNTS)
def test_theta_images_are_read_by_both(connection: duckdb.DuckDBPyConnection, count: int, lg_k: int) -> None:
    """The bytes differ: Spark writes compressed images, the C++ library plain ones. The hashes are the same."""
    ours = answer(connection, f"theta_sketch_agg(id, {lg_k}) FROM range({count})")
    expected = theta(range(count), lg_k)
    read = datasketches.compact_theta_sketch.deserialize(ours)
    assert (list(read), read.theta64) == (list(expected), expected.theta64)
    assert answer(connection, f"theta_sketch_estimate({literal(ours)})") == round(expected.get_estimate())
    if count != 1:  # one hash alone is marked by Java's library and not by this one: only Spark reads both
        image = literal(expected.serialize())
        assert answer(connection, f"theta_sketch_estimate({image})") == round(expected.get_estimate())


@pytest.mark.parametrize(
    ("name", "operation"),
    [
        ("theta_union", "theta_union"),
        ("theta_intersection", "theta_intersection"),
        ("theta_difference", "theta_a_not_b"),
    ],
)
def test_theta_sets(connection: duckdb.DuckDBPyConnection, name: str, operation: str) -> None:
    left, right = theta(range(10000)), theta(range(5000, 20000))
    ours = answer(connection, f"{name}({literal(left.serialize())}, {literal(right.serialize())})")
    made = getattr(datasketches, operation)()
    if name == "theta_difference":
        expected = made.compute(left, right)
    else:
        made.update(left)
        made.update(right)
        expected = made.get_result()
    assert datasketches.compact_theta_sketch.deserialize(ours).get_estimate() == expected.get_estimate()
    assert list(datasketches.compact_theta_sketch.deserialize(ours)) == list(expected)


def hll(numbers: range, lg_k: int) -> Any:
    made = datasketches.hll_sketch(lg_k, datasketches.HLL_8)
    for each in numbers:
        made.update(each)
    return made


@pytest.mark.parametrize("lg_k", [10, 12, 16])
@pytest.mark.parametrize("count", [1, 7, 8, 20])
def test_hll_images_of_few_values(connection: duckdb.DuckDBPyConnection, count: int, lg_k: int) -> None:
    made = hll(range(count), lg_k)
    image = made.serialize_updatable()
    assert answer(connection, f"hll_sketch_agg(id, {lg_k}) FROM range({count})") == image
    assert answer(connection, f"hll_sketch_estimate({literal(image)})") == round(made.get_estimate())
    other = hll(range(count, 2 * count), lg_k).serialize_updatable()
    union = answer(connection, f"hll_sketch_estimate(hll_union({literal(image)}, {literal(other)}))")
    assert union == round(hll(range(2 * count), lg_k).get_estimate())


@pytest.mark.parametrize("count", [1, 2, 50, 200])
def test_kll_images(connection: duckdb.DuckDBPyConnection, count: int) -> None:
    made = datasketches.kll_doubles_sketch(200)
    for each in range(count):
        made.update(each / 4)
    image = literal(made.serialize())
    assert answer(connection, f"kll_sketch_get_n_double({image})") == count
    for rank in (0.0, 0.3, 0.5, 1.0):
        ours = answer(connection, f"kll_sketch_get_quantile_double({image}, {rank}D)")
        assert ours == made.get_quantile(rank, True)
    assert answer(connection, f"kll_sketch_get_rank_double({image}, 3D)") == made.get_rank(3.0, True)


@pytest.mark.parametrize("count", [1, 2, 50, 200])
def test_kll_images_of_ours_are_read_by_the_library(connection: duckdb.DuckDBPyConnection, count: int) -> None:
    image = answer(connection, f"kll_sketch_agg_double(id / 4D) FROM range({count})")
    read = datasketches.kll_doubles_sketch.deserialize(image)
    assert (read.n, read.get_max_value()) == (count, (count - 1) / 4)
    assert read.get_quantile(0.5, True) == answer(connection, f"kll_sketch_get_quantile_double({literal(image)}, 0.5D)")
