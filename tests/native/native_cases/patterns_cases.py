"""Cases of date_format and of parsing with a pattern."""

import random
import re

import pyarrow as pa

from native_cases.case import case, mutated, table

FORMATS = re.split(
    r"[|\n]",
    """yyyy-MM-dd|yyyy-MM-dd HH:mm:ss|yyyy-MM-dd'T'HH:mm:ss.SSSXXX|dd/MM/yyyy|MMM d, yyyy|MMMM dd yyyy|yyyyMMdd|yy M d
EEE, dd MMM yyyy|EEEE|h:mm a|hh:mm:ss a|K k|D DD DDD|Q QQ QQQ QQQQ|q|G yyyy GGGG|y yyy yyyyy yyyyyy
S SS SSSSSS SSSSSSSSS|X XX XXX XXXX XXXXX|x xx xxx xxxx xxxxx|Z ZZ ZZZ ZZZZ ZZZZZ|O OOOO|VV|'it''s' yyyy''[-MM][dd]
L LL LLL LLLL|HH H mm m ss s""",
)
ZONES = {"utc": "UTC", "st_johns": "America/St_Johns", "kolkata": "Asia/Kolkata"}


def instants(rng: random.Random, rows: int) -> pa.Table:
    """Instants near now, far away, and anywhere, each with one of the patterns."""
    spans = [(0, 2 * 10**15), (-6 * 10**16, 3 * 10**17), (-(10**14), 10**14)]
    return table(
        a=(pa.int64(), [rng.randint(*rng.choice(spans)) for _ in range(rows)]),
        p=(pa.string(), [FORMATS[row % len(FORMATS)] for row in range(rows)]),
    )


for tag, zone in ZONES.items():
    case(
        f"date_format_{tag}",
        instants,
        "date_format(timestamp_micros(a), p)",
        f"spark_date_format(make_timestamptz(a), p, '{zone}')",
        zone=zone,
    )

PARSED = {
    "yyyy-MM-dd": "2024-03-05|1999-12-31|2024-02-30|+12024-01-01|-0044-01-01|0001-01-01|24-3-5",
    "yyyy-MM-dd HH:mm:ss": "2024-03-10 02:30:00|2024-11-03 01:30:00|2024-03-05 24:00:00|2024-03-05 23:59:60",
    "dd/MM/yyyy": "05/03/2024|31/04/2024|5/3/2024",
    "d/M/yyyy": "5/3/2024|31/4/2024|05/03/2024|-5/3/2024",
    "yyyyMMdd": "20240305|2024035|120240305|+120240305",
    "yyyyMMddHHmmss": "20240305121314|2024030512131",
    "MMM d, yyyy": "Mar 5, 2024|mar 15, 2024|March 5, 2024|MAY 1, 2024",
    "MMMM d yyyy": "March 5 2024|may 1 2024|Mar 5 2024",
    "yy-MM-dd": "24-03-05|2024-03-05|4-03-05",
    "y-M-d": "2024-3-5|24-03-05|-5-1-1|12345-1-1",
    "hh:mm a yyyy": "03:07 PM 2024|12:00 AM 2024|13:00 PM 2024|00:30 am 2024",
    "h:mm yyyy": "3:07 2024|12:59 2024|0:10 2024",
    "HH:mm": "03:07|23:59|24:00|3:07",
    "yyyy-MM-dd'T'HH:mm:ss.SSSXXX": "2024-03-05T01:02:03.123Z|2024-03-05T01:02:03.1+05:30|2024-03-05t01:02:03.12-08:00",
    "yyyy-MM-dd HH:mm:ss.SSSSSS": "2024-03-05 01:02:03.123456|2024-03-05 01:02:03.1|2024-03-05 01:02:03.",
    "yyyy-MM-dd HH:mm:ssZ": "2024-03-05 01:02:03+0100|2024-03-05 01:02:03-1830|2024-03-05 01:02:03Z",
    "yyyy-MM-dd HH:mm:ssX": "2024-03-05 01:02:03+01|2024-03-05 01:02:03-0130|2024-03-05 01:02:03Z",
    "yyyy-MM-dd[ HH:mm[:ss]]": "2024-03-05|2024-03-05 01:02|2024-03-05 01:02:03|2024-03-05 01",
    "yyyy": "2024|12024|+12024|-2024|024",
    "yyyy-MM": "2024-03|2024-3|2024-13",
    "MM/dd/yyyy HH:mm:ss": "03/05/2024 01:02:03|03/05/2024 1:02:03",
}


TOO_LATE = re.compile(r"\d{16}|[+-]\d{10}|(^|[^\d.])\d{6,7}($|\D)")  # years whose microseconds overflow raise in Spark


def texts(rng: random.Random, rows: int) -> pa.Table:
    """Texts that fit a pattern or nearly do."""
    shapes: list[str] = []
    words: list[str] = []
    while len(words) < rows:
        shape, seeds = rng.choice(list(PARSED.items()))
        word = mutated(rng, rng.choice(seeds.split("|")), "0123456789-:/ .+TZaPM")
        if not TOO_LATE.search(word):
            shapes.append(shape)
            words.append(word)
    return table(a=(pa.string(), words), p=(pa.string(), shapes))


for tag, zone in {"utc": "UTC", "los_angeles": "America/Los_Angeles"}.items():
    duck = f"spark_parse_timestamp(a, p, '{zone}')"
    case(f"parse_timestamp_{tag}", texts, "try_to_timestamp(a, p)", duck, zone=zone)
