"""Checks before a server starts: each problem is reported in one line, with exit code 2."""

import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import typer

from twinspark.installed import missing_spark, pyspark_problem
from twinspark.sessions.settings import Settings

REACH_SECONDS = 5.0
USAGE_ERROR = 2
SCHEME = re.compile(r"[A-Za-z][A-Za-z\d+.-]+:")


def usage_error(problem: str) -> typer.Exit:
    """Prints the problem and returns the exit: `raise usage_error("…")`."""
    typer.echo(f"twinspark: {problem}", err=True)
    return typer.Exit(USAGE_ERROR)


def require_pyspark() -> None:
    if problem := pyspark_problem():
        raise usage_error(problem)


def settings_of(**options: Any) -> Settings:
    """Validated settings, after checking that directories, Spark and Java exist."""
    require_pyspark()
    try:
        settings = Settings(**options)
    except ValueError as error:
        raise usage_error(str(error)) from error
    for problem in problems(settings):
        raise usage_error(problem)
    return settings


def problems(settings: Settings) -> Iterator[str]:
    """Problems of this machine and its network, the fastest checks first."""
    yield from filter(None, (check(settings) for check in CHECKS))


def warehouse_problem(settings: Settings) -> str:
    if settings.warehouse is None:
        return ""
    if SCHEME.match(settings.warehouse):
        return f"--warehouse {settings.warehouse}: tables must be in a directory of this machine"
    warehouse = Path(settings.warehouse).absolute()
    try:
        warehouse.mkdir(parents=True, exist_ok=True)  # root may write everywhere, but not below /proc
    except OSError as problem:
        return f"--warehouse {settings.warehouse}: {problem.strerror}: {problem.filename}"
    writable = os.access(warehouse, os.W_OK | os.X_OK)
    return "" if writable else f"--warehouse {settings.warehouse}: {warehouse} is not writable"


def file_problem(settings: Settings) -> str:
    """Files of tokens and certificates that are not there, directories that nobody can name."""
    tls = settings.tls
    files = {"--token-file": settings.token_file}
    if tls is not None:
        files |= {"--tls-cert": tls.certificate, "--tls-key": tls.key, "--tls-client-ca": tls.client_ca}
    missing = [f"{flag} {path}: no such file" for flag, path in files.items() if path and not Path(path).is_file()]
    missing += [f"--allow-path {path}: no such directory" for path in settings.allow_paths if not Path(path).is_dir()]
    return next(iter(missing), "")


def spark_problem(settings: Settings) -> str:
    """A server that only uses Spark needs it at once; others report the problem when a plan first needs it."""
    must_start = settings.engine == "spark" or settings.prewarm
    return missing_spark() if must_start and not settings.spark_remote else ""


def remote_problem(settings: Settings) -> str:
    if settings.spark_remote is None:
        return ""
    # This import loads PySpark's whole client, so it is done only here.
    from twinspark.relay.reachable import unreachable_remote

    reason = unreachable_remote(settings.spark_remote, REACH_SECONDS)
    return f"--spark-remote {settings.spark_remote.split(';')[0]}: {reason}" if reason else ""


CHECKS: tuple[Callable[[Settings], str], ...] = (
    warehouse_problem,
    file_problem,
    spark_problem,
    remote_problem,
)
