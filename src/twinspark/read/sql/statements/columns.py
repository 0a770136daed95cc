"""Parses column definitions, constraints, partition transforms and the clauses after a table's columns."""

from pyspark.sql.types import DataType

from twinspark.read.sql.expressions.data_types import (
    parse_column_type,
    parse_data_type,
    parse_integer_value,
    parse_not_null,
)
from twinspark.read.sql.expressions.precedence import parse_expression
from twinspark.read.sql.lexer.cursor import Cursor
from twinspark.read.sql.lexer.identifiers import (
    parse_captured_identifier,
    parse_identifier,
    parse_identifier_list,
    parse_multipart_identifier,
)
from twinspark.read.sql.lexer.strings import parse_string_value
from twinspark.read.sql.queries.select import parse_row_format
from twinspark.read.sql.statements.dml import parse_file_format
from twinspark.read.sql.statements.partitions import parse_constant, parse_transform
from twinspark.read.sql.statements.properties import check_table_keys, parse_property_key, parse_table_properties
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


# ------------------------------------------------------------ columns
def parse_table_elements(cursor: Cursor) -> tuple[tuple[ColumnDefinition, ...], tuple[Constraint, ...]]:
    elements = cursor.list_of(_parse_table_element)
    columns = tuple(element for element in elements if isinstance(element, ColumnDefinition))
    return columns, tuple(element for element in elements if isinstance(element, Constraint))


def _parse_table_element(cursor: Cursor) -> ColumnDefinition | Constraint:
    if cursor.kinds[cursor.at] in _CONSTRAINT_STARTS:
        found = cursor.attempt(parse_table_constraint)
        if found is not None and cursor.kinds[cursor.at] in (",", ")"):
            return found
    return parse_column_definition(cursor)


def parse_column_definition(cursor: Cursor) -> ColumnDefinition:
    start = cursor.start
    name = parse_captured_identifier(cursor)
    data_type = parse_data_type(cursor)
    found: dict[str, object] = {}
    while option := _parse_column_option(cursor, data_type, start):
        key, value = option
        if key in found:
            cursor.defer_error(
                "CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE",
                start,
                cursor.stop,
                columnName=name,
                optionName=_OPTION_NAMES[key],
            )
        found[key] = value
    return ColumnDefinition(start, cursor.stop, name, data_type, **found)  # type: ignore[arg-type]


def _parse_column_option(cursor: Cursor, data_type: DataType, start: int) -> tuple[str, object] | None:
    kind = cursor.kinds[cursor.at]
    if parse_not_null(cursor):
        return "nullable", False
    if cursor.take("DEFAULT"):
        return "default", parse_expression(cursor)
    if kind == "GENERATED":
        return _parse_generated(cursor, data_type, start)
    if cursor.take("COMMENT"):
        return "comment", parse_string_value(cursor)
    if kind in _CONSTRAINT_STARTS:
        return "constraint", _parse_column_constraint(cursor)
    return None


def _parse_generated(cursor: Cursor, data_type: DataType, start: int) -> tuple[str, object]:
    cursor.expect("GENERATED")
    always = cursor.take("ALWAYS")
    if not always:
        cursor.expect("BY", "DEFAULT")
    cursor.expect("AS")
    if cursor.take("IDENTITY"):
        return "identity", _parse_identity(cursor, start, always, data_type)
    if not always:
        raise cursor.fail()
    cursor.expect("(")
    expression = parse_expression(cursor)
    cursor.expect(")")
    return "generated", expression


def _parse_identity(cursor: Cursor, start: int, always: bool, data_type: DataType) -> Identity:
    given: dict[str, int] = {}
    begin = cursor.start
    if cursor.take("("):
        while not cursor.take(")"):
            word = "START" if cursor.take("START", "WITH") else "STEP"
            if word == "STEP":
                cursor.expect("INCREMENT", "BY")
            if word in given:
                problem = "IDENTITY_COLUMNS_DUPLICATED_SEQUENCE_GENERATOR_OPTION"
                cursor.defer_error(problem, begin, cursor.stop, sequenceGeneratorOption=word)
            given[word] = _parse_signed_integer(cursor)
    if data_type.typeName() not in ("long", "integer"):
        name = f"{type(data_type).__name__}"
        cursor.defer_error("IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE", start, cursor.stop, dataType=name)
    if given.get("STEP") == 0:
        cursor.defer_error("IDENTITY_COLUMNS_ILLEGAL_STEP", start, cursor.stop)
    return Identity(start, cursor.stop, always, given.get("START", 1), given.get("STEP", 1))


