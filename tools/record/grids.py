"""Pools of inputs worth trying, by kind of argument; the first ones of a pool are the everyday values."""

BASIC = {
    "BOOL": ["true", "false", "CAST(NULL AS BOOLEAN)"],
    "TINY": ["1Y", "0Y", "-128Y", "127Y", "CAST(NULL AS TINYINT)"],
    "SMALL": ["1S", "-32768S", "32767S"],
    "INT": ["1", "0", "-1", "7", "2147483647", "-2147483648", "CAST(NULL AS INT)"],
    "LONG": ["1L", "0L", "-5L", "9223372036854775807L", "-9223372036854775808L", "CAST(NULL AS BIGINT)"],
    "DOUBLE": [
        "1.5D", "0.0D", "-0.0D", "-2.5D", "0.1D", "3.0D", "1e20D", "1e-300D", "1.7976931348623157E308D", "4.9E-324D",
        "double('NaN')", "double('Infinity')", "double('-Infinity')", "CAST(NULL AS DOUBLE)",
    ],
    "FLOAT": ["1.5F", "-0.0F", "0.1F", "3.4028235E38F", "1.4E-45F", "float('NaN')", "float('Infinity')", "CAST(NULL AS FLOAT)"],
    "ANGLE": ["0.5D", "1.0D", "-1.0D", "0.0D", "2.0D", "1e5D", "0.3333333333333333D", "123.456D", "0.7853981633974483D"],
    "DECIMAL": [
        "1.50", "0.00", "-2.55", "2.5", "-2.5", "0.005", "99999999999999999999999999999999999999BD", "123456789.987654321",
        "CAST(NULL AS DECIMAL(10,2))",
    ],
    "NUMBER": ["2", "-3", "3L", "2.5D", "1.25", "7S", "CAST(NULL AS INT)"],
    "SCALE": ["0", "1", "2", "-1", "5", "-3", "400", "CAST(NULL AS INT)"],
    "SMALL_INT": ["0", "1", "2", "-1", "3", "31", "32", "33", "63", "64", "CAST(NULL AS INT)"],
}  # fmt: skip

