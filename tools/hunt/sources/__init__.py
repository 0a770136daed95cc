"""Where foreign queries come from: each source needs a git copy that an environment variable names."""

from collections.abc import Callable, Iterator
from pathlib import Path

from tools.hunt.git_files import GitCopy
from tools.hunt.scripts import Script
from tools.hunt.sources.benchmarks import benchmark
from tools.hunt.sources.documents import pages
from tools.hunt.sources.hive import hive_files
from tools.hunt.sources.listings import calcite_files, sqlglot_fixtures
from tools.hunt.sources.logic_tests import LogicTests
from tools.hunt.sources.scala_suites import suites

Extract = Callable[[GitCopy, int, Path], Iterator[Script]]
DUCKDB = LogicTests("duckdb", ("test/sql/*.test",))
SQLITE = LogicTests(
    "sqlite", ("*/test/random/*.test", "*/test/evidence/*.test", "*/test/index/*.test", "*/test/select?.test"), 60, 60
)
DATAFUSION = LogicTests("datafusion", ("datafusion/sqllogictest/test_files/*.slt",))

# name: the variable with the path of the git copy, its revision, how scripts are extracted from it
SOURCES: dict[str, tuple[str, str, Extract]] = {
    "docs": ("SPARK_REPO", "branch-4.2", lambda copy, seed, folder: pages(copy)),
    "hive": ("SPARK_REPO", "branch-4.2", lambda copy, seed, folder: hive_files(copy, folder)),
    "scala": ("SPARK_REPO", "branch-4.2", lambda copy, seed, folder: suites(copy)),
    "duckdb": ("DUCKDB_REPO", "HEAD", lambda copy, seed, folder: DUCKDB.scripts(copy, seed)),
    "sqlite": ("SQLITE_TESTS_REPO", "HEAD", lambda copy, seed, folder: SQLITE.scripts(copy, seed)),
    "datafusion": ("DATAFUSION_REPO", "HEAD", lambda copy, seed, folder: DATAFUSION.scripts(copy, seed)),
    "sqlglot": ("SQLGLOT_REPO", "HEAD", lambda copy, seed, folder: sqlglot_fixtures(copy)),
    "calcite": ("CALCITE_REPO", "HEAD", lambda copy, seed, folder: calcite_files(copy)),
    "job": ("JOB_REPO", "HEAD", lambda copy, seed, folder: benchmark(copy, seed, "job", "schema.sql", "[0-9]*.sql")),
    "clickbench": (
        "CLICKBENCH_REPO",
        "HEAD",
        lambda copy, seed, folder: benchmark(copy, seed, "clickbench", "duckdb/create.sql", "spark/queries.sql"),
    ),
}


def scripts_from(source: str, seed: int, folder: Path) -> Iterator[Script]:
    """Nothing when the source's copy is not named."""
    variable, revision, extract = SOURCES[source]
    if copy := GitCopy.named_by(variable, revision):
        yield from extract(copy, seed, folder)
