select 1, 1L, 1S, 1Y, 1.0, 1e5, 1.5e-3, 1F, 1.5D, 1.5BD, .5, 5.
--> ok

select 1.e5, 1.e, 1.5e, 1e
--> ok

select 128Y
--> INVALID_NUMERIC_LITERAL_RANGE {"fragment": "128Y", "maxValue": "127", "minValue": "-128", "rawStrippedQualifier": "128", "typeName": "tinyint"}

select -128Y
--> ok

select 32768S, 1
--> INVALID_NUMERIC_LITERAL_RANGE {"fragment": "32768S", "maxValue": "32767", "minValue": "-32768", "rawStrippedQualifier": "32768", "typeName": "smallint"}

select 9223372036854775808L
--> INVALID_NUMERIC_LITERAL_RANGE {"fragment": "9223372036854775808L", "maxValue": "9223372036854775807", "minValue": "-9223372036854775808", "rawStrippedQualifier": "9223372036854775808", "typeName": "bigint"}

select 9223372036854775808
--> ok

select 1e400
--> INVALID_NUMERIC_LITERAL_RANGE {"fragment": "1e400", "maxValue": "1.7976931348623157E+308", "minValue": "-1.7976931348623157E+308", "rawStrippedQualifier": "1e400", "typeName": "double"}

select 1.7e39F
--> INVALID_NUMERIC_LITERAL_RANGE {"fragment": "1.7e39F", "maxValue": "3.4028234663852886E+38", "minValue": "-3.4028234663852886E+38", "rawStrippedQualifier": "1.7e39", "typeName": "float"}

select 1_000
--> ok

select 1a
--> ok

select 1.5x
--> ok

select a.1
--> PARSE_SYNTAX_ERROR {"error": "'.1'", "hint": ": extra input '.1'", "line": 1, "position": 8}

select 'a', "b", 'it''s', "say ""hi"""
--> ok

select 'a' 'b' "c"
--> ok

select 'a\'b', 'tab\t', 'new\nline', '\u0041', '\U0001F600', '\101', '\%\_'
--> ok

select r'\n', R"\t", r'a''b'
--> ok

select 'unterminated
--> PARSE_SYNTAX_ERROR {"error": "'''", "hint": "", "line": 1, "position": 7}

select "unterminated
--> PARSE_SYNTAX_ERROR {"error": "'\"'", "hint": "", "line": 1, "position": 7}

select null, true, FALSE
--> ok

select date '2020-02-29', date'2021-02-29'
--> INVALID_TYPED_LITERAL {"fragment": "date'2021-02-29'", "value": "'2021-02-29'", "valueType": "\"DATE\""}

select date '2020', date '2020-1', date '2020-1-1', date '2020-01-01T', date '2020-01-01 10'
--> ok

select date '20-01-01'
--> INVALID_TYPED_LITERAL {"fragment": "date '20-01-01'", "value": "'20-01-01'", "valueType": "\"DATE\""}

select date 'today', date 'now'
--> ok

select timestamp '2020-01-01 10:20:30.123456', timestamp '2020-01-01T10:20:30Z', timestamp '2020-01-01 10'
--> ok

select timestamp '2020-01-01 10:20:30 Europe/Berlin', timestamp '2020-01-01 10:20:30+01:00'
--> ok

select timestamp '2020-01-01 10:20:30 Nowhere/City'
--> INVALID_TYPED_LITERAL {"fragment": "timestamp '2020-01-01 10:20:30 Nowhere/City'", "value": "'2020-01-01 10:20:30 Nowhere/City'", "valueType": "\"TIMESTAMP\""}

select timestamp '2020-01-01 25:00:00'
--> INVALID_TYPED_LITERAL {"fragment": "timestamp '2020-01-01 25:00:00'", "value": "'2020-01-01 25:00:00'", "valueType": "\"TIMESTAMP\""}

select timestamp_ntz '2020-01-01 00:00:00', timestamp_ltz '2020-01-01 00:00:00'
--> ok

