"""Spark's own Thrift server from PySpark's jars: what the door and the driver are measured against."""

import os
import signal
import socket
import subprocess
import time
from pathlib import Path

import pyspark

SPARK_HOME = Path(pyspark.__file__).parent
PORTS = {"binary": "hive.server2.thrift.port", "http": "hive.server2.thrift.http.port"}


class SparkThriftServer:
    """With a small heap and a catalog in memory; `stop` ends it."""

    def __init__(self, mode: str, directory: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as probe:
            self.port = probe.getsockname()[1]
        self.log = (directory / "log").open("wb")
        environment = {**os.environ, "SPARK_HOME": str(SPARK_HOME)}
        self.process = subprocess.Popen(
            self.command(mode, directory), cwd=directory, env=environment, stdout=self.log, stderr=self.log,
            start_new_session=True,
        )  # fmt: skip
        try:
            self.wait()
        except BaseException:
            self.stop()
            raise

    def command(self, mode: str, directory: Path) -> list[str]:
        return [
            str(SPARK_HOME / "bin" / "spark-submit"), "--master", "local[2]", "--driver-memory", "1g",
            "--conf", "spark.ui.enabled=false", "--conf", "spark.sql.catalogImplementation=in-memory",
            "--conf", "spark.sql.session.timeZone=UTC", "--conf", f"spark.sql.warehouse.dir={directory}",
            "--class", "org.apache.spark.sql.hive.thriftserver.HiveThriftServer2", "spark-internal",
            "--hiveconf", f"{PORTS[mode]}={self.port}", "--hiveconf", f"hive.server2.transport.mode={mode}",
            "--hiveconf", "hive.server2.thrift.bind.host=127.0.0.1",
            "--hiveconf", "hive.server2.thrift.http.path=cliservice",
        ]  # fmt: skip

    def wait(self) -> None:
        for _ in range(600):
            with socket.socket() as knock:
                if knock.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self.process.poll() is None, "Spark's Thrift server ended"
            time.sleep(0.5)
        raise TimeoutError("Spark's Thrift server did not start")

    def stop(self) -> None:
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.log.close()
