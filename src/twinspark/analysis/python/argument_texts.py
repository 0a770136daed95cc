"""The text of arguments in names of Python function calls and of struct fields in arrays, which Spark renders by
toString instead of SQL."""

from __future__ import annotations

from twinspark.plan.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Column,
    Expression,
    GetField,
    Literal,
    PythonCall,
)
from twinspark.plan.python_relations import PythonAggregateCall
from twinspark.types import (
    ArrayType,
    BooleanType,
    DateType,
    DecimalType,
    DoubleType,
    FloatType,
    MapType,
    NullType,
    StructType,
    TimestampNTZType,
    TimestampType,
    is_integral,
    is_string,
)

UNKNOWN = "\0"  # marks a name that only Spark knows; harmless if the column gets an alias later
INFIX = {
    **{name: name for name in ("+", "-", "*", "/", "%", "&", "|", "^", "<=>", "<", ">", "<=", ">=")},
    "==": "=",
    "and": "AND",
    "or": "OR",
}
PLAIN_LITERALS = (BooleanType, NullType, DoubleType, FloatType, DecimalType)
MOMENTS = (DateType, TimestampType, TimestampNTZType)
AGGREGATES = frozenset({"sum", "avg", "max", "min", "count"})
# Functions whose toString shows only their arguments, as recorded from Spark.
SAME = """
    add_months array_contains array_intersect array_max array_min array_position array_prepend array_size ascii
    base64 bin bit_length bround btrim cbrt ceil ceiling char concat_ws cos crc32 current_timestamp
    date_from_unix_date datediff day dayofweek dayofyear degrees encode exp factorial floor format_number
    format_string from_utc_timestamp get get_json_object greatest hex initcap input_file_name instr is_variant_null
    isnan json_array_length json_object_keys last_day least left ln locate log log10 log2 map_concat map_from_arrays
    map_from_entries map_keys md5 mod nanvl now nullif nvl2 octet_length pmod pow power quarter radians
    regexp_extract regexp_replace repeat replace right rint sha sha2 shiftleft sign signum sin sort_array soundex
    spark_partition_id split_part sqrt timestamp_seconds to_char to_number to_utc_timestamp translate trunc try_add
    try_divide try_element_at typeof unix_date weekday weekofyear width_bucket
"""
FUNCTIONS = frozenset(
    {"upper", "lower", "concat", "coalesce", "array", "map", "named_struct", "length", "substring", "nvl", "ifnull"}
    | {"abs", "round", "lpad", "rpad", "split", "rlike", "year", "month", "date_add", "date_sub", "float", "div"}
    | {"getarrayitem", "getmapvalue", "rand", "monotonically_increasing_id", "getarraystructfields"}
    | {"map_entries", "map_values", "slice", "reverse", "flatten", "array_distinct", "array_union", "array_except"}
    | {"array_append", "array_remove", "array_repeat", "array_compact"}
    | set(SAME.split())
)


def argument_text(argument: Expression) -> str:
    """The argument's toString if it is known, otherwise a marker."""
    match argument:
        case Column() | PythonCall():
            return argument.text
        case Literal():
            return literal_argument_text(argument)
        case Cast(child=child) if argument.text.startswith(("CAST(", "TRY_CAST(")):
            word = argument.text.partition("(")[0].lower()
            return f"{word}({argument_text(child)} as {argument.type.simpleString()})"
        case Cast(type=ArrayType() | MapType() | StructType()):
            return UNKNOWN  # Spark shows explicit casts and hides added ones; here both look the same
        case Cast(child=child) if child.text == argument.text:
            return child.text  # Spark shows the child of an added cast as SQL (PrettyAttribute)
        case PythonAggregateCall():
            return argument.text
        case AggregateCall() if argument.distinct or argument.filter is not None or argument.name not in AGGREGATES:
            return UNKNOWN
        case Call():
            return call_argument_text(argument)
        case GetField(child=child) if argument_text(child) == child.text:
            return argument.text
        case Case() if all(argument_text(each) == each.text for branch in argument.branches for each in branch):
            last = argument.otherwise
            return argument.text if last is None or argument_text(last) == last.text else UNKNOWN
        case _:
            return UNKNOWN


def literal_argument_text(literal: Literal) -> str:
    if is_integral(literal.type) or is_string(literal.type) or isinstance(literal.type, PLAIN_LITERALS):
        return literal.text
    if isinstance(literal.type, MOMENTS) and literal.text.endswith("'"):
        return literal.text.partition("'")[2].removesuffix("'")
    return UNKNOWN


def call_argument_text(call: Call) -> str:
    parts = [argument_text(each) for each in call.arguments]
    if call.name in INFIX and call.text.startswith("(") and len(parts) == 2:
        return f"({parts[0]} {INFIX[call.name]} {parts[1]})"
    if call.name == "not":
        return f"NOT {parts[0]}"
    if call.name in ("isnull", "isnotnull"):
        return f"{call.name}({parts[0]})"
    if call.name == "negative" and call.text.startswith("(- "):
        return f"-{parts[0]}"
    if call.name == "struct" and " AS " not in call.text:
        return f"struct({', '.join(parts)})" if UNKNOWN not in "".join(parts) else UNKNOWN
    if call.name not in FUNCTIONS | AGGREGATES:
        return UNKNOWN
    if parts == [each.text for each in call.arguments]:
        return call.text
    named = call.text.startswith(f"{call.name}(") and call.text.endswith(")")
    return f"{call.name}({', '.join(parts)})" if named and UNKNOWN not in "".join(parts) else UNKNOWN
