"""The state and engines of a session that statements and commands may use, without its operations."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql.connect.proto import relations_pb2

from twinspark.compile.query import CompiledQuery, Cursor
from twinspark.sessions import engine_choice as choose
from twinspark.sessions.cached_relations import Cache, Checkpoints
from twinspark.sessions.config import SessionConfig
from twinspark.sessions.history.system_tables import SystemTables
from twinspark.sessions.journal import Journal
from twinspark.sessions.native_engine import NativeEngine
from twinspark.sessions.plans.plan_cache import PlanCache
from twinspark.sessions.plans.session_context import SessionContext
from twinspark.sessions.python.functions import PythonState
from twinspark.sessions.settings import Settings
from twinspark.sessions.spark_half import OtherCatalog, SparkHalf
from twinspark.sessions.sql_functions import Functions
from twinspark.sessions.tables import ServerCatalogs
from twinspark.sessions.variables import Variables
from twinspark.sessions.views.temporary import Views

if TYPE_CHECKING:
    from twinspark.tables.catalogs import Catalogs


@dataclass
class CurrentNamespace:
    """The current catalog and database, in which unqualified names are looked up; USE changes it."""

    catalog: str = "spark_catalog"
    database: str = "default"


@dataclass(frozen=True)
class Services:
    """One session's services, for its lifetime."""

    user_id: str
    session_id: str
    settings: Settings  # of the server
    config: SessionConfig
    current: CurrentNamespace
    views: Views
    functions: Functions
    variables: Variables
    checkpoints: Checkpoints
    pythons: PythonState
    journal: Journal
    local_relations: Callable[[str], bytes]  # by their hash
    native: NativeEngine
    spark: SparkHalf
    cache: Cache
    plans: PlanCache
    server_catalogs: ServerCatalogs
    system_tables: SystemTables

    @property
    def engine_wanted(self) -> str:
        if self.settings.never_spark:
            return "duckdb"
        return choose.engine_wanted(self.config.settings(), self.settings.engine)

    @property
    def catalogs(self) -> "Catalogs":
        """The catalogs of this session; created when first needed."""
        return self.server_catalogs.of(self.config.snapshot())

    def spark_catalog(self) -> OtherCatalog | None:
        """Spark's own catalog, if it may contain tables that ours do not."""
        is_used = self.server_catalogs.elsewhere and self.engine_wanted != "duckdb"
        return self.spark.catalog() if is_used else None

    def read(self, relation: relations_pb2.Relation, cursor: Cursor) -> CompiledQuery:
        return self.plans.read(relation, self.surroundings(), cursor)

    def surroundings(self) -> SessionContext:
        return SessionContext(
            config=self.config.snapshot(),
            settings=self.config.get_all(),
            views=self.views.snapshot(),
            local_relations=self.local_relations,
            catalog=self.current.catalog,
            database=self.current.database,
            user=self.user_id,
            session_id=self.session_id,
            catalogs=self.server_catalogs,
            functions=self.functions,
            pythons=self.pythons.workers(self.config.snapshot()),
            checkpoints=self.checkpoints,
            cache=self.cache,
            variables=self.variables.expressions(),
            elsewhere=self.spark_catalog(),
            system=self.system_tables,
        )
