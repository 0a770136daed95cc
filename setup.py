"""Lets `pip install .` and `python -m build` build the DuckDB extension; everything else stands in pyproject.toml."""

import runpy
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.build_py import build_py

BUILD = Path("src/twinspark/duck/native/build.py")


class BuildWithExtension(build_py):
    """Builds the extension into the wheel's tree, or next to the sources of an editable install."""

    def run(self) -> None:
        super().run()
        native = BUILD.parent if self.editable_mode else Path(self.build_lib, *BUILD.parts[1:-1])
        native.mkdir(parents=True, exist_ok=True)
        runpy.run_path(str(BUILD))["build"](native / "twinspark.duckdb_extension")


class PlatformDistribution(Distribution):
    """The wheel holds machine code, so it is a wheel of this platform."""

    def has_ext_modules(self) -> bool:
        return True


setup(cmdclass={"build_py": BuildWithExtension}, distclass=PlatformDistribution)