TEXTS = {
    "TEXT": [
        "'Spark SQL'", "'abc'", "''", "'  pad  '", "'ÄÖß ǆ ﬁ'", "'😀a👍🏽é'", "'İıſK'", "'ΑΣ ΣΑΣ'", "'\\t\\n x\\r'", "'a,b,,c'",
        "'A1_b2-C3'", "CAST(NULL AS STRING)",
    ],
    "FEW_TEXT": ["'abcabc'", "''", "'😀a'", "CAST(NULL AS STRING)"],
    "NEEDLE": ["'a'", "''", "'bc'", "'ß'", "'👍🏽'", "','", "'Spark SQL'", "CAST(NULL AS STRING)"],
    "POSITION": ["1", "2", "0", "-1", "-3", "5", "100", "2147483647", "-2147483648", "CAST(NULL AS INT)"],
    "LENGTH": ["2", "0", "1", "-1", "100", "2147483647", "CAST(NULL AS INT)"],
    "PADLENGTH": ["5", "0", "1", "-1", "12", "CAST(NULL AS INT)"],
    "PAD": ["'*'", "''", "'xy'", "'😀'", "CAST(NULL AS STRING)"],
    "BINARY": ["X'00FF10'", "X''", "encode('é😀', 'utf-8')", "CAST(NULL AS BINARY)"],
    "REGEX": [
        "'a'", "'[a-c]+'", "'(a)(b)?'", "''", "'.'", "'\\\\d+'", "'\\\\w'", "'^a|c$'", "'(?i)S'", "'\\\\s'", "'a(?=b)'", "'(.)\\\\1'",
        "'a*+'", "'\\\\p{L}+'", "'[^a]'", "'('", "'a{2,}'", "'\\\\bS'", "'x*?'", "CAST(NULL AS STRING)",
    ],
    "SUBJECT": ["'abc aab'", "'Spark 10 20'", "''", "'é😀\\na'", "'a\\r\\nc'", "CAST(NULL AS STRING)"],
    "LIKE": ["'a%'", "'%'", "'_b_'", "''", "'a\\\\%b'", "'%\\n%'", "'A%'", "'😀_'", "'abc'", "CAST(NULL AS STRING)"],
    "NUMERIC_TEXT": ["'12'", "' 12 '", "'-1.50'", "'1e3'", "'abc'", "''", "'0x1F'", "'٣'", "'+7'", "'NaN'", "'1,234.5'", "CAST(NULL AS STRING)"],
    "CHARSET": ["'UTF-8'", "'utf-16'", "'US-ASCII'", "'ISO-8859-1'", "'UTF-16BE'", "'utf-32'", "'nope'", "CAST(NULL AS STRING)"],
    "JAVA_FORMAT": [
        "'%s|%s', 1, 'a'", "'%d', 12", "'%5d|%-5d|%05d', 1, 2, 3", "'%x %X %o', 255, 255, 8", "'%.2f', 1.005D", "'%,.2f', 1234567.891D",
        "'%e', 12345.678D", "'%10.3s|', 'abcdef'", "'%c', 65", "'%%'", "'%b', true", "'%s', NULL", "'%d', 'x'", "'%s'", "'%2$s %1$s', 'a', 'b'",
        "'%+d % d (%(d', 1, 2, -3", "'%g', 0.0001D", "'%S', 'abc'", "'%h', 'abc'", "'%n'", "'%s', array(1)", "'%.1f', 2.25", "'%s', 1.0D",
    ],
    "NUMBER_FORMAT": [
        "'999'", "'000'", "'9,999.99'", "'$99.9'", "'S999'", "'999MI'", "'999PR'", "'0G000D00'", "'.99'", "'9.'", "'abc'", "''", "'L99'",
    ],
    "URL": [
        "'https://user:pw@host.com:8080/a/b.html?x=1&y=2#frag'", "'http://spark.apache.org/p?query=1'", "'ftp://h'", "'not a url'", "''",
        "'https://ex.com/a b'", "'https://ex.com/?x=%20&x=2'", "'mailto:a@b'", "CAST(NULL AS STRING)",
    ],
    "URL_PART": ["'HOST'", "'PATH'", "'QUERY'", "'REF'", "'PROTOCOL'", "'FILE'", "'AUTHORITY'", "'USERINFO'", "'host'"],
    "JSON": [
        "'{\"a\":1,\"b\":[1,2,{\"c\":\"x\"}],\"d\":null}'", "'[1,2,3]'", "'{}'", "'[]'", "'{\"a\":'", "''", "'1'", "'\"s\"'", "'null'", "'true'",
        "'{\"a\": 1.0, \"a\": 2}'", "'{\"a\":\"\\\\u00e9😀\"}'", "'{a:1}'", "\"{'a':1}\"", "'{\"a\":{\"b\":[{\"c\":1},{\"c\":2}]}}'", "' {\"a\" : 12345678901234567890 } '",
        "'{\"a\":1}{\"a\":2}'", "'{\"a.b\":1,\"\":2}'", "CAST(NULL AS STRING)",
    ],
    "JSON_PATH": [
        "'$.a'", "'$'", "'$.b[0]'", "'$.b[2].c'", "'$.b[*]'", "'$[*]'", "'$[0]'", "'$.b[*].c'", "'$.a.b[*].c'", "'$[\\'a\\']'", "'$.*'", "'a'", "'$.d'", "'$.zz'",
        "'$[\\'a.b\\']'", "'$..a'", "''", "CAST(NULL AS STRING)",
    ],
    "HEX_TEXT": ["'4F'", "'abc'", "'zz'", "''", "'0aFf'", "CAST(NULL AS STRING)"],
    "BASE64_TEXT": ["'U3Bhcms='", "'U3Bhcms'", "'U3Bh\\ncms='", "'!'", "''", "'===='", "'YQ=='", "CAST(NULL AS STRING)"],
}  # fmt: skip

