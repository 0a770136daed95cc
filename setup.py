"""Builds the DuckDB extension into wheels and editable installations; everything else stands in pyproject.toml."""

import os
import runpy
import shutil
from pathlib import Path

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_py import build_py

BUILD = Path("src/twinspark/duck/native/build.py")
extension = runpy.run_path(str(BUILD))


class BuildWithExtension(build_py):
    """Builds the extension into the wheel's tree, or next to the sources of an editable install."""

    def run(self) -> None:
        extension["compiler_for"](extension["wanted_platform"]())  # ends the build here, before a page of copied files
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)  # what an earlier build left there would join the wheel
        super().run()
        native = BUILD.parent if self.editable_mode else Path(self.build_lib, *BUILD.parts[1:-1])
        native.mkdir(parents=True, exist_ok=True)
        extension["build"](native / extension["EXTENSION"])


class PlatformWheel(bdist_wheel):
    """A wheel of one platform for every Python: DuckDB loads the extension, not Python."""

    def get_tag(self) -> tuple[str, str, str]:
        named = extension["WHEEL_TAGS"].get(os.environ.get(extension["PLATFORM"]))
        return "py3", "none", named or super().get_tag()[2]


class PlatformDistribution(Distribution):
    """The wheel holds machine code, so it is a wheel of this platform."""

    def has_ext_modules(self) -> bool:
        return True


setup(
    cmdclass={"build_py": BuildWithExtension, "bdist_wheel": PlatformWheel},
    distclass=PlatformDistribution,
    setup_requires=extension["required_packages"](),  # pip installs these before it builds: PEP 517
)
