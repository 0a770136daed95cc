"""The settings a server is started with: its engine, its Spark, its directories, its limits."""

import ipaddress
import re
from dataclasses import dataclass, field
from functools import cached_property
from math import inf

from twinspark.config.own import BY_KEY, OURS, check_operators
from twinspark.duck.memory import bytes_of
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.access.tls import Tls
from twinspark.workers.limits import WorkerLimits

ENGINE_KEY = "twinspark.engine"
ENGINES = BY_KEY[ENGINE_KEY].options
MOST_PORT = 65535
UI_PORT = 4040  # spark.ui.port
REMOTE = "sc://"
MASTERS = "local, local[4], local[*], local-cluster[2,1,1024], spark://host:7077, yarn or k8s://…"
MASTER = re.compile(r"local(\[(\*|\d+)(,\d+)?\])?|local-cluster\[.+\]|(spark|k8s)://.+|yarn")


@dataclass(frozen=True)
class Settings:
    """Chosen once, at start; if the engine is `auto`, a session may choose one with `twinspark.engine`."""

    engine: str = "auto"
    host: str = "127.0.0.1"
    port: int = 0
    spark_master: str = "local[*]"
    spark_remote: str | None = None
    spark_memory: str = "4g"
    memory_limit: str | None = None  # of this process; by default that of the machine or its cgroup
    spark_config: tuple[tuple[str, str], ...] = field(default=())
    warehouse: str | None = None
    prewarm: bool = False
    token: str | None = None
    token_file: str | None = None
    tls: Tls | None = None
    metrics_port: int | None = None
    ui_port: int | None = None
    history: int = 0  # ended operations that are kept in a file of the warehouse
    limits: Limits = field(default=Limits())
    java: bool = True
    python: bool | None = None  # None: allowed unless reads, writes or paths are limited
    read_only: bool = False
    allow_paths: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise ValueError(f"engine is one of {', '.join(ENGINES)}, not {self.engine!r}")
        for name, port in (
            ("port", self.port),
            ("metrics port", self.metrics_port or 0),
            ("UI port", self.ui_port or 0),
        ):
            if not 0 <= port <= MOST_PORT:
                raise ValueError(f"a {name} is a number up to {MOST_PORT}, not {port}")
        check_operators(self.spark_config)
        if self.history < 0:
            raise ValueError(f"the number of kept operations is not negative: {self.history}")
        for size in (self.spark_memory, self.memory_limit):
            if size is not None:
                bytes_of(size)
        if not MASTER.fullmatch(self.spark_master):
            raise ValueError(f"a Spark master is {MASTERS}, not {self.spark_master!r}")
        if self.spark_remote is not None and not self.spark_remote.startswith(REMOTE):
            raise ValueError(f"the address of a Spark starts with {REMOTE}, not {self.spark_remote!r}")
        if not self.java and (self.engine == "spark" or self.spark_remote or self.prewarm):
            raise ValueError("without Java there is no Spark: --no-java goes with the engines auto and duckdb only")

    @property
    def spark_heap(self) -> float:
        """The largest heap of the Spark that twinspark starts, in bytes; infinite for a remote Spark."""
        return inf if self.spark_remote else bytes_of(self.spark_memory)

    @cached_property
    def python_limits(self) -> WorkerLimits:
        return WorkerLimits.of(dict(self.spark_config))

    @property
    def never_spark(self) -> bool:
        return self.engine == "duckdb" or not self.java

    def operator_settings(self) -> dict[str, str]:
        """The twinspark settings chosen at start: no session can change them."""
        own = {key: value for key, value in self.spark_config if key.startswith(OURS)}
        engine = "duckdb" if self.never_spark else self.engine
        return own if engine == "auto" else {**own, ENGINE_KEY: engine}


def is_loopback(host: str) -> bool:
    """Whether a server listening there is reachable from this machine only."""
    name = host.strip("[]")
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"
