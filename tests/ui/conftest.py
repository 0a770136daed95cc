"""Servers with a web UI, clients of them, and a real browser."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pages_of import Site
from pyspark.sql import SparkSession
from real_browser import CHROMIUM, FLAGS

from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Callable[..., Site]]:
    """Starts servers with these settings, each with a warehouse of its own."""
    servers: list[ConnectServer] = []

    def start(**settings: Any) -> Site:
        chosen = {"engine": "duckdb", "warehouse": str(tmp_path / "warehouse"), "history": 10_000, "ui_port": 0}
        servers.append(ConnectServer(Settings(**{**chosen, **settings})))
        return Site(servers[-1])

    yield start
    for each in servers:
        each.stop()


@pytest.fixture
def spark_of() -> Iterator[Callable[..., Any]]:
    """Opens sessions of PySpark on a site."""
    opened: list[Any] = []

    def connect(site: Site, options: str = "") -> Any:
        address = site.server.url.replace("127.0.0.1", "localhost")
        opened.append(SparkSession.builder.remote(f"{address}/;{options}").create())
        return opened[-1]

    yield connect
    for each in opened:
        each.client.set_retry_policies([])  # the server of a test may have stopped already
        each.client.close()


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=list(FLAGS))
        yield browser
        browser.close()
