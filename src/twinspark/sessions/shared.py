"""The state that all sessions of a server share: both engines, global views, the initial configuration, and
listeners."""

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from twinspark.sessions.access.allowed_paths import HISTORY
from twinspark.sessions.access.rights import Rights
from twinspark.sessions.cached_relations import Cache
from twinspark.sessions.history.history import History
from twinspark.sessions.history.running import Watched
from twinspark.sessions.history.store import Store, open_store
from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.operation import EndedOperation
from twinspark.sessions.plans.plan_cache import PlanCache
from twinspark.sessions.settings import Settings
from twinspark.sessions.spark_half import EngineState, OpenHalf
from twinspark.sessions.tables import ServerCatalogs
from twinspark.sessions.views.temporary import SharedViews

HISTORY_FILE = "operations.db"
IN_MEMORY = 1000  # operations of a server that keeps no history in a file


@dataclass
class Shared:
    settings: Settings
    native: NativeEngine
    views: SharedViews = field(default_factory=SharedViews)
    rights: Rights = field(init=False)
    catalogs: ServerCatalogs = field(init=False)
    cache: Cache = field(init=False)
    plans: PlanCache = field(default_factory=PlanCache)
    spark: EngineState = field(init=False)  # both are set by relay.attach
    open_half: OpenHalf = field(init=False)
    listeners: list[Callable[[EndedOperation], None]] = field(default_factory=list)
    watched: Watched = field(init=False)
    is_draining: bool = False  # the server is about to stop, and starts no operation any more

    def __post_init__(self) -> None:
        own = dict(self.settings.spark_config)
        hive = own.get("spark.sql.catalogImplementation", "in-memory") != "in-memory"
        elsewhere = hive or self.settings.spark_remote is not None
        self.rights = Rights.of(self.settings, str(self.warehouse))
        self.cache = Cache(self.native)
        self.catalogs = ServerCatalogs(str(self.warehouse), elsewhere)
        self.watched = Watched(History(self._open_history))
        self.listeners.append(self.watched.history.record)

    def _open_history(self) -> Store:
        if not self.settings.history:
            return Store(most=IN_MEMORY)
        return open_store(self.warehouse.joinpath(*HISTORY, HISTORY_FILE), self.settings.history)

    @property
    def warehouse(self) -> Path:
        return Path(self.settings.warehouse or "spark-warehouse").absolute()

    def report(self, ended: EndedOperation) -> None:
        for listener in self.listeners:
            listener(ended)

    def base_config(self) -> dict[str, str]:
        """The initial settings of a session, as far as they do not depend on a JVM."""
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
