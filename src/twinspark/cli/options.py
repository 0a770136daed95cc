"""The options of `twinspark serve` and `run`, from which flags, variables, keys of the file and the docs are made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Option:
    """One option. `port` is the flag `--port`, the variable `TWINSPARK_PORT` and the key `port` of the file."""

    name: str
    type: Any  # str, int, float, bool, or list: of texts in a flag, of texts or a table of names and values in the file
    default: Any
    help: str
    is_secret: bool = False

    @property
    def flag(self) -> str:
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        return "TWINSPARK_" + self.name.upper()


OPTIONS = (
    Option("host", str, "127.0.0.1", "address to listen on"),
    Option("port", int, 15002, "port to listen on"),
    Option("engine", str, "auto", "auto, duckdb (never a JVM) or spark (everything)"),
    Option("spark_master", str, "local[*]", "master of the Spark that twinspark starts itself"),
    Option("spark_remote", str, None, "sc:// address of a Spark to use instead"),
    Option("spark_memory", str, "4g", "heap of the Spark that twinspark starts itself"),
    Option("warehouse", str, None, "directory for tables"),
    Option(
        "conf", list, (), "key=value for the Spark that twinspark starts, and twinspark.* settings; may be repeated"
    ),
    Option(
        "memory_limit", str, None, "memory limit of this process, like 8g; without it that of the machine or its cgroup"
    ),
    Option("java", bool, True, "whether a JVM may be started at all"),
    Option("python", bool, None, "allow Python functions and sources; without it: unless paths are limited"),
    Option("read_only", bool, False, "no writes, and no DDL except temporary views"),
    Option("allow_path", list, (), "directory that requests may name; may be repeated"),
    Option("prewarm", bool, False, "start Spark now instead of when first needed"),
    Option(
        "token",
        str,
        None,
        "token that clients must send; ps shows it as a flag, so prefer the variable or a file",
        True,
    ),
    Option("token_file", str, None, "file of name:token lines, reloaded when it changes"),
    Option("tls_cert", str, None, "PEM file of the server's certificate: clients must use TLS"),
    Option("tls_key", str, None, "PEM file of the certificate's key, if separate"),
    Option("tls_client_ca", str, None, "PEM file: clients need a certificate signed by this CA"),
    Option("insecure", bool, False, "admit clients of other machines without token"),
    Option("metrics_port", int, None, "port for Prometheus counters"),
    Option("ui", bool, True, "serve the web UI"),
    Option("ui_port", int, None, "port of the web UI; without it 4040 or the next free one, and only on loopback"),
    Option("history", int, 10_000, "ended operations kept in the warehouse for the web UI and system.runtime"),
    Option("thrift_port", int, None, "port for Thrift clients (HiveServer2: JDBC, ODBC, dbt)"),
    Option("thrift_host", str, None, "address for Thrift clients, if not --host"),
    Option("thrift_token", str, None, "password or token of Thrift clients, if not --token", True),
    Option("thrift_certificate", str, None, "PEM file: Thrift clients must use TLS"),
    Option("thrift_key", str, None, "PEM file of the certificate's key, if separate"),
    Option("thrift_idle_hours", float, 8.0, "idle Thrift sessions are closed after this many hours"),
    Option("flight_port", int, None, "port for Flight SQL clients (ADBC, JDBC)"),
    Option("flight_host", str, None, "address for Flight SQL clients, if not --host"),
    Option("max_connections", int, None, "clients connected at once, for each port"),
    Option("limit", list, (), "name=value, see docs/operate/limits.md; may be repeated"),
    Option("log_format", str, "text", "text, or json: an object for each line, with user, session and operation"),
    Option("drain_seconds", float, 25.0, "for which running operations may go on after SIGTERM"),
    Option("verbose", bool, True, "log every operation with its engine and reason"),
)
BY_NAME = {option.name: option for option in OPTIONS}
# A script or query in this process has no port and no clients.
OF_RUN = ("engine", "spark_master", "spark_remote", "spark_memory", "warehouse", "conf")
OF_SERVE = tuple(BY_NAME)
