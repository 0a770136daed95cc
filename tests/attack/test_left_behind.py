"""Temporary folders: a killed server's are removed when the next one starts, a living one's never."""

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from attacked import Serve
from pyspark.sql import functions as F
from waiting import until

from twinspark import scratch

HOLDER = "from twinspark import scratch; print(scratch.directory('held'), flush=True); input()"
Count = Callable[[str, int], None]


def held(environment: dict[str, str]) -> tuple[subprocess.Popen[str], Path]:
    """A process with a temporary folder of its own."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    process = subprocess.Popen([sys.executable, "-c", HOLDER], text=True, env={**os.environ, **environment}, **pipes)
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip()).parent


@pytest.fixture
def own_temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_what_a_killed_process_left_is_removed_and_what_a_living_one_has_is_not(own_temporary: Path) -> None:
    environment = {"TMPDIR": str(own_temporary)}
    living, kept = held(environment)
    killed, left = held(environment)
    killed.kill()
    killed.wait()
    (own_temporary / "twinspark-of-somebody").mkdir()
    link = own_temporary / "twinspark-link"
    link.symlink_to(kept)
    assert scratch.remove_abandoned() == [left]
    assert kept.exists() and not left.exists() and (own_temporary / "twinspark-of-somebody").exists()
    living.communicate("\n", timeout=60)
    assert not kept.exists(), "a process that ends removes its own"


def test_what_could_not_be_removed_is_found_again(own_temporary: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A worker that ends later than its server may write meanwhile."""
    killed, left = held({"TMPDIR": str(own_temporary)})
    killed.kill()
    killed.wait()
    with monkeypatch.context() as patched:
        patched.setattr(scratch, "remove_entry", lambda entry: None)
        assert scratch.remove_abandoned() == []
    assert scratch.remove_abandoned() == [left] and not left.exists()


def test_a_folder_is_passed_through_and_not_listed(own_temporary: Path) -> None:
    process, folder = held({"TMPDIR": str(own_temporary)})
    assert folder.stat().st_mode & 0o777 == 0o711
    assert (folder / "lock").stat().st_mode & 0o777 == 0o600
    assert all(each.stat().st_mode & 0o077 == 0 for each in folder.iterdir())
    process.communicate("\n", timeout=60)


@pytest.mark.attack
def test_servers_that_are_killed_leave_nothing_for_long(serve: Serve, tmp_path: Path, count: Count) -> None:
    """Spilled rows, artifacts, workers' directories: all of it lies in the one folder."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environment = {"TMPDIR": str(temporary)}
    (tmp_path / "sent.txt").write_text("sent")
    for _ in range(5):
        server = serve("--engine", "duckdb", environment=environment)
        session = server.session()
        type(session)._active_session.session = session
        session.addArtifacts(str(tmp_path / "sent.txt"), file=True)
        assert session.range(1).select(F.udf(lambda x: x, "long")("id")).first()[0] == 0
        until(lambda: len(list(temporary.glob("twinspark-*"))) == 1)
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        count("kills: servers whose temporary files the next one removed", 1)
    last = serve("--engine", "duckdb", environment=environment)
    until(lambda: len(list(temporary.glob("twinspark-*"))) <= 1)
    last.stop()
    assert list(temporary.glob("twinspark-*")) == []
