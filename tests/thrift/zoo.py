"""Every type Spark can send, with nulls, extremes and odd text: the queries all clients are asked."""

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
    "span": ["interval '-1 02:03:04.5' day to second", "interval '0' day", "interval '106751990' day"],
    "mixed": ["make_interval(1, -2, 3, 4, -5, 6, 7.5)", "make_interval(0, 0, 0, 0, 0, 0, 0)"],
    "ints": ["array(1, null, 3)", "array()"],
    "texts": ["array('a', null, 'b c')", "array()"],
    "pairs": ["map('k', 1.5BD, 'a', null)", "map()"],
    "keyed": ["map(2, timestamp'2020-01-01 00:00:00', 1, null)", "map()"],
    "record": ["named_struct('a', 1, 'b', 'x\"y', 'c d', array(date'2020-01-01'))"],
    "deep": ["array(named_struct('m', map('k', array(0.1D, null))), null)"],
    "nothing": ["null"],
    "padded": ["cast('c' as char(3))"],
    "folded": ["'Aa' collate UTF8_LCASE"],
}
TYPES = {
    "money": "decimal(18,4)",
    "ints": "array<int>",
    "texts": "array<string>",
    "pairs": "map<string,decimal(2,1)>",
    "keyed": "map<int,timestamp>",
    "span": "interval day to second",
}


def zoo_query() -> str:
    """All columns side by side, as many rows as the longest list and one of nulls; short lists end in nulls."""
    height = max(map(len, COLUMNS.values())) + 1
    rows = [", ".join([f"{at} at", *(value_of(name, at) for name in COLUMNS)]) for at in range(height)]
    whole = " union all ".join(f"select {row}" for row in rows)
    return f"select {', '.join(COLUMNS)} from ({whole}) order by at"


def value_of(name: str, at: int) -> str:
    value = COLUMNS[name][at] if at < len(COLUMNS[name]) else "null"
    return f"{f'cast({value} as {TYPES[name]})' if name in TYPES else value} {name}"


def whole_query() -> str:
    """One row with the first value of every column."""
    return "select " + ", ".join(f"{values[0]} {name}" for name, values in COLUMNS.items())
