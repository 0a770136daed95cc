"""The views that Spark's suites share (trait SQLTestData), as SQL."""

import re

VALUES = {
    "emptyTestData": "SELECT CAST(id AS INT) key, CAST(id AS STRING) value FROM range(0)",
    "testData": "SELECT CAST(id AS INT) key, CAST(id AS STRING) value FROM range(1, 101)",
    "testData2": "SELECT * FROM VALUES (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2) AS t(a, b)",
    "testData3": "SELECT * FROM VALUES (1, NULL), (2, 2) AS t(a, b)",
    "negativeData": "SELECT CAST(-id AS INT) key, CAST(-id AS STRING) value FROM range(1, 101)",
    "largeAndSmallInts": "SELECT * FROM VALUES (2147483644, 1), (1, 2), (2147483645, 1), (2, 2), (2147483646, 1),"
    " (3, 2) AS t(a, b)",
    "decimalData": "SELECT CAST(a AS DECIMAL(38,18)) a, CAST(b AS DECIMAL(38,18)) b"
    " FROM VALUES (1, 1), (1, 2), (2, 1), (2, 2), (3, 1), (3, 2) AS t(a, b)",
    "binaryData": "SELECT CAST(a AS BINARY) a, b FROM VALUES ('12', 1), ('22', 5), ('122', 3), ('121', 2), ('123', 4)"
    " AS t(a, b)",
    "upperCaseData": "SELECT * FROM VALUES (1, 'A'), (2, 'B'), (3, 'C'), (4, 'D'), (5, 'E'), (6, 'F') AS t(N, L)",
    "lowerCaseData": "SELECT * FROM VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd') AS t(n, l)",
    "arrayData": "SELECT * FROM VALUES (array(1, 2, 3), array(array(1, 2, 3))), (array(2, 3, 4), array(array(2, 3, 4)))"
    " AS t(data, nestedData)",
    "mapData": "SELECT * FROM VALUES map(1, 'a1', 2, 'b1', 3, 'c1', 4, 'd1', 5, 'e1'),"
    " map(1, 'a2', 2, 'b2', 3, 'c2', 4, 'd2'), map(1, 'a3', 2, 'b3', 3, 'c3'), map(1, 'a4', 2, 'b4'), map(1, 'a5')"
    " AS t(data)",
    "repeatedData": "SELECT * FROM VALUES ('test'), ('test') AS t(s)",
    "nullableRepeatedData": "SELECT * FROM VALUES (NULL), (NULL), ('test'), ('test') AS t(s)",
    "nullInts": "SELECT * FROM VALUES (1), (2), (3), (NULL) AS t(a)",
    "allNulls": "SELECT CAST(a AS INT) a FROM VALUES (NULL), (NULL), (NULL), (NULL) AS t(a)",
    "nullStrings": "SELECT * FROM VALUES (1, 'abc'), (2, 'ABC'), (3, NULL) AS t(n, s)",
    "tableName": "SELECT 'test' AS tableName",
    "withEmptyParts": "SELECT * FROM VALUES (1), (2), (3), (4) AS t(i)",
    "person": "SELECT * FROM VALUES (0, 'mike', 30), (1, 'jim', 20) AS t(id, name, age)",
    "salary": "SELECT * FROM VALUES (0, 2000.0D), (1, 1000.0D) AS t(personId, salary)",
    "complexData": "SELECT * FROM VALUES (map('1', 1), named_struct('key', 1, 'value', '1'), array(1, 1, 1), true),"
    " (map('2', 2), named_struct('key', 2, 'value', '2'), array(2, 2, 2), false) AS t(m, s, a, b)",
    "courseSales": "SELECT * FROM VALUES ('dotNET', 2012, 10000D), ('Java', 2012, 20000D), ('dotNET', 2012, 5000D),"
    " ('dotNET', 2013, 48000D), ('Java', 2013, 30000D) AS t(course, year, earnings)",
    # Names that many suites use for rows of their own, made in ways that are not transcribed.
    "src": "SELECT CAST(id * 7 % 50 AS INT) key, concat('val_', id * 7 % 50) value FROM range(100)",
    "l": "SELECT * FROM VALUES (1, 2.0D), (1, 2.0D), (2, 1.0D), (2, 1.0D), (3, 3.0D), (NULL, NULL), (NULL, 5.0D),"
    " (6, NULL) AS t(a, b)",
    "r": "SELECT * FROM VALUES (2, 3.0D), (2, 3.0D), (3, 2.0D), (4, 1.0D), (NULL, NULL), (NULL, 5.0D), (6, NULL)"
    " AS t(c, d)",
}


def fixtures_of(text: str) -> tuple[str, ...]:
    """The views whose names occur in the text."""
    words = {word.lower() for word in re.findall(r"\w+", text)}
    return tuple(
        f"CREATE OR REPLACE TEMPORARY VIEW {name} AS {query}" for name, query in VALUES.items() if name.lower() in words
    )
