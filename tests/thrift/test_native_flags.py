"""useArrowNativeTypes flag by flag, extremes, moments, and the row limit of a client."""

from collections.abc import Callable

import pyarrow as pa
import pytest
from moments import DECIMALS, MOMENTS, NESTED_NULLS, ZONES
from test_driver_door import same
from zoo import zoo_query

import twinspark.driver as driver
from twinspark.driver import connection as driver_connection
from twinspark.driver.connection import NATIVE_TYPES
from twinspark.wire.thrift.protocol import HIVE_V10, SPARK_V1, SPARK_V9

pytestmark = pytest.mark.spark
Connect = Callable[..., driver.Connection]
Reference = Callable[..., pa.Table]


@pytest.mark.parametrize("flag", [*NATIVE_TYPES, "none"])
def test_text_where_native_was_not_asked_for(
    flag: str, connect: Connect, reference: Reference, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whatever travels as text, and it is all JSON and SqlName then, the table is the same."""
    monkeypatch.setattr(driver_connection, "NATIVE_TYPES", {name: name == flag for name in NATIVE_TYPES})
    cursor = connect().cursor().execute(zoo_query())
    assert cursor.types is not None and cursor.types.wire is not None
    texts = {field.name for field in cursor.types.wire if pa.types.is_string(field.type)}
    assert ("money" in texts) == (flag != "decimalAsArrow")
    assert ("moment" in texts) == (flag != "timestampAsArrow")
    assert ("record" in texts) == (flag != "complexTypesAsArrow")
    assert ("span" in texts) == (flag != "intervalTypesAsArrow")
    same(cursor.fetch_arrow_table(), reference(zoo_query()))


@pytest.mark.parametrize("version", [HIVE_V10, SPARK_V1 + 4, SPARK_V9], ids=["HIVE_V10", "SPARK_V5", "SPARK_V9"])
@pytest.mark.parametrize("query", [DECIMALS, NESTED_NULLS], ids=["decimals", "nested nulls"])
def test_extremes(version: int, query: str, connect: Connect, reference: Reference) -> None:
    found = connect(protocol=version).cursor().execute(query).fetch_arrow_table()
    same(found, reference(query), text=version == HIVE_V10)


@pytest.mark.parametrize("zone", ZONES)
def test_moments_are_exact_where_arrow_carries_them(zone: str, connect: Connect, reference: Reference) -> None:
    """Also the hours that happened twice, and those whose text names no moment."""
    configuration = {"spark.sql.session.timeZone": zone}
    found = connect(configuration=configuration).cursor().execute(MOMENTS).fetch_arrow_table()
    assert found.schema == reference(MOMENTS, zone).schema
    assert found["t"].cast(pa.int64()) == reference(MOMENTS, zone)["t"].cast(pa.int64())


@pytest.mark.parametrize("limit", [0, 7, 5000])
def test_the_row_limit_of_a_client_is_kept(limit: int, connect: Connect) -> None:
    connection = connect()
    request = connection.execute_request("select id from range(3000)", None, None)
    cursor = connection.cursor()
    cursor.start({**request, "resultRowLimit": limit}, None, "")
    assert [row[0] for row in cursor.fetchall()] == list(range(min(limit, 3000)))
