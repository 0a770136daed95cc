"""Column definitions, constraints, partition transforms and the clauses behind a table's columns."""

from pyspark.sql.types import DataType

from twinspark.read.sql.changes import Changes
from twinspark.read.sql.tree import (
    BucketSpec,
    ColumnDefinition,
    Constraint,
    Expression,
    Identity,
    Name,
    PartitionTransform,
    TableClauses,
)

_CONSTRAINT_STARTS = ("CONSTRAINT", "CHECK", "UNIQUE", "PRIMARY", "REFERENCES", "FOREIGN")


class Columns(Changes):
    """The layer of column definitions and table clauses."""

    # ------------------------------------------------------------ columns
    def table_elements(self) -> tuple[tuple[ColumnDefinition, ...], tuple[Constraint, ...]]:
        elements = self.listed(self._table_element)
        columns = tuple(element for element in elements if isinstance(element, ColumnDefinition))
        return columns, tuple(element for element in elements if isinstance(element, Constraint))

    def _table_element(self) -> ColumnDefinition | Constraint:
        if self.kinds[self.at] in _CONSTRAINT_STARTS:
            found = self.attempt(self.table_constraint)
            if found is not None and self.kinds[self.at] in (",", ")"):
                return found
        return self.column_definition()

    def column_definition(self) -> ColumnDefinition:
        start = self.start
        name = self.captured_identifier()
        data_type = self.data_type()
        found: dict[str, object] = {}
        while option := self._column_option(data_type, start):
            key, value = option
            if key in found:
                self.complain(
                    "CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE",
                    start,
                    self.stop,
                    columnName=name,
                    optionName=_OPTION_NAMES[key],
                )
            found[key] = value
        return ColumnDefinition(start, self.stop, name, data_type, **found)  # type: ignore[arg-type]

    def _column_option(self, data_type: DataType, start: int) -> tuple[str, object] | None:
        kind = self.kinds[self.at]
        if self.not_null():
            return "nullable", False
        if self.take("DEFAULT"):
            return "default", self.expression()
        if kind == "GENERATED":
            return self._generated(data_type, start)
        if self.take("COMMENT"):
            return "comment", self.string_value()
        if kind in _CONSTRAINT_STARTS:
            return "constraint", self._column_constraint()
        return None

    def _generated(self, data_type: DataType, start: int) -> tuple[str, object]:
        self.expect("GENERATED")
        always = self.take("ALWAYS")
        if not always:
            self.expect("BY", "DEFAULT")
        self.expect("AS")
        if self.take("IDENTITY"):
            return "identity", self._identity(start, always, data_type)
        if not always:
            raise self.fail()
        self.expect("(")
        expression = self.expression()
        self.expect(")")
        return "generated", expression

    def _identity(self, start: int, always: bool, data_type: DataType) -> Identity:
        given: dict[str, int] = {}
        begin = self.start
        if self.take("("):
            while not self.take(")"):
                word = "START" if self.take("START", "WITH") else "STEP"
                if word == "STEP":
                    self.expect("INCREMENT", "BY")
                if word in given:
                    problem = "IDENTITY_COLUMNS_DUPLICATED_SEQUENCE_GENERATOR_OPTION"
                    self.complain(problem, begin, self.stop, sequenceGeneratorOption=word)
                given[word] = self._signed_integer()
        if data_type.typeName() not in ("long", "integer"):
            name = f"{type(data_type).__name__}"
            self.complain("IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE", start, self.stop, dataType=name)
        if given.get("STEP") == 0:
            self.complain("IDENTITY_COLUMNS_ILLEGAL_STEP", start, self.stop)
        return Identity(start, self.stop, always, given.get("START", 1), given.get("STEP", 1))

    def _signed_integer(self) -> int:
        sign = -1 if self.take("-") else 1
        self.expect_any("integer", "bigint")
        return sign * int(self.tokens.word(self.at - 1).rstrip("lL"))

    # ------------------------------------------------------------ constraints
    def _constraint_name(self) -> str | None:
        return self.captured_identifier() if self.take("CONSTRAINT") else None

    def _column_constraint(self) -> Constraint:
        start = self.start
        name = self._constraint_name()
        if self.take("REFERENCES"):
            parent = self.multipart_identifier()
            columns = self.identifier_list() if self.kinds[self.at] == "(" else ()
            return self._constraint(start, name, "REFERENCES", parent=parent, parent_columns=columns)
        if self.peek("CHECK"):
            return self._constraint(start, name, "CHECK", condition=self._check())
        return self._constraint(start, name, self._unique())

    def table_constraint(self) -> Constraint:
        start = self.start
        name = self._constraint_name()
        if self.peek("CHECK"):
            return self._constraint(start, name, "CHECK", condition=self._check())
        if self.take("FOREIGN", "KEY"):
            columns = self.identifier_list()
            self.expect("REFERENCES")
            parent = self.multipart_identifier()
            targets = self.identifier_list() if self.kinds[self.at] == "(" else ()
            return self._constraint(start, name, "FOREIGN KEY", None, columns, parent, targets)
        kind = self._unique()
        return self._constraint(start, name, kind, columns=self.identifier_list())

    def _check(self) -> Expression:
        self.expect("CHECK", "(")
        condition = self.expression()
        self.expect(")")
        return condition

    def _unique(self) -> str:
        if self.take("PRIMARY", "KEY"):
            return "PRIMARY KEY"
        self.expect("UNIQUE")
        return "UNIQUE"

    def _constraint(
        self,
        start: int,
        name: str | None,
        kind: str,
        condition: Expression | None = None,
        columns: tuple[str, ...] = (),
        parent: Name | None = None,
        parent_columns: tuple[str, ...] = (),
    ) -> Constraint:
        characteristics = []
        while word := self._characteristic():
            characteristics.append(word)
        return Constraint(
            start, self.stop, name, kind, condition, columns, parent, parent_columns, tuple(characteristics)
        )

    def _characteristic(self) -> str:
        if self.take("NOT", "ENFORCED"):
            return "NOT ENFORCED"
        return self.take_any("ENFORCED", "RELY", "NORELY")

    # ------------------------------------------------------------ clauses
    def table_clauses(self) -> TableClauses:
        start = self.start
        found: dict[str, object] = {}
        while clause := self._table_clause():
            name, value = clause
            if name in found:
                self.complain_of_statement("DUPLICATE_CLAUSES", clauseName=_CLAUSE_NAMES.get(name, name.upper()))
            found[name] = value
        return TableClauses(start, self.stop if found else start, **found)  # type: ignore[arg-type]

    def _table_clause(self) -> tuple[str, object] | None:
        kind = self.kinds[self.at]
        if kind == "OPTIONS":
            self.at += 1
            options = self.in_parentheses(self._expression_property)
            self.check_table_keys(key for key, _ in options)
            return "options", options
        if self.take("PARTITIONED", "BY"):
            return "partitioning", self.in_parentheses(self._partition_field)
        if kind == "CLUSTER":
            return "cluster_by", self.cluster_by()
        if kind == "CLUSTERED":
            return "bucket", self._bucket_spec()
        if kind == "SKEWED":
            self._skewed()
            return self._table_clause()
        if kind == "ROW" and self.kinds[self.at + 1] == "FORMAT":
            return "row_format", self.row_format()
        if kind == "STORED":
            return "file_format", self.file_format()
        return self._named_clause()

    def _named_clause(self) -> tuple[str, object] | None:
        if self.take("LOCATION"):
            return "location", self.string_value()
        if self.take("COMMENT"):
            return "comment", self.string_value()
        if self.take("DEFAULT", "COLLATION"):
            return "collation", self.identifier()
        if self.take("TBLPROPERTIES"):
            return "properties", self.table_properties()
        return None

    def _expression_property(self) -> tuple[str, Expression | None]:
        key = self.property_key()
        if self.take("=") or self.kinds[self.at] not in (",", ")"):
            return key, self.expression()
        return key, None

    def cluster_by(self) -> tuple[Name, ...]:
        self.expect("CLUSTER", "BY")
        return self.in_parentheses(self.multipart_identifier)

    def _bucket_spec(self) -> BucketSpec:
        start = self.start
        self.expect("CLUSTERED", "BY")
        columns = self.identifier_list()
        ordered = self.in_parentheses(self._ordered_identifier) if self.take("SORTED", "BY") else ()
        self.expect("INTO")
        buckets = self.integer_value()
        self.expect("BUCKETS")
        for _, ordering in ordered:
            if ordering == "DESC":
                message = "Column ordering must be ASC, was 'DESC'"
                self.complain("_LEGACY_ERROR_TEMP_0035", start, self.stop, message=message)
        return BucketSpec(start, self.stop, columns, ordered, buckets)

    def _ordered_identifier(self) -> tuple[str, str]:
        return self.captured_identifier(), self.take_any("ASC", "DESC")

    def _skewed(self) -> None:
        start = self.start
        self.expect("SKEWED", "BY")
        self.identifier_list()
        self.expect("ON")
        self.in_parentheses(self._skewed_value)
        self.take("STORED", "AS", "DIRECTORIES")
        operation = "CREATE TABLE ... SKEWED BY"
        self.complain("INVALID_STATEMENT_OR_CLAUSE", start, self.stop, operation=operation)

    def _skewed_value(self) -> None:
        if self.kinds[self.at] == "(":
            self.in_parentheses(self.constant)
        else:
            self.constant()

    def _partition_field(self) -> PartitionTransform:
        return self.attempt(self._typed_field) or self._transform_field()

    def _typed_field(self) -> PartitionTransform:
        start = self.start
        field = self.column_type()
        if self.kinds[self.at] not in (",", ")"):
            raise self.fail()
        comment = field.metadata.get("comment")
        return PartitionTransform(start, self.stop, field.name, (), field.dataType, comment)

    def _transform_field(self) -> PartitionTransform:
        start = self.start
        if self.kinds[self.at + 1] == "(":
            name = self.identifier()
            arguments = self.in_parentheses(self._transform_argument)
            return PartitionTransform(start, self.stop, name, arguments)
        column = self.multipart_identifier()
        return PartitionTransform(start, self.stop, "identity", (column,))

    def _transform_argument(self) -> Name | Expression:
        if self.is_name(self.at) and not self.is_string(self.at + 1):
            return self.multipart_identifier()
        return self.constant()


_CLAUSE_NAMES = {
    "partitioning": "PARTITIONED BY",
    "cluster_by": "CLUSTER BY",
    "bucket": "CLUSTERED BY",
    "row_format": "ROW FORMAT",
    "file_format": "STORED AS/BY",
    "properties": "TBLPROPERTIES",
    "collation": "DEFAULT COLLATION",
}
_OPTION_NAMES = {
    "nullable": "NOT NULL",
    "default": "DEFAULT",
    "generated": "GENERATED ALWAYS AS",
    "identity": "GENERATED ALWAYS AS",
    "comment": "COMMENT",
    "constraint": "CONSTRAINT",
}
