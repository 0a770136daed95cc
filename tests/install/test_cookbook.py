"""The recipes of docs/use/cookbook.md, each in an environment that has only the packages that its first line names."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from tools.wheel import make_environment
from twinspark.doors import thrift
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings

ROOT = Path(__file__).resolve().parents[2]
RECIPE = re.compile(r"^```(python|bash)\n# pip install ([^\n]+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
RECIPES = RECIPE.findall((ROOT / "docs" / "use" / "cookbook.md").read_text())

pytestmark = [pytest.mark.install, pytest.mark.timeout(1800)]


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """What stands for the ports of the page: a server with the table `orders`."""
    server = ConnectServer(Settings(engine="duckdb", warehouse=str(tmp_path_factory.mktemp("warehouse"))))
    door = thrift.start("127.0.0.1", 0, thrift.ConnectBackend(server.inner_url()))
    spark: Any = SparkSession.builder.remote(server.url).create()
    spark.sql("create table orders as select * from values ('de', 12.50), ('fr', 8.00) as t(country, price)")
    yield {"15002": server.url.rpartition(":")[2], "10000": str(door.port)}
    spark.stop()
    door.stop()
    server.stop()


def test_the_page_has_recipes() -> None:
    assert len(RECIPES) == 3


@pytest.mark.parametrize(
    ("language", "packages", "text"), RECIPES, ids=[packages.split()[0] for _, packages, _ in RECIPES]
)
def test_a_recipe(language: str, packages: str, text: str, ports: dict[str, str], tmp_path: Path) -> None:
    folder = make_environment(
        tmp_path / "environment", *(each.strip("'") for each in packages.split()), python=sys.executable
    )
    for port, here in ports.items():
        text = text.replace(port, here)
    interpreter = [str(folder / "bin" / "python"), "-c"] if language == "python" else ["bash", "-euo", "pipefail", "-c"]
    environment = {"PATH": f"{folder / 'bin'}:/usr/bin:/bin", "HOME": str(tmp_path), "DO_NOT_TRACK": "1"}
    done = subprocess.run(
        [*interpreter, text], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
