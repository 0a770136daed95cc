"""TPC-H data as Parquet, written by tpchgen-cli once per scale factor.  usage: data.py [SCALE]"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

TABLES = ("customer", "lineitem", "nation", "orders", "part", "partsupp", "region", "supplier")
DATA = Path(__file__).resolve().parent.parent / ".data"


def tpch(scale: str = "1") -> Path:
    """The directory with one <table>.parquet each, generated when it is not there yet."""
    target = DATA / "tpch" / f"sf{scale}"
    if not all((target / f"{table}.parquet").exists() for table in TABLES):
        generate(scale, target)
    return target


def generate(scale: str, target: Path) -> None:
    """Into a second directory first, so that an interrupted run leaves no half set behind."""
    unfinished = target.with_name(target.name + ".unfinished")
    shutil.rmtree(unfinished, ignore_errors=True)
    unfinished.mkdir(parents=True)
    command = [str(Path(sys.executable).with_name("tpchgen-cli")), "parquet", "-s", scale, "-o", str(unfinished)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(target, ignore_errors=True)
    unfinished.rename(target)


if __name__ == "__main__":
    print(tpch(*sys.argv[1:2]))
