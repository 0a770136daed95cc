"""Every differential case of the native functions, from the topic files."""

from native_cases import (
    datetime_cases,  # noqa: F401
    decimal_cases,  # noqa: F401
    json_cases,  # noqa: F401
    legacy_dates_cases,  # noqa: F401
    maths_cases,  # noqa: F401
    numbers_cases,  # noqa: F401
    patterns_cases,  # noqa: F401
    random_cases,  # noqa: F401
    regex_cases,  # noqa: F401
    sets_cases,  # noqa: F401
    sketch_cases,  # noqa: F401
    text_cases,  # noqa: F401
)
from native_cases.case import CASES, Case

__all__ = ["CASES", "Case"]