TIMES = {
    "DATE": [
        "DATE'2024-02-29'", "DATE'2020-01-31'", "DATE'1970-01-01'", "DATE'0001-01-01'", "DATE'1582-10-04'", "DATE'1582-10-15'", "DATE'9999-12-31'",
        "DATE'1900-02-28'", "DATE'2021-12-31'", "DATE'2024-01-01'", "CAST(NULL AS DATE)",
    ],
    "TS": [
        "TIMESTAMP'2024-03-10 10:30:00.123456'", "TIMESTAMP'2024-11-03 09:30:00Z'", "TIMESTAMP'2024-03-10 02:30:00'", "TIMESTAMP'2024-11-03 01:30:00'",
        "TIMESTAMP'1970-01-01 00:00:00'", "TIMESTAMP'1969-12-31 23:59:59.999999'", "TIMESTAMP'0001-01-01 00:00:00'", "TIMESTAMP'1582-10-10 12:00:00'",
        "TIMESTAMP'9999-12-31 23:59:59.999999'", "TIMESTAMP'1883-11-18 12:00:00'", "CAST(NULL AS TIMESTAMP)",
    ],
    "NTZ": [
        "TIMESTAMP_NTZ'2024-03-10 02:30:00.5'", "TIMESTAMP_NTZ'1969-12-31 23:59:59.999999'", "TIMESTAMP_NTZ'0001-01-01 00:00:00'",
        "TIMESTAMP_NTZ'9999-12-31 23:59:59'", "CAST(NULL AS TIMESTAMP_NTZ)",
    ],
    "DAYS": ["1", "0", "-1", "31", "366", "-719163", "2932896", "2147483647", "CAST(NULL AS INT)"],
    "MONTHS": ["1", "0", "-1", "12", "-13", "100000", "CAST(NULL AS INT)"],
    "DATE_TEXT": [
        "'2024-02-29'", "'2024-2-9'", "'2024'", "'2024-02'", "'2023-02-29'", "' 2024-02-29 '", "'2024-02-29T10:00:00'", "'2024-02-29 10:00:00 Europe/Paris'",
        "'20240229'", "'02/29/2024'", "'abc'", "''", "'-0044-03-15'", "'12345-01-01'", "'epoch'", "'2024-02-29x'", "CAST(NULL AS STRING)",
    ],
    "TS_TEXT": [
        "'2024-02-29 10:11:12.123456'", "'2024-02-29T10:11:12Z'", "'2024-02-29 10:11'", "'2024-02-29 10'", "'2024-02-29'", "'2024-02-29 10:11:12+05:30'",
        "'2024-02-29 10:11:12.1234567'", "'2024-02-29 24:00:00'", "'2024-02-29 10:60:00'", "'2024-03-10 02:30:00'", "'T10:11:12'", "'10:11'", "'abc'", "''",
        "'2024-02-29 10:11:12 America/New_York'", "'2024-02-29 10:11:12 UTC+1'", "CAST(NULL AS STRING)",
    ],
    "ZONE": ["'UTC'", "'America/Los_Angeles'", "'Asia/Kolkata'", "'+02:00'", "'EST'", "'GMT+1'", "'-8'", "'nope'", "'Pacific/Apia'", "CAST(NULL AS STRING)"],
    "DATE_FORMAT": [
        "'yyyy-MM-dd'", "'yyyy-MM-dd HH:mm:ss.SSS'", "'dd/MM/yy'", "'E EEEE MMM MMMM'", "'D q Q'", "'h:mm a'", "'yyyyMMdd'", "\"yyyy-MM-dd'T'HH:mm:ssXXX\"",
        "'G y u'", "'VV z O'", "'SSSSSS'", "'k K'", "'H H'", "'yyyyyy'", "'w'", "'YYYY'", "'e'", "'L LLL'", "'x X Z'", "'F'", "'QQQ qqqq'", "'A'", "'n'", "'b'",
        "''", "\"''yy''\"", "'[yyyy]'", "CAST(NULL AS STRING)",
    ],
    "PARSE_FORMAT": ["'yyyy-MM-dd'", "'yyyy-MM-dd HH:mm:ss'", "'dd/MM/yyyy'", "'yyyyMMdd'", "'MM/dd/yyyy'", "'yyyy'", "'yyyy-M-d'", "'abc'", "'HH:mm'", "CAST(NULL AS STRING)"],
    "TRUNC_UNIT": ["'MM'", "'YEAR'", "'quarter'", "'WEEK'", "'mon'", "'day'", "'yy'", "'DECADE'", "''", "CAST(NULL AS STRING)"],
    "TS_UNIT": ["'HOUR'", "'DAY'", "'month'", "'WEEK'", "'QUARTER'", "'YEAR'", "'minute'", "'SECOND'", "'MILLISECOND'", "'MICROSECOND'", "'dd'", "'nope'", "CAST(NULL AS STRING)"],
    "FIELD": [
        "'YEAR'", "'y'", "'YEAROFWEEK'", "'QUARTER'", "'MONTH'", "'WEEK'", "'DAY'", "'DOW'", "'DOW_ISO'", "'DOY'", "'HOUR'", "'MINUTE'", "'SECOND'", "'nope'",
    ],
    "DT_INTERVAL": [
        "INTERVAL '1 02:03:04.567' DAY TO SECOND", "INTERVAL '0' DAY", "INTERVAL '-1' HOUR", "INTERVAL '106751991' DAY", "CAST(NULL AS INTERVAL DAY TO SECOND)",
    ],
    "YM_INTERVAL": ["INTERVAL '1-2' YEAR TO MONTH", "INTERVAL '0' MONTH", "INTERVAL '-13' MONTH", "INTERVAL '178956970' YEAR", "CAST(NULL AS INTERVAL YEAR TO MONTH)"],
    "SECONDS": ["0", "1", "-1", "1709202672", "253402300800L", "9223372036854775807L", "1.5D", "CAST(NULL AS BIGINT)"],
    "BIG_COUNT": ["0L", "1L", "-1L", "1709202672123456L", "9223372036854775807L", "CAST(NULL AS BIGINT)"],
}  # fmt: skip

