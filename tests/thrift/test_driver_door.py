"""The driver on the door, at every version and transport: the tables Spark Connect gives, or a listed exception."""

import datetime
import threading
import warnings
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from moments import MOMENTS, ZONES
from waiting import until
from zoo import COLUMNS, FROM_SPARK, whole_query, zoo_query

import twinspark.driver as driver
from twinspark.wire.thrift.protocol import HIVE_V6, HIVE_V10, SPARK_V1, SPARK_V5, SPARK_V9

pytestmark = pytest.mark.spark
Connect = Callable[..., driver.Connection]
Reference = Callable[..., pa.Table]
VERSIONS = {f"HIVE_V{number + 1}": number for number in range(HIVE_V10 + 1)} | {
    f"SPARK_V{number + 1}": SPARK_V1 + number for number in range(SPARK_V9 - SPARK_V1 + 1)
}
WITHOUT_ARROW = {name for name, version in VERSIONS.items() if version < SPARK_V5}
# Long enough to be cancelled, and made of one long range, which looks for a cancellation often.
LONG = "select count(*) from range(30000000000) where id % 7 = 3"
# Rows before HIVE V6 have no binary: it goes as text, and bytes that are no UTF-8 are lost, as at Spark's own server.
EXCEPTIONS = {(name, "bytes") for name, version in VERSIONS.items() if version < HIVE_V6}


def same(found: pa.Table, expected: pa.Table, text: bool = False) -> None:
    """Types and values. Text has no nullability, and Spark sorts a map's entries when it writes them as text."""
    assert [field.name for field in found.schema] == [field.name for field in expected.schema]
    for field, wanted in zip(found.schema, expected.schema, strict=True):
        assert nullable(field.type) == nullable(wanted.type), field
    for name, left, right in zip(found.column_names, found.columns, expected.columns, strict=True):
        assert shown(left, text) == shown(right, text), name


def shown(column: pa.ChunkedArray, text: bool) -> str:
    return repr([sorted_map(value) if text else value for value in column.to_pylist()])


def sorted_map(value: Any) -> Any:
    is_map = isinstance(value, list) and value and isinstance(value[0], tuple)
    return sorted(value, key=repr) if is_map else value


def nullable(kind: pa.DataType) -> str:
    return str(kind).replace(" not null", "")


@pytest.mark.parametrize("version", VERSIONS)
def test_every_type_at_every_version(version: str, connect: Connect, reference: Reference) -> None:
    found = connect(protocol=VERSIONS[version]).cursor().execute(zoo_query()).fetch_arrow_table()
    compared = [name for name in COLUMNS if (version, name) not in EXCEPTIONS]
    same(found.select(compared), reference(zoo_query()).select(compared), text=version in WITHOUT_ARROW)


@pytest.mark.parametrize("transport", ["http", "sasl", "binary"])
def test_every_transport_and_nullability(transport: str, connect: Connect, reference: Reference) -> None:
    found = connect(transport=transport).cursor().execute(whole_query()).fetch_arrow_table()
    expected = reference(whole_query())
    assert found.schema == expected.schema
    same(found, expected)


@pytest.mark.parametrize("version", VERSIONS)
def test_empty_results_keep_their_schema(version: str, connect: Connect, reference: Reference) -> None:
    query = f"select * from ({whole_query()}) where i32 = 0"
    found = connect(protocol=VERSIONS[version]).cursor().execute(query).fetch_arrow_table()
    assert found.num_rows == 0
    same(found, reference(query))


@pytest.mark.parametrize("version", ["HIVE_V1", "HIVE_V10", "SPARK_V9"])
def test_months(version: str, connect: Connect) -> None:
    """pyarrow cannot open Connect's month intervals; the driver gives the same months as month_day_nano."""
    query = "select interval '1-2' year to month a, interval '-0-3' year to month b, interval '5' year c"
    table = connect(protocol=VERSIONS[version]).cursor().execute(query).fetch_arrow_table()
    assert {field.type for field in table.schema} == {pa.month_day_nano_interval()}
    assert list(table.to_pylist()[0].values()) == [(14, 0, 0), (-3, 0, 0), (60, 0, 0)]


