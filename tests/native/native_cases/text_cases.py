"""Cases of string functions."""

import math
import random
from collections.abc import Callable

import pyarrow as pa

from native_cases.case import case, table
from native_cases.decimal_cases import decimal_value

CASED = (
    "abcXYZ .:'^`_-09\u00df\u0130\u0131\u0149\u01c4\u01c5\u01c6\u01f0\u0390\u03a3"
    "\u03c3\u03c2\u0391\u1e9e\u1f80\u1fb3\ufb00\ufb03\u0301\u00ad\u0345\u10d0\u2c00\U00010400\U0001f600\u4e2d"
)


def letters(rng: random.Random, alphabet: str, most: int) -> str | None:
    if rng.random() < 0.03:
        return None
    return "".join(rng.choice(alphabet) for _ in range(rng.randint(0, most)))


def any_letter(rng: random.Random) -> str:
    point = rng.choice(
        [rng.randint(0x20, 0x24F), rng.randint(0x370, 0x58F), rng.randint(0x1E00, 0x1FFF), rng.randint(0x20, 0xD7FF)]
    )
    return chr(point)


def cased_inputs(rng: random.Random, rows: int) -> pa.Table:
    def value() -> str | None:
        if rng.random() < 0.5:
            return letters(rng, CASED, 12)
        return "".join(any_letter(rng) for _ in range(rng.randint(0, 8)))

    return table(a=(pa.string(), [value() for _ in range(rows)]))


for name in ["upper", "lower", "initcap"]:
    case(f"text_{name}", cased_inputs, f"{name}(a)", f"spark_{name}(a)")


def words(first: str, second: str, third: str = "", most: int = 8) -> Callable[[random.Random, int], pa.Table]:
    """Columns a, b, c of words from three alphabets; i and j small whole numbers."""

    def inputs(rng: random.Random, rows: int) -> pa.Table:
        return table(
            a=(pa.string(), [letters(rng, first, most) for _ in range(rows)]),
            b=(pa.string(), [letters(rng, second, 3 if second != first else most) for _ in range(rows)]),
            c=(pa.string(), [letters(rng, third or second, 4) for _ in range(rows)]),
            i=(pa.int32(), [rng.choice([-(2**31), 2**31 - 1, *range(-10, 11)]) for _ in range(rows)]),
            j=(pa.int32(), [rng.choice([2**31 - 1, *range(-10, 11)]) for _ in range(rows)]),
        )

    return inputs


SMALL = words("abcé\U0001f600", "abcé\U0001f600")
case("text_levenshtein", SMALL, "levenshtein(a, b)", "spark_levenshtein(a, b)")
case("text_levenshtein_limit", SMALL, "levenshtein(a, b, j)", "spark_levenshtein(a, b, j)")
case("text_soundex", words("ABCDHWRSTaeiouhwbdrst 1é", "a", most=10), "soundex(a)", "spark_soundex(a)")
case("text_substring_index", words("ab.é", "ab.é"), "substring_index(a, b, j)", "spark_substring_index(a, b, j)")
case("text_find_in_set", words("ab,é", "ab,é"), "find_in_set(b, a)", "spark_find_in_set(b, a)")
case(
    "text_translate",
    words("abcdé\U0001f600\x00", "abcdé\U0001f600", "xyzé\U0001f600\x00"),
    "translate(a, b, c)",
    "spark_translate(a, b, c)",
)
case("text_reverse", SMALL, "reverse(a)", "spark_reverse(a)")
case("text_substring", SMALL, "substring(a, i, j)", "spark_substring(a, i, j)")
case("text_overlay", SMALL, "overlay(a, b, greatest(i, -20), j)", "spark_overlay(a, b, greatest(i, -20), j)")


def conv_inputs(rng: random.Random, rows: int) -> pa.Table:
    def value() -> str | None:
        if rng.random() < 0.3:
            return str(rng.choice([2**63, 2**64, -(2**63), 2**64 - 1]) + rng.randint(-2, 2))
        return letters(rng, "0123456789abfzABFZ-. +", rng.choice([3, 10, 20, 70]))

    bases = [-36, -16, -10, -2, -1, 0, 1, 2, 3, 8, 10, 16, 36, 37]
    return table(
        a=(pa.string(), [value() for _ in range(rows)]),
        i=(pa.int32(), [rng.choice(bases[5:]) for _ in range(rows)]),
        j=(pa.int32(), [rng.choice(bases) for _ in range(rows)]),
    )


case("text_conv", conv_inputs, "conv(a, i, j)", "spark_conv(a, i, j)")
URLS = words("abcXYZ09.-*_ +%&=/é\U0001f600~!", "a", most=15)
case("text_url_encode", URLS, "url_encode(a)", "spark_url_encode(a)")


def escaped(rng: random.Random, rows: int) -> pa.Table:
    """Escapes of any bytes, of characters, and broken ones."""

    def piece() -> str:
        byte = rng.choice(
            [rng.randint(0, 255), rng.randint(0x80, 0xBF), rng.choice([0xC2, 0xE0, 0xE2, 0xED, 0xF0, 0xF4, 0x9F])]
        )
        return (
            rng.choice([f"%{byte:02X}", f"%{byte:02x}", "a+", "%e2%82%ac", "%F0%9F%98%80", "%", "é", "%4"])
            if rng.random() < 0.9
            else "b"
        )

    return table(a=(pa.string(), ["".join(piece() for _ in range(rng.randint(0, 6))) for _ in range(rows)]))


case("text_url_decode", escaped, "try_url_decode(a)", "spark_url_decode_try(a)")
case(
    "text_unbase64",
    words("abcXYZ09+/ \n", "a", most=16),
    "unbase64(base64(unhex(hex(a))))",
    "spark_unbase64(to_base64(encode(a)))",
)


def formatted(rng: random.Random, rows: int) -> pa.Table:
    def real() -> float:
        kind = rng.random()
        if kind < 0.05:
            return rng.choice([0.0, -0.0, math.nan, math.inf, -math.inf, 0.5, 1.5, 2.5, 0.125, 1e20, 1e15, -0.001])
        if kind < 0.5:
            return rng.randint(-(10**9), 10**9) / 10 ** rng.randint(0, 6)
        if kind < 0.7:
            return (rng.randint(0, 10**5) * 10 + 5) / 10 ** rng.randint(1, 6)
        return rng.uniform(-1, 1) * 10 ** rng.randint(-8, 14)

    return table(
        a=(pa.float64(), [real() for _ in range(rows)]),
        b=(pa.decimal128(38, 6), [decimal_value(rng, 38, 6) for _ in range(rows)]),
        l=(pa.int64(), [rng.randint(-(10 ** rng.randint(1, 18)), 10 ** rng.randint(1, 18)) for _ in range(rows)]),
        i=(pa.int32(), [rng.randint(-1, 9) for _ in range(rows)]),
    )


case("format_number_double", formatted, "format_number(a, i)", "spark_format_number(a, i)")
case("format_number_decimal", formatted, "format_number(b, i)", "spark_format_decimal(b, i)")
case("format_number_bigint", formatted, "format_number(l, i)", "spark_format_decimal(l, i)")
