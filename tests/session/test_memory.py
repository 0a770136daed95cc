"""Values too large for the server's memory: Spark's errors, as recorded from Spark 4.2.1 with a heap of 1 GB."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.limited_server import HEAP, LimitedServer
from twinspark.duck.errors import translate_error
from twinspark.duck.memory import bytes_of, cgroup_limits
from twinspark.errors import NotNative, SparkError

import duckdb  # isort: skip


@pytest.fixture(scope="module")
def server() -> Iterator[LimitedServer]:
    server = LimitedServer("1g")
    yield server
    server.stop()


TOO_LARGE = """
select length(repeat('x', 2000000000))
select length(repeat('x', id + 2000000000)) from range(1)
select length(rpad('x', 2000000000, 'y'))
select length(lpad('x', 2000000000, 'yz'))
select length(rpad(x'00', 2000000000, x'01'))
select length(space(2000000000))
select size(array_repeat(1, 2000000000))
select size(array_repeat('abcdefghijklmnop', 300000000))
select size(sequence(1, 2000000000))
select size(sequence(timestamp'2000-01-01', timestamp'2020-12-31', interval 1 second))
select length(format_number(1.5D, 2000000000))
select length(format_number(1.5, 2000000000))
select length(format_string('%2000000000d', 1))
select length(format_string('%02000000000d', 1))
select length(concat(repeat('x', 1000000000), repeat('y', 1000000000)))
select length(concat(s, s, s, s, s)) from (select repeat('x', 60000000) s from range(1))
select length(concat_ws(',', s, s, s, s, s)) from (select repeat('x', 60000000) s from range(1))
select length(replace(repeat('x', 100000), 'x', repeat('y', 100000)))
select length(hex(s)) from (select repeat('x', 100000000) s from range(1))
select length(upper(s)) from (select repeat('x', 100000000) s from range(1))
select length(array_join(array(s, s, s, s, s), ',')) from (select repeat('x', 60000000) s from range(1))
select length(to_json(array_repeat(repeat('"', 1000000), 2000)))
select size(flatten(array_repeat(array_repeat(1, 100000), 10000)))
select size(transform(sequence(1, 100000), x -> repeat('x', 100000)))
select sum(length(repeat('x', 1000000 + cast(id as int)))) from range(10000)
select sum(size(sequence(0, 1000000 + id))) from range(10000)
select size(map_from_arrays(a, a)) from (select sequence(1, 100000000) a from range(1))
""".strip().splitlines()


@pytest.mark.parametrize("query", TOO_LARGE)
def test_a_value_that_has_no_room_is_an_out_of_memory_error(server: LimitedServer, query: str) -> None:
    assert HEAP in server.error_of(query)


REFUSED = {
    "select size(sequence(1, 3000000000))": "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
    "select size(sequence(0, id + 3000000000)) from range(1)": "Can't create array with 3000000001 elements",
    "select size(array_repeat(1, 2147483647))": "COLLECTION_SIZE_LIMIT_EXCEEDED.PARAMETER",
    "select size(array_repeat(id, cast(id + 2147483647 as int))) from range(1)": "Cannot create array with 2147483647",
    "select length(repeat('xyz', 2147483647))": "integer overflow",
    "select length(repeat('xyz', id + 2000000000)) from range(1)": "java.lang.ArithmeticException: integer overflow",
}


@pytest.mark.parametrize("query", REFUSED)
def test_what_no_java_array_holds_is_refused_as_spark_does(server: LimitedServer, query: str) -> None:
    assert REFUSED[query] in server.error_of(query)


ANSWERED = {
    "select length(repeat('x', 30000000))": 30_000_000,
    "select length(rpad('x', 20000000, 'y'))": 20_000_000,
    "select size(sequence(1, 1000000))": 1_000_000,
    "select size(array_repeat(1, 1000000))": 1_000_000,
    "select length(replace(repeat('ab', 1000000), 'zz', repeat('b', 1000000)))": 2_000_000,
    "select length(concat(s, s)) from (select repeat('x', 10000000) s from range(1))": 20_000_000,
    "select length(format_number(1.5D, 1000))": 1002,
}


@pytest.mark.parametrize("query", ANSWERED)
def test_a_large_value_that_has_room_is_answered(server: LimitedServer, query: str) -> None:
    server.forget_peak()
    assert server.spark.sql(query).collect()[0][0] == ANSWERED[query]
    server.check()


def test_gathering_beyond_the_buffers_is_sparks_condition(server: LimitedServer) -> None:
    query = "select size(collect_list(id)) from range(100000000)"
    assert "[UNABLE_TO_ACQUIRE_MEMORY] Unable to acquire " in (server.error_of(query))


@pytest.mark.parametrize(
    ("said", "condition"),
    [
        (
            "Out of Memory Error: failed to allocate data of size 16.0 MiB (1/1 GiB used)",
            "UNABLE_TO_ACQUIRE_MEMORY",
        ),
        (
            "Out of Memory Error: failed to offload data block of size 256.0 KiB (8/8 GiB used)",
            "SPILL_OUT_OF_MEMORY",
        ),
        ('IO Error: Could not write file "/x": No space left on device', "SPILL_OUT_OF_MEMORY"),
    ],
)
def test_out_of_memory_and_disk_in_sparks_terms(said: str, condition: str) -> None:
    error = translate_error(duckdb.Error(said))
    assert isinstance(error, NotNative) and isinstance(error.likely_error, SparkError)
    assert error.likely_error.condition == condition


def test_limits_of_both_kinds_of_cgroups_and_of_their_parents(tmp_path: Path) -> None:
    (tmp_path / "memory" / "job").mkdir(parents=True)
    (tmp_path / "memory" / "memory.limit_in_bytes").write_text("3000\n")
    (tmp_path / "memory" / "job" / "memory.limit_in_bytes").write_text("9223372036854771712\n")
    (tmp_path / "slice" / "unit").mkdir(parents=True)
    (tmp_path / "slice" / "memory.max").write_text("2000\n")
    (tmp_path / "slice" / "unit" / "memory.max").write_text("max\n")
    membership = tmp_path / "membership"
    membership.write_text("4:memory:/job\n1:cpu,cpuacct:/job\n0::/slice/unit\n")
    assert sorted(cgroup_limits(str(membership), tmp_path)) == [2000, 3000, 9223372036854771712]


def test_sizes_are_written_as_java_does() -> None:
    assert (bytes_of("2g"), bytes_of("512M"), bytes_of("1024")) == (2 << 30, 512 << 20, 1024)
    with pytest.raises(ValueError, match="like 2g"):
        bytes_of("lots")
