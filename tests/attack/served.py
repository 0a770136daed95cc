"""A `twinspark serve` in a process of its own, watched from outside: memory and threads as the kernel counts them."""

import re
import resource
import subprocess
import sys
import threading
from pathlib import Path
from types import TracebackType

MEBIBYTE = 1024 * 1024
State = tuple[int, int]  # MiB resident, threads


def allow_many_files(count: int) -> None:
    """For this process, whose sockets are the other ends."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < count:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(count, hard), hard))


class Served:
    """On the embedded engine; `files` and `address_space` are the process's own limits."""

    def __init__(self, *options: str, files: int = 30_000) -> None:
        allow_many_files(files)
        command = [sys.executable, "-m", "twinspark", "serve", "--engine", "duckdb", "--port", "0", *options]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        self.lines: list[str] = []
        self.port = int(self._awaited(r"listening at sc://[^:]+:(\d+)"))
        self.thrift_port = int(self._awaited(r"Thrift .* at [^:]+:(\d+)")) if "--thrift-port" in options else 0
        self._awaited("(warmed up)")  # what is imported until then is no memory that an attack takes
        threading.Thread(target=self._read_on, daemon=True).start()
        self.pid = self._process.pid

    def _awaited(self, pattern: str) -> str:
        assert self._process.stderr is not None
        for line in self._process.stderr:
            self.lines.append(line)
            if found := re.search(pattern, line):
                return found[1]
        raise AssertionError("".join(self.lines))

    def _read_on(self) -> None:
        assert self._process.stderr is not None
        self.lines.extend(self._process.stderr)

    def memory(self) -> int:
        """MiB resident."""
        return self._status("VmRSS") // 1024

    def threads(self) -> int:
        return self._status("Threads")

    def state(self) -> State:
        return self.memory(), self.threads()

    def _status(self, name: str) -> int:
        text = Path(f"/proc/{self.pid}/status").read_text()
        return int(re.search(rf"{name}:\s+(\d+)", text)[1])  # type: ignore[index]

    def open_files(self) -> int:
        return len(list(Path(f"/proc/{self.pid}/fd").iterdir()))

    def limit(self, kind: int, value: int) -> None:
        """From now on: what it has is not taken away."""
        _, hard = resource.prlimit(self.pid, kind)
        resource.prlimit(self.pid, kind, (value, hard))

    def unlimit(self, kind: int) -> None:
        _, hard = resource.prlimit(self.pid, kind)
        resource.prlimit(self.pid, kind, (hard, hard))

    def __enter__(self) -> "Served":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._process.terminate()
        self._process.wait(30)
