"""Cases of text to dates and timestamps, and of local time to instants."""

import random

import pyarrow as pa

from native_cases.case import case, table, text_inputs

ZONES = """Z|UTC|+01:00|-8:30|+08:3|GMT+3|UTC-11:30|UT+01| Europe/Paris|America/Los_Angeles|PST|EST|+18:00|+19:00|+0530
+05:30:15|Asia/Kolkata|Nowhere/Land|utc|UTC+25|-|+1|Z9""".replace("\n", "|").split("|")


def date_word(rng: random.Random) -> str:
    year = rng.choice([rng.randint(1, 9999), rng.randint(1900, 2100), rng.randint(10000, 999999), rng.randint(0, 99)])
    shape = rng.choice(["{:04d}", "{:04d}-{:02d}", "{:04d}-{:02d}-{:02d}", "{:04d}-{:d}-{:d}", "{:d}-{:02d}-{:02d}"])
    sign = rng.choice(["", "", "", "", "+", "-"])
    return sign + shape.format(year, rng.randint(0, 13), rng.randint(0, 32))


def timestamp_word(rng: random.Random) -> str:
    day = (
        f"{rng.randint(1900, 2100):04d}-{rng.randint(1, 12):02d}-{rng.randint(1, 28):02d}"
        if rng.random() < 0.7
        else date_word(rng)
    )
    if rng.random() < 0.15:
        return day
    clock = f"{rng.randint(0, 24)}:{rng.randint(0, 60):02d}:{rng.randint(0, 60):02d}"
    clock = clock[: rng.choice([2, 4, 5, 7, 8, 8, 8, 8])]
    fraction = "." + "".join(rng.choice("0123456789") for _ in range(rng.randint(0, 10))) if rng.random() < 0.5 else ""
    zone = rng.choice(ZONES) if rng.random() < 0.4 else ""
    return day + rng.choice([" ", " ", "T", "t"]) + clock + fraction + zone


DATES = text_inputs(date_word, "0123456789-+ T:/")
TIMESTAMPS = text_inputs(timestamp_word, "0123456789-+ T:.Z")
case(
    "string_to_date",
    text_inputs(lambda rng: rng.choice([date_word, timestamp_word])(rng), "0123456789-+ T:/"),
    "try_cast(a AS date)",
    "spark_string_to_date(a)",
)
case("string_to_timestamp_ntz", TIMESTAMPS, "try_cast(a AS timestamp_ntz)", "spark_string_to_timestamp_ntz(a)")
SESSION_ZONES = {
    "utc": "UTC",
    "los_angeles": "America/Los_Angeles",
    "lord_howe": "Australia/Lord_Howe",
    "kolkata": "Asia/Kolkata",
    "paris": "Europe/Paris",
}
for tag, zone in SESSION_ZONES.items():
    case(
        f"string_to_timestamp_{tag}",
        TIMESTAMPS,
        "try_cast(a AS timestamp)",
        f"spark_string_to_timestamp(a, '{zone}')",
        zone=zone,
    )


def local_inputs(rng: random.Random, rows: int) -> pa.Table:
    """Times from 1850 to 2150, half of them in the hours and months where clocks are changed."""
    values = []
    for _ in range(rows):
        day = rng.randint(-43830, 65745)
        second = rng.randint(0, 86399) if rng.random() < 0.5 else rng.randint(0, 4 * 3600)
        values.append((day * 86400 + second) * 10**6 + rng.choice([0, 1, 999999]))
    return table(a=(pa.int64(), values), d=(pa.int32(), [value // 86400_000000 for value in values]))


SPARK_LOCAL = "(timestamp_ntz'1970-01-01 00:00:00' + a * interval '0.000001' second)"
WITH_CHANGES = {"apia": "Pacific/Apia", "sao_paulo": "America/Sao_Paulo", "gaza": "Asia/Gaza"}
for tag, zone in {**SESSION_ZONES, **WITH_CHANGES}.items():
    for name, spark, duck in [
        ("local_to_instant", f"cast({SPARK_LOCAL} AS timestamp)", "make_timestamp(a)"),
        ("instant_to_local", "cast(timestamp_micros(a) AS timestamp_ntz)", "make_timestamptz(a)"),
        ("date_to_instant", "cast(date_from_unix_date(d) AS timestamp)", "(DATE '1970-01-01' + d)"),
    ]:
        case(f"{name}_{tag}", local_inputs, spark, f"spark_{name}({duck}, '{zone}')", zone=zone)
case(
    "date_to_string",
    local_inputs,
    "cast(date_from_unix_date(d) AS string)",
    "spark_date_to_string(DATE '1970-01-01' + d)",
)
