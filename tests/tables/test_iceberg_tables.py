"""TableCatalog on Iceberg: create, alter in order, stage, write, travel; errors are Spark's."""

from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pytest
from pyspark.sql.types import (
    ArrayType,
    BooleanType,
    ByteType,
    DateType,
    DecimalType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    ShortType,
    StringType,
    StructField,
    StructType,
    TimestampNTZType,
    TimestampType,
)

from twinspark.errors import SparkError
from twinspark.tables.catalog import Identifier, TableSpec, Version
from twinspark.tables.changes import (
    AddColumn,
    After,
    DeleteColumn,
    First,
    MoveColumn,
    RemoveProperty,
    RenameColumn,
    SetProperty,
    UpdateColumn,
    UpdateColumnComment,
    UpdateColumnNullability,
)
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.iceberg.staged_write import CommitConflict
from twinspark.tables.predicates import And, Comparison, In, IsNotNull, IsNull, Or, StartsWith
from twinspark.tables.transforms import Bucket, Day, Hour, Identity, Month, Transform, Truncate, Year, of_call

T = Identifier.of("db", "t")


def struct(**types: Any) -> StructType:
    return StructType([StructField(name, type) for name, type in types.items()])


PAIR = struct(id=LongType(), name=StringType())


def fill(catalog: IcebergCatalog, duck: Any, values: str, identifier: Identifier = T) -> int:
    names = catalog.load_table(identifier).schema.names
    with catalog.stage_append(identifier) as write:
        count = write.write(duck, f"SELECT * FROM (VALUES {values}) v({', '.join(names)})")
        write.commit()
    return count


def test_create_load_drop(catalog: IcebergCatalog) -> None:
    schema = StructType([
        StructField("id", LongType(), False, {"comment": "the key"}), StructField("b", ByteType()),
        StructField("s", struct(x=ShortType(), y=ArrayType(DecimalType(9, 2)))), StructField("t", TimestampType()),
        StructField("n", TimestampNTZType()), StructField("m", MapType(StringType(), DateType())),
    ])  # fmt: skip
    made = catalog.create_table(T, TableSpec(schema, [Day(("t",)), Bucket(("id",), 4)], {"owner": "me"}))
    assert made.schema == schema
    assert made.partitioning == (Day(("t",)), Bucket(("id",), 4))
    assert made.properties["owner"] == "me"
    assert catalog.list_tables(["db"]) == [T]
    assert catalog.drop_table(T) is True
    assert catalog.drop_table(T) is False
    assert not catalog.table_exists(T)


def test_errors_are_sparks(catalog: IcebergCatalog) -> None:
    catalog.create_table(T, TableSpec(PAIR))
    with pytest.raises(SparkError) as exists:
        catalog.create_table(T, TableSpec(PAIR))
    assert exists.value.parameters == {"relationName": "`spark_catalog`.`db`.`t`"}
    with pytest.raises(SparkError, match="TABLE_OR_VIEW_NOT_FOUND") as missing:
        catalog.load_table(Identifier.of("db", "none"))
    assert missing.value.parameters["searchPath"] == "[`spark_catalog`.`db`]"
    with pytest.raises(SparkError, match="SCHEMA_NOT_FOUND"):
        catalog.create_table(Identifier.of("nowhere", "t"), TableSpec(PAIR))
    with pytest.raises(SparkError, match="SCHEMA_NOT_EMPTY"):
        catalog.drop_namespace(["db"])
    with pytest.raises(SparkError, match="SCHEMA_ALREADY_EXISTS"):
        catalog.create_namespace(["db"])
    with pytest.raises(SparkError, match="UNSUPPORTED_PARTITION_TRANSFORM"):
        catalog.create_table(Identifier.of("db", "u"), TableSpec(PAIR, [Day(("id",))]))
    with pytest.raises(SparkError, match="COLUMN_NOT_DEFINED_IN_TABLE"):
        catalog.create_table(Identifier.of("db", "u"), TableSpec(PAIR, [Identity(("none",))]))


