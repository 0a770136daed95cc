"""`make clients`: the Connect clients that people have, 3.5 to 4.3, each in its own environment, against twinspark.

usage: clients.py [--remote sc://… --record] [version …]
The same steps (client_smoke.py) were answered by Spark 4.2.1 to the same clients: baseline/clients.json, by --record.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from environment import ROOT, prepared
from server import serving

HERE = Path(__file__).resolve().parent
BASELINE = HERE / "baseline" / "clients.json"
CLIENTS = {
    "3.5": ("pyspark[connect]==3.5.9", "numpy<2", "pandas<2.3", "pyarrow<20", "setuptools<80"),
    "4.0": ("pyspark-client==4.0.4", "pandas<3"),
    "4.1": ("pyspark-client==4.1.3", "pandas<3"),
    "4.2": ("pyspark-client==4.2.0", "pandas<3"),
    "4.3": ("pyspark[connect]==4.3.0", "pandas<3"),
}


def interpreter(version: str) -> Path:
    """The client's own Python, installed when it is not there yet."""
    home = ROOT.parent / "clients" / version
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        subprocess.run([sys.executable, "-m", "venv", str(home)], check=True)
        subprocess.run([str(python), "-m", "pip", "install", "-q", *CLIENTS[version]], check=True)
        (home / "ready").touch()
    return python


def answers(version: str, remote: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory(prefix="twinspark-client-") as folder:
        command = [str(interpreter(version)), str(HERE / "client_smoke.py"), remote, folder]
        done = subprocess.run(command, capture_output=True, text=True, timeout=600)
    if done.returncode:
        sys.exit(f"client {version}: {done.stderr[-2000:]}")
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def differences(expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    return [
        f"{step}: Spark {json.dumps(told)[:300]}, here {json.dumps(found.get(step))[:300]}"
        for step, told in expected.items()
        if found.get(step) != told
    ]


def compared(versions: list[str], remote: str, engine: str) -> int:
    recorded = json.loads(BASELINE.read_text())
    wrong = 0
    for version in versions:
        different = differences(recorded[version], answers(version, remote))
        wrong += len(different)
        total = len(recorded[version])
        print(f"client {version}, {engine}: {total - len(different)} of {total} as Spark")
        print(*different, sep="\n")
    return wrong


def record(versions: list[str], remote: str) -> None:
    known = json.loads(BASELINE.read_text()) if BASELINE.exists() else {}
    known |= {version: answers(version, remote) for version in versions}
    BASELINE.write_text(json.dumps(known, indent=1, ensure_ascii=False) + "\n")


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("versions", nargs="*")
    parser.add_argument("--remote")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--engine", default="duckdb")
    return parser.parse_intermixed_args()


def main() -> None:
    chosen = arguments()
    versions = chosen.versions or list(CLIENTS)
    if chosen.record:
        return record(versions, chosen.remote)
    with nullcontext(chosen.remote) if chosen.remote else serving(chosen.engine, prepared()) as remote:
        sys.exit(compared(versions, remote, chosen.engine) > 0)


if __name__ == "__main__":
    main()
