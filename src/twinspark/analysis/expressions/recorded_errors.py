"""Which analysis errors of functions are recorded, and equal to Spark's in every parameter."""

from __future__ import annotations

from twinspark.functions.notation.spark_names import REFUSALS

# Operators and functions all of whose analysis errors are recorded; spark_refusals.txt lists the others.
OPERATORS = frozenset(["+", "-", "*", "/", "%", "==", "=", "<", "<=", ">", ">=", "<=>", "&", "|", "^", "div"])
SAME_ERRORS = OPERATORS | {"and", "or", "not", "in", "negative", "sum", "avg", "upper", "lower", "case"}
SAME_ERRORS = SAME_ERRORS | {"coalesce", "if", "greatest", "least", "array", "nullif", "pmod"}

TUPLES = " ".join(
    f"tuple_{function}_{kind}"
    for kind in ("double", "integer")
    for function in (
        *("sketch_agg", "union_agg", "intersection_agg", "union", "union_theta", "intersection"),
        *("intersection_theta", "sketch_summary"),
    )
)
KLL_KINDS = ("bigint", "float", "double")
KLL_AGGREGATES = " ".join(f"kll_{name}_{kind}" for kind in KLL_KINDS for name in ("sketch_agg", "merge_agg"))
KLL_QUERIES = " ".join(f"kll_sketch_get_{name}_{kind}" for kind in KLL_KINDS for name in ("quantile", "rank"))

DOCUMENTS = " ".join(f"{name}_{kind}" for kind in ("json", "csv", "xml") for name in ("from", "to", "schema_of"))

# Errors recorded with queries: lambdas.sql, refused_values.sql and argument_errors.sql in tests/sql_queries.
ERRORS_IN_QUERIES = {
    "UNEXPECTED_INPUT_TYPE": "aggregate reduce sort_array array_insert get",
    "ARRAY_FUNCTION_DIFF_TYPES": "array_insert",
    "INVALID_MAP_KEY_TYPE": "transform_keys",
    "UNEXPECTED_RETURN_TYPE": "array_sort",
    "VALUE_OUT_OF_RANGE": "time_bucket max_by min_by ntile nth_value regexp_replace",
    "MAP_FUNCTION_DIFF_TYPES": "map_contains_key",
    "NON_STRING_TYPE": "json_tuple",
    "TYPE_CHECK_FAILURE_WITH_HINT": f"{KLL_AGGREGATES} {TUPLES}",
    "UNEXPECTED_NULL": f"{KLL_AGGREGATES} {TUPLES} schema_of_csv schema_of_json schema_of_xml",
    "NON_FOLDABLE_INPUT": f"{KLL_QUERIES} time_bucket mask listagg string_agg regexp_replace to_binary schema_of_csv"
    " schema_of_json schema_of_xml randstr",
    "INPUT_SIZE_NOT_ONE": "mask",
    "INVALID_ARG_VALUE": "to_binary",
    "DATA_DIFF_TYPES": "map_concat",
    "NON_FOLDABLE_ARGUMENT": "ceil ceiling floor mode extract date_part datepart",
    "INVALID_EXTRACT_FIELD": "extract date_part datepart",
    "INVALID_OPTIONS.NON_MAP_FUNCTION": DOCUMENTS,
    "INVALID_OPTIONS.NON_STRING_TYPE": DOCUMENTS,
    "INVALID_SCHEMA.NON_STRING_LITERAL": DOCUMENTS,
    "INVALID_SCHEMA.NON_STRUCT_TYPE": DOCUMENTS,
}
TOP_LEVEL = ("NON_FOLDABLE_ARGUMENT", "INVALID_EXTRACT_FIELD")
IN_QUERIES = frozenset(
    (function, condition if "." in condition or condition in TOP_LEVEL else f"DATATYPE_MISMATCH.{condition}")
    for condition, functions in ERRORS_IN_QUERIES.items()
    for function in functions.split()
)


def raises_same_error(name: str, condition: str) -> bool:
    """Whether the error is known to equal Spark's; otherwise the plan falls back, and Spark raises its own."""
    recorded = condition in REFUSALS.get(name, ()) or (name, condition) in IN_QUERIES
    return recorded or name in SAME_ERRORS or condition == "UNSUPPORTED_TIME_TYPE"
