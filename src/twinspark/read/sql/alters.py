"""ALTER TABLE and ALTER VIEW … ADD, DROP, RENAME, SET: one change of a table at a time."""

from twinspark.read.sql.tables import Tables
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


class Alters(Tables):
    """The layer of changes of tables."""

    verb = ""  # ALTER or CHANGE, as the statement says it

    def alter_table(self) -> Command:
        start = self.start
        self.expect("ALTER")
        is_view = self.expect_any("TABLE", "VIEW") == "VIEW"
        name = self.identifier_reference()
        partition = self.optional_partition()
        begin = self.start
        change = self._table_change(begin, is_view, partition)
        return AlterTable(*self.span(start), name, is_view, partition, change)

    def _table_change(self, start: int, is_view: bool, partition: PartitionSpec | None) -> TableChange:
        kind, second = self.kinds[self.at], self.kinds[self.at + 1]
        if kind == "SET":
            return self._set_change(start)
        if kind == "ADD":
            return self._add(start)
        if kind == "DROP":
            return self._drop_change(start)
        if kind == "RENAME":
            return self._rename(start, partition)
        if kind == "UNSET":
            return self._unset(start)
        if is_view:
            raise self.fail()
        if kind in ("ALTER", "CHANGE"):
            return self._alter_columns(start)
        if kind == "REPLACE":
            return self._replace_columns(start)
        if self.take("RECOVER", "PARTITIONS"):
            return RecoverPartitions(start, self.stop)
        if self.take("DEFAULT", "COLLATION"):
            collation = self.identifier()
            return SetCollation(start, self.stop, collation)
        if kind == "CLUSTER" and second == "BY":
            return self._cluster_by(start)
        raise self.fail()

    def _cluster_by(self, start: int) -> TableChange:
        if self.take("CLUSTER", "BY", "NONE"):
            return ClusterBy(start, self.stop, ())
        columns = self.cluster_by()
        return ClusterBy(start, self.stop, columns)

    # ------------------------------------------------------------ SET and UNSET
    def _set_change(self, start: int) -> TableChange:
        self.expect("SET")
        if self.take("TBLPROPERTIES"):
            properties = self.table_properties()
            return SetProperties(start, self.stop, properties)
        if self.take("LOCATION"):
            location = self.string_value()
            return SetLocation(start, self.stop, location)
        if self.take("SERDEPROPERTIES"):
            properties = self.property_list()
            return SetSerde(start, self.stop, None, properties)
        self.expect("SERDE")
        serde = self.string_value()
        properties = self.property_list() if self.take("WITH", "SERDEPROPERTIES") else ()
        return SetSerde(start, self.stop, serde, properties)

    def _unset(self, start: int) -> TableChange:
        self.expect("UNSET", "TBLPROPERTIES")
        if_exists = self.take("IF", "EXISTS")
        properties = self.table_properties(values=False)
        return UnsetProperties(start, self.stop, properties, if_exists)

    # ------------------------------------------------------------ ADD, DROP, RENAME
    def _add(self, start: int) -> TableChange:
        self.expect("ADD")
        if self.kinds[self.at] in ("COLUMN", "COLUMNS"):
            self.at += 1
            parenthesized = self.kinds[self.at] == "("
            columns = self.in_parentheses(self._added_column) if parenthesized else self.listed(self._added_column)
            return AddColumns(start, self.stop, columns)
        if self.kinds[self.at] in ("PARTITION", "IF"):
            return self._add_partitions(start)
        constraint = self.table_constraint()
        return AddConstraint(start, self.stop, constraint)

    def _add_partitions(self, start: int) -> TableChange:
        if_not_exists = self.if_not_exists()
        partitions: list[tuple[PartitionSpec, str | None]] = []
        while not partitions or self.kinds[self.at] == "PARTITION":
            spec = self.partition_spec()
            partitions.append((spec, self.string_value() if self.take("LOCATION") else None))
        return AddPartitions(start, self.stop, tuple(partitions), if_not_exists)

    def _drop_change(self, start: int) -> TableChange:
        self.expect("DROP")
        if self.take_any("COLUMN", "COLUMNS"):
            if_exists = self.take("IF", "EXISTS")
            parenthesized = self.kinds[self.at] == "("
            one = self.multipart_identifier
            columns: tuple[Name, ...] = self.in_parentheses(one) if parenthesized else self.listed(one)
            return DropColumns(start, self.stop, columns, if_exists)
        if self.take("CONSTRAINT"):
            if_exists = self.take("IF", "EXISTS")
            name = self.identifier()
            cascade = self.take_any("RESTRICT", "CASCADE") == "CASCADE"
            return DropConstraint(start, self.stop, name, if_exists, cascade)
        if_exists = self.take("IF", "EXISTS")
        partitions = self.listed(self.partition_spec)
        purge = self.take("PURGE")
        return DropPartitions(start, self.stop, partitions, if_exists, purge)

    def _rename(self, start: int, partition: PartitionSpec | None) -> TableChange:
        self.expect("RENAME")
        if self.take("TO"):
            if partition is not None:
                spec = self.partition_spec()
                return RenamePartition(start, self.stop, spec)
            name = self.multipart_identifier()
            return RenameTable(start, self.stop, name)
        self.expect("COLUMN")
        column = self.multipart_identifier()
        self.expect("TO")
        to = self.captured_identifier()
        return RenameColumn(start, self.stop, column, to)

    # ------------------------------------------------------------ columns
    def _added_column(self) -> AddedColumn:
        start = self.start
        name = self.multipart_identifier()
        data_type = self.data_type()
        nullable, default, comment, position, after = True, None, None, "", None
        while True:
            if self.not_null():
                nullable = False
            elif self.take("DEFAULT"):
                default = self.expression()
            elif self.take("COMMENT"):
                comment = self.string_value()
            elif self.kinds[self.at] in ("FIRST", "AFTER"):
                position, after = self._position_clause()
            else:
                return AddedColumn(start, self.stop, name, data_type, nullable, default, comment, position, after)

    def _position_clause(self) -> tuple[str, str | None]:
        if self.take("FIRST"):
            return "FIRST", None
        self.expect("AFTER")
        return "AFTER", self.captured_identifier()

    def _replace_columns(self, start: int) -> TableChange:
        self.expect("REPLACE", "COLUMNS")
        columns = self.in_parentheses(self._added_column)
        return ReplaceColumns(start, self.stop, columns)

    def _alter_columns(self, start: int) -> TableChange:
        self.verb = self.expect_any("ALTER", "CHANGE")
        if self.kinds[self.at] == "COLUMN" and self.is_name(self.at + 1):
            self.at += 1
        at = self.at
        changes = self.attempt(lambda: self._ended(self.listed(self._column_change)))
        if changes is None and self.verb == "CHANGE":
            self.at = at
            changes = (self._hive_change(),)
        elif changes is None:
            changes = self.listed(self._column_change)
        return AlterColumns(start, self.stop, changes)

    def _ended(self, changes: tuple[ColumnChange, ...]) -> tuple[ColumnChange, ...]:
        if self.kinds[self.at] not in ("eof", ";"):
            raise self.fail()
        return changes

    def _column_change(self) -> ColumnChange:
        start = self.start
        column = self.multipart_identifier()
        if self.take("TYPE"):
            return ColumnChange(start, self.stop, column, type=self.data_type())
        if self.take("COMMENT"):
            return ColumnChange(start, self.stop, column, comment=self.string_value())
        if self.kinds[self.at] in ("FIRST", "AFTER"):
            position, after = self._position_clause()
            return ColumnChange(start, self.stop, column, position=position, after=after)
        if self.take("SET", "DEFAULT"):
            return ColumnChange(start, self.stop, column, default=self.expression())
        if self.take("DROP", "DEFAULT"):
            return ColumnChange(start, self.stop, column, drop_default=True)
        return self._nullability_change(start, column)

    def _nullability_change(self, start: int, column: Name) -> ColumnChange:
        word = self.take_any("SET", "DROP")
        if not word:
            message = f"ALTER TABLE table {self.verb} COLUMN requires a TYPE, a SET/DROP, a COMMENT, or a FIRST/AFTER"
            self.complain_of_statement("_LEGACY_ERROR_TEMP_0035", message=message)
            return ColumnChange(start, self.stop, column)
        if not self.not_null():
            raise self.fail()
        return ColumnChange(start, self.stop, column, nullable=word == "DROP")

    def _hive_change(self) -> ColumnChange:
        """CHANGE COLUMN a b INT COMMENT 'x' FIRST, Hive's way; the new name must be the old one."""
        start = self.start
        column = self.multipart_identifier()
        field = self.column_type()
        position, after = self._position_clause() if self.kinds[self.at] in ("FIRST", "AFTER") else ("", None)
        comment = field.metadata.get("comment")
        return ColumnChange(start, self.stop, column, field.dataType, comment, position, after)
