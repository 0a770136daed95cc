-- Tables of strings with collations: the types are told again, and rows compared by them.

-- declared types
CREATE TABLE c1 (s STRING, b STRING COLLATE UTF8_BINARY, l STRING COLLATE utf8_lcase, a ARRAY<STRING COLLATE UTF8_LCASE_RTRIM>) USING parquet;
DESCRIBE c1;
SHOW CREATE TABLE c1;
INSERT INTO c1 VALUES ('aaa', 'aaa', 'aaa', array('x ')), ('q', 'q', 'q', null);
INSERT INTO c1 VALUES ('AAA', 'AAA', 'AAA', null);
INSERT INTO c1 SELECT 'z', 'z', 'Z' COLLATE UTF8_LCASE, array('y');
INSERT INTO c1 (l) VALUES ('w');
SELECT * FROM c1;
SELECT collation(s), collation(b), collation(l), typeof(a) FROM c1 LIMIT 1;

-- comparisons
SELECT s, l FROM c1 WHERE l = 'aAa';
SELECT s, l FROM c1 WHERE l IN ('Q', 'W');
SELECT s, l FROM c1 WHERE b = l;
SELECT count(*) FROM c1 GROUP BY l;
SELECT l FROM c1 ORDER BY l, b;
SELECT x.b, y.l FROM c1 x JOIN c1 y ON x.l = y.l;
SELECT upper(l), l || 'x', contains(l, 'A'), replace(l, 'A', '-') FROM c1;

-- changes
ALTER TABLE c1 ADD COLUMN n STRING COLLATE UTF8_LCASE;
ALTER TABLE c1 ADD COLUMN m STRING COLLATE UNICODE;
DESCRIBE c1;
SELECT m, n, collation(m) FROM c1;
CREATE TABLE c2 USING parquet AS SELECT l, 'k' COLLATE UTF8_LCASE_RTRIM AS k FROM c1;
DESCRIBE c2;
SELECT count(*) FROM c2 WHERE k = 'K  ';
CREATE TABLE c3 (c STRUCT<l: STRING COLLATE UTF8_LCASE>) USING parquet;
INSERT INTO c3 VALUES (named_struct('l', 'a')), (named_struct('l', 'A'));
SELECT count(*) FROM c3 GROUP BY c.l;
DESCRIBE c3;
