"""What an operation knows while its plan is read: its session's configuration, views, tables and one instant."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from twinspark.analysis.partitions import folding_partitions
from twinspark.errors import NotNative, SparkError
from twinspark.functions.settings import Settings, disputed_zones

SESSION_ZONE = "twinspark.view.session.timeZone"  # told to a view that remembers another zone
DEFAULTS = {
    "spark.sql.ansi.enabled": "true",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.caseSensitive": "false",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
    "spark.sql.mapKeyDedupPolicy": "EXCEPTION",
    "spark.sql.legacy.sizeOfNull": "true",
    "spark.sql.timeType.enabled": "false",
    "spark.sql.groupByOrdinal": "true",
    "spark.sql.orderByOrdinal": "true",
    "spark.sql.groupByAliases": "true",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.decimalOperations.allowPrecisionLoss": "true",
}


# Settings that change what queries mean, at the only values the native engine knows.
KNOWN_VALUES = {
    "spark.sql.function.concatBinaryAsString": "false",
    "spark.sql.function.eltOutputAsString": "false",
    "spark.sql.datetime.java8API.enabled": "false",
    "spark.sql.legacy.allowHashOnMapType": "false",
    "spark.sql.legacy.castComplexTypesToString.enabled": "false",
    "spark.sql.legacy.literal.pickMinimumPrecision": "true",
    "spark.sql.legacy.allowNegativeScaleOfDecimal": "false",
    "spark.sql.legacy.decimal.retainFractionDigitsOnTruncate": "false",
    "spark.sql.legacy.typeCoercion.datetimeToString.enabled": "false",
    "spark.sql.legacy.statisticalAggregate": "false",
    "spark.sql.legacy.negativeIndexInArrayInsert": "false",
    "spark.sql.legacy.javaCharsets": "false",
    "spark.sql.legacy.histogramNumericPropagateInputType": "true",
    "spark.sql.chunkBase64String.enabled": "true",
    "spark.sql.legacy.followThreeValuedLogicInArrayExists": "true",
    "spark.sql.columnNameOfCorruptRecord": "_corrupt_record",
    "spark.sql.json.enableExactStringParsing": "true",
    "spark.sql.json.enablePartialResults": "true",
    "spark.sql.jsonGenerator.ignoreNullFields": "true",
    "spark.sql.legacy.csv.enableDateTimeParsingFallback": "false",
    "spark.sql.legacy.json.allowEmptyString.enabled": "false",
    "spark.sql.legacy.json.enableDateTimeParsingFallback": "false",
    "spark.sql.legacy.nullValueWrittenAsQuotedEmptyStringCsv": "false",
    "spark.sql.path.enabled": "false",
    "spark.sql.geospatial.enabled": "true",
    "spark.sql.variant.allowDuplicateKeys": "false",
    "spark.sql.variant.validateUnicodeInJsonParsing": "true",
    "spark.sql.preserveCharVarcharTypeInfo": "false",
    "spark.sql.legacy.allowNullComparisonResultInArraySort": "false",
    "spark.sql.legacy.allowZeroIndexInFormatString": "false",
    "spark.sql.legacy.codingErrorAction": "false",
    "spark.sql.legacy.disableMapKeyNormalization": "false",
    "spark.sql.legacy.exponentLiteralAsDecimal.enabled": "false",
    "spark.sql.legacy.lpadRpadAlwaysReturnString": "false",
    "spark.sql.legacy.parquet.returnNullStructIfAllFieldsMissing": "false",
    "spark.sql.legacy.pathOptionBehavior.enabled": "false",
    "spark.sql.legacy.truncateForEmptyRegexSplit": "false",
    "spark.sql.legacy.useLegacyXMLParser": "false",
}


# While rows that Spark has computed are written: those settings have had their say.
ROWS_ARE_GIVEN: ContextVar[bool] = ContextVar("rows_are_given", default=False)


def no_local_relation(hash: str) -> bytes:
    raise SparkError("INTERNAL_ERROR", message=f"no cached local relation {hash}")


def no_files(format: str, paths: Any, options: Any, schema: Any, context: Context) -> Any:
    raise NotNative(f"reading {format} files")


def no_rows(relation: Any, context: Context) -> Any:
    raise NotNative("a plan whose shape depends on data")


@dataclass
class Context:
    """One operation's surroundings. `views` answers (name parts) -> a view's relation message, SQL text or plan."""

    config: Mapping[str, str] = field(default_factory=dict)
    views: Mapping[tuple[str, ...], Any] = field(default_factory=dict)
    local_relations: Callable[[str], bytes] = no_local_relation
    relations: Any = None  # checkpoints of the session, by their ids
    cache: Any = None  # results that are kept, given by the session
    references: Mapping[int, Any] = field(default_factory=dict)  # plan id -> a relation that expressions may use
    outer: Any = None  # the scope around, while a subquery's relation is read
    variables: Mapping[str, Any] = field(default_factory=dict)
    locals: Mapping[tuple[str, ...], Any] = field(default_factory=dict)  # those of the script that runs
    functions: Any = None  # SQL functions of the session and of the catalogs, given by the session
    pythons: Any = None  # the session's Python workers, given by the session
    scan_files: Callable[..., Any] = no_files  # tables.files, given by the session: read stands beside tables
    collect: Callable[[Any, Context], Any] = no_rows  # a typed relation's rows as Arrow, for plans shaped by data
    streams: bool = False  # only the columns are asked for: those of sources without an end are known as well
    shuffles: bool = False  # rows were spread anew: their order is Spark's
    hides_keys: bool = False  # a USING join was read: its sides' own keys can be reached from above as well
    asks_files: bool = False  # a name may be the hidden column of files: scans have it
    tables: Any = None  # the catalogs, likewise
    observed: dict[str, bytes] | None = None  # what a command tells of the rows it wrote, by the observation's name
    views_read: dict[Any, Any] | None = None  # by one query's text: a view that it names again is not read again
    statement: Any = None  # a command's message, whose SQL may have parameters and DataFrames
    catalog: str = "spark_catalog"
    database: str = "default"
    user: str = ""
    session_id: str = ""
    now_micros: int = field(default_factory=lambda: time.time_ns() // 1000)
    settings_made: dict[Any, tuple[Mapping[str, str], Settings]] = field(default_factory=dict, repr=False)

    def conf(self, key: str) -> str:
        found = self.config.get(key, DEFAULTS.get(key))
        if found is None:
            raise NotNative(f"configuration {key} has no known default")
        return found

    def flag(self, key: str) -> bool:
        return self.conf(key).lower() == "true"

    @cached_property
    def settings(self) -> Settings:
        """Made once for all contexts of one operation that share a configuration."""
        key = (id(self.config), self.catalog, self.database, self.user, self.now_micros, ROWS_ARE_GIVEN.get())
        found = self.settings_made.get(key)
        if found is None:
            found = self.settings_made[key] = (self.config, self._settings())
        return found[1]

    def _settings(self) -> Settings:
        """All but the time is the same for every operation under one configuration, if it keeps what is made of it."""
        kept = getattr(self.config, "made", None)
        if kept is None:
            return self._new_settings()
        key = ("settings", self.catalog, self.database, self.user, ROWS_ARE_GIVEN.get())
        if key not in kept:
            kept[key] = self._new_settings()
        return replace(kept[key], now_micros=self.now_micros)

    def _new_settings(self) -> Settings:
        for key, known in ({} if ROWS_ARE_GIVEN.get() else KNOWN_VALUES).items():
            if self.config.get(key, known).lower() != known.lower():
                raise NotNative(f"{key} = {self.config[key]}")
        ansi = self.flag("spark.sql.ansi.enabled")
        zone = self.conf("spark.sql.session.timeZone")
        if zone in disputed_zones():
            raise NotNative(f"the time zone {zone}, whose rules depend on the release of Java")
        return Settings(
            ansi=ansi,
            zone=zone,
            session_zone=self.config.get(SESSION_ZONE, ""),
            case_sensitive=self.flag("spark.sql.caseSensitive"),
            timestamp_type=self.conf("spark.sql.timestampType"),
            time_type=self.flag("spark.sql.timeType.enabled"),
            time_parser=self.conf("spark.sql.legacy.timeParserPolicy").upper(),
            loses_digits=self.flag("spark.sql.decimalOperations.allowPrecisionLoss"),
            last_key_wins=self.conf("spark.sql.mapKeyDedupPolicy").upper() == "LAST_WIN",
            size_of_null=self.flag("spark.sql.legacy.sizeOfNull") and not ansi,
            now_micros=self.now_micros,
            user=self.user,
            catalog=self.catalog,
            database=self.database,
            slices=partitions.slices if (partitions := folding_partitions(self.config)) else 0,
        )