NESTED = {
    "INTS": [
        "array(1, 2, 3)", "array(3, NULL, 1, 3)", "array()", "array(NULL, NULL)", "array(2147483647, -2147483648, 0)", "CAST(NULL AS ARRAY<INT>)",
        "CAST(array() AS ARRAY<INT>)",
    ],
    "STRINGS": ["array('b', 'a', 'b')", "array('', NULL, '😀', 'é')", "CAST(array() AS ARRAY<STRING>)", "CAST(NULL AS ARRAY<STRING>)"],
    "DOUBLES": ["array(1.5D, double('NaN'), -0.0D, 0.0D, NULL)", "array(double('Infinity'), double('-Infinity'))", "array(double('NaN'), double('NaN'))"],
    "DEEP": ["array(array(1, 2), array(), NULL)", "array(array(1, NULL), array(3))", "array(named_struct('a', 1, 'b', 'x'), named_struct('a', NULL, 'b', 'y'))"],
    "ANY_ARRAY": [
        "array(1, 2, 3)", "array(3, NULL, 1, 3)", "array()", "CAST(NULL AS ARRAY<INT>)", "array('b', 'a', 'b')", "array('', NULL, '😀')",
        "array(1.5D, double('NaN'), -0.0D, 0.0D, NULL)", "array(array(2, 1), array(), NULL)", "array(named_struct('a', 2), named_struct('a', 1))",
        "array(1.50, 1.5)", "array(DATE'2020-01-01', NULL)", "array(true, false)", "array(X'01', X'00')", "array(1, 2.5D)", "array(1, 'a')",
    ],
    "INDEX": ["1", "2", "0", "-1", "-4", "5", "CAST(NULL AS INT)"],
    "ELEMENT": ["1", "3", "NULL", "2L", "9", "'a'", "1.0D"],
    "MAP": [
        "map('a', 1, 'b', 2)", "map('a', NULL)", "map()", "CAST(NULL AS MAP<STRING, INT>)", "map(1, 'x', 2, NULL)", "map(1.5D, 'a', double('NaN'), 'b')",
        "map(array(1), 'k')", "map('a', array(1, 2))", "map('a', 1, 'a', 2)", "map(NULL, 1)", "map(0.0D, 'p', -0.0D, 'n')",
    ],
    "STRUCT": ["named_struct('a', 1, 'b', 'x')", "struct(1, 'a')", "named_struct('a', NULL)", "CAST(NULL AS STRUCT<a: INT>)", "named_struct('a', named_struct('b', array(1, NULL)))"],
    "ANY": [
        "1", "'a'", "1.5D", "true", "NULL", "1.25", "X'61'", "DATE'2020-01-01'", "TIMESTAMP'2020-01-01 00:00:00'", "array(1, NULL)", "named_struct('a', 1)",
        "CAST(NULL AS INT)", "1Y", "2S", "3L", "-0.0D", "double('NaN')", "1.5F", "''", "'😀é'", "INTERVAL '1' DAY", "INTERVAL '1' MONTH", "map('a', 1)",
        "TIMESTAMP_NTZ'2020-01-01 00:00:00'", "CAST(99999999999999999999 AS DECIMAL(38,2))",
    ],
}  # fmt: skip

POOLS: dict[str, list[str]] = BASIC | TEXTS | TIMES | NESTED
