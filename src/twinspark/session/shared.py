"""What all sessions of a server share: the two engines, global views, the starting configuration, and who listens."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from twinspark.session.cache import Cache
from twinspark.session.native import NativeEngine
from twinspark.session.plan_cache import PlanCache
from twinspark.session.settings import Settings
from twinspark.session.spark_side import SparkSide
from twinspark.session.tables_on_spark import SHOW_TABLES, TablesOnSpark
from twinspark.session.tables_session import ServerCatalogs
from twinspark.session.views import SharedViews
from twinspark.spark.engine import SparkEngine


@dataclass(frozen=True)
class Ended:
    """An operation that is over: where it ran, why there, how it went."""

    session_id: str
    operation_id: str
    engine: str
    reason: str
    outcome: str
    seconds: float


@dataclass
class Shared:
    settings: Settings
    spark: SparkEngine
    native: NativeEngine
    views: SharedViews = field(default_factory=SharedViews)
    global_owners: list[SparkSide] = field(default_factory=list)  # Spark must know their journals before it reads any
    catalogs: ServerCatalogs = field(init=False)
    cache: Cache = field(init=False)
    plans: PlanCache = field(default_factory=PlanCache)
    tables_on_spark: TablesOnSpark = field(init=False)
    listeners: list[Callable[[Ended], None]] = field(default_factory=list)

    def __post_init__(self) -> None:
        own = dict(self.settings.spark_config)
        hive = own.get("spark.sql.catalogImplementation", "in-memory") != "in-memory"
        elsewhere = hive or self.settings.spark_remote is not None
        self.cache = Cache(self.native)
        self.catalogs = ServerCatalogs(str(self.warehouse), elsewhere)
        self.tables_on_spark = TablesOnSpark(
            self.catalogs,
            self.settings.spark_remote is None or own.get(SHOW_TABLES) == "true",
            self.settings.spark_remote is None,
        )

    @property
    def warehouse(self) -> Path:
        return Path(self.settings.warehouse or "spark-warehouse").absolute()

    def tell(self, ended: Ended) -> None:
        for listener in self.listeners:
            listener(ended)

    def base_config(self) -> dict[str, str]:
        """What a session finds set before it has set anything, as far as it does not depend on a JVM."""
        settings = self.settings
        return {
            "spark.app.name": "org.apache.spark.sql.connect.service.SparkConnectServer",
            **({} if settings.spark_remote else {"spark.master": settings.spark_master}),
            "spark.driver.memory": settings.spark_memory,
            "spark.submit.deployMode": "client",
            "spark.sql.warehouse.dir": f"file:{self.warehouse}",
            "spark.sql.catalogImplementation": "in-memory",
            **dict(settings.spark_config),
        }
