"""Cases of regular expressions, LIKE, URLs, number formats and bytes."""

import random

import pyarrow as pa

from native_cases.case import case, table

LETTERS = "aaabbbcccABC01 x.,-_\n\ré\u2028\t"


# Patterns that both read: what goes elsewhere is no case. Made once, so that every seed asks the same ones.
SAFE = [
    *(
        "a",
        "a|b",
        "(a)(b)?",
        "(a+)b",
        "a*",
        "^a",
        "a$",
        "$",
        "^",
        "",
        "\\w+",
        "(a|ab)(c|bcd)*",
        "(\\w+)\\s(\\w+)",
    ),
    *(
        "(?i)AB",
        "(?s)a.b",
        "(?m)^a$",
        "[^\\s]+",
        "(a)|(b)",
        "(?:ab)+",
        "(ab){2}",
        "a{2,3}?",
        "a++b",
        "(?<=a)b",
        "(?<!a)b",
    ),
    *("a(?=b)", "a(?!b)", "(a)\\1", "(?>a+)b", ".", ".*", ".+?", "\\d+", "[\\w.-]+", "(?<n>a)b"),
    *("x*", "(x|y*)*", "(a*)+", "\\Qa.b\\E", "[A-Z]\\.", "\\x41", "a\\Z", "\\Aa", "b\\z", "(a?)(b?)(c?)"),
]


def matched(rng: random.Random, rows: int) -> pa.Table:
    def value() -> str | None:
        if rng.random() < 0.02:
            return None
        return "".join(rng.choice(LETTERS) for _ in range(rng.choice([0, 1, 2, 3, 4, 6, 9])))

    return table(
        a=(pa.string(), [value() for _ in range(rows)]),
        b=(pa.string(), [rng.choice(SAFE) for _ in range(rows)]),
        c=(pa.string(), [rng.choice(["", "x", "[$0]", "\\$", "a\\\\b", "é"]) for _ in range(rows)]),
        i=(pa.int32(), [rng.choice([-1, -1, 0, 1, 2, 3]) for _ in range(rows)]),
    )


case("regex_rlike", matched, "rlike(a, b)", "spark_rlike(a, b)")
case("regex_extract", matched, "regexp_extract(a, b, 0)", "spark_regexp_extract(a, b, 0)")
case("regex_extract_all", matched, "regexp_extract_all(a, b, 0)", "spark_regexp_extract_all(a, b, 0)")
case("regex_count", matched, "regexp_count(a, b)", "spark_regexp_count(a, b)")
case("regex_instr", matched, "regexp_instr(a, b)", "spark_regexp_instr(a, b)")
case("regex_replace", matched, "regexp_replace(a, b, c)", "spark_regexp_replace(a, b, c, 1)")
case("regex_replace_from", matched, "regexp_replace(a, b, c, 3)", "spark_regexp_replace(a, b, c, 3)")
case("regex_split", matched, "split(a, b, i)", "spark_split(a, b, i)")


def liked(rng: random.Random, rows: int) -> pa.Table:
    def word(alphabet: str) -> str:
        return "".join(rng.choice(alphabet) for _ in range(rng.randint(0, 6)))

    return table(
        a=(pa.string(), [word("abé%_\n") for _ in range(rows)]),
        b=(pa.string(), [word("abé%_%").replace("é", "/%") for _ in range(rows)]),
    )


case("regex_like", liked, "a LIKE b ESCAPE '/'", "spark_like(a, b, '/')")


PIECES = (
    ["http", "https", "", "h-1.x", "1a", "mailto"],
    ["://", "://", ":", ":/", "//", ""],
    ["", "", "u@", "u:p@", "u%41@", "u%4@"],
    ["host.com", "1.2.3.4", "1.2.3", "256.1.1.1", "a-b.c", "a-.b", "a.1b", "", "h_x", "a.", "a b"],
    ["", "", ":80", ":", ":8a"],
    ["", "/", "/a/b.html", "/a b", "/%20", "/%2", "//x"],
    ["", "?", "?x=1&y=2", "?y=&x=3", "?xx=1", "?q={1}"],
    ["", "", "#", "#frag", "#a#b"],
)
PARTS = ["HOST", "PATH", "QUERY", "REF", "PROTOCOL", "FILE", "AUTHORITY", "USERINFO", "host"]


def addresses(rng: random.Random, rows: int) -> pa.Table:
    return table(
        a=(pa.string(), ["".join(map(rng.choice, PIECES)) for _ in range(rows)]),
        b=(pa.string(), [rng.choice(PARTS) for _ in range(rows)]),
    )


case("url_part", addresses, "try_parse_url(a, b)", "spark_parse_url_try(a, b)")
case("url_key", addresses, "try_parse_url(a, 'QUERY', 'x')", "spark_parse_url_try(a, 'QUERY', 'x')")


def amounts(rng: random.Random, rows: int) -> pa.Table:
    def amount() -> str:
        digits = "".join(rng.choice("0123456789") for _ in range(rng.randint(0, 6)))
        whole = digits[:-3] + "," + digits[-3:] if len(digits) > 3 and rng.random() < 0.6 else digits
        return rng.choice(["", "", "-", "+", "$", "<", " "]) + whole + rng.choice(["", ".", ".5", ".25", "-", ">", "x"])

    return table(
        a=(pa.string(), [amount() for _ in range(rows)]),
        i=(pa.int32(), [rng.choice([0, 1, -1, rng.randint(-99999, 99999)]) for _ in range(rows)]),
        b=(pa.binary(), [bytes(rng.choice([0, 65, 255]) for _ in range(rng.randint(0, 5))) for _ in range(rows)]),
        j=(pa.int32(), [rng.randint(-6, 6) for _ in range(rows)]),
    )


for number, form in enumerate(["99,999.99", "S00000", "$9,999D0MI", "99999.9PR", "MI9G999"]):
    scale = len(form.partition(".")[2].strip("PRMIS")) if "." in form else 1 if "D" in form else 0
    case(f"number_read_{number}", amounts, f"try_to_number(a, '{form}')", f"spark_try_to_number_{scale}(a, '{form}')")
    case(f"number_shown_{number}", amounts, f"to_char(i, '{form}')", f"spark_to_char(i, '{form}')")

case("bytes_substring", amounts, "substring(b, j, 2)", "spark_bytes_substring(b, j, 2)")
case("bytes_lpad", amounts, "lpad(b, j, X'0102')", "spark_bytes_lpad(b, j, unhex('0102'))")
case("bytes_reverse", amounts, "reverse(b)", "spark_bytes_reverse(b)")
