"""Data types in SQL text: INT, DECIMAL(10, 2), ARRAY<…>, STRUCT<a: INT COMMENT 'x'>, and column lists."""

from pyspark.sql import types as spark

from twinspark.errors import NotNative
from twinspark.functions.collations import normalized
from twinspark.read.sql.config import DEFAULT, ParserConfig
from twinspark.read.sql.failures import ParseError
from twinspark.read.sql.strings import Strings

_TRIVIAL: dict[str, type[spark.DataType]] = {
    "BOOLEAN": spark.BooleanType,
    "TINYINT": spark.ByteType,
    "BYTE": spark.ByteType,
    "SMALLINT": spark.ShortType,
    "SHORT": spark.ShortType,
    "INT": spark.IntegerType,
    "INTEGER": spark.IntegerType,
    "BIGINT": spark.LongType,
    "LONG": spark.LongType,
    "FLOAT": spark.FloatType,
    "REAL": spark.FloatType,
    "DOUBLE": spark.DoubleType,
    "DATE": spark.DateType,
    "TIMESTAMP_LTZ": spark.TimestampType,
    "TIMESTAMP_NTZ": spark.TimestampNTZType,
    "BINARY": spark.BinaryType,
    "VOID": spark.NullType,
    "VARIANT": spark.VariantType,
}
_DAY_TIME = {"DAY": 0, "HOUR": 1, "MINUTE": 2, "SECOND": 3}
_YEAR_MONTH = {"YEAR": 0, "MONTH": 1}
_MISSING_SIZE = {"CHAR", "CHARACTER", "VARCHAR"}


class DataTypes(Strings):
    """The layer that reads data types into pyspark.sql.types."""

    def data_type(self) -> spark.DataType:
        kind = self.kinds[self.at]
        trivial = _TRIVIAL.get(kind)
        if trivial is not None:
            if self.kinds[self.at + 1] == "(" and self.kinds[self.at + 2] == "integer":
                return self._unsupported_type()
            self.at += 1
            return trivial()
        reader = _READERS.get(kind)
        return reader(self) if reader is not None else self._unsupported_type()

    # ------------------------------------------------------------ complex types
    def _array(self) -> spark.DataType:
        start = self.start
        self.expect("ARRAY")
        if not self.take("<"):
            return self._incomplete("ARRAY", start, elementType="<INT>")
        element = self.data_type()
        self.expect(">")
        return spark.ArrayType(element)

    def _map(self) -> spark.DataType:
        start = self.start
        self.expect("MAP")
        if not self.take("<"):
            return self._incomplete("MAP", start)
        key = self.data_type()
        self.expect(",")
        value = self.data_type()
        self.expect(">")
        return spark.MapType(key, value)

    def _struct_type(self) -> spark.DataType:
        start = self.start
        self.expect("STRUCT")
        if self.take("<>"):
            return spark.StructType([])
        if not self.take("<"):
            return self._incomplete("STRUCT", start)
        fields = () if self.peek(">") else self.listed(self._struct_field)
        self.expect(">")
        return spark.StructType(list(fields))

    def _struct_field(self) -> spark.StructField:
        name = self.captured_identifier()
        self.take(":")
        return self._field(name)

    def column_type(self) -> spark.StructField:
        """name type [NOT NULL] [COMMENT '…']"""
        return self._field(self.captured_identifier())

    def _field(self, name: str) -> spark.StructField:
        data_type = self.data_type()
        nullable = not self.not_null()
        metadata = {"comment": self.string_value()} if self.take("COMMENT") else {}
        return spark.StructField(name, data_type, nullable, metadata)

    def not_null(self) -> bool:
        at = self.at
        taken = self.take("NOT", "NULL") or self.take("!", "NULL")
        if taken:
            self.complain_bang(at)
        return taken

    def column_types(self) -> spark.StructType:
        return spark.StructType(list(self.listed(self.column_type)))

    def _incomplete(self, name: str, start: int, **parameters: object) -> spark.DataType:
        self.complain(f"INCOMPLETE_TYPE_DEFINITION.{name}", start, self.stop, **parameters)
        return spark.NullType()

    # ------------------------------------------------------------ types with parameters
    def _string(self) -> spark.DataType:
        self.expect("STRING")
        collation = self._collation()
        return spark.StringType(collation) if collation else spark.StringType()

    def _collation(self) -> str:
        """Normalized where Spark knows the name; else it is Spark's to refuse."""
        return normalized(".".join(self.multipart_identifier().parts)) if self.take("COLLATE") else ""

    def _char(self) -> spark.DataType:
        start, kind, name = self.start, self.kinds[self.at], self.tokens.word(self.at)
        self.at += 1
        length = self._parameters(1)
        if self._collation() not in ("", "UTF8_BINARY"):
            raise NotNative(f"SQL: {name} with a collation")
        if not length:
            self.complain("DATATYPE_MISSING_SIZE", start, self.stop, type=f'"{name.upper()}"')
            return spark.NullType()
        return spark.VarcharType(length[0]) if kind == "VARCHAR" else spark.CharType(length[0])

    def _decimal(self) -> spark.DataType:
        start = self.start
        self.at += 1
        precision, scale = (*self._parameters(2), 0, 0)[:2] if self.peek("(") else (10, 0)
        if precision > 38:
            problem = "DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION"
            self.complain_plainly(problem, "SparkArithmeticException", start, precision=precision, maxPrecision=38)
        return spark.DecimalType(precision, scale)

    def _parameters(self, most: int) -> tuple[int, ...]:
        if not self.take("("):
            return ()
        values = self.listed(self.integer_value)
        if len(values) > most:
            raise self.fail()
        self.expect(")")
        return values

    def integer_value(self) -> int:
        """A number; a parameter marker may stand for it, but must be bound before it is read."""
        if self.is_marker(self.at):
            if not self.looks_for_markers:
                raise NotNative("SQL: a parameter marker for the number of a type")
            self.marker()
            return 1
        self.expect("integer")
        return int(self.tokens.word(self.at - 1))

    def _timestamp(self) -> spark.DataType:
        self.expect("TIMESTAMP")
        if self.take("WITH", "LOCAL", "TIME", "ZONE"):
            return spark.TimestampType()
        if self.take("WITHOUT", "TIME", "ZONE") or self.config.timestamp_ntz:
            return spark.TimestampNTZType()
        return spark.TimestampType()

    def _time(self) -> spark.DataType:
        self.expect("TIME")
        precision = (*self._parameters(1), 6)[0]
        self.take("WITHOUT", "TIME", "ZONE")
        return spark.TimeType(precision)

    def _interval(self) -> spark.DataType:
        start = self.start
        self.expect("INTERVAL")
        first = self.take_any("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND")
        if not first:
            return spark.CalendarIntervalType()
        fields = _YEAR_MONTH if first in _YEAR_MONTH else _DAY_TIME
        last = self.expect_any("MONTH", "HOUR", "MINUTE", "SECOND") if self.take("TO") else first
        if last not in fields:
            raise self.fail(self.at - 1)
        if (last != first and fields[last] <= fields[first]) or (last == first and self.kinds[self.at - 2] == "TO"):
            self.complain(
                "INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION",
                start,
                self.stop,
                input="",
                **{"from": first.lower(), "to": last.lower()},
            )
            return spark.NullType()
        kind = spark.YearMonthIntervalType if fields is _YEAR_MONTH else spark.DayTimeIntervalType
        return kind(fields[first], fields[last])

    def _spatial(self) -> spark.DataType:
        if self.kinds[self.at + 1] != "(":
            return self._unsupported_type()
        kind = self.kinds[self.at]
        self.at += 2
        srid: int | str = "ANY" if self.take("ANY") else self.integer_value()
        self.expect(")")
        return spark.GeographyType(srid) if kind == "GEOGRAPHY" else spark.GeometryType(srid)

    def _unsupported_type(self) -> spark.DataType:
        start = self.start
        name = self.identifier()
        parameters = self._parameters(99)
        shown = f"{name}({','.join(map(str, parameters))})" if parameters else name
        self.complain("UNSUPPORTED_DATATYPE", start, self.stop, typeName=f'"{shown.upper()}"')
        return spark.NullType()


