"""Builds the DuckDB extension of this folder with the C compiler at hand: `python -m twinspark.duck.native.build`."""

import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).parent
EXTENSION = "twinspark.duckdb_extension"
API_VERSION = "v1.5.6"  # of DuckDB's C extension API (duckdb_api.h)
EXTENSION_VERSION = "v0.1.0"
# No contraction and no fast maths: the last bit of a double is part of Spark's answer.
FLAGS = [
    "-std=gnu11",
    "-D_GNU_SOURCE",
    "-O2",
    "-fPIC",
    "-shared",
    "-fvisibility=hidden",
    "-fno-fast-math",
    "-ffp-contract=off",
]
WARNINGS = ["-Wall", "-Wextra", "-Werror=implicit-function-declaration", "-Wno-missing-field-initializers"]


def compiler() -> str | None:
    """The C compiler: $CC, or the first of cc, gcc, clang that is there."""
    return next(
        (found for name in (os.environ.get("CC"), "cc", "gcc", "clang") if name and (found := shutil.which(name))), None
    )


def duckdb_platform() -> str:
    """DuckDB's name for this machine, which an extension's footer must carry (no DuckDB is needed to build)."""
    system = {"darwin": "osx", "win32": "windows"}.get(sys.platform, "linux")
    machine = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    musl = "_musl" if system == "linux" and platform.libc_ver()[0] != "glibc" else ""
    return f"{system}_{machine}{musl}"


def footer(machine: str) -> bytes:
    """The 534 bytes that DuckDB reads at an extension's end: a section header, eight fields, an empty signature."""
    header = bytes([0, 147, 4, 16]) + b"duckdb_signature" + bytes([128, 4])
    fields = ["", "", "", "C_STRUCT", EXTENSION_VERSION, API_VERSION, machine, "4"]
    return header + b"".join(field.encode().ljust(32, b"\0") for field in fields) + bytes(256)


def powers_of_ten(first: int, last: int) -> str:
    """A C table of the powers of ten as 126-bit fractions, rounded up: shortest.c multiplies with them."""
    lines = [f"enum {{ POWER_FIRST = {first}, POWER_LAST = {last} }};", "static const uint64_t powers_of_ten[][2] = {"]
    for power in range(first, last + 1):
        scale = 125 - ((10**power).bit_length() - 1 if power >= 0 else -((10**-power).bit_length()))
        value = 10**power << scale if scale >= 0 and power >= 0 else None
        if value is None:
            value = (1 << scale) // 10**-power if power < 0 else 10**power >> -scale
        value += 1
        lines.append(f"    {{{value >> 63:#x}, {value & (1 << 63) - 1:#x}}},")
    return "\n".join([*lines, "};", ""])


def disputed_zones() -> str:
    """A C list of the zones that are left to Spark; functions/settings.py says why."""
    names = (HERE.parent.parent / "functions" / "disputed_zones.txt").read_text().split()
    return "\n".join(["static const char *disputed_zones[] = {", *(f'    "{name}",' for name in names), "    0};", ""])


def compile_extension(into: Path) -> None:
    """Compiles every C file of this folder into one shared library and puts DuckDB's footer behind it."""
    found = compiler()
    assert found is not None
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / "powers_of_ten.h").write_text(powers_of_ten(-292, 324))
        (Path(work) / "disputed_zones.h").write_text(disputed_zones())
        library = Path(work) / "library"
        sources = sorted(str(path) for path in HERE.glob("*.c"))
        command = [found, *FLAGS, *WARNINGS, f"-I{work}", f"-I{HERE}", *sources, "-o", str(library), "-lm"]
        subprocess.run(command, check=True)
        partial = into.with_suffix(f".{os.getpid()}")
        partial.write_bytes(library.read_bytes() + footer(duckdb_platform()))
        partial.replace(into)


def build(into: Path = HERE / EXTENSION) -> bool:
    """Builds the extension if there is a C compiler; says so if there is none."""
    if compiler() is None:
        print("twinspark: no C compiler found; the functions of the native extension will run on Spark instead.")
        return False
    compile_extension(into)
    print(f"twinspark: built {into.name}")
    return True


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / EXTENSION)
