"""Values with a meaning: texts that look like numbers, dates, JSON and the like, small integers, years, near days."""

import random
import struct
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from tools.fuzz.texts import TEXTS
from tools.fuzz.values import text

Make = Callable[[random.Random], Any]


def among(*texts: str, changed: float = 0.3) -> Make:
    """One of the texts; often with a character taken out, put in or made another, sometimes with blanks around."""

    def make(chance: random.Random) -> str:
        chosen = chance.choice(texts)
        if chance.random() >= changed:
            return chosen
        return chance.choice([mutated, mutated, padded])(chosen, chance)

    return make


def mutated(chosen: str, chance: random.Random) -> str:
    place = chance.randrange(len(chosen) + 1)
    new = chance.choice("0123456789" + (chosen or "x") + " -.:,")
    return chosen[:place] + chance.choice(["", new]) + chosen[place + chance.choice([0, 1]) :]


def padded(chosen: str, chance: random.Random) -> str:
    return chance.choice(["", " ", "\t", "\n"]) + chosen + chance.choice(["", " ", "\u00a0", "\r\n"])


def within(least: int, most: int) -> Make:
    return lambda chance: chance.randint(least, most)


def number_text(chance: random.Random) -> str:
    made = f"{chance.choice(['', '-', '+'])}{chance.randint(0, 10 ** chance.randrange(1, 22))}"
    part = f".{chance.randint(0, 10 ** chance.randrange(1, 12))}" if chance.random() < 0.6 else ""
    power = f"{chance.choice('eE')}{chance.randint(-20, 20)}" if chance.random() < 0.3 else ""
    return chance.choice([made, made + part, made + part + power, NUMBERS(chance)])


def short_text(chance: random.Random) -> str:
    """Of few letters, so that texts are found in each other."""
    letters = chance.choice(["ab", "ab,", "aAäÄ", "😀a\u0301", "a.b", "% _a"])
    return "".join(chance.choices(letters, k=chance.choice([0, 1, 1, 2, 3, 6])))


def subject(chance: random.Random) -> Any:
    made = "".join(chance.choices("abcABC012 ,.;-_\n\té😀ß", k=chance.randrange(12)))
    return chance.choice([made, made, chance.choice(TEXTS["subject"]), text(None, chance)])


def near_day(chance: random.Random) -> date:
    return date(2024, 1, 25) + timedelta(chance.randrange(70))


def near_moment(chance: random.Random) -> datetime:
    return datetime(2024, 3, 8, tzinfo=UTC) + timedelta(minutes=chance.randrange(6000))


def seconds(chance: random.Random) -> Decimal:
    return Decimal(chance.choice([chance.randint(0, 60_000_000), 60_000_000, chance.randint(-1, 62_000_000)])).scaleb(
        -6
    )


def clock_text(chance: random.Random) -> str:
    hour, minute, second = chance.randrange(25), chance.randrange(61), chance.randrange(61)
    fraction = chance.choice(["", "", f".{chance.randrange(10 ** chance.randrange(1, 8))}"])
    half = chance.choice(["", "", " AM", "pm"])
    made = chance.choice([f"{hour:02}:{minute:02}:{second:02}{fraction}{half}", f"{hour}:{minute}{half}", f"T{hour}"])
    return mutated(made, chance) if chance.random() < 0.2 else made


def point(chance: random.Random) -> bytes:
    """Well-known binary: of a point most often."""
    order, (x, y) = chance.choice("<>"), (chance.uniform(-200, 200), chance.uniform(-100, 100))
    made = struct.pack(f"{order}BIdd", order == "<", 1, x, y)
    return made if chance.random() < 0.9 else made[: chance.randrange(22)]


def any_seconds(chance: random.Random) -> int:
    return chance.choice(
        [chance.randint(-(10**10), 10**10), chance.randint(-(10**12), 10**12), chance.randint(0, 2 * 10**9), 0, -1]
    )


def unit(chance: random.Random) -> float:
    return chance.choice(
        [
            chance.uniform(-1, 1),
            chance.uniform(-1, 1),
            round(chance.uniform(-9, 9), 3),
            chance.gauss(0, 30),
            0.0,
            -0.0,
            1.0,
        ]
    )


def time_of_day(chance: random.Random) -> str:
    """One that there is."""
    fraction = chance.choice(["", "", f".{chance.randrange(10 ** chance.randrange(1, 7))}"])
    return f"{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}{fraction}"


