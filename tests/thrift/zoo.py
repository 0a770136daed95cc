"""Every type Spark can send, with nulls, extremes and odd text: the queries all clients are asked."""

EMPTY = "array_remove(array({0}), {0})"  # typed, so that it needs no cast of nothing
COLUMNS = {
    "truth": ["true", "false"],
    "i8": ["-128Y", "127Y"],
    "i16": ["-32768S", "32767S"],
    "i32": ["-2147483648", "2147483647"],
    "i64": ["cast('-9223372036854775808' as bigint)", "9223372036854775807L"],
    "f32": ["0.1F", "cast('-Infinity' as float)", "cast('3.4028235E38' as float)"],
    "f64": ["1.0E10D", "cast('NaN' as double)", "4.9E-324D", "-0.0D", "123456.789D", "0.001D", "9999999.0D"],
    "money": ["1.50BD", "cast(-0.01 as decimal(18,4))", "cast(12345678901234.5678 as decimal(18,4))"],
    "whole": ["cast('99999999999999999999999999999999999999' as decimal(38,0))", "cast(-1 as decimal(38,0))"],
    "tiny": ["cast('0.00000000000000000000000000000000000001' as decimal(38,38))", "cast(0 as decimal(38,38))"],
    "words": ["'plain'", "''", r"'quote\" comma, brace} \\ back'", "'äöü 漢字 😀'", r"'line\nbreak\ttab'", "'null'"],
    "bytes": ["X'00FF80'", "X''", "cast('text' as binary)"],
    "day": ["date'2020-02-29'", "date'0001-01-01'", "date'1582-10-10'", "date'9999-12-31'"],
    "moment": [
        "timestamp'2020-01-01 00:00:00.123456'",
        "timestamp'0001-01-01 00:00:00'",
        "timestamp'1582-10-10 12:00:00.1'",
        "timestamp'9999-12-31 23:59:59.999999'",
        "timestamp'1969-12-31 23:59:59.999999'",
    ],
    "wall": ["timestamp_ntz'2020-03-29 02:30:00'", "timestamp_ntz'0001-01-01 00:00:00'"],
    "span": [
        "interval '-1 02:03:04.5' day to second",
        "interval '0 00:00:00' day to second",
        "interval '106751990 00:00:00' day to second",
    ],
    "ints": ["array(1, null, 3)", "array()"],
    "texts": ["array('a', null, 'b c')", "array()"],
    "pairs": [
        "map('k', 1.5BD, 'a', null)",
        "map_from_arrays(array_remove(array('k'), 'k'), array_remove(array(1.5BD), 1.5BD))",
    ],
    "keyed": ["map(2, timestamp'2020-01-01 00:00:00', 1, null)"],
    "record": ["named_struct('a', 1, 'b', 'x\"y', 'c d', array(date'2020-01-01'))"],
    "nothing": ["null"],
}
# What the embedded engine leaves to Spark; the rest needs no JVM.
FROM_SPARK = {
    "mixed": ["make_interval(1, -2, 3, 4, -5, 6, 7.5)", "make_interval(0, 0, 0, 0, 0, 0, 0)"],
    "deep": ["array(named_struct('m', map('k', array(0.1D, null))), null)"],
    "padded": ["cast('c' as char(3))"],
    "folded": ["'Aa' collate UTF8_LCASE"],
}
ALL = COLUMNS | FROM_SPARK
TYPES = {
    "money": "decimal(18,4)",
    "ints": "array<int>",
    "texts": "array<string>",
    "pairs": "map<string,decimal(2,1)>",
    "keyed": "map<int,timestamp>",
    "span": "interval day to second",
}


Zoo = dict[str, list[str]]


def zoo_query(zoo: Zoo = COLUMNS) -> str:
    """All columns side by side, as many rows as the longest list and one of nulls; short lists end in nulls."""
    height = max(map(len, zoo.values())) + 1
    rows = [", ".join([f"{at} at", *(value_of(zoo, name, at) for name in zoo)]) for at in range(height)]
    whole = " union all ".join(f"select {row}" for row in rows)
    return f"select {', '.join(zoo)} from ({whole}) order by at"


def value_of(zoo: Zoo, name: str, at: int) -> str:
    value = zoo[name][at] if at < len(zoo[name]) else "null"
    return f"{f'cast({value} as {TYPES[name]})' if name in TYPES else value} {name}"


def whole_query(zoo: Zoo = COLUMNS) -> str:
    """One row with the first value of every column."""
    return "select " + ", ".join(f"{values[0]} {name}" for name, values in zoo.items())