_READERS = {
    "ARRAY": DataTypes._array,
    "MAP": DataTypes._map,
    "STRUCT": DataTypes._struct_type,
    "STRING": DataTypes._string,
    "CHAR": DataTypes._char,
    "CHARACTER": DataTypes._char,
    "VARCHAR": DataTypes._char,
    "DECIMAL": DataTypes._decimal,
    "DEC": DataTypes._decimal,
    "NUMERIC": DataTypes._decimal,
    "INTERVAL": DataTypes._interval,
    "TIMESTAMP": DataTypes._timestamp,
    "TIME": DataTypes._time,
    "GEOGRAPHY": DataTypes._spatial,
    "GEOMETRY": DataTypes._spatial,
}


# ---------------------------------------------------------------- texts of types alone
def parse_type(text: str, config: ParserConfig = DEFAULT) -> spark.DataType:
    """One data type, as Column.cast takes it."""
    reader = _reader(text, config)
    reader.names_extra_input = reader.kinds[0] not in _TRIVIAL and reader.kinds[0] not in _READERS
    return reader.whole(reader.data_type)


def parse_columns(text: str, config: ParserConfig = DEFAULT) -> spark.StructType:
    """A list of columns, as DataFrameReader.schema takes it."""
    reader = _reader(text, config)
    return reader.whole(reader.column_types) if text else spark.StructType([])


def parse_ddl(text: str, config: ParserConfig = DEFAULT) -> spark.DataType:
    """Columns, or a type, or the inside of STRUCT<…>, as createDataFrame takes it; the first reading's error counts."""
    try:
        return parse_columns(text, config)
    except ParseError as error:
        if error.exception != "ParseException":
            raise
        return _other_ddl(text, config, error)


def _other_ddl(text: str, config: ParserConfig, error: ParseError) -> spark.DataType:
    for reading in (text, f"struct<{text.strip()}>"):
        try:
            return parse_type(reading, config)
        except ParseError as other:
            if other.exception != "ParseException":
                raise
    raise error


def parse_schema(text: str, config: ParserConfig = DEFAULT) -> spark.StructType:
    """As `parse_ddl`; a type that is no struct is the type of a column named value."""
    found = parse_ddl(text, config)
    return found if isinstance(found, spark.StructType) else spark.StructType([spark.StructField("value", found)])


def parse_schema_argument(text: str, config: ParserConfig = DEFAULT) -> spark.DataType:
    """Columns or a type, as from_json and its like take it; the second reading's error counts."""
    try:
        return _nonempty_columns(text, config)
    except ParseError:
        return parse_type(text, config)


def _nonempty_columns(text: str, config: ParserConfig) -> spark.StructType:
    reader = _reader(text, config)
    return reader.whole(reader.column_types)


def _reader(text: str, config: ParserConfig) -> DataTypes:
    reader = DataTypes(text, config)
    reader.gives_context = reader.names_extra_input = False
    return reader
