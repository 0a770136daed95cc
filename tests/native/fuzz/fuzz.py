"""Runs the fuzz target family by family from its kept corpus; executions are counted from libFuzzer's own output.

`--replay` runs the kept inputs alone, the same every time, and needs no clang; `--add` keeps a finding.

python tests/native/fuzz/fuzz.py --seconds 60 [--families regex json] [--keep] [--document docs/contribute/native.md]
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterable
from pathlib import Path

import sanitized

from twinspark.duck import native

WORK = Path(".data/fuzz")
COUNTS = Path(__file__).parent / "counts.json"  # kept in the repository: runs add up
CORPORA = sanitized.HERE / "corpora"
FAMILIES = re.findall(r'^    \{"(\w+)", \{', (sanitized.HERE / "families.c").read_text(), re.MULTILINE)
EXECUTIONS = re.compile(r"stat::number_of_executed_units:\s*(\d+)")
REPLAY_SECONDS = 900
MOST_KEPT = 8_000  # bytes of one family's inputs, before they are packed
BEGIN, END = "<!-- fuzz counts -->", "<!-- end of fuzz counts -->"
Counts = dict[str, int]


def environment(family: str) -> dict[str, str]:
    return {
        **os.environ,
        "FUZZ_FAMILY": family,
        "FUZZ_ZONES": str(native.ZONES),
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:malloc_context_size=4:quarantine_size_mb=4",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def unpacked(family: str) -> Path:
    """The working corpus: what was found here before, and what is kept in the repository."""
    folder = WORK / "corpora" / family
    folder.mkdir(parents=True, exist_ok=True)
    kept = CORPORA / f"{family}.tar.gz"
    if kept.exists():
        with tarfile.open(kept) as archive:
            archive.extractall(folder, filter="data")
    return folder


def replay(target: Path, family: str) -> None:
    done = subprocess.run(
        [str(target), str(unpacked(family))],
        env=environment(family),
        capture_output=True,
        text=True,
        errors="replace",
        timeout=REPLAY_SECONDS,
        check=False,
    )
    if done.returncode:
        sys.exit(done.stderr[-6000:] + f"\n{family}: a finding")
    print(f"{family}: {done.stdout.strip()} inputs")


def run(target: Path, family: str, seconds: int) -> None:
    """A run without a finding; a finding ends the program with libFuzzer's text."""
    found = WORK / "findings" / f"{family}-"
    found.parent.mkdir(parents=True, exist_ok=True)
    command = [str(target), str(unpacked(family)), f"-max_total_time={seconds}"]
    command += ["-print_final_stats=1", "-timeout=120"]
    command += ["-rss_limit_mb=2048", "-max_len=600", "-reload=0", f"-artifact_prefix={found}"]
    command += ["-entropic=0"]  # weighing every feature of every input takes longer than most calls
    done = subprocess.run(
        command, env=environment(family), capture_output=True, text=True, errors="replace", check=False
    )
    executions = sum(map(int, EXECUTIONS.findall(done.stderr)))
    note(family, executions)
    print(f"{family}: {executions} inputs in {seconds} s")
    if done.returncode:
        sys.exit(done.stderr[-6000:] + f"\n{family}: a finding")


def note(family: str, executions: int) -> None:
    counts: Counts = json.loads(COUNTS.read_text()) if COUNTS.exists() else {}
    counts[family] = counts.get(family, 0) + executions
    COUNTS.write_text(json.dumps(counts, indent=1))


def keep(target: Path, family: str) -> None:
    """Packs the smallest inputs that reach what the corpus reaches, as far as they have room."""
    least = WORK / "least" / family
    shutil.rmtree(least, ignore_errors=True)
    least.mkdir(parents=True)
    subprocess.run(
        [str(target), "-merge=1", str(least), str(unpacked(family))],
        env=environment(family),
        capture_output=True,
        check=True,
    )
    room = MOST_KEPT
    chosen = findings(family)
    for path in sorted(least.iterdir(), key=lambda path: (path.stat().st_size, path.name)):
        room -= path.stat().st_size
        if room > 0:
            chosen.append(path)
    pack(family, chosen)


def pack(family: str, inputs: Iterable[Path]) -> None:
    CORPORA.mkdir(exist_ok=True)
    with tarfile.open(CORPORA / f"{family}.tar.gz", "w:gz") as archive:
        for path in inputs:
            archive.add(path, path.name, filter=anonymous)


def findings(family: str) -> list[Path]:
    """The inputs that were findings once: they stay, whatever they reach."""
    return sorted(unpacked(family).glob("finding-*"))


def add(family: str, inputs: list[Path]) -> None:
    """Findings join what the repository keeps."""
    folder = WORK / "kept" / family
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    with tarfile.open(CORPORA / f"{family}.tar.gz") as archive:
        archive.extractall(folder, filter="data")
    for path in inputs:
        shutil.copy(path, folder / f"finding-{path.name.rpartition('-')[2][:12]}")
    pack(family, sorted(folder.iterdir()))


def anonymous(entry: tarfile.TarInfo) -> tarfile.TarInfo:
    entry.uid = entry.gid = entry.mtime = 0
    entry.uname = entry.gname = ""
    return entry


def document(page: Path) -> None:
    """Writes the counts into the page, between its two marks."""
    counts: Counts = json.loads(COUNTS.read_text())
    lines = ["| family | inputs |", "|---|---|"]
    lines += [f"| {family} | {counts.get(family, 0):,} |" for family in FAMILIES]
    lines += [f"| together | {sum(counts.values()):,} |"]
    head, _, rest = page.read_text().partition(BEGIN)
    page.write_text("\n".join([head + BEGIN, *lines, END]) + rest.partition(END)[2])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--families", nargs="*", default=FAMILIES, choices=FAMILIES)
    parser.add_argument("--replay", action="store_true", help="only the kept inputs, the same every time")
    parser.add_argument("--keep", action="store_true", help="pack the corpora again")
    parser.add_argument("--compares", action="store_true", help="follow compared values too: deeper, at half the rate")
    parser.add_argument("--document", type=Path, help="the page that shows the counts")
    parser.add_argument("--add", nargs="+", type=Path, help="keep these findings of one family")
    arguments = parser.parse_args()
    if arguments.add:
        add(*arguments.families, arguments.add)
    elif arguments.replay:
        replay_all(arguments.families)
    else:
        fuzz_all(arguments.families, arguments.seconds, arguments.keep, arguments.compares)
    if arguments.document:
        document(arguments.document)


def replay_all(families: list[str]) -> None:
    target = sanitized.replay_target(WORK / "replayed")
    for family in families:
        replay(target, family)


def fuzz_all(families: list[str], seconds: int, keeps: bool, compares: bool) -> None:
    if shutil.which("clang") is None:
        sys.exit("clang is needed: apt-get install clang")
    target = sanitized.fuzz_target(WORK / "compares" if compares else WORK, compares)
    for family in families:
        run(target, family, seconds)
        if keeps:
            keep(target, family)


if __name__ == "__main__":
    main()
