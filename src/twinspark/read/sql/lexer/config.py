"""The session settings that change how SQL text is parsed."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from twinspark.config.values import is_on, text_of
from twinspark.errors import NotNative, reasons

_VARIABLE = re.compile(r"\$\{(?:(\w+?):)?(\S+?)\}")


@dataclass(frozen=True, slots=True)
class ParserConfig:
    """Fields are named after Spark's settings."""

    ansi: bool
    enforce_reserved_keywords: bool
    double_quoted_identifiers: bool
    legacy_set_operations_precedence: bool
    legacy_exponent_literal_as_decimal: bool
    legacy_parameters_constants_only: bool
    legacy_identifier_clause_only: bool
    legacy_interval: bool
    legacy_bang_equals_not: bool
    escaped_string_literals: bool
    quoted_regex_columns: bool
    single_character_pipe: bool
    timestamp_ntz: bool
    time_zone: str
    settings: Mapping[str, str]

    @classmethod
    def of(cls, settings: Mapping[str, str]) -> "ParserConfig":
        """Reads the settings of a session by their Spark names."""
        ansi = is_on(settings, "spark.sql.ansi.enabled")
        return cls(
            ansi=ansi,
            enforce_reserved_keywords=ansi and is_on(settings, "spark.sql.ansi.enforceReservedKeywords"),
            double_quoted_identifiers=ansi and is_on(settings, "spark.sql.ansi.doubleQuotedIdentifiers"),
            legacy_set_operations_precedence=is_on(settings, "spark.sql.legacy.setopsPrecedence.enabled"),
            legacy_exponent_literal_as_decimal=is_on(settings, "spark.sql.legacy.exponentLiteralAsDecimal.enabled"),
            legacy_parameters_constants_only=is_on(settings, "spark.sql.legacy.parameterSubstitution.constantsOnly"),
            legacy_identifier_clause_only=is_on(settings, "spark.sql.legacy.identifierClause"),
            legacy_interval=is_on(settings, "spark.sql.legacy.interval.enabled"),
            legacy_bang_equals_not=is_on(settings, "spark.sql.legacy.bangEqualsNot"),
            escaped_string_literals=is_on(settings, "spark.sql.parser.escapedStringLiterals"),
            quoted_regex_columns=is_on(settings, "spark.sql.parser.quotedRegexColumnNames"),
            single_character_pipe=is_on(settings, "spark.sql.parser.singleCharacterPipeOperator.enabled"),
            timestamp_ntz=text_of(settings, "spark.sql.timestampType") == "TIMESTAMP_NTZ",
            time_zone=text_of(settings, "spark.sql.session.timeZone"),
            settings=settings,
        )

    def substitute_variables(self, text: str) -> str:
        """Replaces ${name} by the setting of that name, as Spark does before it parses a statement."""
        if "${" not in text or not self.allows("spark.sql.variable.substitute"):
            return text
        return _VARIABLE.sub(self._variable, text)

    def _variable(self, found: re.Match[str]) -> str:
        prefix, name = found.groups()
        if prefix not in (None, "spark", "sparkconf", "hivevar", "hiveconf"):
            raise NotNative(reasons.VARIABLE_SUBSTITUTION, found[0])
        value = self.settings.get(name, "")
        if not value and name.startswith("spark."):
            raise NotNative(reasons.VARIABLE_SUBSTITUTION, f"{found[0]}, a setting that may have a default")
        return self.substitute_variables(value)

    def allows(self, name: str) -> bool:
        """Whether a boolean setting is on."""
        return is_on(self.settings, name)


DEFAULT = ParserConfig.of({})
