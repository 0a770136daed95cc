"""Options and properties that are secrets are shown as stars."""

import re
from collections.abc import Mapping

from twinspark.session.config import is_redacted

STARS = "*********(redacted)"
URL = re.compile("(?i)url")  # spark.sql.redaction.options.regex


def redacted(told: Mapping[str, str]) -> dict[str, str]:
    return {key: STARS if is_redacted(key, value) or URL.search(key) else value for key, value in told.items()}
