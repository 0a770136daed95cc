"""Reasons for falling back: user-defined functions and data sources, in Python or on the JVM."""

from twinspark.errors.reasons.reason import Reason

JVM_FUNCTION = Reason("JVM_FUNCTION", "Java and Scala functions run only on Spark.", "Write the function in Python.")
PYTHON_ARTIFACT = Reason("PYTHON_ARTIFACT", "The native engine does not unpack this archive for Python workers.")
PYTHON_DATA_SOURCE = Reason(
    "PYTHON_DATA_SOURCE", "The native engine does not support this use of a Python data source."
)
PYTHON_DISABLED = Reason("PYTHON_DISABLED", "The native engine does not run Python functions here.")
PYTHON_FUNCTION_KIND = Reason(
    "PYTHON_FUNCTION_KIND", "The native engine does not run this kind of Python function here."
)
PYTHON_FUNCTION_NAME = Reason(
    "PYTHON_FUNCTION_NAME",
    "A Python function or data source is registered under a name that is taken.",
    "Register it under another name.",
)
PYTHON_FUNCTION_POSITION = Reason(
    "PYTHON_FUNCTION_POSITION",
    "The native engine does not run a Python function in this part of the query.",
    "Compute its result with withColumn first.",
)
PYTHON_FUNCTION_TYPE = Reason(
    "PYTHON_FUNCTION_TYPE",
    "The native engine does not support this argument or result of a Python function.",
    "Declare the types that the function returns.",
)
PYTHON_TABLE_FUNCTION = Reason(
    "PYTHON_TABLE_FUNCTION", "The native engine does not support this use of a Python table function."
)
PYTHON_WORKER_FAILED = Reason("PYTHON_WORKER_FAILED", "The Python worker failed.")
