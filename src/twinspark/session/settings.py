"""How a server was asked to be: which engine, which Spark, where things lie."""

from dataclasses import dataclass, field

from twinspark.spark.engine import LaunchedSpark, RemoteSpark, SparkEngine
from twinspark.spark.launch import LaunchSettings

ENGINES = ("auto", "duckdb", "spark")


@dataclass(frozen=True)
class Settings:
    """Chosen once, at start; a session may choose another engine for itself with `twinspark.engine`."""

    engine: str = "auto"
    host: str = "127.0.0.1"
    port: int = 0
    spark_master: str = "local[*]"
    spark_remote: str | None = None
    spark_memory: str = "4g"
    spark_config: tuple[tuple[str, str], ...] = field(default=())
    warehouse: str | None = None
    prewarm: bool = False
    token: str | None = None
    metrics_port: int | None = None

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise ValueError(f"engine is one of {', '.join(ENGINES)}, not {self.engine!r}")

    def spark(self) -> SparkEngine:
        if self.spark_remote:
            return RemoteSpark(self.spark_remote)
        launch = LaunchSettings(self.spark_master, self.spark_memory, self.warehouse, dict(self.spark_config))
        return LaunchedSpark(launch)