@pytest.mark.parametrize("version", ["HIVE_V1", "HIVE_V10", "SPARK_V9"])
def test_types_the_embedded_engine_leaves_to_spark(version: str, connect: Connect, reference: Reference) -> None:
    query = zoo_query(FROM_SPARK)
    found = connect(protocol=VERSIONS[version]).cursor().execute(query).fetch_arrow_table()
    same(found, reference(query), text=version in WITHOUT_ARROW)


@pytest.mark.parametrize("version", ["HIVE_V10", "SPARK_V9"])
def test_variants(version: str, connect: Connect, reference: Reference) -> None:
    """Spark's own Thrift server breaks on them; the door sends their two binaries in Arrow, their JSON in columns."""
    query = """select parse_json('{"a": [1, null]}') v"""
    found = connect(protocol=VERSIONS[version]).cursor().execute(query).fetch_arrow_table()
    if version == "SPARK_V9":
        same(found, reference(query))
    else:
        assert found.to_pylist() == [{"v": '{"a":[1,null]}'}]


@pytest.mark.parametrize("version", ["HIVE_V6", "HIVE_V10", "SPARK_V9"])
def test_many_rows_in_several_fetches(version: str, connect: Connect) -> None:
    query = "select id, cast(id as string) s, case when id % 3 = 0 then id * 0.5D end h from range(250000)"
    table = connect(protocol=VERSIONS[version], fetch_rows=20_000).cursor().execute(query).fetch_arrow_table()
    assert table.num_rows == 250_000
    assert table["id"].to_pylist() == list(range(250_000))
    assert table["s"].to_pylist() == [str(i) for i in range(250_000)]
    assert table["h"].null_count == 166_666


@pytest.mark.filterwarnings("ignore::twinspark.driver.AmbiguousTimestampWarning")
@pytest.mark.parametrize("zone", ZONES)
def test_zones_and_years_as_text(zone: str, connect: Connect, reference: Reference) -> None:
    """Text has no offset: of an hour that happened twice the earlier moment is given, all others are exact."""
    connection = connect(protocol=HIVE_V10, configuration={"spark.sql.session.timeZone": zone})
    found, expected = connection.cursor().execute(MOMENTS).fetch_arrow_table(), reference(MOMENTS, zone)
    assert found.schema.field("t").type == expected.schema.field("t").type
    apart = [later - earlier for earlier, later in zip(micros(found), micros(expected), strict=True)]
    assert set(apart) <= {0, 1800 * 10**6, 3600 * 10**6} and apart.count(0) >= len(apart) - 2


def micros(table: pa.Table) -> list[int]:
    found: list[int] = table["t"].cast(pa.int64()).to_pylist()
    return found


def test_an_hour_that_happened_twice_is_told(connect: Connect) -> None:
    """2020-10-25 02:30 in Berlin was at 00:30Z and at 01:30Z."""
    query = "select cast('2020-10-25 00:30:00Z' as timestamp) a, cast('2020-10-25 01:30:00Z' as timestamp) b"
    options: dict[str, Any] = {"configuration": {"spark.sql.session.timeZone": "Europe/Berlin"}}
    row = connect(**options).cursor().execute(query).fetchone()
    assert row is not None and [value.utcoffset().total_seconds() for value in row] == [7200, 3600]
    cursor = connect(protocol=HIVE_V10, **options).cursor().execute(query)
    with pytest.warns(driver.AmbiguousTimestampWarning, match="'b'"):
        assert cursor.fetchall()[0][0] == row[0]


def test_zone_set_in_the_session_is_noticed(connect: Connect) -> None:
    cursor = connect(protocol=HIVE_V10).cursor()
    cursor.execute("set time zone 'Asia/Tokyo'")
    table = cursor.execute("select timestamp'2020-01-01 09:00:00' t").fetch_arrow_table()
    assert table.schema.field("t").type == pa.timestamp("us", "Asia/Tokyo")
    assert table["t"].cast(pa.int64()).to_pylist() == [1577836800000000]


