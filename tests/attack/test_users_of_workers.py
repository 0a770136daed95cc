"""A server that is root gives each session's functions a user of their own; needs an interpreter that all may read."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from attacked import Attacked
from pyspark.errors import PySparkException
from pyspark.sql import functions as F

SYSTEM = "/usr/bin/python3"
PACKAGES = next((path for path in sys.path if path.endswith("site-packages")), "")
SOURCE = str(Path(__file__).parents[2] / "src")
VERSION = "import sys; print(sys.version_info[:2] == tuple(map(int, sys.argv[1:])))"


def is_usable() -> bool:
    """The same version as ours, since it runs with our packages."""
    asked = [SYSTEM, "-c", VERSION, *map(str, sys.version_info[:2])]
    return os.path.exists(SYSTEM) and subprocess.run(asked, capture_output=True, text=True).stdout.strip() == "True"


pytestmark = [
    pytest.mark.skipif(os.geteuid() != 0, reason="only root may become somebody else"),
    pytest.mark.skipif(not is_usable(), reason="no interpreter of this version that other users can read"),
]


def answer_of(session: Any, function: Any) -> Any:
    type(session)._active_session.session = session
    return session.range(1).select(F.udf(function)("id")).first()[0]


def test_each_session_has_a_user_and_sees_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", SYSTEM)
    environment = {"PYTHONPATH": f"{SOURCE}:{PACKAGES}"}
    server = Attacked(tmp_path, ["--engine", "duckdb"], environment, [])
    try:
        one, other = server.session(), server.session()
        (tmp_path / "mine.txt").write_text("of one session")
        one.addArtifacts(str(tmp_path / "mine.txt"), file=True)
        seen = [answer_of(each, lambda x: f"{os.getuid()} {os.getgid()} {os.getgroups()}") for each in (one, other)]
        users = [int(each.split()[0]) for each in seen]
        assert users[0] != users[1] and 0 not in users
        assert seen[0] == f"{users[0]} {users[0]} []"
        assert answer_of(one, lambda x: Path("mine.txt").read_text()) == "of one session"
        place = answer_of(one, lambda x: os.path.realpath("mine.txt"))
        check_refusals(other, place, server.process.pid)
    finally:
        server.stop()


def check_refusals(other: Any, place: str, server: int) -> None:
    for refused in (
        lambda x: Path(place).read_text(),
        lambda x: os.kill(server, 9),
        lambda x: os.kill(os.getppid(), 9),
        lambda x: Path(f"/proc/{server}/environ").read_text(),
        lambda x: os.setuid(0),
        lambda x: os.listdir("/root"),
    ):
        with pytest.raises(PySparkException, match="PermissionError"):
            answer_of(other, refused)
