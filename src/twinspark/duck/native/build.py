"""Builds the DuckDB extension of this folder: `python -m twinspark.duck.native.build`.

The machine's own C compiler is used; where there is none, the PyPI package `ziglang` is one. The same package builds
for the platforms of `ZIG_TARGETS` from any of them.
"""

import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
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
    "-fsigned-char",  # char is unsigned on ARM
    "-shared",
    "-fvisibility=hidden",
    "-fexceptions",  # memory.c: blocks are released when an exception of DuckDB passes through
    "-fno-fast-math",
    "-ffp-contract=off",
]
# Distributions set _FORTIFY_SOURCE themselves, sometimes higher: a second definition would be a warning.
HARDENING = ["-fstack-protector-strong", "-U_FORTIFY_SOURCE", "-D_FORTIFY_SOURCE=2"]
WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Wconversion",  # a size or an offset that loses bits is said with a cast, or is an error
    "-Werror=implicit-function-declaration",
    "-Wno-missing-field-initializers",
]
# DuckDB's names of platforms with zig's. The C library named here is the oldest that the result runs with.
ZIG_TARGETS = {
    "linux_amd64": "x86_64-linux-gnu.2.17",
    "linux_arm64": "aarch64-linux-gnu.2.17",
    "osx_amd64": "x86_64-macos.11.0",
    "osx_arm64": "aarch64-macos.11.0",
}
WHEEL_TAGS = {
    "linux_amd64": "manylinux_2_17_x86_64.manylinux2014_x86_64",
    "linux_arm64": "manylinux_2_17_aarch64.manylinux2014_aarch64",
    "osx_amd64": "macosx_11_0_x86_64",
    "osx_arm64": "macosx_11_0_arm64",
}
PLATFORM = "TWINSPARK_BUILD_PLATFORM"  # one of the names above, to build a wheel for another machine
STRICT = "TWINSPARK_STRICT_BUILD"  # set by our own builds: a newer compiler's warning must not break an installation


def warnings() -> list[str]:
    """The warnings that every file is compiled with; in a strict build each of them is an error."""
    return [*WARNINGS, *(["-Werror"] if os.environ.get(STRICT) else [])]


@cache
def compiles(command: str) -> bool:
    """Whether the command compiles C: macOS has a `cc` that only asks for the developer tools, and a Linux may have a
    compiler without the headers of its C library."""
    with tempfile.TemporaryDirectory() as work:
        (Path(work) / "probe.c").write_text("#include <stdio.h>\n")
        probe = [*shlex.split(command), "-c", f"{work}/probe.c", "-o", f"{work}/probe.o"]
        return subprocess.run(probe, capture_output=True, check=False).returncode == 0


def machine_compiler() -> list[str] | None:
    """The compiler of this machine: $CC, or the first of cc, gcc and clang that works."""
    named = [name for name in (os.environ.get("CC"), "cc", "gcc", "clang") if name]
    found = (name for name in named if shutil.which(shlex.split(name)[0]) and compiles(name))
    return next((shlex.split(name) for name in found), None)


def zig_compiler(machine: str) -> list[str] | None:
    """The compiler of the PyPI package `ziglang`, if that is installed here and knows the platform."""
    if machine not in ZIG_TARGETS or find_spec("ziglang") is None:
        return None
    return [sys.executable, "-m", "ziglang", "cc", "-target", ZIG_TARGETS[machine]]


def compiler_for(machine: str) -> list[str]:
    """The command that compiles C for a platform; without one the build ends with a line that says what to install."""
    own = None if os.environ.get(PLATFORM) else machine_compiler()  # its C library is newer than a wheel's tag says
    found = own or zig_compiler(machine)
    if found is None:
        sys.exit(f"twinspark: no C compiler for {machine} was found: install gcc or clang, or `pip install ziglang`")
    return found


def required_packages() -> list[str]:
    """What pip must install before it can build the extension here."""
    machine = wanted_platform()
    needs_zig = bool(os.environ.get(PLATFORM)) or machine_compiler() is None
    return ["ziglang"] if needs_zig and machine in ZIG_TARGETS else []


