"""The context in which an operation's plan is read: the session's configuration, views, tables and the current time."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from twinspark.analysis.partitions.partition_counts import folding_partitions
from twinspark.config.values import first_unusual, is_on, text_of
from twinspark.config.zones import region_of
from twinspark.errors import Cause, NotNative, SparkError, reasons
from twinspark.functions.notation.settings import Settings, disputed_zones

SESSION_ZONE = "twinspark.view.session.timeZone"  # the session's time zone, for a view that was created in another one
# Settings that change the meaning of queries and are implemented here only with their default values.
DEFAULTS_ONLY = (
    "spark.sql.function.concatBinaryAsString",
    "spark.sql.function.eltOutputAsString",
    "spark.sql.datetime.java8API.enabled",
    "spark.sql.legacy.allowHashOnMapType",
    "spark.sql.legacy.castComplexTypesToString.enabled",
    "spark.sql.legacy.literal.pickMinimumPrecision",
    "spark.sql.legacy.allowNegativeScaleOfDecimal",
    "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate",
    "spark.sql.legacy.typeCoercion.datetimeToString.enabled",
    "spark.sql.legacy.statisticalAggregate",
    "spark.sql.legacy.negativeIndexInArrayInsert",
    "spark.sql.legacy.javaCharsets",
    "spark.sql.legacy.histogramNumericPropagateInputType",
    "spark.sql.chunkBase64String.enabled",
    "spark.sql.legacy.followThreeValuedLogicInArrayExists",
    "spark.sql.columnNameOfCorruptRecord",
    "spark.sql.json.enableExactStringParsing",
    "spark.sql.json.enablePartialResults",
    "spark.sql.jsonGenerator.ignoreNullFields",
    "spark.sql.legacy.csv.enableDateTimeParsingFallback",
    "spark.sql.legacy.json.allowEmptyString.enabled",
    "spark.sql.legacy.json.enableDateTimeParsingFallback",
    "spark.sql.legacy.nullValueWrittenAsQuotedEmptyStringCsv",
    "spark.sql.path.enabled",
    "spark.sql.geospatial.enabled",
    "spark.sql.variant.allowDuplicateKeys",
    "spark.sql.variant.validateUnicodeInJsonParsing",
    "spark.sql.preserveCharVarcharTypeInfo",
    "spark.sql.legacy.allowNullComparisonResultInArraySort",
    "spark.sql.legacy.allowZeroIndexInFormatString",
    "spark.sql.legacy.codingErrorAction",
    "spark.sql.legacy.disableMapKeyNormalization",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled",
    "spark.sql.legacy.lpadRpadAlwaysReturnString",
    "spark.sql.legacy.parquet.returnNullStructIfAllFieldsMissing",
    "spark.sql.legacy.pathOptionBehavior.enabled",
    "spark.sql.legacy.truncateForEmptyRegexSplit",
    "spark.sql.legacy.useLegacyXMLParser",
)


def no_local_relation(hash: str) -> bytes:
    raise SparkError("INTERNAL_ERROR", message=f"no cached local relation {hash}")


def no_files(format: str, paths: Any, options: Any, schema: Any, context: Context) -> Any:
    raise NotNative(reasons.FILE_FORMAT, format)


def no_rows(relation: Any, context: Context) -> Any:
    raise NotNative(reasons.DATA_DEPENDENT_SCHEMA)


@dataclass
class OperationState:
    """State shared by all contexts of one operation; views are read in contexts of their own."""

    settings: dict[Any, tuple[Mapping[str, str], Settings]] = field(default_factory=dict)
    compiled: list[Any] | None = None  # every CompiledPlan of a command, where it is explained
    rows_from_spark: Cause | None = None  # why the rows that a command writes are computed by Spark
    rows_are_given: bool = False  # the rows to write were computed by Spark, under all settings


@dataclass
class Context:
    """The environment of one operation. `views` maps name parts to a view's relation message, SQL text or plan."""

    config: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[tuple[str, ...], Any] = field(default_factory=dict)
    local_relations: Callable[[str], bytes] = no_local_relation
    relations: Any = None  # checkpointed relations of the session, by id
    cache: Any = None  # cached relations, set by the session
    # plan id -> a relation that subquery expressions refer to
    references: Mapping[int, Any] = field(default_factory=dict)
    outer: Any = None  # the enclosing scope while a subquery's relation is read
    variables: Mapping[str, Any] = field(default_factory=dict)
    locals: Mapping[tuple[str, ...], Any] = field(default_factory=dict)  # variables of the SQL script that is running
    functions: Any = None  # SQL functions of the session and of the catalogs, set by the session
    pythons: Any = None  # the session's Python workers, set by the session
    scan_files: Callable[..., Any] = no_files  # scans files; set by the session, since the tables room imports this one
    # a typed relation's rows as Arrow, for plans whose shape depends on data
    collect: Callable[[Any, Context], Any] = no_rows
    streams: bool = False  # only the schema is needed, so streaming sources are allowed
    shuffles: bool = False  # a repartition was read, after which the row order is known only to Spark
    hides_keys: bool = False  # a USING join was read: the key columns of its sides are still reachable from above
    needs_file_metadata: bool = False  # a name may be the hidden `_metadata` column, so scans include it
    tables: Any = None  # the catalogs, set by the session
    # observed metrics of the rows that a command wrote, by the name of the observation
    observed: dict[str, bytes] | None = None
    views_read: dict[Any, Any] | None = None  # views already read for this query text, so that each is read once
    statement: Any = None  # the message of the command, whose SQL may have parameters and DataFrames
    catalog: str = "spark_catalog"
    database: str = "default"
    default_collation: str = ""  # of the string literals and casts in the query of a view with DEFAULT COLLATION
    user: str = ""
    session_id: str = ""
    now_micros: int = field(default_factory=lambda: time.time_ns() // 1000)
    is_script: bool = False  # a SQL script is running, whose variables Spark does not know
    operation: OperationState = field(default_factory=OperationState, repr=False)

    def conf(self, key: str) -> str:
        """The value of a setting as text; keys are spelled as in Spark's documentation."""
        return text_of(self.config, key)

    def flag(self, key: str) -> bool:
        return is_on(self.config, key)

    @cached_property
    def settings(self) -> Settings:
        """Created once for all contexts of an operation that share a configuration."""
        given = self.operation.rows_are_given
        key = (id(self.config), self.catalog, self.database, self.user, self.now_micros, given)
        found = self.operation.settings.get(key)
        if found is None:
            found = self.operation.settings[key] = (self.config, self._settings())
        return found[1]

    def _settings(self) -> Settings:
        """The settings except the current time are the same for all operations under one configuration, so they are
        cached in it."""
        kept = getattr(self.config, "made", None)
        if kept is None:
            return self._new_settings()
        key = ("settings", self.catalog, self.database, self.user, self.operation.rows_are_given)
        if key not in kept:
            kept[key] = self._new_settings()
        return replace(kept[key], now_micros=self.now_micros)

    def _new_settings(self) -> Settings:
        unusual = None if self.operation.rows_are_given else first_unusual(self.config, DEFAULTS_ONLY)
        if unusual is not None:
            raise NotNative(reasons.SETTING_VALUE, f"{unusual} = {self.config[unusual]}")
        ansi = self.flag("spark.sql.ansi.enabled")
        zone = self.conf("spark.sql.session.timeZone")
        if region_of(zone) in disputed_zones():
            raise NotNative(reasons.TIME_ZONE, f"{zone}, whose rules depend on the release of Java")
        return Settings(
            ansi=ansi,
            zone=zone,
            session_zone=self.config.get(SESSION_ZONE, ""),
            case_sensitive=self.flag("spark.sql.caseSensitive"),
            timestamp_type=self.conf("spark.sql.timestampType"),
            time_type=self.flag("spark.sql.timeType.enabled"),
            time_parser=self.conf("spark.sql.legacy.timeParserPolicy"),
            loses_digits=self.flag("spark.sql.decimalOperations.allowPrecisionLoss"),
            last_key_wins=self.conf("spark.sql.mapKeyDedupPolicy") == "LAST_WIN",
            size_of_null=self.flag("spark.sql.legacy.sizeOfNull") and not ansi,
            now_micros=self.now_micros,
            user=self.user,
            catalog=self.catalog,
            database=self.database,
            slices=partitions.slices if (partitions := folding_partitions(self.config)) else 0,
        )
