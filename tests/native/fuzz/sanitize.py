"""Runs the native tests in a Python whose extension is built with ASan and UBSan: `make sanitize`."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import sanitized

WORK = Path(".data/sanitize")
TESTS = ["tests/native", "tests/functions/test_nist_vectors.py", "tests/functions/test_reference_sketches.py"]


def library(compiler: str, name: str) -> str:
    return subprocess.run(
        [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()


def environment(compiler: str, extension: Path) -> dict[str, str]:
    """The sanitizers come before everything else in the process, with C++'s library for DuckDB's exceptions."""
    return {
        **os.environ,
        "TWINSPARK_NATIVE_LIBRARY": str(extension.resolve()),
        "LD_PRELOAD": " ".join(library(compiler, name) for name in ("libasan.so", "libubsan.so", "libstdc++.so.6")),
        "ASAN_OPTIONS": "detect_leaks=0:detect_odr_violation=0:allocator_may_return_null=1",  # Python never frees all
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "PYTHONMALLOC": "malloc",
    }


def main() -> None:
    compiler = shutil.which("gcc")
    if compiler is None:
        sys.exit("gcc is needed, with libasan and libubsan")
    extension = WORK / "twinspark.duckdb_extension"
    sanitized.sanitized_extension(compiler, WORK, extension)
    tests = sys.argv[1:] or TESTS
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--timeout=1200", *tests]
    sys.exit(subprocess.run(command, env=environment(compiler, extension), check=False).returncode)


if __name__ == "__main__":
    main()