def duckdb_platform() -> str:
    """DuckDB's name for this machine, which an extension's footer must carry (no DuckDB is needed to build)."""
    system = {"darwin": "osx", "win32": "windows"}.get(sys.platform, "linux")
    machine = {"x86_64": "amd64", "AMD64": "amd64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
    musl = "_musl" if system == "linux" and platform.libc_ver()[0] != "glibc" else ""
    return f"{system}_{machine}{musl}"


def wanted_platform() -> str:
    """The platform that is built for: this machine's, unless the build of a wheel names another."""
    return os.environ.get(PLATFORM) or duckdb_platform()


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
    """A C list of the zones that fall back to Spark; functions/notation/settings.py says why."""
    names = (HERE.parent.parent / "functions" / "notation" / "disputed_zones.txt").read_text().split()
    return "\n".join(["static const char *disputed_zones[] = {", *(f'    "{name}",' for name in names), "    0};", ""])


@dataclass(frozen=True)
class Compiler:
    """The command that compiles for one platform, and the folder that it works in."""

    command: list[str]
    machine: str
    work: Path

    @property
    def is_zig(self) -> bool:
        return "ziglang" in self.command

    def run(self, *words: str | Path) -> None:
        """Runs the compiler; zig's cache is in the build folder, which is removed afterwards."""
        cache = {name: str(self.work / "zig") for name in ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")}
        environment = {**os.environ, **(cache if self.is_zig else {})}
        subprocess.run([*self.command, *map(str, words)], check=True, env=environment)

    def write_headers(self) -> None:
        """Writes the generated headers."""
        (self.work / "powers_of_ten.h").write_text(powers_of_ten(-292, 324))
        (self.work / "disputed_zones.h").write_text(disputed_zones())

    def compile(self, source: Path) -> Path:
        """The object of one C file."""
        made = self.work / f"{source.stem}.o"
        flags = [flag for flag in FLAGS if flag != "-shared"]
        folders = [f"-I{self.work}", f"-I{HERE}"]
        self.run(*flags, *HARDENING, *warnings(), *folders, "-c", source, "-o", made)
        return made

    def unwinder(self) -> list[Path]:
        """What zig must link so that an exception of DuckDB passes through our functions (-fexceptions): DuckDB's own
        unwinder, libgcc_s.so.1. A library of that name with its two symbols is enough to refer to it."""
        if not self.is_zig or not self.machine.startswith("linux"):
            return []
        source, library = self.work / "unwinder.c", self.work / "libgcc_s.so.1"
        source.write_text("void _Unwind_Resume(void) {}\nvoid __gcc_personality_v0(void) {}\n")
        self.run("-shared", f"-Wl,-soname,{library.name}", source, "-o", library)
        return [library]

    def link(self, objects: list[Path]) -> Path:
        """One shared library of all objects."""
        library = self.work / "library"
        self.run("-s", *FLAGS, *HARDENING, *objects, *self.unwinder(), "-o", library, "-lm")
        return library


def compile_extension(command: list[str], machine: str, into: Path) -> None:
    """Compiles every C file of this folder into one shared library and appends DuckDB's footer."""
    with tempfile.TemporaryDirectory() as work, ThreadPoolExecutor(os.cpu_count()) as several:
        compiler = Compiler(command, machine, Path(work))
        compiler.write_headers()
        library = compiler.link(list(several.map(compiler.compile, sorted(HERE.rglob("*.c")))))
        partial = into.with_suffix(f".{os.getpid()}")
        partial.write_bytes(library.read_bytes() + footer(machine))
        partial.replace(into)


def build(into: Path = HERE / EXTENSION) -> None:
    """Builds the extension for the wanted platform, or ends the process with one line that says what is missing."""
    machine = wanted_platform()
    compile_extension(compiler_for(machine), machine, into)
    print(f"twinspark: built {into.name} for {machine}")


if __name__ == "__main__":
    build(Path(sys.argv[1]) if len(sys.argv) > 1 else HERE / EXTENSION)
