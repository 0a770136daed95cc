"""The relation signatures are probed on: one column for each type, once never null and once nullable (`_n`)."""

from pyspark.sql import types as t

PAIR = t.StructType([t.StructField("a", t.IntegerType()), t.StructField("b", t.StringType())])
FULL_PAIR = t.StructType([t.StructField("a", t.IntegerType(), False), t.StructField("b", t.StringType(), False)])

# Short names, because Spark writes them into the names of result columns.
TYPES: dict[str, t.DataType] = {
    "b": t.BooleanType(),
    "y": t.ByteType(),
    "h": t.ShortType(),
    "i": t.IntegerType(),
    "l": t.LongType(),
    "f": t.FloatType(),
    "d": t.DoubleType(),
    "dec": t.DecimalType(10, 2),
    "big": t.DecimalType(38, 10),
    "s": t.StringType(),
    "bin": t.BinaryType(),
    "dt": t.DateType(),
    "ts": t.TimestampType(),
    "tn": t.TimestampNTZType(),
    "dti": t.DayTimeIntervalType(0, 3),
    "ymi": t.YearMonthIntervalType(0, 1),
    "ci": t.CalendarIntervalType(),
    "var": t.VariantType(),
    "ai": t.ArrayType(t.IntegerType()),
    "aif": t.ArrayType(t.IntegerType(), False),
    "asf": t.ArrayType(t.StringType(), False),
    "af": t.ArrayType(t.FloatType(), False),
    "aai": t.ArrayType(t.ArrayType(t.IntegerType())),
    "ast": t.ArrayType(PAIR),
    "astf": t.ArrayType(FULL_PAIR, False),
    "m": t.MapType(t.StringType(), t.IntegerType()),
    "mf": t.MapType(t.StringType(), t.IntegerType(), False),
    "st": PAIR,
    "stf": FULL_PAIR,
}
NULLABLE = "_n"

# Decimals of many widths, for the operators' precision rules only.
DECIMALS: dict[str, t.DataType] = {
    f"d{precision}_{scale}": t.DecimalType(precision, scale)
    for precision, scale in [(1, 0), (3, 3), (5, 2), (10, 0), (18, 6), (20, 0), (38, 0), (38, 18), (38, 38)]
}
SCALARS = [name for name, kind in TYPES.items() if not isinstance(kind, t.ArrayType | t.MapType | t.StructType)]


def probe_schema() -> t.StructType:
    fields = []
    for name, kind in (TYPES | DECIMALS).items():
        fields += [t.StructField(name, kind, False), t.StructField(name + NULLABLE, kind, True)]
    return t.StructType(fields)


def column_of(kind: t.DataType) -> str | None:
    """The column that stands for a literal's type; any decimal is `dec`."""
    if isinstance(kind, t.DecimalType):
        return "dec"
    if isinstance(kind, t.DayTimeIntervalType):
        return "dti"
    if isinstance(kind, t.YearMonthIntervalType):
        return "ymi"
    if isinstance(kind, t.NullType):
        return None
    return next((name for name, known in TYPES.items() if known == kind), None)
