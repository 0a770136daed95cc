"""Accepts SparkSession builder options that only a cluster supports: `.master("local[*]")`, `spark.executor.memory`
etc.

PySpark raises an error for a master beside a server's address, and ignores settings that a server does not take. Here
the program runs, and one line lists the options that had no effect.
"""

import os
import sys
import warnings
from typing import Any

from pyspark.sql import SparkSession
from pyspark.sql.connect.session import SparkSession as ConnectSession

MASTER, REMOTE = "spark.master", "spark.remote"
OWN = ("spark.app.name", REMOTE)  # the first is the program's name, the second the server's address
_masters: dict[str, str] = {}  # removed from builders
_said: set[str] = set()


def honour_what_can_be() -> None:
    """Makes builders in this process accept every option."""
    os.environ.pop("MASTER", None)  # an environment variable that PySpark rejects as well
    SparkSession.Builder._validate_startup_urls = take_out_masters
    apply_options = ConnectSession.Builder._apply_options

    def apply_and_say(builder: Any, session: Any) -> None:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Failed to set ")  # reported below, in one line for all
            apply_options(builder, session)
        say_once({**_masters, **ignored_options(builder._options, session)})

    ConnectSession.Builder._apply_options = apply_and_say


def take_out_masters(builder: Any) -> None:
    """Removes a master, and a `remote` that would start a separate Spark on this machine."""
    options = builder._options
    if MASTER in options:
        _masters[MASTER] = options.pop(MASTER)
    if options.get(REMOTE, "").startswith("local"):
        _masters[REMOTE] = options.pop(REMOTE)


def ignored_options(options: dict[str, str], session: Any) -> dict[str, str]:
    """Options that the server does not report as set: settings that are fixed when Spark starts, and unknown ones."""
    wanted = {key: value for key, value in options.items() if key not in OWN}
    return {key: value for key, value in wanted.items() if session.conf.get(key, None) != value}


def say_once(options: dict[str, str]) -> None:
    fresh = {key: value for key, value in options.items() if key not in _said}
    _said.update(fresh)
    if fresh:
        shown = ", ".join(f"{key}={value}" for key, value in fresh.items())
        print(f"twinspark: not used: {shown} (twinspark run --conf KEY=VALUE is for Spark itself)", file=sys.stderr)