select timestamp_ntz '2020-01-01 00:00:00Z'
--> ok

select time '10:20:30', time '10:20', time '25:00:00'
--> INVALID_TYPED_LITERAL {"fragment": "time '25:00:00'", "value": "'25:00:00'", "valueType": "\"TIME\""}

select x'', x'1', x'1G'
--> INVALID_TYPED_LITERAL {"fragment": "x'1G'", "value": "'1G'", "valueType": "\"X\""}

select foo 'bar'
--> UNSUPPORTED_TYPED_LITERAL {"fragment": "foo 'bar'", "supportedTypes": "\"DATE\", \"TIMESTAMP_NTZ\", \"TIMESTAMP_LTZ\", \"TIMESTAMP\", \"INTERVAL\", \"X\", \"TIME\"", "unsupportedType": "\"FOO\""}

select interval 1 day, interval '1' day, interval 1 day 2 hours, interval -1 month, interval '-1' year
--> ok

select interval '1 day 2 hours', interval '1 year 2 months'
--> ok

select interval '1 day 1 month'
--> _LEGACY_ERROR_TEMP_0029 {"fragment": "interval '1 day 1 month'", "literal": "interval '1 day 1 month'"}

select interval 1 month 1 day
--> _LEGACY_ERROR_TEMP_0029 {"fragment": "interval 1 month 1 day", "literal": "interval 1 month 1 day"}

select interval '10-9' year to month, interval '1 02:03:04.5' day to second, interval '02:03' hour to minute
--> ok

select interval '10' year to month
--> INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING {"fragment": "'10' year to month", "input": "10", "intervalStr": "year-month", "supportedFormat": "`[+|-]y-m`, `INTERVAL [+|-]'[+|-]y-m' YEAR TO MONTH`", "typeName": "interval year to month"}

select interval '1 2' day to second
--> INVALID_INTERVAL_FORMAT.UNMATCHED_FORMAT_STRING_WITH_NOTICE {"fragment": "'1 2' day to second", "input": "1 2", "intervalStr": "day-time", "supportedFormat": "`[+|-]d h:m:s.n`, `INTERVAL [+|-]'[+|-]d h:m:s.n' DAY TO SECOND`", "typeName": "interval day to second"}

select interval '1' year to second
--> INVALID_INTERVAL_FORMAT.UNSUPPORTED_FROM_TO_EXPRESSION {"fragment": "'1' year to second", "from": "year", "input": "1", "to": "second"}

select interval 1 year to month
--> _LEGACY_ERROR_TEMP_0027 {"fragment": "1 year to month"}

select interval '10-9' year to month '1' year
--> _LEGACY_ERROR_TEMP_0024 {"fragment": "interval '10-9' year to month '1' year"}

select interval 'foo'
--> INVALID_TYPED_LITERAL {"fragment": "interval 'foo'", "value": "'foo'", "valueType": "\"INTERVAL\""}

select interval 1 foo
--> PARSE_SYNTAX_ERROR {"error": "'foo'", "hint": "", "line": 1, "position": 18}

select interval '1 day 2' day
--> _LEGACY_ERROR_TEMP_0026 {"fragment": "'1 day 2' day", "value": "1 day 2"}

select interval 1.5 seconds, interval '1.5' second
--> ok

select interval 1 week, interval 2 milliseconds, interval 3 microseconds
--> ok

select interval
--> ok

select interval 'interval 1 day'
--> ok

select interval '178956970-8' year to month
--> INVALID_INTERVAL_FORMAT.INTERVAL_PARSING {"fragment": "'178956970-8' year to month", "input": "178956970-8", "interval": "year-month"}

select interval '106751992 00' day to hour
--> _LEGACY_ERROR_TEMP_0063 {"fragment": "'106751992 00' day to hour", "msg": "requirement failed: day 106751992 outside range [0, 106751991]"}

select :p, ?, :p + ?
--> ok

select 'a' :b 'c'
--> ok

select * from t limit :n offset ?
--> ok

select * from t tablesample (:p percent)
--> ok
