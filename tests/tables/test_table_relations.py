"""Names in queries: tables, paths, metadata tables and views, as the readers of plans ask for them."""

from pathlib import Path
from typing import Any

import pytest
from pyspark.sql.types import LongType, StringType, StructField, StructType

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_rows
from twinspark.errors import NotNative, SparkError
from twinspark.plan.relations import Scan
from twinspark.read.sql_text import read_query_text
from twinspark.tables.catalog import Identifier, TableSpec
from twinspark.tables.catalogs import Catalogs
from twinspark.tables.files.scan import ScanContext
from twinspark.tables.files.write import FileWrite, write_files
from twinspark.tables.named_relations import TableRelations
from twinspark.tables.predicates import Comparison
from twinspark.tables.session_catalog import View

SCHEMA = StructType([StructField("id", LongType(), False), StructField("s", StringType())])
T = Identifier.of("default", "t")


@pytest.fixture()
def tables(tmp_path: Path, duck: Any) -> TableRelations:
    made = TableRelations(Catalogs(str(tmp_path / "home")), ScanContext(duck))
    home = made.catalogs.get("spark_catalog")
    home.create_table(T, TableSpec(SCHEMA))
    home.append(T, duck, "SELECT 1 AS id, 'a' AS s")
    home.append(T, duck, "SELECT 2 AS id, 'b' AS s")
    return made


def test_a_table_is_a_scan(tables: TableRelations, duck: Any) -> None:
    for parts in [("t",), ("default", "t"), ("spark_catalog", "default", "t")]:
        relation, qualifier = tables.relation(parts, Context())
        assert isinstance(relation, Scan) and qualifier == ("spark_catalog", "default", "t")
        assert [(f.name, f.nullable) for f in relation.fields] == [("id", False), ("s", True)]
        assert sorted(duck.execute(f"SELECT * FROM {relation.sql}").fetchall()) == [(1, "a"), (2, "b")]
    relation, _ = tables.relation(("t",), Context(), Comparison("=", ("id",), 2))
    assert isinstance(relation, Scan) and len(relation.input_files) == 1


def test_a_path_is_a_scan(tables: TableRelations, tmp_path: Path, duck: Any) -> None:
    write_files(FileWrite("SELECT 7 AS id, 'x' AS s", "parquet", str(tmp_path / "out"), SCHEMA), duck)
    relation, _ = tables.relation(("parquet", str(tmp_path / "out")), Context())
    assert isinstance(relation, Scan)
    assert duck.execute(f"SELECT * FROM {relation.sql}").fetchall() == [(7, "x")]


def test_metadata_tables_and_missing_ones(tables: TableRelations) -> None:
    relation, _ = tables.relation(("t", "snapshots"), Context())
    assert "snapshot_id" in [field.name for field in relation.fields]
    for parts in [("none",), ("default", "none"), ("t", "nonsense"), ("none", "history")]:
        with pytest.raises(SparkError) as missing:
            tables.relation(parts, Context())
        assert missing.value.parameters == {
            "relationName": ".".join(f"`{part}`" for part in parts),
            "searchPath": "[`system`.`builtin`, `system`.`session`, `spark_catalog`.`default`]",
        }


PRUNED = {
    "SELECT s FROM t WHERE id = 2": 1,
    "SELECT s FROM t WHERE 2 = id AND s LIKE '%'": 1,
    "SELECT s FROM t WHERE id > 5": 0,
    "SELECT count(*) FROM t WHERE id IN (1, 7)": 1,
    "SELECT * FROM (SELECT * FROM t WHERE s = 'b') x JOIN t y ON x.id = y.id": 3,
    "SELECT * FROM t WHERE id = 1 OR s = 'b'": 2,
    "SELECT * FROM t WHERE id = 1 OR length(s) = 9": 2,
    "SELECT * FROM t WHERE id + 1 = 2": 2,
    "SELECT * FROM t WHERE s IS NULL": 0,
    "SELECT id FROM t WHERE id = 1 UNION ALL SELECT id FROM t WHERE id = 2": 2,
    "SELECT * FROM t WHERE startswith(s, 'a')": 1,
    "SELECT * FROM t WHERE NOT id = 1": 2,
}


@pytest.mark.parametrize("query", PRUNED)
def test_filters_prune_files_and_no_rows(tables: TableRelations, duck: Any, query: str) -> None:
    plan = read_query_text(query, Context(tables=tables), {}, []).plain()
    cut = tables.prune_scans(plan)
    assert sum(len(scan.input_files) for scan in scans(cut)) == PRUNED[query]
    assert rows_of(cut, duck) == rows_of(plan, duck)


def scans(plan: Any) -> list[Scan]:
    return [plan] if isinstance(plan, Scan) else [scan for each in plan.inputs for scan in scans(each)]


def rows_of(plan: Any, duck: Any) -> list[Any]:
    text = compile_rows(plan, Context()).text
    return sorted(duck.execute(text).fetchall(), key=repr)


def test_views_are_told_apart(tables: TableRelations) -> None:
    view = View(Identifier.of("default", "v"), "SELECT 1 AS a", "a INT NOT NULL")
    tables.catalogs.get("spark_catalog").create_view(view)
    assert tables.view(("v",), Context()) == view
    assert tables.view(("t",), Context()) is None
    with pytest.raises(NotNative):
        tables.relation(("v",), Context())