@pytest.mark.parametrize("version", ["HIVE_V10", "SPARK_V9"])
def test_errors_carry_sparks_words_and_state(version: str, connect: Connect) -> None:
    cursor = connect(protocol=VERSIONS[version]).cursor()
    with pytest.raises(driver.DataError, match=r"\[DIVIDE_BY_ZERO\]") as divided:
        cursor.execute("select 1/0")
    assert divided.value.sqlstate == "22012"
    with pytest.raises(driver.ProgrammingError, match=r"\[UNRESOLVED_COLUMN") as missing:
        cursor.execute("select nowhere")
    assert missing.value.sqlstate == "42703"
    with pytest.raises(driver.ProgrammingError, match="PARSE_SYNTAX_ERROR"):
        cursor.execute("selec 1")
    assert cursor.execute("select 1").fetchall() == [(1,)]


def test_an_error_after_the_first_rows_arrives(connect: Connect) -> None:
    """The stream has begun when row 200,000 fails; the rest of the fetch is an error, not an end."""
    query = "select id, raise_error('late') e from range(1)"
    cursor = connect().cursor()
    with pytest.raises(driver.Error, match="late"):
        cursor.execute(query).fetchall()


@pytest.mark.parametrize("version", ["HIVE_V10", "SPARK_V9"])
def test_cancel_from_another_thread(version: str, connect: Connect) -> None:
    cursor = connect(protocol=VERSIONS[version]).cursor()
    threading.Timer(1.5, cursor.cancel).start()
    with pytest.raises(driver.QueryCanceled):
        cursor.execute(LONG)
    assert cursor.execute("select 2").fetchall() == [(2,)]


def test_progress_is_reported(connect: Connect) -> None:
    seen: list[float] = []

    def note(status: dict[str, Any]) -> None:
        seen.append(status["progressUpdateResponse"]["progressedPercentage"])

    cursor = connect(protocol=HIVE_V10).cursor(progress=note)
    cursor.execute("select sum(id) from range(0, 10, 1, 10) where reflect('java.lang.Thread', 'sleep', 600L) is null")
    assert len(seen) > 1 and 0 < seen[-1] <= 1


def test_timeout(connect: Connect) -> None:
    cursor = connect().cursor()
    with pytest.raises(driver.QueryTimeout):
        cursor.execute(LONG, timeout=1)
    assert cursor.execute("select 3").fetchall() == [(3,)]


@pytest.mark.parametrize("version", ["HIVE_V10", "SPARK_V9"])
def test_parameters(version: str, connect: Connect) -> None:
    cursor = connect(protocol=VERSIONS[version]).cursor()
    values = [
        True, 7, -(1 << 40), 1.5, Decimal("12.340"), "it's \\ \"q\" ?", b"\x00\xff", datetime.date(2020, 2, 29),
        datetime.datetime(2020, 1, 1, 1, 2, 3, 4), None,
    ]  # fmt: skip
    row = cursor.execute(f"select {', '.join('?' * len(values))}", values).fetchone()
    assert row == tuple(values)
    assert [d[1] for d in cursor.description or []][:6] == [
        "boolean", "int", "bigint", "double", "decimal(5,3)", "string",
    ]  # fmt: skip
    named = cursor.execute("select :b b, ':b' s, /* :b */ :a a", {"a": 1, "b": "x"}).fetchone()
    assert named == ("x", ":b", 1)
    assert cursor.execute("select ?", [[1, 2]]).fetchall() == [([1, 2],)]


def test_commands_and_views(connect: Connect) -> None:
    cursor = connect().cursor()
    assert cursor.execute("create or replace temp view driver_view as select 1 as q").fetchall() == []
    assert cursor.execute("select * from driver_view").fetchall() == [(1,)]
    assert cursor.execute("set spark.sql.shuffle.partitions = 3").fetchall() == [("spark.sql.shuffle.partitions", "3")]


def test_sessions_end_with_their_connection(connect: Connect, door: Any) -> None:
    before = len(door.service.sessions)
    connection = connect(transport="binary")
    assert len(door.service.sessions) == before + 1
    connection.service.close()
    connection.closed = True
    assert until(lambda: len(door.service.sessions) == before)


def test_no_warnings_in_everyday_use(connect: Connect) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        for version in VERSIONS.values():
            rows = connect(protocol=version).cursor().execute(whole_query()).fetchall()
            assert len(rows) == 1 and len(rows[0]) == len(COLUMNS)
    assert [str(warning.message) for warning in told] == []
