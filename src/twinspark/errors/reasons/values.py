"""Reasons for falling back: types, casts, collations, texts, numbers, dates and times."""

from twinspark.errors.reasons.reason import Reason

ARRAY_INDEX = Reason("ARRAY_INDEX", "The native engine does not read or write an array element by this index.")
CAST = Reason("CAST", "The native engine does not run this cast.")
CHARACTER_SET = Reason(
    "CHARACTER_SET", "The native engine does not convert these bytes or characters between character sets."
)
CHAR_PADDING = Reason(
    "CHAR_PADDING",
    "A CHAR column is compared with a text of another length, which Spark pads with blanks.",
    "Compare with a text of the column's length.",
)
COLLATION_CONFLICT = Reason(
    "COLLATION_CONFLICT",
    "The operands have different collations, or a collation that is not determined.",
    "Use COLLATE to give all operands the same collation.",
)
COLLATION_FUNCTION = Reason(
    "COLLATION_FUNCTION",
    "The native engine does not run this operation on strings with a collation.",
    "Use COLLATE UTF8_BINARY if an exact comparison is meant.",
)
COLLATION_GROUPS = Reason(
    "COLLATION_GROUPS",
    "Some strings differ but are equal under their collation, and Spark's row order decides which of them it returns.",
    "Group by lower() or another normal form of the string.",
)
COLLATION_ICU = Reason(
    "COLLATION_ICU",
    "This collation compares strings by the rules of the ICU library, which runs only on Spark.",
    "Use UTF8_BINARY or UTF8_LCASE.",
)
COLLATION_STORAGE = Reason(
    "COLLATION_STORAGE",
    "The native engine does not store or declare strings with a collation here.",
    "Use UTF8_BINARY for stored columns.",
)
DATETIME_ARITHMETIC = Reason(
    "DATETIME_ARITHMETIC", "The native engine does not run this arithmetic with dates, times or intervals."
)
DATETIME_LEGACY_POLICY = Reason(
    "DATETIME_LEGACY_POLICY",
    "spark.sql.legacy.timeParserPolicy requests the datetime patterns of Spark 2.",
    "Set spark.sql.legacy.timeParserPolicy to CORRECTED.",
)
DATETIME_PATTERN = Reason(
    "DATETIME_PATTERN", "The native engine does not apply this datetime pattern to this value exactly as Spark does."
)
DATETIME_RANGE = Reason(
    "DATETIME_RANGE", "A date, timestamp or interval is outside the range that the native engine computes exactly."
)
DATETIME_SPECIAL = Reason(
    "DATETIME_SPECIAL",
    "The texts 'now', 'today', 'tomorrow', 'yesterday' and 'epoch' are resolved only by Spark.",
    "Use current_timestamp() or current_date().",
)
DECIMAL_PRECISION = Reason(
    "DECIMAL_PRECISION",
    "The native engine does not compute this function exactly for decimals with so many digits.",
    "Cast the argument to a decimal with fewer digits.",
)
FORMAT_STRING = Reason("FORMAT_STRING", "The native engine does not support this format of format_string.")
INTERVAL_CALENDAR = Reason(
    "INTERVAL_CALENDAR",
    "Calendar intervals, which hold months, days and microseconds together, run only on Spark.",
    "Use a year-month or a day-time interval.",
)
LITERAL = Reason("LITERAL", "The native engine does not support a constant of this type or value.")
MAP_KEYS = Reason("MAP_KEYS", "The native engine does not handle these map keys as Spark does.")
NUMBER_FORMAT = Reason("NUMBER_FORMAT", "The native engine does not support this number format.")
REGEX = Reason("REGEX", "Only Java's regular expressions give this pattern the meaning that it has in Spark.")
REGEX_LIMIT = Reason(
    "REGEX_LIMIT",
    "Matching this regular expression needs more steps or memory than the native engine allows.",
    "Simplify the regular expression.",
)
SEQUENCE = Reason("SEQUENCE", "The native engine does not compute this sequence.")
TIME_WINDOW = Reason("TIME_WINDOW", "The native engine does not support this time window.")
TIME_ZONE = Reason(
    "TIME_ZONE",
    "The native engine does not know the rules of this time zone, or does not support it here.",
    "Set spark.sql.session.timeZone to UTC.",
)
TYPES_MIXED = Reason(
    "TYPES_MIXED", "The native engine finds no common type for these operands.", "Cast the operands to the same type."
)
TYPE_NOT_COMPARABLE = Reason("TYPE_NOT_COMPARABLE", "The native engine does not compare values of this type.")
TYPE_UNSUPPORTED = Reason("TYPE_UNSUPPORTED", "The native engine does not support this type here.")
USER_DEFINED_TYPE = Reason("USER_DEFINED_TYPE", "The native engine does not support this use of a user-defined type.")
