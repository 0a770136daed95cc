"""Builds the C extension with sanitizers: as a fuzz target (clang), as a program that replays kept inputs (any
compiler), or as DuckDB's extension for the tests (gcc)."""

import os
import subprocess
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from twinspark.duck.native import build

HERE = Path(__file__).parent
# Recovering would count a finding and go on: a finding ends the run.
CHECKS = [
    "-fsanitize=address,undefined",
    "-fno-sanitize=pointer-overflow",  # NULL + 0, of empty texts; what is read or written there ASan sees
    "-fno-sanitize-recover=all",
    "-fno-omit-frame-pointer",
    "-g1",
    "-O2",
]
# Which edges an input reaches, without the numbers it was compared with: those take a third of the time.
COVERAGE = ["-fsanitize=fuzzer-no-link", "-fno-sanitize-coverage=trace-cmp"]
# Of the extension's own flags, those that change what the code means.
MEANING = [
    "-std=gnu11",
    "-D_GNU_SOURCE",
    "-fPIC",
    "-fsigned-char",
    "-fexceptions",
    "-fno-fast-math",
    "-ffp-contract=off",
]
# Loops that compute every lane, and then keep those whose number is one that fits.
UNCHECKED = {name: ["-fno-sanitize=float-cast-overflow"] for name in ("strictrows", "strictsums")}


def write_tables(into: Path) -> None:
    """The headers that build.py makes."""
    for name, content in (
        ("powers_of_ten.h", build.powers_of_ten(-292, 324)),
        ("disputed_zones.h", build.disputed_zones()),
    ):
        if not (into / name).exists():
            (into / name).write_text(content)


def compiled(compiler: str, sources: Sequence[Path], flags: Sequence[str], into: Path) -> list[str]:
    """The objects of the sources; those newer than their source and its headers are kept."""
    into.mkdir(parents=True, exist_ok=True)
    write_tables(into)
    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(lambda source: compile_one(compiler, source, flags, into), sources))


def newest_of(source: Path) -> float:
    headers = [path for folder in {build.HERE, source.parent} for path in folder.rglob("*.h*")]
    return max(path.stat().st_mtime for path in (source, *headers))


def compile_one(compiler: str, source: Path, flags: Sequence[str], into: Path) -> str:
    made = into / f"{source.stem}.o"
    if not made.exists() or made.stat().st_mtime < newest_of(source):
        includes = [f"-I{into}", f"-I{build.HERE}", f"-I{HERE}"]
        unchecked = UNCHECKED.get(source.stem, [])
        subprocess.run([compiler, *flags, *unchecked, *includes, "-c", str(source), "-o", str(made)], check=True)
    return str(made)


def fuzz_target(into: Path, compares: bool) -> Path:
    """The binary of all families; clang's libFuzzer drives it, with `compares` also by what bytes are compared with."""
    flags = [*CHECKS, *(COVERAGE[:1] if compares else COVERAGE)]
    extension = compiled("clang", extension_sources(), [*MEANING, *flags], into)
    model = compiled("clang++", [HERE / "duckdb_model.cpp", HERE / "fuzz_functions.cpp"], ["-std=c++17", *flags], into)
    target = into / "fuzz_functions"
    link = [f"-fsanitize=fuzzer,{CHECKS[0].partition('=')[2]}", "-pthread", "-lm"]
    subprocess.run(["clang++", *extension, *model, *link, "-o", str(target)], check=True)
    return target


def replay_target(into: Path) -> Path:
    """The same target with a main program of its own; libFuzzer, which only clang has, is not needed to replay."""
    extension = compiled(c_compiler(), extension_sources(), [*MEANING, *CHECKS], into)
    model = [HERE / "duckdb_model.cpp", HERE / "fuzz_functions.cpp", HERE / "replay.cpp"]
    objects = compiled(cpp_compiler(), model, ["-std=c++17", *CHECKS], into)
    target = into / "replay"
    subprocess.run([cpp_compiler(), *extension, *objects, *CHECKS, "-pthread", "-lm", "-o", str(target)], check=True)
    return target


def extension_sources() -> list[Path]:
    return [*sorted(build.HERE.rglob("*.c")), HERE / "families.c"]


def c_compiler() -> str:
    return os.environ.get("CC", "cc")


def cpp_compiler() -> str:
    return os.environ.get("CXX", "c++")


def sanitized_extension(compiler: str, work: Path, into: Path) -> None:
    """DuckDB's extension; the process that loads it must have the sanitizers' library loaded first (LD_PRELOAD)."""
    objects = compiled(compiler, sorted(build.HERE.rglob("*.c")), [*MEANING, *CHECKS, "-fvisibility=hidden"], work)
    library = work / "library"
    subprocess.run([compiler, "-shared", *CHECKS, *objects, "-o", str(library), "-lm"], check=True)
    into.write_bytes(library.read_bytes() + build.footer(build.duckdb_platform()))
