"""Rows of DESCRIBE TABLE, SHOW CREATE TABLE, SHOW TBLPROPERTIES and similar statements."""

from collections.abc import Iterable, Mapping

from pyspark.sql.types import ArrayType, DataType, MapType, StructField, StructType

from twinspark.tables.catalog import Identifier, Namespace, Table
from twinspark.tables.changes import find_field
from twinspark.tables.transforms import Identity
from twinspark.types import quote_if_needed, sql_name

Row = tuple[str | None, ...]
BLANK: Row = ("", "", "")
# In the order DESCRIBE EXTENDED lists them: CatalogV2Util.TABLE_RESERVED_PROPERTIES.
RESERVED = ("comment", "collation", "location", "provider", "owner", "external", "is_managed_location", "table_type")
CHAR_TYPE = "__CHAR_VARCHAR_TYPE_STRING"


def describe_table(table: Table, catalog: str, extended: bool = False) -> list[Row]:
    """Rows of (col_name, data_type, comment): DescribeTableExec."""
    said_binary = getattr(table, "said_binary", ())
    rows = [column_row(field.name, field, field.name in said_binary) for field in table.schema.fields]
    rows += partition_rows(table)
    return rows + detail_rows(table, catalog) if extended else rows


def column_row(name: str, field: StructField, said_binary: bool = False) -> Row:
    collation = " collate UTF8_BINARY" if said_binary else ""
    return (name, type_text(field) + collation, (field.metadata or {}).get("comment"))


def type_text(field: StructField) -> str:
    return str((field.metadata or {}).get(CHAR_TYPE) or field.dataType.simpleString())


def partition_rows(table: Table) -> list[Row]:
    transforms = table.partitioning
    if not transforms:
        return []
    if all(isinstance(transform, Identity) for transform in transforms):
        head = [("# Partition Information", "", ""), ("# col_name", "data_type", "comment")]
        return head + [
            column_row(".".join(map(quote_if_needed, each.column)), find_field(table.schema, each.column))
            for each in transforms
        ]
    parts = [(f"Part {at}", str(transform), "") for at, transform in enumerate(transforms)]
    return [BLANK, ("# Partitioning", "", ""), *parts]


def detail_rows(table: Table, catalog: str) -> list[Row]:
    properties = all_properties(table)
    identifier = table.identifier
    rows = [
        BLANK,
        ("# Detailed Table Information", "", ""),
        ("Catalog", catalog, ""),
        ("Namespace", ".".join(map(quote_if_needed, identifier.namespace)), ""),
        ("Database", identifier.namespace[-1] if identifier.namespace else "", ""),
        ("Table", identifier.name, ""),
        ("Type", "EXTERNAL" if "external" in properties else "MANAGED", ""),
    ]
    rows += [(key.capitalize(), properties[key], "") for key in RESERVED if key in properties and key != "external"]
    rows.append(("Table Properties", f"[{','.join(f'{key}={value}' for key, value in plain(properties))}]", ""))
    return rows + default_rows(table.schema)


def default_rows(schema: StructType) -> list[Row]:
    return [
        row
        for field in schema.fields
        if (default := (field.metadata or {}).get("CURRENT_DEFAULT")) is not None
        for row in (BLANK, ("# Column Default Values", "", ""), (field.name, type_text(field), str(default)))
    ]


def all_properties(table: Table) -> dict[str, str]:
    """The table's properties with the reserved ones: provider, location, type."""
    return {"location": table.location, "provider": table.provider, **table.properties}


