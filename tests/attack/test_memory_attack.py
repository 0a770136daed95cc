"""Queries that try to fill the server's memory, slowly or from many sides: Spark's errors, and the server goes on."""

import threading
from collections.abc import Iterator

import pytest

from tests.limited_server import ControlGroup, LimitedServer

pytestmark = pytest.mark.attack
GATHERED = ("Java heap space", "UNABLE_TO_ACQUIRE_MEMORY")


@pytest.fixture(scope="module")
def server() -> Iterator[LimitedServer]:
    server = LimitedServer("1536m")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def address_server() -> Iterator[LimitedServer]:
    """Memory is refused to this process by the kernel, as a limit of its address space."""
    server = LimitedServer("2g", address_space="6g")
    yield server
    server.stop()


@pytest.fixture(scope="module")
def grouped_server() -> Iterator[LimitedServer]:
    """No option says how much memory there is: the control group does, and the kernel kills who takes more."""
    try:
        group = ControlGroup("2g")
    except OSError as refusal:
        pytest.skip(f"no control group may be made here: {refusal}")
    server = LimitedServer("2g", group=group)
    yield server
    server.stop()
    group.remove()


FILLING = """
select size(collect_list(s)) from (select repeat('x', 10000000) s from range(1000))
select size(collect_list(id)) from range(300000000)
select size(array_agg(repeat('x', 1000 + cast(id % 5 as int)))) from range(10000000)
select length(listagg(s)) from (select repeat('x', 10000000) s from range(400))
select length(aggregate(sequence(1, 34), 'x', (a, i) -> concat(a, a)))
select length(regexp_replace(repeat('x', 100000), 'x', repeat('y', 100000)))
select size(map_from_arrays(a, a)) from (select sequence(1, 40000000 + id) a from range(1))
select size(array_union(a, transform(a, x -> x + 100000000))) from (select sequence(1, 40000000 + id) a from range(1))
select size(concat(a, a, a, a, a, a, a, a)) from (select sequence(1, 40000000 + id) a from range(1))
select size(transform(a, x -> array(x, x, x, x, x, x, x, x))) from (select sequence(1, 40000000) a from range(1))
select length(upper(s)) from (select repeat('x', 180000000) s from range(1))
select length(url_encode(s)) from (select repeat('%', 180000000) s from range(1))
select length(mask(s)) from (select repeat('x', 180000000) s from range(1))
select length(base64(s)) from (select repeat('x', 180000000) s from range(1))
select length(string(array(s, s, s))) from (select repeat('x', 180000000) s from range(1))
with recursive t(n, s) as (select 1, 'x' union all select n + 1, s || s from t where n < 36) select max(s) from t
""".strip().splitlines()


@pytest.mark.parametrize("query", FILLING)
def test_a_query_that_fills_the_memory_fails_alone(server: LimitedServer, query: str) -> None:
    assert any(each in server.error_of(query) for each in GATHERED)


def test_many_clients_that_fill_the_memory_at_once(server: LimitedServer) -> None:
    server.forget_peak()
    query = "select size(collect_list(repeat('x', 1000 + cast(id % 5 as int)))) from range(3000000)"
    threads = [threading.Thread(target=fails, args=(server, query)) for _ in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    server.check()


def fails(server: LimitedServer, query: str) -> None:
    with pytest.raises(Exception, match=r"heap space|UNABLE_TO_ACQUIRE_MEMORY"):
        server.spark.sql(query).collect()


SINGLE_VALUES = """
select length(repeat('x', 2000000000))
select length(rpad('x', 2000000000, 'y'))
select length(concat(repeat('x', 1000000000), repeat('y', 1000000000)))
select size(array_repeat(1, 2000000000))
select size(sequence(1, 2000000000))
select size(collect_list(id)) from range(300000000)
select length(format_number(1.5D, 2000000000))
select size(str_to_map(repeat('a:1,', 10000000)))
select count(*) from (select stack(2147483647, 1))
select size(array_sort(sequence(1, 3000000), (a, b) -> b - a))
""".strip().splitlines()
# Lists that were folded into constants, a hundred bytes and more for each element, which killed the server.
LONG_LISTS = """
select size(split(repeat('a,', 20000000), ','))
select size(split(repeat('a', 20000000), ''))
select size(regexp_extract_all(repeat('a,', 5000000), 'a', 0))
select length(array_join(sequence(1, 3000000), ','))
select count(*) from (select stack(1000000, 1))
""".strip().splitlines()


@pytest.mark.parametrize("query", SINGLE_VALUES)
def test_a_control_group_of_two_gigabytes(grouped_server: LimitedServer, query: str) -> None:
    assert any(each in grouped_server.error_of(query) for each in GATHERED)


@pytest.mark.parametrize("query", LONG_LISTS)
def test_a_long_list_is_no_constant(grouped_server: LimitedServer, query: str) -> None:
    grouped_server.forget_peak()
    assert grouped_server.spark.sql(query).collect()[0][0] >= 1_000_000
    grouped_server.check()


def test_a_long_literal_is_no_list_of_constants(grouped_server: LimitedServer) -> None:
    grouped_server.forget_peak()
    text = "a," * 5_000_000
    assert grouped_server.spark.sql(f"select size(split('{text}', ','))").collect() == [(5_000_001,)]
    grouped_server.check()


@pytest.mark.parametrize("query", ["select length(repeat('x', 2000000000))", *FILLING[:2]])
def test_a_limit_of_the_address_space(address_server: LimitedServer, query: str) -> None:
    assert any(each in address_server.error_of(query) for each in GATHERED)
