"""Parses ALTER TABLE and ALTER VIEW … ADD, DROP, RENAME, SET: one change of a table at a time."""

from twinspark.read.sql.expressions.calls import parse_identifier_reference
from twinspark.read.sql.expressions.data_types import parse_column_type, parse_data_type, parse_not_null
from twinspark.read.sql.expressions.precedence import parse_expression
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import parse_captured_identifier, parse_identifier, parse_multipart_identifier
from twinspark.read.sql.lexer.strings import parse_string_value
from twinspark.read.sql.statements.columns import parse_cluster_by, parse_table_constraint
from twinspark.read.sql.statements.iceberg import parse_iceberg_change
from twinspark.read.sql.statements.partitions import parse_if_not_exists, parse_optional_partition, parse_partition_spec
from twinspark.read.sql.statements.properties import parse_property_list, parse_table_properties
from twinspark.read.sql.statements.unsupported import reject_hive_change
from twinspark.read.sql.tree import (
    AddColumns,
    AddConstraint,
    AddedColumn,
    AddPartitions,
    AlterColumns,
    AlterTable,
    ClusterBy,
    ColumnChange,
    Command,
    DropColumns,
    DropConstraint,
    DropPartitions,
    Name,
    PartitionSpec,
    RecoverPartitions,
    RenameColumn,
    RenamePartition,
    RenameTable,
    ReplaceColumns,
    SetCollation,
    SetLocation,
    SetProperties,
    SetSerde,
    TableChange,
    UnsetProperties,
)


def parse_alter_table_statement(cursor: Cursor) -> Command:
    return cursor.attempt(_parse_whole_alter) or reject_hive_change(cursor) or parse_alter_table(cursor)


def _parse_whole_alter(cursor: Cursor) -> Command:
    return cursor.expect_end(parse_alter_table(cursor))


def parse_alter_table(cursor: Cursor) -> Command:
    start = cursor.start
    cursor.expect("ALTER")
    is_view = cursor.expect_any("TABLE", "VIEW") == "VIEW"
    name = parse_identifier_reference(cursor)
    partition = parse_optional_partition(cursor)
    begin = cursor.start
    change = _parse_table_change(cursor, begin, is_view, partition)
    _check_change(cursor, change, is_view, partition)
    return AlterTable(*cursor.span(start), name, is_view, partition, change)


def _check_change(cursor: Cursor, change: TableChange, is_view: bool, partition: PartitionSpec | None) -> None:
    """Clauses that Spark's grammar has and AstBuilder rejects."""
    if is_view and isinstance(change, AddPartitions | DropPartitions):
        verb = "ADD" if isinstance(change, AddPartitions) else "DROP"
        operation = f"ALTER VIEW ... {verb} PARTITION"
        cursor.defer_statement_error("INVALID_STATEMENT_OR_CLAUSE", operation=operation)
    if partition is not None and isinstance(change, ReplaceColumns):
        operation = "ALTER TABLE ... PARTITION ... REPLACE COLUMNS"
        cursor.defer_statement_error("INVALID_STATEMENT_OR_CLAUSE", operation=operation)


def _parse_table_change(cursor: Cursor, start: int, is_view: bool, partition: PartitionSpec | None) -> TableChange:
    kind, second = cursor.kinds[cursor.at], cursor.kinds[cursor.at + 1]
    if not is_view and partition is None and (change := parse_iceberg_change(cursor, start)):
        return change
    if kind == "SET":
        return _parse_set_change(cursor, start)
    if kind == "ADD":
        return _parse_add(cursor, start)
    if kind == "DROP":
        return _parse_drop_change(cursor, start)
    if kind == "RENAME":
        return _parse_rename(cursor, start, partition)
    if kind == "UNSET":
        return _parse_unset(cursor, start)
    if is_view:
        raise cursor.fail()
    if kind in ("ALTER", "CHANGE"):
        return _parse_alter_columns(cursor, start)
    if kind == "REPLACE":
        return _parse_replace_columns(cursor, start)
    if cursor.take("RECOVER", "PARTITIONS"):
        return RecoverPartitions(start, cursor.stop)
    if cursor.take("DEFAULT", "COLLATION"):
        collation = parse_identifier(cursor)
        return SetCollation(start, cursor.stop, collation)
    if kind == "CLUSTER" and second == "BY":
        return _parse_cluster_by(cursor, start)
    raise cursor.fail()


def _parse_cluster_by(cursor: Cursor, start: int) -> TableChange:
    if cursor.take("CLUSTER", "BY", "NONE"):
        return ClusterBy(start, cursor.stop, ())
    columns = parse_cluster_by(cursor)
    return ClusterBy(start, cursor.stop, columns)


