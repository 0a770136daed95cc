"""A writer killed anywhere leaves the table as it was or as it was to be; the next start sweeps what it left.

`make tables-stress` does it all twenty times over: TWINSPARK_TEST_STRESS names the file of its counts."""

import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from killed_writer import NEW, POINTS, ROWS, SCHEMA, T
from stress_counts import STRESS, count
from table_rows import Rows

from twinspark.tables.catalog import TableSpec
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.maintenance import remove_orphans, sweep

OLD = [(0, "old"), (1, "old"), (2, "old")]
ADDED = [(at, "new") for at in range(10, 15)]
AFTER = {
    "create": (None, ADDED),
    "replace": (OLD, ADDED),
    "append": (OLD, OLD + ADDED),
    "overwrite": (OLD, ADDED),
    "merge": (OLD, [(0, "old"), (1, "new"), (2, "old"), *ADDED]),
}
COMMITTED = {"after the commit"}
TIMES = 20 if STRESS else 1


def catalog_with_rows(place: Path, duck: Any) -> None:
    catalog = IcebergCatalog.local("spark_catalog", str(place))
    catalog.create_namespace(["db"])
    catalog.create_table(T, TableSpec(SCHEMA))
    with catalog.stage_append(T) as write:
        write.write(duck, "SELECT range AS id, 'old' AS v FROM range(3)")
        write.commit()
    catalog.catalog.engine.dispose()


def orphans(catalog: IcebergCatalog, place: Path) -> list[str]:
    """Files that no table of the catalog knows of."""
    known = [str(Path(catalog.load(each).location().removeprefix("file://"))) for each in catalog.list_tables(["db"])]
    strays = [str(file) for file in (place / "warehouse").rglob("*") if file.is_file()]
    outside = [file for file in strays if not file.startswith(tuple(known))]
    return outside + [found for each in catalog.list_tables(["db"]) for found in remove_orphans(catalog, each, 2**60)]


@pytest.fixture(scope="module")
def dying() -> Iterator[Callable[[str, Path, str], str]]:
    """Runs a write to its death, and says what it died of: forks of one interpreter, which imports everything once."""
    script = str(Path(__file__).parent / "killed_writer.py")
    parent = subprocess.Popen([sys.executable, script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert parent.stdin is not None and parent.stdout is not None
    told, said = parent.stdin, parent.stdout

    def run(operation: str, place: Path, point: str) -> str:
        told.write(f"{operation}\t{place}\t{point}\n")
        told.flush()
        return said.readline().strip()

    yield run
    told.close()
    parent.wait()


@pytest.mark.parametrize("time", range(TIMES))
@pytest.mark.parametrize("operation", AFTER)
def test_killed_writer(operation: str, time: int, tmp_path: Path, duck: Any, dying: Any) -> None:
    for at, point in enumerate(POINTS):
        place = tmp_path / str(at)
        catalog_with_rows(place, duck)
        assert dying(operation, place, point) == "9", point
        check_after_death(operation, point, place, duck)
        shutil.rmtree(place)
        count(f"writers killed in the middle of {operation}")


def check_after_death(operation: str, point: str, place: Path, duck: Any) -> None:
    catalog = IcebergCatalog.local("spark_catalog", str(place))
    rows = Rows(catalog, duck)
    target = NEW if operation == "create" else T
    old, new = AFTER[operation]
    found = rows(target) if catalog.table_exists(target) else None
    expected = new if point in COMMITTED else old
    assert found == (None if expected is None else sorted(expected, key=repr)), point
    assert len(sweep(catalog)) == 1 and catalog.store.staged_writes() == []
    assert (rows(target) if catalog.table_exists(target) else None) == found
    assert orphans(catalog, place) == [], point
    with catalog.stage_append(T) as write:  # writable right after
        write.write(duck, ROWS)
        write.commit()
    catalog.catalog.engine.dispose()
