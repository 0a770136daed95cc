"""How fast the native functions are beside DuckDB's nearest own ones.  usage: native.py [ROWS]"""

from __future__ import annotations

import sys
import time

import duckdb

from twinspark.duck import native

# what is measured, DuckDB's nearest own expression (not exact as Spark has it), ours
MEASURED = [
    ("decimal divide (15,2)/(15,2)", "p / q", "spark_decimal_divide_18(p, q, 34)"),
    ("decimal multiply (38,6)*(38,6)", "w::DOUBLE * w::DOUBLE", "spark_decimal_multiply_6(w, w, 38)"),
    ("string to int", "TRY_CAST(n AS INTEGER)", "spark_string_to_int(n)"),
    ("string to double", "TRY_CAST(f AS DOUBLE)", "spark_string_to_double(f)"),
    ("string to decimal(18,4)", "TRY_CAST(f AS DECIMAL(18,4))", "spark_string_to_decimal_4(f, 18)"),
    ("string to date", "TRY_CAST(t AS DATE)", "spark_string_to_date(t)"),
    ("string to timestamp", "TRY_CAST(t AS TIMESTAMP)", "spark_string_to_timestamp(t, 'America/New_York')"),
    ("double to string", "d::VARCHAR", "spark_double_to_string(d)"),
    ("round(double, 2)", "round(d, 2)", "spark_round(d, 2)"),
    ("exp", "exp(s)", "spark_exp(s)"),
    ("ln", "ln(abs(d) + 1)", "spark_ln(abs(d) + 1)"),
    ("pow", "pow(abs(s), s)", "spark_pow(abs(s), s)"),
    ("hash of bigint", "hash(i)", "spark_hash(i, 42)"),
    ("xxhash64 of text", "hash(t)", "spark_xxhash64(t, 42)"),
    ("sha2 512", "sha256(t)", "spark_sha2(t, 512)"),
    ("upper", "upper(t)", "spark_upper(t)"),
    ("levenshtein", "levenshtein(t, n)", "spark_levenshtein(t, n)"),
    ("date_format", "strftime(z, '%Y-%m-%d')", "spark_date_format(z, 'yyyy-MM-dd', 'UTC')"),
    ("to_timestamp", "try_strptime(t, '%Y-%m-%d %H:%M:%S')", "spark_parse_timestamp(t, 'yyyy-MM-dd HH:mm:ss', 'UTC')"),
    ("avg of decimal(10,2)", "avg(p)", "spark_decimal_average_6(p::DECIMAL(10,2), 14)"),
    ("sum of decimal(38,6)", "sum(w)", "spark_decimal_sum_6(w, 38)"),
    ("approx_count_distinct", "approx_count_distinct(i)", "spark_approx_count_distinct(i, 9)"),
]

TABLE = """CREATE TABLE measured AS SELECT i, (random() * 1e6)::DECIMAL(15,2) AS p,
    (random() * 1e4 + 1)::DECIMAL(15,2) AS q,
    (random() * 1e9)::DECIMAL(38,6) AS w, (random() * 1e9)::BIGINT::VARCHAR AS n, (random() * 1e6)::VARCHAR AS f,
    (random() - 0.5) * 1e6 AS d, (random() - 0.5) * 10 AS s,
    (TIMESTAMP '2000-01-01' + INTERVAL (random() * 8e8) SECOND)::TIMESTAMP_S::VARCHAR AS t,
    make_timestamptz((random() * 1e15)::BIGINT) AS z FROM range(?) rows(i)"""


def seconds(on: duckdb.DuckDBPyConnection, expression: str) -> float:
    """CPU seconds of the expression over the table, under max() so that it is not left out; the better of two runs."""
    aggregate = any(expression.startswith(name) for name in ("avg(", "sum(", "approx", "spark_decimal_average"))
    aggregate |= expression.startswith(("spark_decimal_sum", "spark_approx"))
    query = f"SELECT {expression} FROM measured" if aggregate else f"SELECT max({expression}) FROM measured"
    best = float("inf")
    for _ in range(2):
        before = time.process_time()
        on.execute(query).fetchall()
        best = min(best, time.process_time() - before)
    return max(best, 1e-6)


def main(rows: int) -> None:
    on = duckdb.connect(config=native.CONFIG)
    if not native.load(on):
        sys.exit("the native extension is not built: python -m twinspark.duck.native.build")
    on.execute("SET threads = 1")
    on.execute("SET TimeZone = 'UTC'")
    on.execute(TABLE, [rows])
    print(f"{'million rows per CPU second':34} {'DuckDB':>8} {'ours':>8}")
    for name, theirs, ours in MEASURED:
        rates = [rows / seconds(on, expression) / 1e6 for expression in (theirs, ours)]
        print(f"{name:34} {rates[0]:8.1f} {rates[1]:8.1f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
