"""Another implementation reads our Iceberg tables and agrees: DuckDB 1.5's iceberg extension.

`TWINSPARK_ICEBERG_READER` names the Python of an environment with its wheels (independent_reader.py says which).
"""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from evolved_tables import EVOLUTIONS, NESTED, ROWS

from twinspark.tables.catalog import Identifier
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.dml import delete, overwrite_partitions, update
from twinspark.tables.iceberg.local import local
from twinspark.tables.iceberg.maintenance import compact
from twinspark.tables.scan_sql import duck_scan
from twinspark.tables.transforms import Bucket, Day, Month

READER = os.environ.get("TWINSPARK_ICEBERG_READER")
pytestmark = pytest.mark.skipif(READER is None, reason="TWINSPARK_ICEBERG_READER is not set")


def filled(catalog: IcebergCatalog, duck: Any, name: str, partitions: Any = ()) -> Identifier:
    identifier = Identifier.of("db", name.replace(" ", "_"))
    catalog.create_table(identifier, NESTED, partitions)
    with catalog.stage_append(identifier) as write:
        write.write(duck, ROWS)
        write.commit()
    return identifier


def our_rows(catalog: IcebergCatalog, duck: Any, identifier: Identifier) -> list[str]:
    scan = duck_scan(catalog.load_table(identifier).scan())
    found = duck.execute(f"SELECT CAST(to_json(t) AS VARCHAR) FROM {scan} t").fetchall()
    return sorted(text for (text,) in found)


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
    places = [local(catalog.load(each).metadata_location) for each in tables]
    script = str(Path(__file__).parent / "independent_reader.py")
    said = subprocess.run([str(READER), script, *places], capture_output=True, text=True, check=True).stdout
    theirs = [json.loads(line) for line in said.splitlines()]
    assert theirs == [our_rows(catalog, duck, each) for each in tables]
    assert [len(rows) for rows in theirs] == [20] * len(EVOLUTIONS) + [16, 20]
