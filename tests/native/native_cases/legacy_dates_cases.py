"""Cases of datetime patterns under spark.sql.legacy.timeParserPolicy = LEGACY: java.text.SimpleDateFormat."""

import random
from functools import cache

import duckdb
import pyarrow as pa

from native_cases.case import case, mutated, table
from twinspark.duck import native

LEGACY = {"spark.sql.legacy.timeParserPolicy": "LEGACY"}
WRITTEN = [
    *("yyyy-MM-dd", "yyyy-MM-dd HH:mm:ss", "dd/MM/yyyy", "G GG GGGG", "y yy yyy yyyy yyyyy yyyyyy", "M MM MMM MMMM"),
    *("L LL LLL LLLL", "E EE EEE EEEE EEEEE", "d dd ddd", "H HH HHH h hh k kk K KK", "m mm s ss", "S SS SSS SSSSSS"),
    *("a aa", "F FF", "u uu", "'it''s' ''yyyy", "[yyyy]{MM}#", "yyyyMMddHHmmssSSS", "", ".,;:!"),
]
NEAR = ["D DD DDD DDDD", "w ww W", "Y YY YYYY YYYYY", "Z ZZ", "X XX XXX"]  # of years since 1901
SPANS = [(0, 2 * 10**15), (-62135 * 10**12, 253402 * 10**12), (-12219292800 * 10**6, 0)]


def instants(rng: random.Random, rows: int) -> pa.Table:
    """No day that is missing between the two calendars."""
    patterns = [rng.choice(WRITTEN + NEAR) for _ in range(rows)]
    times = [rng.randint(*(SPANS[0] if pattern in NEAR else rng.choice(SPANS))) for pattern in patterns]
    found = [(time, p) for time, p in zip(times, patterns, strict=True) if abs(time + 12219735600000000) > 10**12]
    return table(a=(pa.int64(), [time for time, _ in found]), p=(pa.string(), [p for _, p in found]))


READ = {
    "yyyy-MM-dd": "2024-03-05|2024-3-5|2024-02-30|2024-03-05 10:11|1583-01-01|0044-03-15|24-3-5|2024-13-01|2024- 3-\t5",
    "yyyy-MM-dd HH:mm:ss": "2024-03-10 05:30:00|2024-03-05 24:00:00|2024-03-05 23:59:60|2024-3-5 1:2:3|2024-03-05",
    "dd/MM/yyyy": "05/03/2024|31/04/2024|5/3/2024|05/03/24|2024-03-05",
    "yyyyMMdd": "20240305|2024035|202403051|2024 3 5|20240305x",
    "yyyyMMddHHmmss": "20240305121314|2024030512131|202403051213145",
    "MMM d, yyyy": "Mar 5, 2024|mar 15, 2024|March 5, 2024|MAY 1, 2024| Mar 5, 2024|Marc 5, 2024",
    "dd-MMM-yyyy": "05-Mar-2024|5-march-2024|05-03-2024",
    "EEE, dd MMM yyyy HH:mm:ss": "Tue, 05 Mar 2024 01:02:03|Mon, 05 Mar 2024 01:02:03|Tuesday, 5 Mar 2024 1:2:3",
    "hh:mm a yyyy": "03:07 PM 2024|12:00 AM 2024|13:00 PM 2024|00:30 am 2024",
    "HH:mm a": "13:00 PM|13:00 AM|1:00 am",
    "k:mm": "24:10|0:10|1:60",
    "K:mm a": "11:59 PM|12:00 AM",
    "yyyy-DDD": "2024-366|2023-366|2024-1",
    "dd-DDD": "31-365|30-365",
    "DDD-dd": "31-31|365-31",
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX": "2024-03-05T01:02:03.123Z|2024-03-05T01:02:03.1+05:30|2024-03-05T01:02:03.12-0800",
    "yyyy-MM-dd HH:mm:ssZ": "2024-03-05 01:02:03+0100|2024-03-05 01:02:03-1330",
    "yyyy-MM-dd HH:mm:ssX": "2024-03-05 01:02:03+01|2024-03-05 01:02:03-0130|2024-03-05 01:02:03Z",
    "yyyy-MM-dd HH:mm:ss.SSSSSS": "2024-03-05 01:02:03.123456|2024-03-05 01:02:03.1|2024-03-05 01:02:03.",
    "'day' d '''of''' M yyyy": "day 5 'of' 3 2024|day 5 of 3 2024",
}


def texts(rng: random.Random, rows: int) -> pa.Table:
    """Texts that fit a pattern or nearly do; what the function leaves to Spark is left out: far years, odd digits."""
    words: list[tuple[str, str]] = []
    while len(words) < rows:
        pattern, seeds = rng.choice(list(READ.items()))
        word = mutated(rng, rng.choice(seeds.split("|")), "0123456789-:/ .+TaPM")
        if word.isascii() and "E" not in word and "N" not in word and answered(word, pattern):
            words.append((word, pattern))
    return table(a=(pa.string(), [word for word, _ in words]), p=(pa.string(), [pattern for _, pattern in words]))


def answered(word: str, pattern: str) -> bool:
    try:
        for zone in ("UTC", "America/Los_Angeles"):
            engine().execute("SELECT spark_legacy_parse(?, ?, ?)", [word, pattern, zone]).fetchall()
    except duckdb.Error:
        return False
    return True


@cache
def engine() -> duckdb.DuckDBPyConnection:
    made = duckdb.connect(config=native.CONFIG)
    native.load(made)
    return made


for tag, zone in {"utc": "UTC", "los_angeles": "America/Los_Angeles"}.items():
    written = f"spark_legacy_date_format(make_timestamptz(a), p, '{zone}')"
    case(
        f"legacy_date_format_{tag}",
        instants,
        "date_format(timestamp_micros(a), p)",
        written,
        zone=zone,
        settings=LEGACY,
    )
    read = f"spark_legacy_parse(a, p, '{zone}')"
    case(f"legacy_parse_{tag}", texts, "try_to_timestamp(a, p)", read, zone=zone, settings=LEGACY)
