"""DuckDB SQL that formats rows as the lines that Spark writes to CSV, JSON and text files."""

from collections.abc import Mapping

from pyspark.sql.types import (
    ArrayType,
    BinaryType,
    BooleanType,
    ByteType,
    DataType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
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

from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.error_sql import not_native
from twinspark.types.duckdb import duck_name, duck_text

# A value that only Spark can write: the write is aborted and the plan falls back to Spark.
LINE_ENDS = ("chr(10)", "chr(13)")
BLANKS = "[\\x00-\\x20]"
TIMESTAMP_PATTERN = "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXXXX]"  # as recorded from Spark, offsets may have seconds


def csv_line(schema: StructType, options: Mapping[str, str], zone: str) -> str:
    separator, null = options.get("sep", options.get("delimiter", ",")), options.get("nullvalue", "")
    fields = [csv_field(duck_name(f.name), f.dataType, separator, null, zone) for f in schema.fields]
    if isinstance(schema.fields[0].dataType, StringType):
        fields[0] = quoted_comment(duck_name(schema.fields[0].name), fields[0])
    # No field is null: concat and concat_ws do the same, but `||` copies the line once for every field.
    return f"concat_ws({duck_text(separator)}, {', '.join(fields)})"


def quoted_comment(value: str, text: str) -> str:
    """Quotes the first field of a line that begins with #, which readers would take for a comment."""
    bare = f"starts_with({value}, '#') AND NOT starts_with({text}, '\"')"
    return f"CASE WHEN {bare} THEN '\"' || replace({text}, '\\', '\\\\') || '\"' ELSE {text} END"


def csv_header(schema: StructType, separator: str) -> str:
    names = [quoted_csv(name, separator) for name in schema.names]
    names[0] = f'"{names[0]}"' if names[0].startswith("#") else names[0]
    return separator.join(names)


def csv_field(value: str, type: DataType, separator: str, null: str, zone: str) -> str:
    is_text = isinstance(type, StringType)
    text = csv_string(value, separator) if is_text else plain_text(value, type, zone)
    return f"CASE WHEN {value} IS NULL THEN {duck_text(null)} ELSE {text} END"


def csv_string(value: str, separator: str) -> str:
    """univocity's writer with Spark's defaults: blanks trimmed, quotes where needed, backslash as escape."""
    left = f"regexp_replace({value}, '^{BLANKS}+', '')"
    text = f"regexp_replace({left}, '{BLANKS}+$', '')"
    quoted = f"""'"' || replace(replace({text}, '\\', '\\\\'), '"', '\\"') || '"'"""
    special = f"'[\\n\\r\"\\x{ord(separator):02x}]'"
    cases = f"WHEN regexp_matches({left}, {special}) THEN {quoted} WHEN {text} = '' THEN '\"\"' ELSE {text}"
    return f"CASE WHEN {is_plain(value, separator)} THEN {value} {cases} END"


def is_plain(value: str, separator: str) -> str:
    """A test without a regular expression for strings that need no quotes: no blanks at the ends, no special characters
    inside, not empty."""
    ends = f"left({value}, 1) > ' ' AND right({value}, 1) > ' '"
    special = (duck_text(separator), "'\"'", *LINE_ENDS)
    return " AND ".join([ends, *(f"NOT contains({value}, {each})" for each in special)])


def quoted_csv(text: str, separator: str) -> str:
    """The same quoting for a name in the header."""
    trimmed = text.strip("".join(map(chr, range(33))))
    if any(character in trimmed for character in f'{separator}"\n\r'):
        escaped = trimmed.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'
    return trimmed or '""'


def plain_text(value: str, type: DataType, zone: str) -> str:
    """A value that is not a string as CSV and JSON write it, without quotes."""
    if isinstance(type, ByteType | ShortType | IntegerType | LongType | BooleanType):
        return f"CAST({value} AS VARCHAR)"
    if isinstance(type, DecimalType) and type.scale <= 6:
        # With a larger scale Java writes small values as 1E-7.
        return f"CAST({value} AS VARCHAR)"
    if isinstance(type, DateType):
        return within_years(value, f"CAST({value} AS VARCHAR)")
    if isinstance(type, TimestampType):
        return f"spark_date_format({value}, {duck_text(TIMESTAMP_PATTERN)}, {duck_text(zone)})"
    if isinstance(type, TimestampNTZType):
        return within_years(value, f"strftime({value}, '%Y-%m-%dT%H:%M:%S.%g')")
    if isinstance(type, FloatType | DoubleType):
        return f"spark_{type.typeName()}_to_string({value})"
    raise NotNative(reasons.WRITE_COLUMNS, f"{type.simpleString()} to text")


def within_years(value: str, text: str) -> str:
    outside = not_native(reasons.DATETIME_RANGE, "a year outside 1000 to 9999, written as text")
    return f"CASE WHEN {value} >= DATE '1000-01-01' AND {value} < DATE '10000-01-01' THEN {text} ELSE {outside} END"


def json_line(schema: StructType, zone: str) -> str:
    return json_object("", schema, zone)


def json_object(parent: str, type: StructType, zone: str, depth: int = 0) -> str:
    """Null fields are omitted (spark.sql.jsonGenerator.ignoreNullFields)."""
    members = [json_member(f"{parent}{duck_name(f.name)}", f, zone, depth) for f in type.fields]
    return f"'{{' || concat_ws(',', {', '.join(members)}) || '}}'" if members else "'{}'"


def json_member(value: str, field: StructField, zone: str, depth: int) -> str:
    text = json_value(value, field.dataType, zone, depth)
    return f"CASE WHEN {value} IS NOT NULL THEN {json_key(field.name)} || {text} END"


def json_key(name: str) -> str:
    return f"to_json({duck_text(name)})::VARCHAR || ':'"


def json_value(value: str, type: DataType, zone: str, depth: int) -> str:
    if isinstance(type, StringType):
        return f"to_json({value})::VARCHAR"
    if isinstance(type, BinaryType):
        return f"'\"' || base64({value}) || '\"'"
    if isinstance(type, StructType):
        return json_object(f"{value}.", type, zone, depth)
    if isinstance(type, ArrayType):
        return json_array(value, type, zone, depth)
    if isinstance(type, MapType):
        return json_map(value, type, zone, depth)
    text = plain_text(value, type, zone)
    quoted = f"'\"' || {text} || '\"'"
    if isinstance(type, FloatType | DoubleType):  # JacksonGenerator: NaN and infinities are strings
        return f"CASE WHEN isfinite({value}) THEN {text} ELSE {quoted} END"
    return quoted if isinstance(type, DateType | TimestampType | TimestampNTZType) else text


def json_array(value: str, type: ArrayType, zone: str, depth: int) -> str:
    item = f"x{depth}_"
    text = json_value(item, type.elementType, zone, depth + 1)
    texts = f"list_transform({value}, lambda {item}: CASE WHEN {item} IS NULL THEN 'null' ELSE {text} END)"
    return f"'[' || array_to_string({texts}, ',') || ']'"


def json_map(value: str, type: MapType, zone: str, depth: int) -> str:
    if not isinstance(type.keyType, StringType):
        raise NotNative(reasons.WRITE_COLUMNS, "maps with keys that are not strings to JSON")
    entry = f"x{depth}_"
    text = json_value(f"{entry}.value", type.valueType, zone, depth + 1)
    member = f"to_json({entry}.key)::VARCHAR || ':' || CASE WHEN {entry}.value IS NULL THEN 'null' ELSE {text} END"
    texts = f"list_transform(map_entries({value}), lambda {entry}: {member})"
    return f"'{{' || array_to_string({texts}, ',') || '}}'"
