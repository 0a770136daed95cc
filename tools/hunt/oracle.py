"""Spark's answers: from a local cache, or from a real Spark that is started when an answer is missing."""

import json
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path

from tools.hunt.answers import Answer
from tools.hunt.scripts import Script
from tools.hunt.sessions import Server
from twinspark.relay.launch import Jvm, LaunchSettings

READY_WITHIN = 120.0
TASKS = {"spark.sql.shuffle.partitions": "4"}
# Small queries, once each: compiling costs more than it gives. A script with a difference runs again on Spark as it is.
HASTE = {"spark.sql.codegen.wholeStage": "false", "spark.sql.codegen.factoryMode": "NO_CODEGEN"}


@dataclass
class Oracle:
    """Answers of Spark in one mode, each script runs there once."""

    folder: Path
    mode: str
    server: Server | None
    fresh: int = field(default=0)

    def answers(self, script: Script) -> list[Answer] | None:
        """None when they are not cached and there is no Spark to run the script on."""
        path = self.folder / f"{script.digest(self.mode)}.json"
        if path.exists():
            return [Answer(**{**one, "rows": tuple(one["rows"])}) for one in json.loads(path.read_text())]
        if self.server is None:
            return None
        answers = self.server.run(script)
        self.fresh += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps([asdict(answer) for answer in answers]))
        return answers


@contextmanager
def spark(remote: str | None, memory: str, warehouse: Path) -> Iterator[str]:
    """The address given, or that of a Spark with two tasks, which ends with this process."""
    if remote:
        yield remote
        return
    jvm = Jvm(LaunchSettings("local[2]", memory, str(warehouse), TASKS))
    os.setpriority(os.PRIO_PROCESS, jvm.pid, 10)
    try:
        wait_until_ready(jvm)
        yield f"sc://127.0.0.1:{jvm.port}"
    finally:
        jvm.stop()


def wait_until_ready(jvm: Jvm) -> None:
    end = time.monotonic() + READY_WITHIN
    while not listens(jvm.port):
        if time.monotonic() > end or not jvm.alive:
            raise TimeoutError(jvm.log_tail())
        time.sleep(0.2)


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
