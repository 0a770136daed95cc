"""Small, wide, long and large results through ADBC's Flight SQL driver."""

import subprocess
import sys
from typing import Any

import pyarrow as pa
import pytest

from twinspark.doors.flight import FlightServer

SIZES = [0, 1, 2, 1_000, 65_536, 250_000]
WIDE = ", ".join(f"id + {number} c{number}" for number in range(500))
MEGABYTES = 400  # ADBC's driver reads ahead, which takes about a hundred of them
READER = """
import sys, warnings
import adbc_driver_flightsql.dbapi as flightsql
warnings.simplefilter("ignore")
def peak():
    return next(int(line.split()[1]) for line in open("/proc/self/status") if line.startswith("VmHWM"))
with flightsql.connect(sys.argv[1]) as connection, connection.cursor() as cursor:
    cursor.execute(sys.argv[2].format(rows=1000))
    cursor.fetch_arrow_table()
    before, size = peak(), 0
    cursor.execute(sys.argv[2].format(rows=sys.argv[3]))
    for batch in cursor.fetch_record_batch():
        size += batch.nbytes
print(size >> 20, (peak() - before) >> 10)
"""


def fetch(cursor: Any, sql: str) -> pa.Table:
    cursor.execute(sql)
    return cursor.fetch_arrow_table()


def test_intervals_of_months_can_be_read(cursor: Any) -> None:
    found = fetch(
        cursor,
        "select interval '1-2' year to month a, array(interval '3' month, null) b, "
        "named_struct('x', interval '-1' year) c, map('k', interval '5' month) d, cast(null as interval month) e",
    )
    row = found.to_pylist()[0]
    assert found.schema.field("a").type == pa.month_day_nano_interval()
    assert [tuple(row["a"]), [each and tuple(each) for each in row["b"]]] == [(14, 0, 0), [(3, 0, 0), None]]
    assert (tuple(row["c"]["x"]), tuple(row["d"][0][1]), row["e"]) == ((-12, 0, 0), (5, 0, 0), None)


@pytest.mark.parametrize("rows", SIZES)
def test_sizes(rows: int, cursor: Any) -> None:
    found = fetch(cursor, f"select id, cast(id as string) s, if(id % 3 = 0, null, id * 0.5D) d from range({rows})")
    assert found.num_rows == rows
    assert found.schema.names == ["id", "s", "d"]
    assert found.column("id").to_pylist() == list(range(rows))


def test_wide_rows_and_long_values(cursor: Any) -> None:
    assert fetch(cursor, f"select {WIDE} from range(100)").num_columns == 500
    assert len(fetch(cursor, "select repeat('x', 10000000) s").column("s")[0].as_py()) == 10_000_000


def test_a_command_without_columns(cursor: Any) -> None:
    found = fetch(cursor, "create or replace temporary view nothing_shown as select 1 x")
    assert (found.num_columns, found.num_rows) == (0, 0)


def test_a_large_result_is_read_in_less_than_half_of_its_size(native_door: FlightServer) -> None:
    query = "select repeat(cast(id % 10 as string), 1000) s from range({rows})"
    command = [sys.executable, "-c", READER, native_door.url, query, str(MEGABYTES * 1000)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    size, grown = map(int, ran.stdout.split())
    assert size >= MEGABYTES * 1000 * 1000 >> 20
    assert grown < MEGABYTES // 2
