"""Reasons for falling back: SQL statements, scripts, variables and SQL functions."""

from twinspark.errors.reasons.reason import Reason

CACHE = Reason("CACHE", "The native engine does not cache or checkpoint this.")
CONCURRENT_CHANGE = Reason(
    "CONCURRENT_CHANGE", "Another session changed the catalog while the statement ran.", "Run the statement again."
)
DESCRIBE_OUTPUT = Reason("DESCRIBE_OUTPUT", "Only Spark's catalog can describe this object.")
EXECUTE_IMMEDIATE = Reason("EXECUTE_IMMEDIATE", "The native engine does not support this form of EXECUTE IMMEDIATE.")
LIVES_ON_SPARK = Reason(
    "LIVES_ON_SPARK", "The statement uses something that was created on Spark or that only Spark may have."
)
PROCEDURE = Reason("PROCEDURE", "The native engine does not support this procedure call.")
SCRIPT = Reason("SCRIPT", "The native engine does not run this SQL script.")
SQL_FUNCTION = Reason("SQL_FUNCTION", "The native engine does not support this form of SQL function.")
SQL_STATEMENT = Reason("SQL_STATEMENT", "This SQL statement runs only on Spark.")
SQL_VARIABLE = Reason("SQL_VARIABLE", "The native engine does not support this form of session or script variable.")
TABLE_DEFINITION = Reason("TABLE_DEFINITION", "The native engine does not create tables with these clauses.")
VIEW_SCHEMA_CHANGED = Reason(
    "VIEW_SCHEMA_CHANGED",
    "The columns of a view's query have changed since the view was created.",
    "Create the view again.",
)
