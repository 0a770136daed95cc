"""Asks a Spark how it takes random lines of CSV apart: `python tests/files/record_csv_lines.py sc://…` writes it."""

import json
import random
import sys
import tempfile
from pathlib import Path

from pyspark.sql import SparkSession

RECORDED = Path(__file__).parent / "recorded" / "csv_lines.json"
PIECES = ['"', '"', '""', "\\", '\\"', ",", ",", " ", "a", "b", "#", "\t", "é", "日", "😀"]
WIDTH = 14


def lines(count: int, seed: int = 42) -> list[str]:
    chance = random.Random(seed)
    made = ("".join(chance.choice(PIECES) for _ in range(chance.randint(1, 12))) for _ in range(2 * count))
    return [line for line in dict.fromkeys(made) if line.strip()][:count]


def record(remote: str) -> None:
    asked = lines(400)
    session = SparkSession.builder.remote(remote).create()
    with tempfile.TemporaryDirectory() as directory:
        Path(directory, "f.csv").write_text("\n".join(asked) + "\n")
        schema = ", ".join(f"c{at} string" for at in range(WIDTH))
        rows = session.read.csv(directory, schema=schema).collect()
    session.stop()
    told = {line: list(row) for line, row in zip(asked, rows, strict=True)}
    RECORDED.write_text(json.dumps(told, ensure_ascii=False, indent=0) + "\n")


if __name__ == "__main__":
    record(sys.argv[1])
