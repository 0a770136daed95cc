"""Options from flags, variables, a TOML file and defaults, in that order; misspelt ones are errors."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

TWINSPARK = [sys.executable, "-m", "twinspark"]


def config(folder: Path, *words: str, **variables: str) -> "subprocess.CompletedProcess[str]":
    bare = {name: value for name, value in os.environ.items() if not name.startswith("TWINSPARK_")}
    environment = {**bare, **variables}
    command = [*TWINSPARK, "config", *words]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def shown(printed: "subprocess.CompletedProcess[str]") -> dict[str, list[str]]:
    assert printed.returncode == 0, printed.stderr
    return {words[0]: words[1:] for words in map(str.split, printed.stdout.splitlines())}


def test_a_flag_comes_before_a_variable_before_the_file_before_the_default(tmp_path: Path) -> None:
    (tmp_path / "twinspark.toml").write_text('port = 1\nhost = "h"\nengine = "duckdb"\nspark-memory = "1g"\n')
    found = shown(config(tmp_path, "--port", "3", TWINSPARK_PORT="2", TWINSPARK_ENGINE="spark"))
    assert found["port"] == ["3", "--port"]
    assert found["engine"] == ["spark", "TWINSPARK_ENGINE"]
    assert found["host"] == ["h", "twinspark.toml"] and found["spark_memory"] == ["1g", "twinspark.toml"]
    assert found["spark_master"] == ["local[*]", "default"]


def test_the_file_has_another_name(tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text("port = 1")
    (tmp_path / "b.toml").write_text("port = 2")
    assert shown(config(tmp_path, "--config", "a.toml", TWINSPARK_CONFIG="b.toml"))["port"] == ["1", "a.toml"]
    assert shown(config(tmp_path, TWINSPARK_CONFIG="b.toml"))["port"] == ["2", "b.toml"]


def test_tables_of_settings_and_limits(tmp_path: Path) -> None:
    text = 'allow_path = ["/a", "/b"]\n[conf]\nspark.sql.ansi.enabled = false\n"twinspark.python.files" = 9\n'
    (tmp_path / "twinspark.toml").write_text(text + "[limit]\nconnections = 5\n")
    found = shown(config(tmp_path))
    assert found["allow_path"] == ["/a,", "/b", "twinspark.toml"]
    assert found["conf"] == ["spark.sql.ansi.enabled=false,", "twinspark.python.files=9", "twinspark.toml"]
    assert found["limit"] == ["connections=5", "twinspark.toml"]


def test_booleans_of_variables_and_flags(tmp_path: Path) -> None:
    found = shown(config(tmp_path, "--no-java", TWINSPARK_READ_ONLY="Yes", TWINSPARK_VERBOSE="0"))
    assert (found["java"][0], found["read_only"][0], found["verbose"][0]) == ("False", "True", "False")


def test_secrets_are_not_shown(tmp_path: Path) -> None:
    printed = config(tmp_path, TWINSPARK_TOKEN="hush")
    assert shown(printed)["token"] == ["*********(redacted)", "TWINSPARK_TOKEN"] and "hush" not in printed.stdout


@pytest.mark.parametrize(
    ("text", "variables", "problem"),
    [
        ("prot = 1", {}, "twinspark.toml: there is no option prot; did you mean port?"),
        ('port = "x"', {}, "twinspark.toml: port is a whole number, not 'x'"),
        ("port = ", {}, "twinspark.toml: Invalid value"),
        ("", {"TWINSPARK_ENGIN": "duckdb"}, "there is no option TWINSPARK_ENGIN; did you mean TWINSPARK_ENGINE?"),
        ("", {"TWINSPARK_PORT": "x"}, "TWINSPARK_PORT is a whole number, not 'x'"),
        ("", {"TWINSPARK_JAVA": "maybe"}, "TWINSPARK_JAVA is true or false, not 'maybe'"),
        ("", {"TWINSPARK_CONFIG": "none.toml"}, "none.toml: [Errno 2] No such file or directory: 'none.toml'"),
        (
            "[conf]\ntwinspark.spark.startTimeot = '1s'",
            {},
            "there is no setting twinspark.spark.startTimeot; did you mean twinspark.spark.startTimeout?",
        ),
    ],
)
def test_what_is_wrong_is_one_line(tmp_path: Path, text: str, variables: dict[str, str], problem: str) -> None:
    (tmp_path / "twinspark.toml").write_text(text)
    printed = config(tmp_path, **variables)
    assert printed.returncode == 2
    assert printed.stderr.startswith(f"twinspark: {problem}") and len(printed.stderr.splitlines()) == 1


def test_variables_of_a_kubernetes_service_are_no_options(tmp_path: Path) -> None:
    links = {"PORT": "tcp://10.0.0.7:15002", "SERVICE_HOST": "10.0.0.7", "SERVICE_PORT_CONNECT": "15002"}
    links |= {"PORT_15002_TCP": "tcp://10.0.0.7:15002", "PORT_15002_TCP_ADDR": "10.0.0.7"}
    found = shown(config(tmp_path, **{f"TWINSPARK_{name}": value for name, value in links.items()}))
    assert found["port"] == ["15002", "default"]
