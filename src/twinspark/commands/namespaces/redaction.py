"""Masks options and properties that are secrets."""

import re
from collections.abc import Mapping

from twinspark.sessions.config import is_redacted

STARS = "*********(redacted)"
URL = re.compile("(?i)url")  # spark.sql.redaction.options.regex


def redact(properties: Mapping[str, str]) -> dict[str, str]:
    return {key: STARS if is_redacted(key, value) or URL.search(key) else value for key, value in properties.items()}