# ------------------------------------------------------------ SET and UNSET
def _parse_set_change(cursor: Cursor, start: int) -> TableChange:
    cursor.expect("SET")
    if cursor.take("TBLPROPERTIES"):
        properties = parse_table_properties(cursor)
        return SetProperties(start, cursor.stop, properties)
    if cursor.take("LOCATION"):
        location = parse_string_value(cursor)
        return SetLocation(start, cursor.stop, location)
    if cursor.take("SERDEPROPERTIES"):
        properties = parse_property_list(cursor)
        return SetSerde(start, cursor.stop, None, properties)
    cursor.expect("SERDE")
    serde = parse_string_value(cursor)
    properties = parse_property_list(cursor) if cursor.take("WITH", "SERDEPROPERTIES") else ()
    return SetSerde(start, cursor.stop, serde, properties)


def _parse_unset(cursor: Cursor, start: int) -> TableChange:
    cursor.expect("UNSET", "TBLPROPERTIES")
    if_exists = cursor.take("IF", "EXISTS")
    properties = parse_table_properties(cursor, values=False)
    return UnsetProperties(start, cursor.stop, properties, if_exists)


# ------------------------------------------------------------ ADD, DROP, RENAME
def _parse_add(cursor: Cursor, start: int) -> TableChange:
    cursor.expect("ADD")
    if cursor.kinds[cursor.at] in ("COLUMN", "COLUMNS"):
        cursor.at += 1
        parenthesized = cursor.kinds[cursor.at] == "("
        columns = cursor.in_parentheses(_parse_added_column) if parenthesized else cursor.list_of(_parse_added_column)
        return AddColumns(start, cursor.stop, columns)
    if cursor.kinds[cursor.at] in ("PARTITION", "IF"):
        return _parse_add_partitions(cursor, start)
    constraint = parse_table_constraint(cursor)
    return AddConstraint(start, cursor.stop, constraint)


def _parse_add_partitions(cursor: Cursor, start: int) -> TableChange:
    if_not_exists = parse_if_not_exists(cursor)
    partitions: list[tuple[PartitionSpec, str | None]] = []
    while not partitions or cursor.kinds[cursor.at] == "PARTITION":
        spec = parse_partition_spec(cursor)
        partitions.append((spec, parse_string_value(cursor) if cursor.take("LOCATION") else None))
    return AddPartitions(start, cursor.stop, tuple(partitions), if_not_exists)


def _parse_drop_change(cursor: Cursor, start: int) -> TableChange:
    cursor.expect("DROP")
    if cursor.take_any("COLUMN", "COLUMNS"):
        if_exists = cursor.take("IF", "EXISTS")
        parenthesized = cursor.kinds[cursor.at] == "("
        one = parse_multipart_identifier
        columns: tuple[Name, ...] = cursor.in_parentheses(one) if parenthesized else cursor.list_of(one)
        return DropColumns(start, cursor.stop, columns, if_exists)
    if cursor.take("CONSTRAINT"):
        if_exists = cursor.take("IF", "EXISTS")
        name = parse_identifier(cursor)
        cascade = cursor.take_any("RESTRICT", "CASCADE") == "CASCADE"
        return DropConstraint(start, cursor.stop, name, if_exists, cascade)
    if_exists = cursor.take("IF", "EXISTS")
    partitions = cursor.list_of(parse_partition_spec)
    purge = cursor.take("PURGE")
    return DropPartitions(start, cursor.stop, partitions, if_exists, purge)


def _parse_rename(cursor: Cursor, start: int, partition: PartitionSpec | None) -> TableChange:
    cursor.expect("RENAME")
    if cursor.take("TO"):
        if partition is not None:
            spec = parse_partition_spec(cursor)
            return RenamePartition(start, cursor.stop, spec)
        name = parse_multipart_identifier(cursor)
        return RenameTable(start, cursor.stop, name)
    cursor.expect("COLUMN")
    column = parse_multipart_identifier(cursor)
    cursor.expect("TO")
    to = parse_captured_identifier(cursor)
    return RenameColumn(start, cursor.stop, column, to)


# ------------------------------------------------------------ columns
def _parse_added_column(cursor: Cursor) -> AddedColumn:
    start = cursor.start
    name = parse_multipart_identifier(cursor)
    data_type = parse_data_type(cursor)
    nullable, default, comment, position, after = True, None, None, "", None
    while True:
        if parse_not_null(cursor):
            nullable = False
        elif cursor.take("DEFAULT"):
            default = parse_expression(cursor)
        elif cursor.take("COMMENT"):
            comment = parse_string_value(cursor)
        elif cursor.kinds[cursor.at] in ("FIRST", "AFTER"):
            position, after = _parse_position_clause(cursor)
        else:
            return AddedColumn(start, cursor.stop, name, data_type, nullable, default, comment, position, after)


