"""What DESCRIBE TABLE, SHOW CREATE TABLE, SHOW TBLPROPERTIES and their kin say of a table, as rows of text."""

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
    told = told_properties(table)
    identifier = table.identifier
    rows = [
        BLANK,
        ("# Detailed Table Information", "", ""),
        ("Catalog", catalog, ""),
        ("Namespace", ".".join(map(quote_if_needed, identifier.namespace)), ""),
        ("Database", identifier.namespace[-1] if identifier.namespace else "", ""),
        ("Table", identifier.name, ""),
        ("Type", "EXTERNAL" if "external" in told else "MANAGED", ""),
    ]
    rows += [(key.capitalize(), told[key], "") for key in RESERVED if key in told and key != "external"]
    rows.append(("Table Properties", f"[{','.join(f'{key}={value}' for key, value in plain(told))}]", ""))
    return rows + default_rows(table.schema)


def default_rows(schema: StructType) -> list[Row]:
    return [
        row
        for field in schema.fields
        if (default := (field.metadata or {}).get("CURRENT_DEFAULT")) is not None
        for row in (BLANK, ("# Column Default Values", "", ""), (field.name, type_text(field), str(default)))
    ]


def told_properties(table: Table) -> dict[str, str]:
    """The properties with those that a table has by being what it is."""
    return {"location": table.location, "provider": table.provider, **table.properties}


def plain(properties: Mapping[str, str]) -> list[tuple[str, str]]:
    return sorted((key, value) for key, value in properties.items() if key not in RESERVED)


def show_properties(table: Table, name: str, key: str | None = None) -> list[Row]:
    """SHOW TBLPROPERTIES: all of them, or one (with Spark's sentence for one that is not there)."""
    found = dict(plain(told_properties(table)))
    if key is None:
        return sorted(found.items())
    return [(key, found.get(key, f"Table {name} does not have property: {key}"))]


def show_columns(table: Table) -> list[Row]:
    return [(name,) for name in table.schema.names]


def show_create_table(table: Table, catalog: str, managed: bool = True) -> str:
    """A statement that makes the same table: ShowCreateTableExec."""
    told = told_properties(table)
    options = [(key.removeprefix("option."), value) for key, value in sorted(told.items()) if key.startswith("option.")]
    rest = [(key, value) for key, value in plain(told) if not key.startswith("option.")]
    return "".join([
        f"CREATE TABLE {full_name(catalog, table.identifier)} ",
        lines(map(column_ddl, table.schema.fields)),
        f"USING {escaped(told['provider'])}\n",
        f"OPTIONS {lines(map(assignment, options))}" if options else "",
        f"PARTITIONED BY ({', '.join(map(str, table.partitioning))})\n" if table.partitioning else "",
        f"COMMENT '{escaped(told['comment'])}'\n" if "comment" in told else "",
        "" if managed else f"LOCATION '{escaped(table.location)}'\n",
        f"TBLPROPERTIES {lines(map(assignment, rest))}" if rest else "",
    ])  # fmt: skip


def full_name(catalog: str, identifier: Identifier) -> str:
    """Quoted only where it must be, as ResolvedTable names itself."""
    return ".".join(quote_if_needed(part) for part in (catalog, *identifier.namespace, identifier.name))


def column_ddl(field: StructField) -> str:
    metadata = field.metadata or {}
    default = f" DEFAULT {metadata['CURRENT_DEFAULT']}" if "CURRENT_DEFAULT" in metadata else ""
    comment = f" COMMENT '{escaped(str(metadata['comment']))}'" if "comment" in metadata else ""
    required = "" if field.nullable else " NOT NULL"
    return f"{quote_if_needed(field.name)} {type_ddl(field)}{required}{default}{comment}"


def type_ddl(field: StructField) -> str:
    text = (field.metadata or {}).get(CHAR_TYPE)
    return f"{str(text).upper()} COLLATE UTF8_BINARY" if text else collated(field.dataType)


def collated(type: DataType) -> str:
    """The type with its collation said, as SHOW CREATE TABLE says it."""
    if isinstance(type, ArrayType):
        return f"ARRAY<{collated(type.elementType)}>"
    if isinstance(type, MapType):
        return f"MAP<{collated(type.keyType)}, {collated(type.valueType)}>"
    if isinstance(type, StructType):
        return f"STRUCT<{', '.join(map(member_ddl, type.fields))}>"
    text = sql_name(type)
    return f"{text} COLLATE UTF8_BINARY" if text == "STRING" else text


def member_ddl(field: StructField) -> str:
    comment = (field.metadata or {}).get("comment")
    said = f" COMMENT '{escaped(str(comment))}'" if comment is not None else ""
    return f"{quote_if_needed(field.name)}: {collated(field.dataType)}{'' if field.nullable else ' NOT NULL'}{said}"


def lines(items: Iterable[str]) -> str:
    return "(\n  " + ",\n  ".join(items) + ")\n"


def assignment(pair: tuple[str, str]) -> str:
    return f"'{escaped(pair[0])}' = '{escaped(pair[1])}'"


def escaped(text: str) -> str:
    return text.replace("'", "\\'")


def describe_namespace(namespace: Namespace, catalog: str, extended: bool = False) -> list[Row]:
    """Rows of (info_name, info_value): DescribeNamespaceExec."""
    told = {key: value for key, value in namespace.properties.items() if key != "exists"}
    rows: list[Row] = [("Catalog Name", catalog), ("Namespace Name", namespace.name[-1])]
    rows += [(key.capitalize(), told[key]) for key in ("comment", "location", "owner") if key in told]
    if extended:
        rest = sorted((key, value) for key, value in told.items() if key not in ("comment", "location", "owner"))
        rows.append(("Properties", f"({', '.join(f'({key},{value})' for key, value in rest)})" if rest else ""))
    return rows