def _parse_signed_integer(cursor: Cursor) -> int:
    sign = -1 if cursor.take("-") else 1
    cursor.expect_any("integer", "bigint")
    return sign * int(cursor.tokens.word(cursor.at - 1).rstrip("lL"))


# ------------------------------------------------------------ constraints
def _parse_constraint_name(cursor: Cursor) -> str | None:
    return parse_captured_identifier(cursor) if cursor.take("CONSTRAINT") else None


def _parse_column_constraint(cursor: Cursor) -> Constraint:
    start = cursor.start
    name = _parse_constraint_name(cursor)
    if cursor.take("REFERENCES"):
        parent = parse_multipart_identifier(cursor)
        columns = parse_identifier_list(cursor) if cursor.kinds[cursor.at] == "(" else ()
        return _parse_constraint(cursor, start, name, "REFERENCES", parent=parent, parent_columns=columns)
    if cursor.peek("CHECK"):
        return _parse_constraint(cursor, start, name, "CHECK", condition=_parse_check(cursor))
    return _parse_constraint(cursor, start, name, _parse_unique(cursor))


def parse_table_constraint(cursor: Cursor) -> Constraint:
    start = cursor.start
    name = _parse_constraint_name(cursor)
    if cursor.peek("CHECK"):
        return _parse_constraint(cursor, start, name, "CHECK", condition=_parse_check(cursor))
    if cursor.take("FOREIGN", "KEY"):
        columns = parse_identifier_list(cursor)
        cursor.expect("REFERENCES")
        parent = parse_multipart_identifier(cursor)
        targets = parse_identifier_list(cursor) if cursor.kinds[cursor.at] == "(" else ()
        return _parse_constraint(cursor, start, name, "FOREIGN KEY", None, columns, parent, targets)
    kind = _parse_unique(cursor)
    return _parse_constraint(cursor, start, name, kind, columns=parse_identifier_list(cursor))


def _parse_check(cursor: Cursor) -> Expression:
    cursor.expect("CHECK", "(")
    condition = parse_expression(cursor)
    cursor.expect(")")
    return condition


def _parse_unique(cursor: Cursor) -> str:
    if cursor.take("PRIMARY", "KEY"):
        return "PRIMARY KEY"
    cursor.expect("UNIQUE")
    return "UNIQUE"


def _parse_constraint(
    cursor: Cursor,
    start: int,
    name: str | None,
    kind: str,
    condition: Expression | None = None,
    columns: tuple[str, ...] = (),
    parent: Name | None = None,
    parent_columns: tuple[str, ...] = (),
) -> Constraint:
    characteristics = []
    while word := _parse_characteristic(cursor):
        characteristics.append(word)
    return Constraint(
        start, cursor.stop, name, kind, condition, columns, parent, parent_columns, tuple(characteristics)
    )


def _parse_characteristic(cursor: Cursor) -> str:
    if cursor.take("NOT", "ENFORCED"):
        return "NOT ENFORCED"
    return cursor.take_any("ENFORCED", "RELY", "NORELY")


# ------------------------------------------------------------ clauses
def parse_table_clauses(cursor: Cursor) -> TableClauses:
    start = cursor.start
    found: dict[str, object] = {}
    while clause := _parse_table_clause(cursor):
        name, value = clause
        if name in found:
            cursor.defer_statement_error("DUPLICATE_CLAUSES", clauseName=_CLAUSE_NAMES.get(name, name.upper()))
        found[name] = value
    return TableClauses(start, cursor.stop if found else start, **found)  # type: ignore[arg-type]