def _parse_position_clause(cursor: Cursor) -> tuple[str, str | None]:
    if cursor.take("FIRST"):
        return "FIRST", None
    cursor.expect("AFTER")
    return "AFTER", parse_captured_identifier(cursor)


def _parse_replace_columns(cursor: Cursor, start: int) -> TableChange:
    cursor.expect("REPLACE", "COLUMNS")
    columns = cursor.in_parentheses(_parse_added_column)
    for column in columns:
        _check_replacement(cursor, column)
    return ReplaceColumns(start, cursor.stop, columns)


def _check_replacement(cursor: Cursor, column: AddedColumn) -> None:
    """AstBuilder.visitHiveReplaceColumns."""
    if len(column.name.parts) > 1:
        _reject_in_hive_style(cursor, "Replacing with a nested column", "REPLACE COLUMNS")
    if not column.nullable:
        _reject_in_hive_style(cursor, "NOT NULL", "REPLACE COLUMNS")
    if column.position:
        _reject_in_hive_style(cursor, "Column position", "REPLACE COLUMNS")


def _reject_in_hive_style(cursor: Cursor, operation: str, command: str, msg: str = "") -> None:
    cursor.defer_statement_error("_LEGACY_ERROR_TEMP_0034", operation=operation, command=command, msg=msg)


def _parse_alter_columns(cursor: Cursor, start: int) -> TableChange:
    verb = cursor.expect_any("ALTER", "CHANGE")
    if cursor.kinds[cursor.at] == "COLUMN" and cursor.is_name(cursor.at + 1):
        cursor.at += 1
    changes = cursor.attempt(lambda cursor: cursor.expect_end(_parse_column_changes(cursor, verb)))
    if changes is None:
        changes = (_parse_hive_change(cursor),) if verb == "CHANGE" else _parse_column_changes(cursor, verb)
    return AlterColumns(start, cursor.stop, changes)


def _parse_column_changes(cursor: Cursor, verb: str) -> tuple[ColumnChange, ...]:
    return cursor.list_of(lambda cursor: _parse_column_change(cursor, verb))


def _parse_column_change(cursor: Cursor, verb: str) -> ColumnChange:
    start = cursor.start
    column = parse_multipart_identifier(cursor)
    if cursor.take("TYPE"):
        return ColumnChange(start, cursor.stop, column, type=parse_data_type(cursor))
    if cursor.take("COMMENT"):
        return ColumnChange(start, cursor.stop, column, comment=parse_string_value(cursor))
    if cursor.kinds[cursor.at] in ("FIRST", "AFTER"):
        position, after = _parse_position_clause(cursor)
        return ColumnChange(start, cursor.stop, column, position=position, after=after)
    if cursor.take("SET", "DEFAULT"):
        return ColumnChange(start, cursor.stop, column, default=parse_expression(cursor))
    if cursor.take("DROP", "DEFAULT"):
        return ColumnChange(start, cursor.stop, column, drop_default=True)
    return _parse_nullability_change(cursor, start, column, verb)


def _parse_nullability_change(cursor: Cursor, start: int, column: Name, verb: str) -> ColumnChange:
    word = cursor.take_any("SET", "DROP")
    if not word:
        message = f"ALTER TABLE table {verb} COLUMN requires a TYPE, a SET/DROP, a COMMENT, or a FIRST/AFTER"
        cursor.defer_statement_error("_LEGACY_ERROR_TEMP_0035", message=message)
        return ColumnChange(start, cursor.stop, column)
    if not parse_not_null(cursor):
        raise cursor.fail()
    return ColumnChange(start, cursor.stop, column, nullable=word == "DROP")


def _parse_hive_change(cursor: Cursor) -> ColumnChange:
    """CHANGE COLUMN a b INT COMMENT 'x' FIRST, Hive's syntax; the new name must be the old one."""
    start = cursor.start
    column = parse_multipart_identifier(cursor)
    field = parse_column_type(cursor)
    if field.name.lower() != column.parts[-1].lower():
        _reject_in_hive_style(cursor, "Renaming column", "ALTER COLUMN", ", please run RENAME COLUMN instead")
    if not field.nullable:
        instead = ", please run ALTER COLUMN ... SET/DROP NOT NULL instead"
        _reject_in_hive_style(cursor, "NOT NULL", "ALTER COLUMN", instead)
    position, after = _parse_position_clause(cursor) if cursor.kinds[cursor.at] in ("FIRST", "AFTER") else ("", None)
    comment = field.metadata.get("comment")
    return ColumnChange(start, cursor.stop, column, field.dataType, comment, position, after)
