"""Writes SQL for decimal arithmetic, sums, averages and casts with the functions of the C extension.

Every function takes SQL texts and Spark's types and returns SQL whose DuckDB type is exactly the result type. A decimal
type is (precision, scale). With `ansi=False` the SQL returns NULL where Spark's ANSI mode raises."""

from twinspark.errors import reasons
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.sql_text import is_window

DecimalType = tuple[int, int]
MAX_PRECISION = 38
SUM_DIGITS = 10  # Spark's sum of decimal(p,s) is decimal(p+10,s)
SHORT_DIGITS = 18  # of a decimal in 64 bits, whose remainder DuckDB computes itself
DOUBLE_DIGITS = 15  # Spark averages decimal(p,s) as doubles while p + 4 fits this


def type_name(of: DecimalType) -> str:
    return f"DECIMAL({of[0]},{of[1]})"


def sql_cast(sql: str, to: DecimalType) -> str:
    return f"CAST({sql} AS {type_name(to)})"


def _call_for_scale(name: str, arguments: str, result: DecimalType, ansi: bool, suffix: str = "") -> str:
    """Calls a function that is registered for each scale, with the precision of the result as its last argument."""
    precision, scale = result
    return sql_cast(f"{name}{'' if ansi else '_try'}_{scale}({arguments}, {precision}){suffix}", result)


def _call_for_type(name: str, arguments: str, result: DecimalType) -> str:
    """Calls a function that is registered for every type of more than 18 digits."""
    return f"{name}_{result[0]}_{result[1]}({arguments})"


def sql_decimal_divide(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    if ansi and result[0] > SHORT_DIGITS:
        return _call_for_type("spark_decimal_quotient", f"{left}, {right}", result)
    return _call_for_scale("spark_decimal_divide", f"{left}, {right}", result, ansi)


def sql_decimal_remainder(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    whole = max(left_type[0] - left_type[1], right_type[0] - right_type[1])
    common = (whole + max(left_type[1], right_type[1]), max(left_type[1], right_type[1]))
    if common[0] > SHORT_DIGITS:
        return _call_for_scale("spark_decimal_remainder", f"{left}, {right}", result, ansi)
    divisor = sql_cast(right, common) if ansi else f"nullif({sql_cast(right, common)}, 0)"
    return sql_cast(f"{sql_cast(left, common)} % {divisor}", result)  # DuckDB raises for zero itself


def sql_decimal_integral_divide(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, ansi: bool
) -> str:
    """`div`, a BIGINT: the quotient must fit the precision that Spark computes, then wraps to 64 bits."""
    digits = min(MAX_PRECISION, (left_type[0] - left_type[1] + right_type[1]) or 1)
    return f"spark_decimal_integral_divide{'' if ansi else '_try'}({left}, {right}, {digits})"


def sql_decimal_multiply(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    exact = (left_type[0] + right_type[0] + 1, left_type[1] + right_type[1])
    if exact != result:
        return _call_for_scale("spark_decimal_multiply", f"{left}, {right}", result, ansi)
    if left_type[0] + right_type[0] <= SHORT_DIGITS:  # nothing can overflow in 64 bits
        return sql_cast(f"({left} * {right})", result)
    return _call_for_type("spark_decimal_product", f"{left}, {right}", result)


def sum_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of an exact sum, before Spark limits it to 38 digits."""
    scale = max(left[1], right[1])
    return max(left[0] - left[1], right[0] - right[1]) + scale + 1, scale


def _additive(
    operator: str, name: str, left: str, left_type: DecimalType, right: str, right_type: DecimalType,
    result: DecimalType, ansi: bool,
) -> str:  # fmt: skip
    if sum_type(left_type, right_type) == result:
        # otherwise DuckDB would add two short decimals in 64 bits
        if result[0] > SHORT_DIGITS >= max(left_type[0], right_type[0]):
            left, right = sql_cast(left, result), sql_cast(right, result)
        return sql_cast(f"({left} {operator} {right})", result)  # it has this type already, so the cast costs nothing
    return _call_for_scale(name, f"{left}, {right}", result, ansi)


def sql_decimal_add(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    return _additive("+", "spark_decimal_add", left, left_type, right, right_type, result, ansi)


def sql_decimal_subtract(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    return _additive("-", "spark_decimal_subtract", left, left_type, right, right_type, result, ansi)


def sql_decimal_sum(argument: str, of: DecimalType, ansi: bool, distinct: bool = False, suffix: str = "") -> str:
    """`suffix` follows the call: FILTER (...) and OVER (...)."""
    precision, scale = of
    result = (min(MAX_PRECISION, precision + SUM_DIGITS), scale)
    word = "DISTINCT " if distinct else ""
    if precision + SUM_DIGITS <= MAX_PRECISION:  # an overflow would need 10^10 rows
        return sql_cast(f"sum({word}{argument}){suffix}", result)
    return in_window("spark_decimal_sum", f"{word}{argument}", result, ansi, suffix)


def average_type(of: DecimalType) -> DecimalType:
    """DecimalType.bounded(p + 4, s + 4)."""
    return min(MAX_PRECISION, of[0] + 4), min(MAX_PRECISION, of[1] + 4)


def sql_decimal_average(argument: str, of: DecimalType, ansi: bool, distinct: bool = False, suffix: str = "") -> str:
    """avg: short decimals are averaged as doubles, as in Spark; longer ones with DuckDB's sum and one division."""
    precision, _ = of
    word = "DISTINCT " if distinct else ""
    if precision + 4 > DOUBLE_DIGITS and precision + SUM_DIGITS <= MAX_PRECISION:
        parts = f"sum({word}{argument}){suffix}, nullif(count({word}{argument}){suffix}, 0)"
        return _call_for_scale("spark_decimal_divide", parts, average_type(of), ansi)
    return in_window("spark_decimal_average", f"{word}{argument}", average_type(of), ansi, suffix)


def in_window(name: str, argument: str, result: DecimalType, ansi: bool, suffix: str) -> str:
    """Spark's window buffer holds more than 38 digits, so its overflow differs from that of groups and falls back."""
    if not ansi or not is_window(suffix):
        return _call_for_scale(name, argument, result, ansi, suffix)
    found = _call_for_scale(name, argument, result, False, suffix)
    far = not_native(reasons.AGGREGATE_OVERFLOW, "a sum or average of decimals over a window")
    return f"(CASE WHEN {found} IS NULL AND count({argument}){suffix} > 0 THEN {far} ELSE {found} END)"


def scale_suffix(result: DecimalType) -> str:
    """Suffix of the functions that return decimals: those of up to 18 digits use 64 bits."""
    return f"18_{result[1]}" if result[0] <= SHORT_DIGITS else f"{result[1]}"


def sql_string_to_decimal(argument: str, result: DecimalType, ansi: bool) -> str:
    name = f"spark_string_to_decimal{'_ansi' if ansi else ''}_{scale_suffix(result)}"
    return sql_cast(f"{name}({argument}, {result[0]})", result)


def sql_double_to_decimal(argument: str, result: DecimalType, ansi: bool) -> str:
    """For DOUBLE, and for FLOAT, which Spark widens first."""
    name = f"spark_double_to_decimal{'_ansi' if ansi else ''}_{scale_suffix(result)}"
    return sql_cast(f"{name}({argument}, {result[0]})", result)