def _parse_table_clause(cursor: Cursor) -> tuple[str, object] | None:
    kind = cursor.kinds[cursor.at]
    if kind == "OPTIONS":
        cursor.at += 1
        options = cursor.in_parentheses(_parse_expression_property)
        check_table_keys(cursor, (key for key, _ in options))
        return "options", options
    if cursor.take("PARTITIONED", "BY"):
        return "partitioning", cursor.in_parentheses(_parse_partition_field)
    if kind == "CLUSTER":
        return "cluster_by", parse_cluster_by(cursor)
    if kind == "CLUSTERED":
        return "bucket", _parse_bucket_spec(cursor)
    if kind == "SKEWED":
        _parse_skewed(cursor)
        return _parse_table_clause(cursor)
    if kind == "ROW" and cursor.kinds[cursor.at + 1] == "FORMAT":
        return "row_format", parse_row_format(cursor)
    if kind == "STORED":
        return "file_format", parse_file_format(cursor)
    return _parse_named_clause(cursor)


def _parse_named_clause(cursor: Cursor) -> tuple[str, object] | None:
    if cursor.take("LOCATION"):
        return "location", parse_string_value(cursor)
    if cursor.take("COMMENT"):
        return "comment", parse_string_value(cursor)
    if cursor.take("DEFAULT", "COLLATION"):
        return "collation", parse_identifier(cursor)
    if cursor.take("TBLPROPERTIES"):
        return "properties", parse_table_properties(cursor)
    return None


def _parse_expression_property(cursor: Cursor) -> tuple[str, Expression | None]:
    key = parse_property_key(cursor)
    if cursor.take("=") or cursor.kinds[cursor.at] not in (",", ")"):
        return key, parse_expression(cursor)
    return key, None


def parse_cluster_by(cursor: Cursor) -> tuple[Name, ...]:
    cursor.expect("CLUSTER", "BY")
    return cursor.in_parentheses(parse_multipart_identifier)


def _parse_bucket_spec(cursor: Cursor) -> BucketSpec:
    start = cursor.start
    cursor.expect("CLUSTERED", "BY")
    columns = parse_identifier_list(cursor)
    ordered = cursor.in_parentheses(_parse_ordered_identifier) if cursor.take("SORTED", "BY") else ()
    cursor.expect("INTO")
    buckets = parse_integer_value(cursor)
    cursor.expect("BUCKETS")
    for _, ordering in ordered:
        if ordering == "DESC":
            message = "Column ordering must be ASC, was 'DESC'"
            cursor.defer_error("_LEGACY_ERROR_TEMP_0035", start, cursor.stop, message=message)
    return BucketSpec(start, cursor.stop, columns, ordered, buckets)


def _parse_ordered_identifier(cursor: Cursor) -> tuple[str, str]:
    return parse_captured_identifier(cursor), cursor.take_any("ASC", "DESC")


def _parse_skewed(cursor: Cursor) -> None:
    start = cursor.start
    cursor.expect("SKEWED", "BY")
    parse_identifier_list(cursor)
    cursor.expect("ON")
    cursor.in_parentheses(_parse_skewed_value)
    cursor.take("STORED", "AS", "DIRECTORIES")
    operation = "CREATE TABLE ... SKEWED BY"
    cursor.defer_error("INVALID_STATEMENT_OR_CLAUSE", start, cursor.stop, operation=operation)


def _parse_skewed_value(cursor: Cursor) -> None:
    if cursor.kinds[cursor.at] == "(":
        cursor.in_parentheses(parse_constant)
    else:
        parse_constant(cursor)


def _parse_partition_field(cursor: Cursor) -> PartitionTransform:
    return cursor.attempt(_parse_typed_field) or parse_transform(cursor)


def _parse_typed_field(cursor: Cursor) -> PartitionTransform:
    start = cursor.start
    field = parse_column_type(cursor)
    if cursor.kinds[cursor.at] not in (",", ")"):
        raise cursor.fail()
    comment = field.metadata.get("comment")
    return PartitionTransform(start, cursor.stop, field.name, (), field.dataType, comment)


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
