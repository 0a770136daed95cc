"""Every differential case of the native functions, from the topic files."""

import cases_datetime  # noqa: F401
import cases_decimal  # noqa: F401
import cases_json  # noqa: F401
import cases_legacy_dates  # noqa: F401
import cases_maths  # noqa: F401
import cases_numbers  # noqa: F401
import cases_patterns  # noqa: F401
import cases_random  # noqa: F401
import cases_regex  # noqa: F401
import cases_sets  # noqa: F401
import cases_sketch  # noqa: F401
import cases_text  # noqa: F401
from native_case import CASES, Case

__all__ = ["CASES", "Case"]
