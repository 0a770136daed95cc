"""Builds wheels into dist/ for the named platforms, checks their tags and tries this machine's wheel."""

import os
import runpy
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
DIST = ROOT / "dist"
SMOKE = ROOT / "tests" / "install" / "smoke.py"
BUILD = runpy.run_path(str(ROOT / "src" / "twinspark" / "duck" / "native" / "build.py"))


def run(*words: str | Path, **variables: str) -> str:
    done = subprocess.run(
        [*map(str, words)], env={**os.environ, **variables}, stdout=subprocess.PIPE, text=True, check=True
    )
    return done.stdout


def build_wheel(machine: str) -> Path:
    """Built by zig, which pip fetches: the C library it links to is the oldest that the tag allows."""
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", DIST, ROOT, **{BUILD["PLATFORM"]: machine})
    return max(DIST.glob(f"twinspark-*-{BUILD['WHEEL_TAGS'][machine]}.whl"), key=lambda wheel: wheel.stat().st_mtime)


def check_tag(wheel: Path, tools: Path) -> None:
    """auditwheel reads the symbols that the extension needs; the tag may claim no older C library than those."""
    claimed = wheel.stem.rpartition("-")[2].split(".")[0]
    report = run(tools / "bin" / "auditwheel", "show", wheel)
    found = next(line for line in report.splitlines() if line.startswith('"')).strip('".')
    if glibc(found) > glibc(claimed):
        sys.exit(f"{wheel.name} claims {claimed} and needs {found}")


def glibc(tag: str) -> tuple[int, ...]:
    """Of `manylinux_2_17_x86_64`: (2, 17)."""
    return tuple(map(int, tag.split("_")[1:3]))


def make_environment(folder: Path, *packages: str, python: str = sys.executable) -> Path:
    run(python, "-m", "venv", folder)
    run(folder / "bin" / "python", "-m", "pip", "install", "-q", *packages)
    return folder


def main(machines: list[str]) -> None:
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as work:
        tools = make_environment(Path(work) / "tools", "auditwheel")
        for machine in machines or [BUILD["duckdb_platform"]()]:
            wheel = build_wheel(machine)
            if machine.startswith("linux"):
                check_tag(wheel, tools)
            print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.1f} MB")
            if machine == BUILD["duckdb_platform"]():
                empty = make_environment(Path(work) / "empty", str(wheel))
                print(run(empty / "bin" / "python", SMOKE))


if __name__ == "__main__":
    main(sys.argv[1:])