def amount(chance: random.Random) -> str:
    """As the format $9,999.99 wants it, most often."""
    made = f"${chance.randrange(1, 10)},{chance.randrange(1000):03}.{chance.randrange(100):02}"
    return chance.choice([made, made, made, made[0] + made[3:], mutated(made, chance)])


def numbers_in_xml(chance: random.Random) -> str:
    inner = "".join(f"<b>{chance.randint(-40_000, 40_000)}</b>" for _ in range(chance.randrange(1, 4)))
    return f'<a x="{chance.randrange(1000)}">{inner}<c>{chance.randrange(9)}.{chance.randrange(99)}</c></a>'


def triple(chance: random.Random) -> list[float]:
    drawn = [chance.choice([chance.gauss(0, 3), float(chance.randint(-4, 4)), 0.0]) for _ in range(3)]
    return list(struct.unpack("<3f", struct.pack("<3f", *drawn)))


NUMBERS = among(*TEXTS["number"])
DOMAINS: dict[str, Make] = {
    "number": number_text,
    "short": short_text,
    "subject": subject,
    "like": lambda chance: "".join(chance.choices("ab%_A😀.", k=chance.randrange(5))),
    "date": among(*TEXTS["date"]),
    "timestamp": among(*TEXTS["timestamp"]),
    "time": among(*TEXTS["time"]),
    "interval": among(*TEXTS["interval"], changed=0.4),
    "json": among(*TEXTS["json"]),
    "json_path": among(*TEXTS["json_path"], changed=0.15),
    "csv": among(*TEXTS["csv"]),
    "url": among(*TEXTS["url"]),
    "xml": among(*TEXTS["xml"], changed=0.1),
    "percent": among(*TEXTS["percent"]),
    "pairs": among(*TEXTS["pairs"]),
    "hex": among(*TEXTS["hex"]),
    "base64": among(*TEXTS["base64"]),
    "unit": among(*TEXTS["unit"], changed=0.1),
    "weekday": among(*TEXTS["weekday"], changed=0.1),
    "formatted": among(*TEXTS["formatted"]),
    "clock": clock_text,
    "point": point,
    "day_seconds": within(-10, 86_410),
    "day_millis": within(0, 86_399_999),
    "day_micros": within(0, 86_399_999_999),
    "time_of_day": time_of_day,
    "hour_of_day": within(0, 23),
    "sixty": within(0, 59),
    "second_decimal": lambda chance: Decimal(chance.randrange(60_000_000)).scaleb(-6),
    "amount": amount,
    "xml_numbers": numbers_in_xml,
    "triple": triple,
    "place": within(1, 3),
    "whole": lambda chance: str(chance.randint(-(2**31), 2**31 - 1) >> chance.randrange(32)),
    "zone": among(*TEXTS["zone"], changed=0.05),
    "digits": lambda chance: (
        "".join(chance.choices("0123456789", k=chance.randrange(20))) + chance.choice(["", "", "x", " "])
    ),
    "small": within(-14, 25),
    "index": within(-6, 6),
    "scale": within(-2, 12),
    "shift": within(-70, 70),
    "base": within(-37, 37),
    "sha": lambda chance: chance.choice([0, 224, 256, 384, 512, 1, -1]),
    "weight": within(0, 5),
    "days": lambda chance: chance.choice(
        [chance.randint(-400, 400), chance.randint(-800_000, 800_000), chance.randint(-(10**8), 10**8)]
    ),
    "months": lambda chance: chance.choice([chance.randint(-30, 30), chance.randint(-30_000, 30_000)]),
    "year": lambda chance: chance.choice(
        [chance.randint(1890, 2100), chance.randint(1, 9999), chance.randint(-5, 10_003)]
    ),
    "month": within(0, 13),
    "dom": within(0, 32),
    "hour": within(-1, 25),
    "near_date": near_day,
    "near_timestamp": near_moment,
    "spans": lambda chance: timedelta(
        microseconds=chance.randint(-(10**15), 10**15) // chance.choice([1, 10**3, 10**9])
    ),
    "seconds_decimal": seconds,
    "seconds_bigint": any_seconds,
    "unit_double": unit,
    "some": within(0, 3),
    "some_string": lambda chance: chance.choice("abc"),
}


def maker_of(kind: str, domain: str) -> Make:
    """A name may mean another thing for another type: `unit` of doubles, `near` days, `seconds` of decimals."""
    first = kind.partition("(")[0]
    return DOMAINS[f"{domain}_{first}"] if f"{domain}_{first}" in DOMAINS else DOMAINS[domain]
