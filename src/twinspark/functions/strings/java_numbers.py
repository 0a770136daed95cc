"""Writes floating-point constants as Java does; columns use the C extension."""

import math
import struct

# JDK 17 writes two digits for the smallest numbers, where one would do.
SMALLEST = {5e-324: "4.9E-324", -5e-324: "-4.9E-324", 1e-323: "9.9E-324", -1e-323: "-9.9E-324"}


def double_text(value: float) -> str:
    return SMALLEST.get(value) or java_number(repr(float(value)), value)


def float_text(value: float) -> str:
    """The shortest digits that parse to the same float."""
    if abs(value) == as_float(1e-45):
        return "1.4E-45" if value > 0 else "-1.4E-45"
    if math.isnan(value) or math.isinf(value):
        return java_number("", value)
    for digits in range(1, 18):
        text = f"{value:.{digits}g}"
        if as_float(float(text)) == as_float(value):
            return java_number(repr(float(text)), value)
    return java_number(repr(value), value)


def as_float(value: float) -> float:
    return float(struct.unpack("f", struct.pack("f", value))[0])


def java_number(text: str, value: float) -> str:
    """Plain from 0.001 to 10 million, otherwise `d.dddE±n` (Double.toString)."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign, digits, exponent = decimal_parts(text)
    if digits == "0":
        return f"{sign}0.0"
    if -3 <= exponent < 7:
        return sign + plain(digits, exponent)
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"


def decimal_parts(text: str) -> tuple[str, str, int]:
    """Sign, significant digits, and the power of ten of the first digit."""
    sign = "-" if text.startswith("-") else ""
    mantissa, _, power = text.lstrip("-").partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    leading = len(whole) - 1 if whole.strip("0") else -(len(fraction) - len(fraction.lstrip("0")) + 1)
    return sign, digits.rstrip("0") or "0", leading + int(power or 0)


def plain(digits: str, exponent: int) -> str:
    if exponent < 0:
        return "0." + "0" * (-exponent - 1) + digits
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{whole}.{fraction or '0'}"
