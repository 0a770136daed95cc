"""Reasons for falling back: a function, its arguments, or how an aggregate or window function is used."""

from twinspark.errors.reasons.reason import Reason

AGGREGATE_DISTINCT = Reason(
    "AGGREGATE_DISTINCT",
    "The native engine does not run this aggregate function with DISTINCT.",
    "Apply SELECT DISTINCT in a subquery first.",
)
AGGREGATE_ORDER = Reason(
    "AGGREGATE_ORDER", "The native engine does not run this aggregate function with this ordering."
)
AGGREGATE_OVERFLOW = Reason(
    "AGGREGATE_OVERFLOW",
    "The sum overflows or may overflow, which depends on the order in which Spark adds the rows.",
    "Cast the argument to a type with more digits.",
)
AGGREGATE_TIES = Reason(
    "AGGREGATE_TIES", "Several rows are equally good, and which of them Spark returns depends on its row order."
)
FLOAT_PRECISION = Reason(
    "FLOAT_PRECISION", "The last digits of the result depend on how Spark's JVM or its partitions compute them."
)
FUNCTION_ARGUMENT_NOT_CONSTANT = Reason(
    "FUNCTION_ARGUMENT_NOT_CONSTANT",
    "The native engine runs this function only where this argument is a valid constant.",
    "Write the argument as a literal.",
)
FUNCTION_ARGUMENT_TYPE = Reason(
    "FUNCTION_ARGUMENT_TYPE",
    "The native engine does not run this function with arguments of these types.",
    "Cast the arguments to another type that the function takes.",
)
FUNCTION_ARGUMENT_VALUE = Reason(
    "FUNCTION_ARGUMENT_VALUE", "The native engine does not run this function with these arguments."
)
FUNCTION_NAMED_ARGUMENTS = Reason(
    "FUNCTION_NAMED_ARGUMENTS",
    "The native engine does not match these named arguments with the parameters of the function.",
    "Pass the arguments by position.",
)
FUNCTION_OPTION = Reason(
    "FUNCTION_OPTION", "The native engine does not support this option of the function.", "Leave the option out."
)
FUNCTION_ROW_VALUE = Reason(
    "FUNCTION_ROW_VALUE", "A row contains a value for which only Spark computes the result of the function."
)
FUNCTION_SPARK_ONLY = Reason("FUNCTION_SPARK_ONLY", "This function runs only on Spark.")
FUNCTION_UNKNOWN = Reason("FUNCTION_UNKNOWN", "twinspark does not know this function, but Spark may know it.")
LAMBDA = Reason("LAMBDA", "The native engine does not run this use of a lambda function.")
NESTED_FLOATS = Reason(
    "NESTED_FLOATS",
    "Nested values contain floats or doubles, whose zeros and NaNs the native engine does not normalize.",
    "Select the inner values as columns of their own.",
)
NONDETERMINISTIC = Reason(
    "NONDETERMINISTIC", "A nondeterministic expression is used where only Spark decides how often it is evaluated."
)
PARTITIONS = Reason("PARTITIONS", "The result depends on how Spark divides rows and files into partitions.")
RANDOM_NUMBERS = Reason("RANDOM_NUMBERS", "The function returns Spark's random numbers.")
SIGNED_ZEROS = Reason(
    "SIGNED_ZEROS",
    "The values contain both 0.0 and -0.0, and which of them Spark returns depends on its row order.",
    "Add 0.0 to the argument, which turns -0.0 into 0.0.",
)
SKETCH_STATE = Reason("SKETCH_STATE", "The native engine does not read or build a sketch of this size or state.")
WINDOW_FRAME = Reason("WINDOW_FRAME", "The native engine does not support this window frame.")
WINDOW_FUNCTION = Reason("WINDOW_FUNCTION", "The native engine does not run this function over a window in this form.")
