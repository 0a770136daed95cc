"""New environments without a C compiler and Java: the wheel alone, with Spark, with old packages; the demo."""

import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from bare_machine import ROOT, copy_checkout, environment_of, link_commands

from tools.wheel import BUILD, build_wheel, make_environment

pytestmark = [pytest.mark.install, pytest.mark.timeout(1800)]
SMOKE = Path(__file__).parent / "smoke.py"
SCRIPT = """
from pyspark.sql import SparkSession
spark = SparkSession.builder.master("local[*]").getOrCreate()
print(spark.range(5).selectExpr("sum(id)").first()[0])
"""
UV_SETTINGS = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
}


@pytest.fixture(scope="module")
def wheel() -> Path:
    return build_wheel(BUILD["duckdb_platform"]())


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    return environment_of(link_commands(tmp_path_factory.mktemp("bare") / "bin"))


def printed_by(command: list[str], variables: dict[str, str], folder: Path) -> str:
    done = subprocess.run(command, env=variables, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def lowest_versions() -> Iterator[str]:
    """`pandas==2.2.*` for the requirement `pandas>=2.2`."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    for requirement in project["dependencies"]:
        if found := re.match(r"([\w-]+)(\[[\w,-]+])?>=([\d.]+)", requirement):
            yield f"{found[1]}=={found[3]}.*"


@pytest.mark.parametrize(
    ("extra", "packages"),
    [("", ()), ("[spark]", ()), ("", tuple(lowest_versions())), ("", ("pandas<3",))],
    ids=["alone", "with Spark", "lowest versions", "pandas 2"],
)
def test_an_environment_with_the_wheel(
    extra: str, packages: tuple[str, ...], wheel: Path, bare: dict[str, str], tmp_path: Path
) -> None:
    environment = make_environment(tmp_path / "environment", f"twinspark{extra} @ {wheel.as_uri()}", *packages)
    words = [str(environment / "bin" / "python"), str(SMOKE), *(["spark"] if extra else [])]
    assert "smoke suite passed" in printed_by(words, bare, tmp_path)


def interpreter(version: str) -> str:
    """The path of that Python, where this machine has one: on its PATH, or among pyenv's."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
    found = [*map(str, pyenv), shutil.which(f"python{version}") or ""]
    return next(iter(filter(None, found)), "")


@pytest.mark.parametrize("version", ["3.12", "3.13", "3.14"])
def test_other_pythons(version: str, wheel: Path, bare: dict[str, str], tmp_path: Path) -> None:
    if not (python := interpreter(version)):
        pytest.skip(f"no Python {version} here")
    environment = make_environment(tmp_path / "environment", str(wheel), python=python)
    assert "smoke suite passed" in printed_by([str(environment / "bin" / "python"), str(SMOKE)], bare, tmp_path)


@pytest.mark.parametrize("tool", ["uv", "pipx"])
def test_a_script_without_an_environment(tool: str, wheel: Path, bare: dict[str, str], tmp_path: Path) -> None:
    """`uvx twinspark run script.py`, and the same with pipx: the tool makes an environment for it."""
    commands = make_environment(tmp_path / "tool", tool) / "bin"
    (tmp_path / "script.py").write_text(SCRIPT)
    start = {
        "uv": [str(commands / "uvx"), "--from", str(wheel)],
        "pipx": [str(commands / "pipx"), "run", "--spec", str(wheel)],
    }
    words = [*start[tool], "twinspark", "run", "--engine", "duckdb", "script.py"]
    variables = {**bare, **settings_of_pip(), "HOME": str(tmp_path), "UV_CACHE_DIR": str(tmp_path / "cache")}
    variables["UV_PYTHON"] = variables["PIPX_DEFAULT_PYTHON"] = sys.executable
    assert printed_by(words, variables, tmp_path) == "10\n"


def settings_of_pip() -> dict[str, str]:
    """The indexes that pip uses on this machine, for uv, which does not read pip's configuration."""
    listed = subprocess.run([sys.executable, "-m", "pip", "config", "list"], capture_output=True, text=True, check=True)
    found = dict(re.findall(r"(?:global|:env:)\.([\w-]+)='([^']*)'", listed.stdout))
    chosen = {variable: found[name] for name, variable in UV_SETTINGS.items() if name in found}
    return {**chosen, "UV_INDEX_STRATEGY": "unsafe-best-match"}  # the newest version of all indexes, as pip chooses


def test_python_c_without_spark_s_jars(wheel: Path, bare: dict[str, str], tmp_path: Path) -> None:
    """PySpark's client takes `python -c` for its doctests, and ends the process where it finds no Spark."""
    environment = make_environment(tmp_path / "environment", str(wheel))
    program = "import twinspark; print(twinspark.session().range(3).count())"
    assert printed_by([str(environment / "bin" / "python"), "-c", program], bare, tmp_path) == "3\n"


def test_the_demo_on_a_bare_machine(bare: dict[str, str], tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path / "checkout")
    printed = printed_by(["make", "demo", f"PYTHON={sys.executable}"], bare, checkout)
    assert "identical" in printed
