"""Sessions for the tests of JSON plans; both stand on the one server that all tests share, unless URLs are given."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from sessions import NATIVE_URL, SPARK_URL, remote


@pytest.fixture(scope="session")
def on_twinspark(request: pytest.FixtureRequest) -> Iterator[Any]:
    session = remote(NATIVE_URL or request.getfixturevalue("auto_server").url)
    yield session
    session.stop()


@pytest.fixture(scope="session")
def on_spark(request: pytest.FixtureRequest) -> Iterator[Any]:
    session = remote(SPARK_URL or request.getfixturevalue("auto_server").url)
    if not SPARK_URL:
        session.conf.set("twinspark.engine", "spark")
    yield session
    session.stop()
