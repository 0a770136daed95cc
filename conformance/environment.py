"""The client environment of the suites: PySpark from PyPI, its own tests, and Spark's test data where there is a copy.

The wheel leaves its tests out of site-packages but ships them inside python/lib/pyspark.zip, exactly the released
version. Test data and SQL golden files come from a git copy of apache/spark that SPARK_REPO names (a bare mirror is
fine); without it the doctests run all the same, but for the few that read those files.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent / ".data" / "suite"
SPARK_REF = "branch-4.2"
PACKAGES = (
    "pyspark[connect]==4.2.1",
    *("pandas<3", "pyarrow", "pytest", "pytest-timeout", "plotly<6", "memory-profiler"),
    *("scipy", "graphviz", "six", "openpyxl", "matplotlib"),
)
FROM_GIT = (
    "python/test_support",
    "sql/core/src/test/resources/sql-tests",
    "sql/core/src/test/resources/test-data/postgresql",
)


@dataclass(frozen=True)
class Suite:
    """Where the suites' interpreter and Spark's files are."""

    python: Path
    source: Path

    @property
    def has_spark_files(self) -> bool:
        """Whether a copy of Spark was at hand."""
        return (self.source / FROM_GIT[0]).exists()


def prepared(root: Path = ROOT) -> Suite:
    """The environment, made when it is not there yet."""
    suite = Suite(root / "venv" / "bin" / "python", root / "src")
    if not (root / "ready").exists():
        install(suite.python)
        add_tests(package_directory(suite.python))
        (root / "ready").touch()
    suite.source.mkdir(parents=True, exist_ok=True)
    repository = os.environ.get("SPARK_REPO")
    if repository and not suite.has_spark_files:
        unpack(repository, suite.source)
    return suite


def install(python: Path) -> None:
    """A virtual environment of its own: the tests are laid into the installed package."""
    subprocess.run([sys.executable, "-m", "venv", str(python.parent.parent)], check=True)
    subprocess.run([str(python), "-m", "pip", "install", "-q", *PACKAGES], check=True)


def package_directory(python: Path) -> Path:
    """Where that interpreter has PySpark."""
    code = "import os, pyspark; print(os.path.dirname(pyspark.__file__))"
    return Path(subprocess.run([str(python), "-c", code], check=True, capture_output=True, text=True).stdout.strip())


def add_tests(package: Path) -> None:
    """PySpark's test modules, from the archive that the wheel brings."""
    with zipfile.ZipFile(package / "python" / "lib" / "pyspark.zip") as archive:
        archive.extractall(package.parent, [name for name in archive.namelist() if "/tests/" in name])


def unpack(repository: str, target: Path) -> None:
    """Spark's files at the branch of the release."""
    command = ["git", "-C", repository, "archive", SPARK_REF, *FROM_GIT]
    archive = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(target, filter="data")


if __name__ == "__main__":
    print(prepared())