def test_rename_keeps_rows_and_frees_the_name(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(PAIR))
    fill(catalog, duck, "(1, 'a')")
    other = Identifier.of("db", "u")
    catalog.rename_table(T, other)
    catalog.create_table(T, TableSpec(PAIR))
    fill(catalog, duck, "(2, 'b')")
    assert (rows(T), rows(other)) == ([(2, "b")], [(1, "a")])
    catalog.drop_table(T, purge=True)
    assert rows(other) == [(1, "a")]


def test_changes_are_applied_in_order(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    nested = struct(id=IntegerType(), p=struct(x=IntegerType(), y=StringType()), l=ArrayType(struct(e=IntegerType())))
    catalog.create_table(T, TableSpec(nested))
    fill(catalog, duck, "(1, {'x': 1, 'y': 'a'}, [{'e': 5}]), (2, NULL, NULL)")
    changed = catalog.alter_table(
        T,
        [
            AddColumn((), "new", StringType(), "a note", position=First()),
            RenameColumn(("new",), "newer"),
            AddColumn(("p",), "z", DoubleType(), position=After("x")),
            RenameColumn(("p", "X"), "xx"),
            UpdateColumn(("p", "xx"), LongType()),
            RenameColumn(("l", "element", "e"), "ee"),
            AddColumn(("l", "element"), "f", BooleanType()),
            MoveColumn(("id",), First()),
            UpdateColumnComment(("id",), "key"),
            SetProperty("k", "v"),
            SetProperty("gone", "v"),
            RemoveProperty("gone"),
            RemoveProperty("never"),
        ],
    )
    assert changed.schema.simpleString() == (
        "struct<id:int,newer:string,p:struct<xx:bigint,z:double,y:string>,l:array<struct<ee:int,f:boolean>>>"
    )
    assert changed.schema["id"].metadata == {"comment": "key"}
    assert changed.properties["k"] == "v" and "gone" not in changed.properties
    assert rows(T) == [
        (1, None, {"xx": 1, "z": None, "y": "a"}, [{"ee": 5, "f": None}]),
        (2, None, None, None),
    ]


def test_changes_all_or_nothing(catalog: IcebergCatalog) -> None:
    catalog.create_table(T, TableSpec(PAIR))
    with pytest.raises(SparkError, match="FIELD_NOT_FOUND"):
        catalog.alter_table(T, [AddColumn((), "x", IntegerType()), DeleteColumn(("none",))])
    with pytest.raises(SparkError, match="FIELD_ALREADY_EXISTS"):
        catalog.alter_table(T, [AddColumn((), "ID", IntegerType())])
    with pytest.raises(SparkError, match="NOT_SUPPORTED_CHANGE_COLUMN"):
        catalog.alter_table(T, [UpdateColumn(("id",), IntegerType())])
    assert catalog.load_table(T).schema == PAIR


def test_names_swapped_and_reused(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(struct(a=IntegerType(), b=StringType())))
    fill(catalog, duck, "(1, 'x'), (2, 'y')")
    catalog.alter_table(
        T,
        [
            RenameColumn(("a",), "c"),
            RenameColumn(("b",), "a"),
            RenameColumn(("c",), "b"),
            AddColumn((), "c", DateType()),
        ],
    )
    fill(catalog, duck, "(3, 'z', NULL)")
    assert rows(T, "a, b, c") == [("x", 1, None), ("y", 2, None), ("z", 3, None)]
    catalog.alter_table(T, [DeleteColumn(("a",)), AddColumn((), "a", IntegerType())])
    fill(catalog, duck, "(4, NULL, 7)")
    assert rows(T, "b, a") == [(1, None), (2, None), (3, None), (4, 7)]
    assert (4,) in rows(T, "b", Comparison("=", ("a",), 7))


def test_null_nested_values_stay_null(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(
        T, TableSpec(struct(a=ArrayType(struct(x=IntegerType())), m=MapType(StringType(), struct(v=LongType()))))
    )
    with catalog.stage_append(T) as write:
        write.write(
            duck, "SELECT NULL::STRUCT(x INT)[] a, NULL::MAP(VARCHAR, STRUCT(v BIGINT)) m UNION ALL SELECT [], MAP {}"
        )
        write.commit()
    assert rows(T) == [(None, None), ([], {})]
    catalog.alter_table(
        T, [AddColumn(("a", "element"), "y", StringType()), AddColumn(("m", "value"), "w", StringType())]
    )
    assert rows(T) == [(None, None), ([], {})]


def test_widened_types_come_back(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(struct(b=ByteType(), s=ShortType())))
    fill(catalog, duck, "(1, 2)")
    assert rows(T, "typeof(b), typeof(s), b, s") == [("TINYINT", "SMALLINT", 1, 2)]
    catalog.alter_table(T, [UpdateColumn(("b",), IntegerType())])
    assert rows(T, "typeof(b), b") == [("INTEGER", 1)]


def test_ctas_is_seen_only_when_committed(catalog: IcebergCatalog, duck: Any, rows: Any, tmp_path: Path) -> None:
    staged = catalog.stage_create(T, TableSpec(PAIR))
    assert staged.write(duck, "SELECT 1 AS id, 'a' AS name") == 1
    assert not catalog.table_exists(T)
    staged.commit()
    assert rows(T) == [(1, "a")]
    failed = catalog.stage_create(Identifier.of("db", "u"), TableSpec(PAIR))
    with pytest.raises(duckdb.Error), failed:
        failed.write(duck, "SELECT error('no') AS id, 'a' AS name")
    assert not catalog.table_exists(Identifier.of("db", "u"))
    assert catalog.store.staged_writes() == []
    assert len(list((tmp_path / "catalog").rglob("*.parquet"))) == 1


def test_two_creations_of_one_name(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    first, second = catalog.stage_create(T, TableSpec(PAIR)), catalog.stage_create(T, TableSpec(PAIR))
    first.write(duck, "SELECT 1 AS id, 'first' AS name")
    second.write(duck, "SELECT 2 AS id, 'second' AS name")
    second.commit()
    with pytest.raises(SparkError, match="TABLE_OR_VIEW_ALREADY_EXISTS"):
        first.commit()
    assert rows(T) == [(2, "second")]
    assert catalog.store.staged_writes() == []


def test_replace_keeps_history(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(PAIR, [Bucket(("id",), 2)], {"old": "1"}))
    fill(catalog, duck, "(1, 'a')")
    before = str(catalog.load_table(T).snapshot().snapshot_id)
    uuid = catalog.load_table(T).table.metadata.table_uuid
    replaced = catalog.stage_replace(
        T, TableSpec(struct(id=StringType(), d=DateType()), [Identity(("d",))], {"new": "2"})
    )
    replaced.write(duck, "SELECT 'x' AS id, DATE '2020-01-01' AS d")
    assert rows(T) == [(1, "a")]
    replaced.commit()
    table = catalog.load_table(T)
    assert rows(T) == [("x", date(2020, 1, 1))]
    assert table.partitioning == (Identity(("d",)),)
    assert table.properties["new"] == "2"
    assert "old" not in table.properties
    assert table.table.metadata.table_uuid == uuid
    assert rows(T, version=Version(before)) == [(1, "a")]
    again = catalog.stage_create_or_replace(T, TableSpec(PAIR))
    again.commit()
    assert rows(T) == []


def test_replace_that_fails_keeps_the_table(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(PAIR))
    fill(catalog, duck, "(1, 'a')")
    with pytest.raises(duckdb.Error), catalog.stage_replace(T, TableSpec(PAIR)) as replaced:
        replaced.write(duck, "SELECT error('no') AS id, 'a' AS name")
    assert rows(T) == [(1, "a")]
    with pytest.raises(SparkError, match="TABLE_OR_VIEW_NOT_FOUND"):
        catalog.stage_replace(Identifier.of("db", "none"), TableSpec(PAIR))


def test_not_null_is_enforced(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(
        T, TableSpec(StructType([StructField("id", LongType(), False), StructField("n", StringType())]))
    )
    with pytest.raises(SparkError, match="NOT_NULL_ASSERT_VIOLATION"), catalog.stage_append(T) as write:
        write.write(duck, "SELECT NULL::BIGINT AS id, 'a' AS n")
    assert rows(T) == []
    catalog.alter_table(T, [UpdateColumnNullability(("id",), True)])
    fill(catalog, duck, "(NULL, 'a')")
    assert rows(T) == [(None, "a")]


def test_overwrite_and_conflict(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(PAIR))
    fill(catalog, duck, "(1, 'a')")
    slow = catalog.stage_overwrite(T)
    slow.write(duck, "SELECT 9 AS id, 'z' AS name")
    fill(catalog, duck, "(2, 'b')")
    with pytest.raises(CommitConflict):
        slow.commit()
    assert rows(T) == [(1, "a"), (2, "b")]
    fast = catalog.stage_overwrite(T)
    fast.write(duck, "SELECT 9 AS id, 'z' AS name")
    fast.commit()
    assert rows(T) == [(9, "z")]
    assert catalog.store.staged_writes() == []


def test_appends_do_not_conflict(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(PAIR))
    writes = [catalog.stage_append(T) for _ in range(3)]
    for at, write in enumerate(writes):
        write.write(duck, f"SELECT {at} AS id, 'a' AS name")
    for write in writes:
        write.commit()
    assert rows(T, "id") == [(0,), (1,), (2,)]


def test_append_after_evolution_and_respec(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(PAIR))
    old = catalog.stage_append(T)
    old.write(duck, "SELECT 1 AS id, 'a' AS name")
    catalog.alter_table(T, [RenameColumn(("name",), "label"), AddColumn((), "name", IntegerType())])
    old.commit()
    assert rows(T) == [(1, "a", None)]


MOMENTS = [datetime(1969, 12, 31, 23, 59, 59, 999999, UTC), datetime(1970, 1, 1, tzinfo=UTC),
           datetime(2020, 2, 29, 13, 14, 15, 16, UTC), datetime(1900, 1, 1, tzinfo=UTC)]  # fmt: skip
PARTITIONINGS: list[tuple[Transform, ...]] = [
    (Year(("ts",)),), (Month(("ts",)),), (Day(("ts",)),), (Hour(("ts",)),), (Identity(("ts",)),), (Identity(("d",)),),
    (Bucket(("id",), 3), Truncate(("name",), 1)), (Truncate(("id",), 10),), (Bucket(("name",), 4),),
    (Bucket(("ts",), 4),),
    (Identity(("name",)), Identity(("dec",))), (Identity(("flag",)),), (Bucket(("d",), 3), Month(("d",))),
]  # fmt: skip


@pytest.mark.parametrize("transforms", PARTITIONINGS, ids=lambda each: "+".join(map(str, each)))
def test_partitions_equal_icebergs_own(catalog: IcebergCatalog, duck: Any, rows: Any, transforms: Any) -> None:
    """Every file's partition is what PyIceberg's transforms give for each of its rows."""
    schema = struct(
        id=LongType(), name=StringType(), ts=TimestampType(), d=DateType(), dec=DecimalType(9, 2), flag=BooleanType()
    )
    catalog.create_table(T, TableSpec(schema, transforms))
    values = ", ".join(
        f"({at * 7 - 11}, '{name}', TIMESTAMPTZ '{moment.isoformat()}', DATE '{moment.date()}', {at}.5, {at % 2 == 0})"
        for at, (name, moment) in enumerate(zip(["é/x", "a b", "", "it''s%"], MOMENTS, strict=True))
    )
    fill(catalog, duck, f"{values}, (NULL, NULL, NULL, NULL, NULL, NULL)")
    table = catalog.load_table(T).table
    spec, iceberg_schema = table.spec(), table.schema()
    assert len(rows(T)) == 5
    for file in catalog.load_table(T).files():
        for record in duck.sql(f"SELECT * FROM read_parquet('{file.file_path}')").to_arrow_table().to_pylist():
            for at, field in enumerate(spec.fields):
                source = iceberg_schema.find_field(field.source_id)
                value = internal(record[source.name])
                assert field.transform.transform(source.field_type)(value) == file.partition[at]


def internal(value: Any) -> Any:
    if isinstance(value, datetime):
        return round((value - datetime(1970, 1, 1, tzinfo=UTC)).total_seconds() * 1_000_000)
    return value.toordinal() - date(1970, 1, 1).toordinal() if isinstance(value, date) else value


def test_scans_are_pruned_and_right(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    schema = struct(id=LongType(), name=StringType(), d=DoubleType(), day=DateType(), dec=DecimalType(9, 2))
    catalog.create_table(T, TableSpec(schema))
    fill(catalog, duck, "(1, 'apple', 1.5, DATE '2020-01-01', 1.00), (9, 'azure', 2.5, DATE '2020-01-09', 9.00)")
    fill(catalog, duck, "(10, 'beta', 'NaN'::DOUBLE, DATE '2020-02-01', 10.00), (19, NULL, 5, NULL, NULL)")
    fill(catalog, duck, "(NULL, NULL, NULL, NULL, NULL)")
    table = catalog.load_table(T)

    def files(predicate: Any) -> int:
        return len(table.scan(predicate).files)

    assert files(None) == 3
    assert files(Comparison("=", ("id",), 5)) == 1
    assert files(Comparison("=", ("ID",), 99)) == 0
    assert files(Comparison(">", ("id",), 9)) == 1
    assert files(Comparison("<=", ("id",), 10)) == 2
    assert files(Comparison("<>", ("id",), 10)) == 2
    assert files(Comparison(">", ("d",), 100.0)) == 1  # NaN is greater than every number
    assert files(Comparison("=", ("d",), float("nan"))) == 2
    assert files(Comparison("<", ("day",), date(2020, 1, 5))) == 1
    assert files(Comparison("=", ("dec",), Decimal("10.00"))) == 1
    assert files(In(("id",), (1, 12))) == 2
    assert files(In(("id",), ())) == 0
    assert files(IsNull(("name",))) == 2
    assert files(IsNotNull(("name",))) == 2
    assert files(StartsWith(("name",), "az")) == 1
    assert files(StartsWith(("name",), "c")) == 0
    assert files(And((Comparison(">", ("id",), 5), Comparison("<", ("name",), "b")))) == 1
    assert files(Or((Comparison("=", ("id",), 1), Comparison("=", ("id",), 19)))) == 2


def test_promoted_columns_still_prune(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(struct(id=IntegerType())))
    fill(catalog, duck, "(1)")
    catalog.alter_table(T, [UpdateColumn(("id",), LongType())])
    fill(catalog, duck, "(3000000000)")
    assert rows(T, "*", Comparison("=", ("id",), 3_000_000_000)) == [(3_000_000_000,)]
    assert rows(T, "*", Comparison("<", ("id",), 5)) == [(1,)]


def test_time_travel(catalog: IcebergCatalog, duck: Any, rows: Any) -> None:
    catalog.create_table(T, TableSpec(PAIR))
    fill(catalog, duck, "(1, 'a')")
    first = catalog.load_table(T).snapshot()
    catalog.alter_table(T, [DeleteColumn(("name",))])
    fill(catalog, duck, "(2)")
    assert rows(T) == [(1,), (2,)]
    assert rows(T, version=Version(str(first.snapshot_id))) == [(1, "a")]
    assert rows(T, version=Version(timestamp_ms=first.timestamp_ms)) == [(1, "a")]
    with pytest.raises(SparkError, match="TIMESTAMP AS OF"):
        rows(T, version=Version(timestamp_ms=5))


def test_transforms_from_calls() -> None:
    assert of_call("days", [("ts",)]) == Day(("ts",)) == of_call("date", [("ts",)])
    assert of_call("bucket", [16, ("a", "b")]) == Bucket(("a", "b"), 16)
    assert str(of_call("DateHour", [("my ts",)])) == "hours(`my ts`)"
    for name, arguments in [("foo", [("a",)]), ("days", [("a",), 3]), ("bucket", [("a",)]), ("bucket", [0, ("a",)])]:
        with pytest.raises(SparkError, match="UNSUPPORTED_PARTITION_TRANSFORM"):
            of_call(name, arguments)
