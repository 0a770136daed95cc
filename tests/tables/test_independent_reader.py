"""Another implementation reads our Iceberg tables and agrees: DuckDB 1.5's iceberg extension.

`TWINSPARK_TEST_ICEBERG_READER` is the Python of an environment with its wheels (independent_reader.py says which); it
then reads what all other tests of tables leave, too (other_reader.py).
"""

import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from evolved_tables import EVOLUTIONS, NESTED, ROWS
from other_reader import READER, check

from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.dml import delete, overwrite_partitions, update
from twinspark.tables.iceberg.maintenance import compact
from twinspark.tables.transforms import Bucket, Day, Month

pytestmark = pytest.mark.skipif(READER is None, reason="TWINSPARK_TEST_ICEBERG_READER is not set")


def filled(catalog: IcebergCatalog, duck: Any, name: str, partitions: Any = ()) -> Identifier:
    identifier = Identifier.of("db", name.replace(" ", "_"))
    catalog.create_table(identifier, TableSpec(NESTED, partitions))
    with catalog.stage_append(identifier) as write:
        write.write(duck, ROWS)
        write.commit()
    return identifier


def test_another_reader_agrees(catalog: IcebergCatalog, duck: Any) -> None:
    tables = [filled(catalog, duck, name) for name in EVOLUTIONS]
    for identifier, changes in zip(tables, EVOLUTIONS.values(), strict=True):
        catalog.alter_table(identifier, changes)
    written = filled(catalog, duck, "changed rows", [Day(("n",)), Bucket(("id",), 2)])
    delete(catalog, written, duck, "b = 3")
    update(catalog, written, duck, {"s": "'changed'"}, "b = 1")
    months = filled(catalog, duck, "months", [Month(("day",))])
    overwrite_partitions(catalog, months, duck, f"{ROWS} WHERE range = 7")
    compact(catalog, written, duck)
    tables += [written, months]
    assert [check(catalog, each, duck) for each in tables] == [20] * len(EVOLUTIONS) + [16, 20]
