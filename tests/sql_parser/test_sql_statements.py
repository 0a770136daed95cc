"""Trees of statements that are no queries, scripts, data types, and the splitting of files."""

from collections.abc import Callable

import pytest
from pyspark.sql import types as T

from twinspark.errors import NotNative
from twinspark.read.sql import (
    ParseError,
    ParserConfig,
    bind_parameters,
    parameter_markers,
    parse_columns,
    parse_ddl,
    parse_schema,
    parse_schema_argument,
    parse_statement,
    parse_type,
    split_statements,
    tree,
)

Reading = Callable[[str], T.DataType]
EXTRA = {"error": "'InvalidType'", "hint": ": extra input 'InvalidType'"}


def name(*parts: str) -> tree.Name:
    return tree.Name(0, 0, parts)


def test_commands_keep_their_text() -> None:
    text = "  create or replace temp view v (a, b comment 'x') as select 1, 2 ;"
    view = parse_statement(text)
    assert isinstance(view, tree.CreateView)
    assert view.text == "create or replace temp view v (a, b comment 'x') as select 1, 2"
    assert (view.name, view.replace, view.temporary, view.is_global) == (name("v"), True, True, False)
    assert view.columns == (("a", None), ("b", "x"))


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("set", None, None),
        ("set -v", "-v", None),
        ("SET a.b", "a.b", None),
        ("set a.b = c d ;", "a.b", "c d"),
        ("set a=/x/* not a comment", "a", "/x/* not a comment"),
        ("set a = 'it''s'", "a", "'it''s'"),
        ("set `a b` = c", "a b", "c"),
        ("set a = `b c`", "a", "b c"),
    ],
)
def test_set_takes_its_value_as_it_stands(text: str, key: str | None, value: str | None) -> None:
    found = parse_statement(text)
    assert isinstance(found, tree.SetConfiguration)
    assert (found.key, found.value) == (key, value)


def test_insert() -> None:
    found = parse_statement("insert into a.b partition (p = 1, q) (x, y) select 1, 2")
    assert isinstance(found, tree.Insert) and isinstance(found.target, tree.InsertTarget)
    assert (found.target.table, found.target.columns, found.target.overwrite) == (name("a", "b"), ("x", "y"), False)
    assert found.target.partition is not None
    assert [key for key, _ in found.target.partition.values] == ["p", "q"]


def test_merge() -> None:
    found = parse_statement(
        "merge into t using s on t.a = s.a when matched and s.d then delete when matched then update set * "
        "when not matched then insert (a) values (s.a) when not matched by source then update set b = 0"
    )
    assert isinstance(found, tree.Merge)
    assert [(clause.when, clause.action) for clause in found.clauses] == [
        ("MATCHED", "DELETE"),
        ("MATCHED", "UPDATE *"),
        ("NOT MATCHED", "INSERT"),
        ("NOT MATCHED BY SOURCE", "UPDATE"),
    ]


def test_create_table() -> None:
    found = parse_statement(
        "create table if not exists t (a int not null default 1 + 1 comment 'x', b array<int>) using csv "
        "partitioned by (a, days(ts)) tblproperties ('k' = 'v', n = 1) location '/x'"
    )
    assert isinstance(found, tree.CreateTable)
    assert [(c.name, c.type, c.nullable, c.comment) for c in found.columns] == [
        ("a", T.IntegerType(), False, "x"),
        ("b", T.ArrayType(T.IntegerType()), True, None),
    ]
    assert [field.name for field in found.clauses.partitioning] == ["identity", "days"]
    assert (found.clauses.properties, found.clauses.location) == ((("k", "v"), ("n", "1")), "/x")


def test_alter_table() -> None:
    found = parse_statement("alter table t alter column a.b type bigint")
    assert isinstance(found, tree.AlterTable)
    assert found.change == tree.AlterColumns(0, 0, (tree.ColumnChange(0, 0, name("a", "b"), T.LongType()),))


def test_scripts() -> None:
    found = parse_statement("begin declare x = 1; l: while x < 3 do set x = x + 1; end while l; select x; end")
    assert isinstance(found, tree.Compound)
    kinds = [type(statement) for statement in found.statements]
    assert kinds == [tree.CreateVariable, tree.While, tree.Query]


def test_files_are_split_at_semicolons() -> None:
    text = "select ';' -- ;\n; begin select 1; select 2; end; ; /* ; */ select case when a then 1 end"
    assert split_statements(text) == [
        "select ';'",
        "begin select 1; select 2; end",
        "select case when a then 1 end",
    ]


