"""Parses the values of Spark's settings by their types, as Spark's ConfigBuilder does, or raises Spark's error.

Settings are read with `value_of`, `is_on`, `number_of` or `text_of`; a key that is not set has Spark's default.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any

from twinspark.config.entries import ZONE, ConfigEntry, defaults, entries, zone_names
from twinspark.config.zones import SHORT_ZONES, SYSTEM_V
from twinspark.errors import SparkError

Value = bool | int | float | str
BLANKS = "".join(map(chr, range(33)))  # what Java's String.trim removes
ZONE_OFFSET = re.compile(r"(?:UTC|GMT|UT)?[+-](?:0?\d|1[0-8])(?::?[0-5]\d(?::?[0-5]\d)?)?|Z|UTC|GMT|UT")
INT, LONG = 2**31, 2**63
DECIMAL = re.compile(r"[+-]?(NaN|Infinity|(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[fFdD]?)", re.ASCII)
HEXADECIMAL = re.compile(r"[+-]?0[xX]([0-9a-fA-F]+\.?[0-9a-fA-F]*|\.[0-9a-fA-F]+)[pP][+-]?\d+[fFdD]?", re.ASCII)
BYTES = {"b": 1, **{unit: 1024**power for power, letter in enumerate("kmgtp", 1)
                    for unit in (letter, f"{letter}b", f"{letter}ib")}}  # fmt: skip
MICROS = {"us": 1, "ms": 10**3, "s": 10**6, "m": 60 * 10**6, "min": 60 * 10**6, "h": 3600 * 10**6, "d": 86400 * 10**6}
# The units of the last word of a type: "bytes in MiB", "time in SECONDS".
BYTE_UNITS = {"BYTE": 1, "KiB": 2**10, "MiB": 2**20}
TIME_UNITS = {"MILLISECONDS": "ms", "SECONDS": "s", "MINUTES": "min"}


# ---- settings by their keys


def value_of(config: Mapping[str, str], key: str) -> Value | None:
    """The typed value that is set, or the default; None for a key that has neither."""
    text = config.get(key)
    text = defaults().get(key) if text is None else text
    return None if text is None else typed_value(key, text)


def is_on(config: Mapping[str, str], key: str) -> bool:
    return value_of(config, key) is True


def number_of(config: Mapping[str, str], key: str) -> int:
    value = value_of(config, key)
    assert isinstance(value, int), f"{key} is no number"
    return value


def text_of(config: Mapping[str, str], key: str) -> str:
    """The value of a string setting; options are spelled as Spark lists them."""
    value = value_of(config, key)
    assert isinstance(value, str), f"{key} is no text"
    return value


def setting_text(config: Mapping[str, str], key: str) -> str:
    """The text that was set, or the text of the default, as `SET key` shows it."""
    text = config.get(key)
    return defaults()[key] if text is None else text


def normal_text(config: Mapping[str, str], key: str) -> str:
    """The normalized text of the value, as Spark passes it to other processes: `true` where ` TrUe ` was set."""
    value = value_of(config, key)
    return str(value).lower() if isinstance(value, bool) else str(value)


def first_unusual(config: Mapping[str, str], keys: Iterable[str]) -> str | None:
    """The first key whose value differs from Spark's default; a boolean setting without a default counts as false."""
    return next((key for key in keys if (value_of(config, key) or False) != (default_of(key) or False)), None)


@lru_cache(4096)
def default_of(key: str) -> Value | None:
    return value_of({}, key)


@lru_cache(4096)
def typed_value(key: str, text: str) -> Value:
    entry = entries().get(key)
    return text if entry is None else read_value(entry, text)


# ---- values by their types


def read_value(entry: ConfigEntry, text: str) -> Value:
    """Parses the text; raises INVALID_CONF_VALUE as Spark does when such a text is set."""
    if entry.key == ZONE and not is_zone(text):
        raise invalid("TIME_ZONE", entry, text)
    value = read_option(entry, text) if entry.options else read_typed(entry, text)
    if entry.least and not isinstance(value, str) and value < int(entry.least):
        raise invalid("REQUIREMENT", entry, text, confRequirement=entry.requirement)
    return value


def read_typed(entry: ConfigEntry, text: str) -> Value:
    if not entry.type:
        return text
    value = READERS[entry.type.split(" ")[0]](text, entry.type.split(" ")[-1])
    if value is None:
        raise invalid("TYPE_MISMATCH", entry, text, confType=entry.type)
    return value


def read_option(entry: ConfigEntry, text: str) -> str:
    """Finds the option by the entry's `spelling`: exact, ignoring case, or ignoring case and blanks."""
    is_upper = entry.options[0] == entry.options[0].upper()
    folded = text if entry.spelling == "exact" else text.upper() if is_upper else text.lower()
    value = folded.strip(BLANKS) if entry.spelling == "trimmed" else folded
    if value not in entry.options:
        shown = folded if entry.spelling == "folded" else text
        raise invalid("OUT_OF_RANGE_OF_OPTIONS", entry, shown, confOptions=", ".join(entry.options))
    return value


def invalid(kind: str, entry: ConfigEntry, text: str, **more: Any) -> SparkError:
    return SparkError(f"INVALID_CONF_VALUE.{kind}", confName=entry.key, confValue=text, **more)


def is_zone(text: str) -> bool:
    if text in zone_names() or text in SHORT_ZONES:
        return True
    return bool(ZONE_OFFSET.fullmatch(text) or SYSTEM_V.fullmatch(text))


def read_boolean(text: str, unit: str = "") -> bool | None:
    return {"true": True, "false": False}.get(text.strip(BLANKS).lower())


def read_integer(text: str, unit: str) -> int | None:
    """Accepts digits of any script, as Integer.parseInt and Long.parseLong do."""
    bound = INT if unit == "int" else LONG
    found = re.fullmatch(r"[+-]?\d+", text.strip(BLANKS))
    return int(found[0]) if found and -bound <= int(found[0]) < bound else None


def read_double(text: str, unit: str) -> float | None:
    word = text.strip(BLANKS)
    if HEXADECIMAL.fullmatch(word):
        return float.fromhex(word.rstrip("fFdD"))
    return float(word.rstrip("fFdD")) if DECIMAL.fullmatch(word) else None


def read_bytes(text: str, unit: str) -> int | None:
    """JavaUtils.byteStringAs: a number in the unit of the setting, or a number directly followed by a unit."""
    found = re.fullmatch(r"(-?)([0-9]+)([a-z]*)", text.strip(BLANKS).lower())
    own = BYTE_UNITS[unit]
    if found is None or (found[3] and found[3] not in BYTES) or (found[1] and text[0] != "-"):
        return None
    size = int(found[2]) * BYTES.get(found[3], own) // own
    return (-size if found[1] else size) if size < LONG else None


def read_time(text: str, unit: str) -> int | None:
    """JavaUtils.timeStringAs; a time that does not fit into 64 bits becomes the greatest or least value."""
    found = re.fullmatch(r"(-?[0-9]+)([a-z]*)", text.strip(BLANKS).lower())
    if found is None or (found[2] and found[2] not in MICROS) or not -LONG <= int(found[1]) < LONG:
        return None
    own = MICROS[TIME_UNITS[unit]]
    micros = int(found[1]) * MICROS.get(found[2], own)
    whole = abs(micros) // own
    return max(min(whole if micros >= 0 else -whole, LONG - 1), -LONG)


READERS: dict[str, Callable[[str, str], Value | None]] = {
    "boolean": read_boolean,
    "int": read_integer,
    "long": read_integer,
    "double": read_double,
    "bytes": read_bytes,
    "time": read_time,
}
