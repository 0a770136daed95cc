-- Functions of several types and with options: one query in each line.
select map_concat(map(1, 'a'), map()), map_concat(map(1, 'a'), map(3, null)), map_concat(map(1, 2), map(3, 1.5)), map_concat(map('a', array(1)), map('b', array(2L)))
select map_concat(m, map(2, 'z')), map_concat(map(1, 2.5d), map(k, k)) from values (map(1, 'x'), 5), (null, 6) t(m, k)
select schema_of_csv('"1","a","true"'), schema_of_csv('"a b",3'), schema_of_csv('"",3'), schema_of_csv('1|x|2.5', map('sep', '|'))
select from_csv('1,2', schema_of_csv('1,a')), from_csv('x;2.5', schema_of_csv('a;1.5', map('sep', ';')), map('sep', ';'))
select from_csv(s, 'a string, b string, c string', map('ignoreLeadingWhiteSpace', 'true')) from values ('  abc'), ('  '), (''), (' x, y ,  '), (null), ('a,,  b') t(s)
select from_csv(s, 'a int, b int', map('ignoreLeadingWhiteSpace', 'true')), from_csv(s, 'a int, b int') from values (' 1, 2'), ('1,2') t(s)
select to_csv(named_struct('a', array(1L, 2L), 'b', map('x', 1), 'c', named_struct('d', 1, 'e', 'q "z')))
select to_csv(named_struct('a', array('a', 'b c', null))), to_csv(named_struct('a', array(null, ' x'))), to_csv(named_struct('a', array('#x'))), to_csv(named_struct('a', map('k', null, 'l', 2)))
select to_csv(named_struct('a', array(1.5d, double('nan')), 'b', array(date'2020-01-01'), 'c', array(timestamp'2020-01-01 01:02:03'), 'd', array(array(1), array()))), to_csv(named_struct('a', array(true)), map('sep', ';'))
select to_csv(r) from values (named_struct('a', array(1), 'b', named_struct('c', 'x', 'd', null))), (named_struct('a', null, 'b', null)), (null) t(r)
select from_json(s, 'a int, b struct<c: int>', map('allowUnquotedFieldNames', 'true')), from_json(s, 'a int') from values ('{a: 1}'), ('{a : 1, "b": {c: 2}}'), ('{a.b: 1}'), ('{: 1}'), ('{1: 1, a: 2}'), ('{"a":5}') t(s)
select from_json('{a-b: 1, $c: "x", @: 2, #*+: 3}', 'map<string, string>', map('allowUnquotedFieldNames', 'true', 'allowSingleQuotes', 'false'))
select schema_of_json('{a: 1}', map('allowUnquotedFieldNames', 'true')), schema_of_json('{a-b: 1, c: {d: [1.5]}}', map('allowUnquotedFieldNames', 'true'))
select string(make_interval(1) * 2), string(2.5 * make_interval(0, 0, 1, 1, 1)), string(make_interval(1) / 8), string(make_interval(0, 0, 0, 1, 0, 0, 0.000001) / 3)
select string(try_divide(make_interval(m, n, 1, -3, n, 6, 7.5), n)), string(try_multiply(make_interval(m, n), n)), string(make_interval(m, 2, 3, 4, 5, 6, 7.5) * n) from values (1, 0), (2, 3), (-7, 7), (5, -4), (null, 1) t(m, n)
select string(make_interval(1) / n) from values (0) t(n)
select window, window_time(window), window_time(window) as x, n + 1 from (select window(t, '5 seconds'), count(*) n from values (timestamp'2020-01-01 00:00:01'), (timestamp'2020-01-01 00:00:05'), (null) t(t) group by window(t, '5 seconds'))
select window_time(w), date_trunc('second', window_time(w)) from (select window(t, '10 minutes', '5 minutes') w, count(*) from values (timestamp_ntz'2020-01-01 00:00:01') t(t) group by 1)
select window_time(session_window), session_window.start from (select session_window(t, '5 seconds'), count(*) from values (timestamp'2020-01-01 00:00:01') t(t) group by session_window(t, '5 seconds'))
select session_window(t, '5 seconds'), count(*), k, max(t) from values (timestamp'2020-01-01 00:00:01', 1), (timestamp'2020-01-01 00:00:06', 1), (timestamp'2020-01-01 00:00:11.000001', 1), (timestamp'2020-01-01 00:00:05.9', 2), (timestamp'2020-01-01 00:00:06', 2), (null, 2), (timestamp'2020-01-01 00:00:06', null) t(t, k) group by k, session_window(t, '5 seconds')
select session_window(t, '1 hour').start s, session_window(t, '1 hour').end e, sum(k) from values (timestamp_ntz'2020-01-01 00:00:01', 1), (timestamp_ntz'2020-01-01 00:30:00', 3), (timestamp_ntz'2020-01-01 02:00:00', 7), (timestamp_ntz'2020-01-01 00:00:01', 1) t(t, k) group by session_window(t, '1 hour') having sum(k) > 1
select session_window.start, n from (select session_window(t, '10 minutes'), count(*) n from values ('2020-01-01 00:00:01'), ('2020-01-01 00:09:00'), ('2020-01-02') t(t) group by session_window(t, '10 minutes')) order by n
select session_window(t, '1 minute 30 seconds'), collect_list(i) from (select timestamp'2020-01-01' + make_dt_interval(0, 0, id * id, 0) t, id % 2 i from range(6)) group by i, session_window(t, '1 minute 30 seconds')
select to_xml(named_struct('a', 1, 'b', 'x<>&"\'y', 'c', null, 'd', '', 'e', ' z ', 'f', true, 'g', 1.50, 'h', 2.5d, 'i', 1e20d, 'j', date'2020-01-01', 'k', timestamp'2020-01-01 01:02:03.5')) where true
select to_xml(named_struct('s', named_struct('x', 1, 'y', cast(null as int)), 't', named_struct('z', cast(null as int)), 'u', cast(null as struct<q:int>)))
select to_xml(named_struct('s', array(1, 2, null), 'u', array('x', 'é'), 'v', cast(null as array<int>), 'w', array(named_struct('x', 1, 'y', array(2)), named_struct('x', null, 'y', null), null)))
select to_xml(r), to_xml(r, map('rowTag', 'person')) from values (named_struct('c', 5, 'n', 'Alice')), (named_struct('c', null, 'n', null)), (null) t(r)
select schema_of_xml('<p><a>1</a><b>x</b><c>true</c><d>1.5</d><e></e></p>'), schema_of_xml('<p><a>1</a><a>2.5</a><B>1</B></p>'), schema_of_xml('<p><a><b>1</b></a><a><c>2</c></a><z> <y>1</y> </z></p>'), schema_of_xml('<p><a attr="2">1</a></p>', map('excludeAttribute', 'true'))
select schema_of_xml('<root><person><name>Alice</name><age>30</age></person></root>'), schema_of_xml('<data><values><value>1</value><value>2</value><value>3</value></values></data>')
select from_xml(x, 'a bigint, b string, c array<int>, d array<string>') from values ('<p><a>1</a></p>'), ('<p></p>'), ('<p><b>x</b><b>y</b><a>-7</a><a>12</a></p>'), ('<p><c>1</c><q>9</q><c>2</c><d>x</d></p>'), ('<p><b></b><d></d><d>z</d></p>'), (null) t(x)
select from_xml('<p><a>1</a><a>2</a></p>', schema_of_xml('<p><a>1</a><a>2</a></p>')), from_xml('<p><a>007</a><b>"q"</b></p>', 'a int, b string')
-- beside a null divisor the dividend is never computed, and cannot fail
SELECT a / b FROM VALUES ('x', CAST(NULL AS SMALLINT)), ('8', 2S) t(a, b);
SELECT a % b AS rest, mod(a, b) AS again FROM VALUES ('x', CAST(NULL AS INT)), ('9', 2) t(a, b);
SELECT pmod(a, b), a div b FROM VALUES ('x', CAST(NULL AS INT)), ('9', 2) t(a, b);
SELECT (1 div a) / b FROM VALUES (0, CAST(NULL AS DOUBLE)), (1, 4D) t(a, b);
SELECT a / b FROM VALUES ('x', 0) t(a, b);
-- json_tuple: names that come twice, fields that come twice, escapes, nested values, what is no object
SELECT json_tuple(j, 'a', 'b', 'a') FROM VALUES ('{"a":1,"b":"x\\ny","a":[1, 2.50]}'), ('{"b":-0,"a":null}'), ('[1]'), ('{"a":"é","b":{"c":"d"}'), (NULL), ('') t(j);
SELECT k, x, y FROM VALUES (1, '{"a":1,"b":true,"c":{"d":[1,{"e":"f"}]}}'), (2, '{"c":1e3}') t(k, j) LATERAL VIEW json_tuple(j, 'c', 'b') AS x, y;
SELECT json_tuple(j, n, 'b') FROM VALUES ('{"a":1,"b":2}', 'a'), ('{"a":1,"b":2}', 'b'), ('{"a":1}', NULL) t(j, n);
-- whole numbers divided in one pass
SELECT a / b, c / d FROM VALUES (7, 2, 9007199254740993L, 3L), (NULL, 0, 1L, NULL), (-2147483648, -1, -9223372036854775808L, -1L) t(a, b, c, d);
SELECT a / b FROM VALUES (7, 0) t(a, b);