def test_parameters_are_bound_in_the_text() -> None:
    text = "select :a, v:b, 'x' :c, cast(? as decimal(10, ?)), \":d\" -- :e\n from t limit ?"
    assert [name for _, _, name in parameter_markers(text)] == ["a", "c", "", "", ""]
    assert bind_parameters(text, {"a": "1", "c": "'y'"}, ["2", "3"]) == (
        "select 1, v:b, 'x' 'y', cast(2 as decimal(10, 3)), \":d\" -- :e\n from t limit ?"
    )


def test_variables_are_put_in_before_reading() -> None:
    config = ParserConfig.of({"name": "t"})
    found = parse_statement("select * from ${name} where ${hiveconf:name}.a", config)
    assert isinstance(found, tree.Query) and isinstance(found.body, tree.Select) and found.body.source is not None
    assert found.body.source.relations == (tree.Table(0, 0, name("t")),)
    with pytest.raises(NotNative):
        parse_statement("select '${env:HOME}'", config)


@pytest.mark.parametrize(
    "kind",
    [
        T.StructType([T.StructField("a", T.ArrayType(T.MapType(T.StringType(), T.DecimalType(5, 2))))]),
        T.DayTimeIntervalType(1, 2),
        T.YearMonthIntervalType(0, 1),
        T.CharType(3),
        T.TimestampNTZType(),
        T.TimeType(3),
        T.VariantType(),
        T.NullType(),
    ],
    ids=lambda kind: str(kind.simpleString()),
)
def test_types_are_read_as_they_print(kind: T.DataType) -> None:
    assert parse_type(kind.simpleString()) == kind


def test_schemas() -> None:
    fields = [T.StructField("a", T.IntegerType(), False, {"comment": "x"}), T.StructField("b c", T.StringType())]
    assert parse_schema("a int not null comment 'x', `b c` string") == T.StructType(fields)
    assert parse_schema("struct<a: int>") == T.StructType([T.StructField("a", T.IntegerType())])
    assert parse_schema("bigint") == T.StructType([T.StructField("value", T.LongType())])
    assert parse_ddl("a: int") == T.StructType([T.StructField("a", T.IntegerType())])
    assert parse_columns("") == T.StructType([])


# Recorded from Spark 4.2.1: createDataFrame([], text), read.schema(text), from_json('x', text), cast(text).
@pytest.mark.parametrize(
    ("reading", "text", "condition", "parameters"),
    [
        (parse_ddl, "a InvalidType", "UNSUPPORTED_DATATYPE", {"typeName": '"INVALIDTYPE"'}),
        (parse_ddl, "InvalidType", "PARSE_SYNTAX_ERROR", {"error": "end of input", "hint": ""}),
        (parse_ddl, "array<foo>", "PARSE_SYNTAX_ERROR", {"error": "'<'", "hint": ""}),
        (
            parse_ddl,
            "decimal(50)",
            "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION",
            {"precision": "50", "maxPrecision": "38"},
        ),
        (parse_columns, "a: int, b: string", "PARSE_SYNTAX_ERROR", {"error": "':'", "hint": ""}),
        (parse_columns, "a int b", "PARSE_SYNTAX_ERROR", {"error": "'b'", "hint": ""}),
        (parse_schema_argument, "a InvalidType", "PARSE_SYNTAX_ERROR", EXTRA),
        (parse_schema_argument, "InvalidType", "UNSUPPORTED_DATATYPE", {"typeName": '"INVALIDTYPE"'}),
        (parse_schema_argument, "", "PARSE_EMPTY_STATEMENT", {}),
        (parse_type, "foo", "UNSUPPORTED_DATATYPE", {"typeName": '"FOO"'}),
        (parse_type, "int int", "PARSE_SYNTAX_ERROR", {"error": "'int'", "hint": ""}),
    ],
)
def test_errors_of_types(reading: Reading, text: str, condition: str, parameters: dict[str, str]) -> None:
    with pytest.raises(ParseError) as caught:
        reading(text)
    assert (caught.value.condition, caught.value.parameters, caught.value.contexts) == (condition, parameters, ())


@pytest.mark.parametrize("prefix", ["", "WITH x AS (SELECT 1) "])
@pytest.mark.parametrize(
    ("statement", "condition"),
    [
        ("DELETE FROM t AS a(b)", "COLUMN_ALIASES_NOT_ALLOWED"),
        (
            "MERGE INTO t USING x ON true WHEN NOT MATCHED THEN INSERT (a) VALUES (1, 2)",
            "MERGE_INSERT_VALUE_COUNT_MISMATCH",
        ),
    ],
)
def test_errors_of_changes_name_the_statement_without_its_with(prefix: str, statement: str, condition: str) -> None:
    with pytest.raises(ParseError) as raised:
        parse_statement(prefix + statement)
    (context,) = raised.value.contexts
    assert (raised.value.condition, context.fragment, context.start_index) == (condition, statement, len(prefix))
