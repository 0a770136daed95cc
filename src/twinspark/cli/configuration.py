"""Resolves options: a flag overrides an environment variable, which overrides the configuration file."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from twinspark.cli.options import BY_NAME, OPTIONS, Option
from twinspark.cli.start_checks import usage_error
from twinspark.config.own import BY_KEY, CHOSEN_AT_START, SETTINGS, check_operators, suggestion
from twinspark.sessions.access.limits import Limits

T = TypeVar("T")
FILE = "twinspark.toml"  # of the working directory, if --config and TWINSPARK_CONFIG name no other
FILE_VARIABLE = "TWINSPARK_CONFIG"
PREFIX = "TWINSPARK_"
# Variables that are no options: of the build, of the tests, and the one that names the file.
OTHER_VARIABLES = {
    FILE_VARIABLE,
    *(PREFIX + name for name in ("BUILD_PLATFORM", "STRICT_BUILD", "NATIVE_LIBRARY", "CI")),
}
TEST_PREFIX = PREFIX + "TEST_"
# Kubernetes gives pods variables for each Service; one that is called `twinspark` has our prefix.
SERVICE_LINK = re.compile(PREFIX + r"(SERVICE_(HOST|PORT(_\w+)?)|PORT_\d+_(TCP|UDP|SCTP)(_\w+)?)")
SERVICE_ADDRESS = re.compile(r"(tcp|udp|sctp)://\S+")
TRUE, FALSE = ("true", "1", "yes", "on"), ("false", "0", "no", "off")
KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a text", list: "a list or a table"}


@dataclass(frozen=True)
class Chosen:
    """An option's value and where it comes from."""

    option: Option
    value: Any
    origin: str

    @property
    def display_text(self) -> str:
        if self.option.is_secret and self.value:
            return "*********(redacted)"
        return ", ".join(self.value) if self.option.type is list else "" if self.value is None else str(self.value)


class ChosenOptions(dict[str, Chosen]):
    """The options of a command by their names, and what they were chosen from beside the environment."""

    file: str | None = None
    flags: Mapping[str, Any] = {}

    def chosen_again(self) -> ChosenOptions:
        """With the same flags, after the file has changed."""
        return choose_options(tuple(self), self.flags, self.file)


def choose_options(names: Iterable[str], flags: Mapping[str, Any], file: str | None) -> ChosenOptions:
    """The options of a command by their names. `flags` has None for those that were not given."""
    path = configuration_file(file)
    written = read_file(path) if path is not None else {}
    check_variables(os.environ)
    chosen = ChosenOptions({name: choose(BY_NAME[name], flags.get(name), written, path) for name in names})
    chosen.file, chosen.flags = file, dict(flags)
    return chosen


def choose(option: Option, flag: Any, written: Mapping[str, Any], path: Path | None) -> Chosen:
    if flag not in (None, []):
        return Chosen(option, tuple(flag) if option.type is list else flag, option.flag)
    if (text := os.environ.get(option.variable)) is not None and not is_service_address(option, text):
        return Chosen(option, parse_text(option, text), option.variable)
    if option.name in written:
        return Chosen(option, check_value(option, written[option.name], f"{path}"), f"{path}")
    return Chosen(option, option.default, "default")


def is_service_address(option: Option, text: str) -> bool:
    """Whether Kubernetes set the variable: TWINSPARK_PORT is then the address of a Service."""
    return option.name == "port" and SERVICE_ADDRESS.fullmatch(text) is not None


def configuration_file(given: str | None) -> Path | None:
    if named := given or os.environ.get(FILE_VARIABLE):
        return Path(named)
    return Path(FILE) if Path(FILE).is_file() else None


def read_file(path: Path) -> dict[str, Any]:
    """The file's values by the names of options; `spark-master` and `spark_master` are the same key."""
    try:
        found = tomllib.loads(path.read_text())
    except (OSError, ValueError) as problem:
        raise usage_error(f"{path}: {problem}") from problem
    written = {key.replace("-", "_"): value for key, value in found.items()}
    for key in written:
        if key not in BY_NAME:
            raise usage_error(f"{path}: there is no option {key}{suggestion(key, BY_NAME)}")
    return written


def check_variables(environment: Mapping[str, str]) -> None:
    known = {option.variable for option in OPTIONS} | OTHER_VARIABLES
    for name in sorted(environment):
        if name.startswith(PREFIX) and name not in known and not is_other_variable(name):
            raise usage_error(f"there is no option {name}{suggestion(name, known)}")


def is_other_variable(name: str) -> bool:
    return name.startswith(TEST_PREFIX) or SERVICE_LINK.fullmatch(name) is not None


def parse_text(option: Option, text: str) -> Any:
    """A variable's value; a list has commas between its elements."""
    if option.type is list:
        return tuple(each.strip() for each in text.split(",") if each.strip())
    if option.type is bool:
        if text.lower() not in (*TRUE, *FALSE):
            raise usage_error(f"{option.variable} is {KINDS[bool]}, not {text!r}")
        return text.lower() in TRUE
    try:
        return option.type(text)
    except ValueError as problem:
        raise usage_error(f"{option.variable} is {KINDS[option.type]}, not {text!r}") from problem


def check_value(option: Option, value: Any, origin: str) -> Any:
    """A value of the file, which has a type already."""
    if option.type is list and isinstance(value, dict):
        return tuple(f"{key}={text}" for key, text in flatten_table(value))
    if option.type is list and isinstance(value, list):
        return tuple(map(str, value))
    if option.type is float and type(value) is int:
        return float(value)
    if type(value) is not option.type:
        raise usage_error(f"{origin}: {option.name} is {KINDS[option.type]}, not {value!r}")
    return value


def flatten_table(table: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, str]]:
    """TOML reads `spark.sql.x = 1` as tables within tables; a setting's name has dots."""
    for key, value in table.items():
        if isinstance(value, dict):
            yield from flatten_table(value, f"{prefix}{key}.")
        else:
            yield prefix + key, str(value).lower() if isinstance(value, bool) else str(value)


def print_options(chosen: Mapping[str, Chosen]) -> None:
    """A line for each option, limit and setting of twinspark: its name, its value, where that comes from."""
    options = [(each.option.name, each.display_text, each.origin) for each in chosen.values()]
    rows = [*options, *limit_rows(chosen["limit"]), *setting_rows(chosen["conf"])]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print("  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip())


Row = tuple[str, str, str]


def limit_rows(chosen: Chosen) -> Iterator[Row]:
    given = {pair.partition("=")[0] for pair in chosen.value}
    for name, value in vars(check_input(lambda: Limits().with_changes(chosen.value))).items():
        yield f"limit.{name}", str(value), chosen.origin if name in given else "default"


def setting_rows(chosen: Chosen) -> Iterator[Row]:
    given = dict(pair.split("=", 1) for pair in chosen.value if "=" in pair)
    check_input(lambda: check_operators(given.items()))
    for key in (each.key for each in SETTINGS if each.key in CHOSEN_AT_START):
        yield key, given.get(key, BY_KEY[key].default), chosen.origin if key in given else "default"


def check_input(make: Callable[[], T]) -> T:
    try:
        return make()
    except ValueError as problem:
        raise usage_error(str(problem)) from problem
