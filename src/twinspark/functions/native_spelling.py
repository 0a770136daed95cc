"""How the SQL writer spells calls of native functions whose spelling depends on types: decimals above all.

Every function takes SQL texts and Spark's types and returns one SQL text whose DuckDB type is exactly the result type.
A decimal type is (precision, scale). `ansi=False` is the spelling that gives NULL where Spark's ANSI mode raises.
"""

DecimalType = tuple[int, int]
MAX_PRECISION = 38
SUM_DIGITS = 10  # Spark's sum of decimal(p,s) is decimal(p+10,s)
SHORT_DIGITS = 18  # of a decimal in 64 bits, whose remainder is DuckDB's own
DOUBLE_DIGITS = 15  # Spark averages decimal(p,s) as doubles while p + 4 fits this


def type_name(of: DecimalType) -> str:
    return f"DECIMAL({of[0]},{of[1]})"


def sql_cast(sql: str, to: DecimalType) -> str:
    return f"CAST({sql} AS {type_name(to)})"


def _call(name: str, arguments: str, result: DecimalType, ansi: bool, suffix: str = "") -> str:
    """A function that is registered once for each scale, with the result's precision as its last argument."""
    precision, scale = result
    return sql_cast(f"{name}{'' if ansi else '_try'}_{scale}({arguments}, {precision}){suffix}", result)


def _typed(name: str, arguments: str, result: DecimalType) -> str:
    """A function that is registered for every type of more than 18 digits."""
    return f"{name}_{result[0]}_{result[1]}({arguments})"


def sql_decimal_divide(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    if ansi and result[0] > SHORT_DIGITS:
        return _typed("spark_decimal_quotient", f"{left}, {right}", result)
    return _call("spark_decimal_divide", f"{left}, {right}", result, ansi)


def sql_decimal_remainder(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    whole = max(left_type[0] - left_type[1], right_type[0] - right_type[1])
    common = (whole + max(left_type[1], right_type[1]), max(left_type[1], right_type[1]))
    if common[0] > SHORT_DIGITS:
        return _call("spark_decimal_remainder", f"{left}, {right}", result, ansi)
    divisor = sql_cast(right, common) if ansi else f"nullif({sql_cast(right, common)}, 0)"
    return sql_cast(f"{sql_cast(left, common)} % {divisor}", result)  # DuckDB raises of zero itself


def sql_decimal_integral_divide(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, ansi: bool
) -> str:
    """`div`: a BIGINT. The quotient is checked against the precision that Spark gives it, then cut to 64 bits."""
    digits = min(MAX_PRECISION, (left_type[0] - left_type[1] + right_type[1]) or 1)
    return f"spark_decimal_integral_divide{'' if ansi else '_try'}({left}, {right}, {digits})"


def sql_decimal_multiply(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    exact = (left_type[0] + right_type[0] + 1, left_type[1] + right_type[1])
    if exact != result:
        return _call("spark_decimal_multiply", f"{left}, {right}", result, ansi)
    if left_type[0] + right_type[0] <= SHORT_DIGITS:  # nothing can overflow in 64 bits
        return sql_cast(f"({left} * {right})", result)
    return _typed("spark_decimal_product", f"{left}, {right}", result)


def sum_type(left: DecimalType, right: DecimalType) -> DecimalType:
    """The type of an exact sum, before Spark cuts it to 38 digits."""
    scale = max(left[1], right[1])
    return max(left[0] - left[1], right[0] - right[1]) + scale + 1, scale


def _additive(
    operator: str, name: str, left: str, left_type: DecimalType, right: str, right_type: DecimalType,
    result: DecimalType, ansi: bool,
) -> str:  # fmt: skip
    if sum_type(left_type, right_type) == result:
        if result[0] > SHORT_DIGITS >= max(left_type[0], right_type[0]):  # else DuckDB adds two short ones in 64 bits
            left, right = sql_cast(left, result), sql_cast(right, result)
        return sql_cast(f"({left} {operator} {right})", result)  # of this very type already: the cast costs nothing
    return _call(name, f"{left}, {right}", result, ansi)


def sql_decimal_add(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    return _additive("+", "spark_decimal_add", left, left_type, right, right_type, result, ansi)


def sql_decimal_subtract(
    left: str, left_type: DecimalType, right: str, right_type: DecimalType, result: DecimalType, ansi: bool
) -> str:
    return _additive("-", "spark_decimal_subtract", left, left_type, right, right_type, result, ansi)


def sql_decimal_sum(argument: str, of: DecimalType, ansi: bool, distinct: bool = False, suffix: str = "") -> str:
    """`suffix` is what stands behind the call: FILTER (...) and/or OVER (...)."""
    precision, scale = of
    result = (min(MAX_PRECISION, precision + SUM_DIGITS), scale)
    word = "DISTINCT " if distinct else ""
    if precision + SUM_DIGITS <= MAX_PRECISION:  # 10^10 rows would be needed to overflow
        return sql_cast(f"sum({word}{argument}){suffix}", result)
    return in_window("spark_decimal_sum", f"{word}{argument}", result, ansi, suffix)


def average_type(of: DecimalType) -> DecimalType:
    """DecimalType.bounded(p + 4, s + 4)."""
    return min(MAX_PRECISION, of[0] + 4), min(MAX_PRECISION, of[1] + 4)


def sql_decimal_average(argument: str, of: DecimalType, ansi: bool, distinct: bool = False, suffix: str = "") -> str:
    """avg: short decimals go through doubles as in Spark; the middle ones are DuckDB's sum and one division."""
    precision, _ = of
    word = "DISTINCT " if distinct else ""
    if precision + 4 > DOUBLE_DIGITS and precision + SUM_DIGITS <= MAX_PRECISION:
        parts = f"sum({word}{argument}){suffix}, nullif(count({word}{argument}){suffix}, 0)"
        return _call("spark_decimal_divide", parts, average_type(of), ansi)
    return in_window("spark_decimal_average", f"{word}{argument}", average_type(of), ansi, suffix)


def in_window(name: str, argument: str, result: DecimalType, ansi: bool, suffix: str) -> str:
    """A window's buffer holds more than 38 digits: its errors are not those of groups, and are Spark's to tell."""
    if not ansi or " OVER (" not in suffix:
        return _call(name, argument, result, ansi, suffix)
    found, far = _call(name, argument, result, False, suffix), "error('NOT_NATIVE:decimals that overflow in a window')"
    return f"(CASE WHEN {found} IS NULL AND count({argument}){suffix} > 0 THEN {far} ELSE {found} END)"


def scale_suffix(result: DecimalType) -> str:
    """Which of the functions that read decimals: those of up to 18 digits make them in 64 bits."""
    return f"18_{result[1]}" if result[0] <= SHORT_DIGITS else f"{result[1]}"


def sql_string_to_decimal(argument: str, result: DecimalType, ansi: bool) -> str:
    name = f"spark_string_to_decimal{'_ansi' if ansi else ''}_{scale_suffix(result)}"
    return sql_cast(f"{name}({argument}, {result[0]})", result)


def sql_double_to_decimal(argument: str, result: DecimalType, ansi: bool) -> str:
    """For DOUBLE and, widened first as in Spark, for FLOAT."""
    name = f"spark_double_to_decimal{'_ansi' if ansi else ''}_{scale_suffix(result)}"
    return sql_cast(f"{name}({argument}, {result[0]})", result)
