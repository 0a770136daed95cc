"""Detects the installed PySpark and Spark jars by their files, without importing PySpark.

The packages `pyspark` (with Spark's jars) and `pyspark-client` (without) install into the same folder; either works,
and the one installed last determines the folder's content (docs/decisions/packaging.md).
"""

import re
from importlib.util import find_spec
from pathlib import Path

from twinspark.release import SPARK_VERSION

SERIES = SPARK_VERSION.rpartition(".")[0]
CLIENT = f"pip install 'pyspark-client=={SERIES}.*'"
WITH_SPARK = "pip install 'twinspark[spark]'"


class WrongPySpark(ImportError):
    """PySpark is missing, damaged or of another release; the message says what to install."""


def pyspark_folder() -> Path | None:
    found = find_spec("pyspark")
    if found is None or not found.submodule_search_locations:
        return None
    return Path(next(iter(found.submodule_search_locations)))


def pyspark_version() -> str:
    """The version in PySpark's own file; empty if the folder has no such file."""
    folder = pyspark_folder()
    file = folder / "version.py" if folder is not None else None
    found = re.search(r"""__version__\b.*=\s*["']([^"']+)""", file.read_text()) if file and file.is_file() else None
    return found[1] if found else ""


def jars_version() -> str:
    """The release of the installed jars; empty if there are none."""
    folder = pyspark_folder()
    jars = (folder / "jars").glob("spark-core_*.jar") if folder is not None else ()
    return next((jar.stem.rpartition("-")[2] for jar in jars), "")


def pyspark_problem() -> str:
    """Why twinspark cannot work with the installed PySpark; empty if it can."""
    version = pyspark_version()
    if pyspark_folder() is None:
        return f"PySpark is not installed here: {CLIENT}, or with Spark itself: {WITH_SPARK}"
    if not version:
        return (
            "PySpark has lost its files: pyspark and pyspark-client own the same folder, and one of them was "
            f"uninstalled: {CLIENT} --force-reinstall --no-deps"
        )
    if version.rpartition(".")[0] != SERIES:
        return (
            f"PySpark {version} is installed here, and this twinspark works with {SERIES}: {CLIENT}, or leave this "
            "environment as it is and run twinspark from one of its own (pipx install twinspark, uvx twinspark serve): "
            f"PySpark {version} can connect to it"
        )
    return ""


def check_pyspark() -> None:
    if problem := pyspark_problem():
        raise WrongPySpark(problem)


def missing_spark() -> str:
    """Why Spark itself cannot be started here; empty if no reason is known."""
    version = jars_version()
    if not version:
        return f"Spark is not installed here: {WITH_SPARK}"
    if version.rpartition(".")[0] != SERIES:
        return f"the Spark installed here is {version}, and not {SERIES}: {WITH_SPARK}"
    return ""
