"""Reasons for falling back: clauses of SQL queries and operations of DataFrames."""

from twinspark.errors.reasons.reason import Reason

API_CALL = Reason("API_CALL", "This call of the DataFrame or catalog API is answered only by Spark.")
COLUMN_NAME_AMBIGUOUS = Reason(
    "COLUMN_NAME_AMBIGUOUS",
    "A column name has several possible meanings here, and only Spark decides between them.",
    "Give the columns different names, or qualify the name.",
)
COLUMN_NAME_GENERATED = Reason(
    "COLUMN_NAME_GENERATED", "Only Spark generates the name of a column or field here.", "Give the expression an alias."
)
DATAFRAME_METHOD = Reason(
    "DATAFRAME_METHOD", "The native engine does not run this DataFrame method with these arguments."
)
DATA_DEPENDENT_SCHEMA = Reason(
    "DATA_DEPENDENT_SCHEMA",
    "The schema of the result depends on data, and here the native engine may not read it.",
    "List the pivot values.",
)
EXPRESSION_POSITION = Reason(
    "EXPRESSION_POSITION",
    "The native engine does not evaluate this expression in this clause.",
    "Compute the expression in a subquery first.",
)
GENERATOR_POSITION = Reason(
    "GENERATOR_POSITION",
    "The native engine does not run a generator function in this part of the query.",
    "Use the function alone in the select list, or in LATERAL VIEW.",
)
GROUPING_SETS = Reason("GROUPING_SETS", "The native engine does not support this use of GROUPING SETS, ROLLUP or CUBE.")
GROUP_BY_EXPRESSION = Reason(
    "GROUP_BY_EXPRESSION",
    "The native engine does not group by this expression.",
    "Compute the expression in a subquery first.",
)
IDENTIFIER_CLAUSE = Reason(
    "IDENTIFIER_CLAUSE",
    "The native engine does not evaluate this argument of IDENTIFIER.",
    "Use a constant string or a parameter.",
)
JOIN_AS_OF = Reason("JOIN_AS_OF", "The native engine does not support this form of as-of or nearest-by join.")
JOIN_CONDITION = Reason("JOIN_CONDITION", "The native engine does not support this join condition.")
JOIN_LATERAL = Reason("JOIN_LATERAL", "The native engine does not support this lateral join.")
LATERAL_COLUMN_ALIAS = Reason(
    "LATERAL_COLUMN_ALIAS",
    "The select list uses an alias of the same list where the native engine does not support it.",
    "Define the alias in a subquery.",
)
LOCAL_DATA = Reason("LOCAL_DATA", "The native engine does not read these rows of the client.")
OBSERVATION = Reason("OBSERVATION", "The native engine does not compute these observed metrics.")
OPERATION_KIND = Reason("OPERATION_KIND", "The native engine does not run this operation.")
PARAMETER = Reason(
    "PARAMETER",
    "The native engine does not support parameters in this part of the query.",
    "Write the value into the statement.",
)
PIPE_OPERATOR = Reason("PIPE_OPERATOR", "The native engine does not support this pipe operator.")
PIVOT = Reason("PIVOT", "The native engine does not support this PIVOT or UNPIVOT.")
PROTOCOL = Reason("PROTOCOL", "The client sent a plan that the native engine does not read.")
QUERY_TOO_LARGE = Reason(
    "QUERY_TOO_LARGE",
    "The query is too large or nested too deeply for the native engine.",
    "Store an intermediate result in a table, or checkpoint the DataFrame.",
)
RECURSIVE_CTE = Reason("RECURSIVE_CTE", "The native engine does not support this recursive WITH query.")
SAMPLE = Reason("SAMPLE", "The native engine does not take this sample.")
SQL_CLAUSE = Reason("SQL_CLAUSE", "The native engine does not support this SQL clause.")
STAR = Reason("STAR", "The native engine does not expand a star in this part of the query.", "List the columns.")
STREAMING = Reason("STREAMING", "Streaming queries run only on Spark.")
SUBQUERY_CORRELATED = Reason(
    "SUBQUERY_CORRELATED",
    "The native engine does not support this use of an outer column in a subquery.",
    "Write the subquery as a join.",
)
SUBQUERY_POSITION = Reason(
    "SUBQUERY_POSITION",
    "The native engine does not support a subquery in this part of the query.",
    "Write the subquery as a join.",
)
TABLE_FUNCTION = Reason("TABLE_FUNCTION", "The native engine does not run this table function.")
VARIABLE_SUBSTITUTION = Reason(
    "VARIABLE_SUBSTITUTION",
    "Only Spark substitutes this variable reference in the SQL text.",
    "Write the value into the statement.",
)