def plain(properties: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted((key, value) for key, value in properties.items() if key not in RESERVED)


def show_properties(table: Table, name: str, key: str | None = None) -> list[Row]:
    """SHOW TBLPROPERTIES: all of them, or one (with Spark's message for a missing one)."""
    found = dict(plain(all_properties(table)))
    if key is None:
        return sorted(found.items())
    return [(key, found.get(key, f"Table {name} does not have property: {key}"))]


def show_columns(table: Table) -> list[Row]:
    return [(name,) for name in table.schema.names]


def show_create_table(table: Table, catalog: str, managed: bool = True) -> str:
    """A statement that creates the same table: ShowCreateTableExec."""
    properties = all_properties(table)
    options = [
        (key.removeprefix("option."), value) for key, value in sorted(properties.items()) if key.startswith("option.")
    ]
    rest = [(key, value) for key, value in plain(properties) if not key.startswith("option.")]
    return "".join([
        f"CREATE TABLE {full_name(catalog, table.identifier)} ",
        lines(map(column_ddl, table.schema.fields)),
        f"USING {escape(properties['provider'])}\n",
        f"OPTIONS {lines(map(assignment, options))}" if options else "",
        f"PARTITIONED BY ({', '.join(map(str, table.partitioning))})\n" if table.partitioning else "",
        f"COMMENT '{escape(properties['comment'])}'\n" if "comment" in properties else "",
        "" if managed else f"LOCATION '{escape(table.location)}'\n",
        f"TBLPROPERTIES {lines(map(assignment, rest))}" if rest else "",
    ])  # fmt: skip


def full_name(catalog: str, identifier: Identifier) -> str:
    """The qualified name, quoted only where necessary, as in ResolvedTable."""
    return ".".join(quote_if_needed(part) for part in (catalog, *identifier.namespace, identifier.name))


def column_ddl(field: StructField) -> str:
    metadata = field.metadata or {}
    default = f" DEFAULT {metadata['CURRENT_DEFAULT']}" if "CURRENT_DEFAULT" in metadata else ""
    comment = f" COMMENT '{escape(str(metadata['comment']))}'" if "comment" in metadata else ""
    required = "" if field.nullable else " NOT NULL"
    return f"{quote_if_needed(field.name)} {type_ddl(field)}{required}{default}{comment}"


def type_ddl(field: StructField) -> str:
    text = (field.metadata or {}).get(CHAR_TYPE)
    return f"{str(text).upper()} COLLATE UTF8_BINARY" if text else type_with_collation(field.dataType)


def type_with_collation(type: DataType) -> str:
    """The type with its collation, as SHOW CREATE TABLE writes it."""
    if isinstance(type, ArrayType):
        return f"ARRAY<{type_with_collation(type.elementType)}>"
    if isinstance(type, MapType):
        return f"MAP<{type_with_collation(type.keyType)}, {type_with_collation(type.valueType)}>"
    if isinstance(type, StructType):
        return f"STRUCT<{', '.join(map(member_ddl, type.fields))}>"
    text = sql_name(type)
    return f"{text} COLLATE UTF8_BINARY" if text == "STRING" else text


def member_ddl(field: StructField) -> str:
    comment = (field.metadata or {}).get("comment")
    said = f" COMMENT '{escape(str(comment))}'" if comment is not None else ""
    required = "" if field.nullable else " NOT NULL"
    return f"{quote_if_needed(field.name)}: {type_with_collation(field.dataType)}{required}{said}"


def lines(items: Iterable[str]) -> str:
    return "(\n  " + ",\n  ".join(items) + ")\n"


def assignment(pair: tuple[str, str]) -> str:
    return f"'{escape(pair[0])}' = '{escape(pair[1])}'"


def escape(text: str) -> str:
    return text.replace("'", "\\'")


def describe_namespace(namespace: Namespace, catalog: str, extended: bool = False) -> list[Row]:
    """Rows of (info_name, info_value): DescribeNamespaceExec."""
    properties = {key: value for key, value in namespace.properties.items() if key != "exists"}
    rows: list[Row] = [("Catalog Name", catalog), ("Namespace Name", namespace.name[-1])]
    rows += [(key.capitalize(), properties[key]) for key in ("comment", "location", "owner") if key in properties]
    if extended:
        rest = sorted((key, value) for key, value in properties.items() if key not in ("comment", "location", "owner"))
        rows.append(("Properties", f"({', '.join(f'({key},{value})' for key, value in rest)})" if rest else ""))
    return rows
