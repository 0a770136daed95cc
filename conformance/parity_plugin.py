"""A pytest plugin for PySpark's own Connect tests: it waits for a server that is started again, not for a dead one."""

from __future__ import annotations

import os
import socket
import subprocess
import time
from typing import Any
from urllib.parse import urlparse

import pytest

GONE = 99  # exit code of a pytest process whose server died


def server_address() -> tuple[str, int]:
    url = urlparse(os.environ["SPARK_CONNECT_TESTING_REMOTE"].split(";")[0])
    return url.hostname or "localhost", url.port or 15002


def pytest_configure(config: pytest.Config) -> None:
    import pyspark.testing.connectutils as utils
    from pyspark.sql.connect.client import DefaultChannelBuilder
    from pyspark.sql.connect.client.retries import DefaultPolicy

    if any("test_artifact" in argument for argument in config.args):  # they open sc://localhost:<default port>
        DefaultChannelBuilder.default_port = staticmethod(lambda: server_address()[1])
    set_up = utils.ReusedConnectTestCase.setUpClass.__func__

    def impatient_set_up(cls: Any) -> None:  # the client's own policy keeps trying a dead server for ten minutes
        set_up(cls)
        cls._client.set_retry_policies([DefaultPolicy(max_retries=5)])

    utils.ReusedConnectTestCase.setUpClass = classmethod(impatient_set_up)


def alive() -> bool:
    try:
        socket.create_connection(server_address(), timeout=10).close()
    except OSError:
        return False
    return True


def pytest_runtest_setup(item: Any) -> None:
    """A test may have crashed the server: start it again, with a new session for the rest of the class, or give up."""
    if alive():
        return
    restart = os.environ.get("SUITE_RESTART")
    if not restart or not alive_after(restart):
        pytest.exit("server gone", returncode=GONE)
    if "spark" in vars(item.cls or object):
        item.cls.tearDownClass()
        item.cls.setUpClass()


def alive_after(restart: str) -> bool:
    subprocess.run(restart, shell=True, check=False)
    for _ in range(60):
        if alive():
            return True
        time.sleep(1)
    return False
