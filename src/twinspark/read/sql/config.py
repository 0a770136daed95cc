"""The session settings that change how SQL text is read."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from twinspark.errors import NotNative

_VARIABLE = re.compile(r"\$\{(?:(\w+?):)?(\S+?)\}")


@dataclass(frozen=True, slots=True)
class ParserConfig:
    """Field names follow Spark's settings; defaults are Spark's."""

    ansi: bool = True
    enforce_reserved_keywords: bool = False
    double_quoted_identifiers: bool = False
    legacy_set_operations_precedence: bool = False
    legacy_exponent_literal_as_decimal: bool = False
    legacy_parameters_constants_only: bool = False
    legacy_identifier_clause_only: bool = False
    legacy_interval: bool = False
    legacy_bang_equals_not: bool = False
    escaped_string_literals: bool = False
    quoted_regex_columns: bool = False
    single_character_pipe: bool = True
    timestamp_ntz: bool = False
    time_zone: str = "UTC"
    settings: Mapping[str, str] | None = None

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "ParserConfig":
        """From a session's settings, by their Spark names."""

        def on(name: str, default: bool = False) -> bool:
            return settings.get(name, str(default)).lower() == "true"

        ansi = on("spark.sql.ansi.enabled", True)
        return cls(
            ansi=ansi,
            enforce_reserved_keywords=ansi and on("spark.sql.ansi.enforceReservedKeywords"),
            double_quoted_identifiers=ansi and on("spark.sql.ansi.doubleQuotedIdentifiers"),
            legacy_set_operations_precedence=on("spark.sql.legacy.setopsPrecedence.enabled"),
            legacy_exponent_literal_as_decimal=on("spark.sql.legacy.exponentLiteralAsDecimal.enabled"),
            legacy_parameters_constants_only=on("spark.sql.legacy.parameterSubstitution.constantsOnly"),
            legacy_identifier_clause_only=on("spark.sql.legacy.identifierClause"),
            legacy_interval=on("spark.sql.legacy.interval.enabled"),
            legacy_bang_equals_not=on("spark.sql.legacy.bangEqualsNot"),
            escaped_string_literals=on("spark.sql.parser.escapedStringLiterals"),
            quoted_regex_columns=on("spark.sql.parser.quotedRegexColumnNames"),
            single_character_pipe=on("spark.sql.parser.singleCharacterPipeOperator.enabled", True),
            timestamp_ntz=settings.get("spark.sql.timestampType", "").upper() == "TIMESTAMP_NTZ",
            time_zone=settings.get("spark.sql.session.timeZone", "UTC"),
            settings=settings,
        )

    def substituted(self, text: str) -> str:
        """${name} replaced by the setting of that name, as Spark does before it reads a statement."""
        if "${" not in text or self._setting("spark.sql.variable.substitute", "true").lower() != "true":
            return text
        return _VARIABLE.sub(self._variable, text)

    def _variable(self, found: re.Match[str]) -> str:
        prefix, name = found.groups()
        if prefix not in (None, "spark", "sparkconf", "hivevar", "hiveconf"):
            raise NotNative(f"SQL: variable {found[0]}")
        value = self._setting(name, "")
        if not value and name.startswith("spark."):
            raise NotNative(f"SQL: variable {found[0]}, a setting that may have a default")
        return self.substituted(value)

    def allows(self, name: str, default: bool = False) -> bool:
        """Whether a setting that is a switch is on."""
        return self._setting(name, str(default)).lower() == "true"

    def _setting(self, name: str, default: str) -> str:
        return (self.settings or {}).get(name, default)


DEFAULT = ParserConfig()
