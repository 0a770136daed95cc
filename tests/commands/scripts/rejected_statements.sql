-- Every kind of statement with what Spark refuses: a typo in a column, a table that is not there, an ambiguous name,
-- a syntax error, types that do not fit; and the words of such errors.
CREATE DATABASE twin_refused;
USE twin_refused;
CREATE TABLE people (id INT, name STRING, age INT) USING parquet;
CREATE TABLE houses (id INT, street STRING) USING parquet;
CREATE TEMPORARY VIEW seen AS SELECT 1 AS id, 'x' AS name;
SELECT nmae FROM people;
SELECT * FROM pepole;
SELECT id FROM people, houses;
SELEC 1;
SELECT age + name + array(1) FROM people;
SELECT name FROM people WHERE;
SELECT p.street FROM people p;
SELECT id FROM people GROUP BY;
SELECT name FROM people GROUP BY id;
SELECT id FROM people HAVING nmae = 'a';
SELECT * FROM people ORDER BY nmae;
SELECT * FROM people LIMIT 'a';
SELECT * FROM people JOIN houses ON people.id = houses.nosuch;
SELECT * FROM people JOIN houses USING (street);
SELECT id FROM people UNION SELECT id, street FROM houses;
SELECT nosuch_function(id) FROM people;
SELECT nosuch_function(nmae) FROM pepole;
SELECT upper(name, name) FROM people;
SELECT id.x FROM people;
SELECT * FROM people WHERE age;
SELECT sum(age) OVER (ORDER BY nmae) FROM people;
SELECT row_number() FROM people;
WITH a AS (SELECT nmae FROM people) SELECT * FROM a;
VALUES (1, 2), (3);
VALUES (1), (array(1));
INSERT INTO pepole VALUES (1, 'a', 2);
INSERT INTO people VALUES (1, 'a');
INSERT INTO people VALUES (1, 'a', 'b', 4);
INSERT INTO people (id, nmae) VALUES (1, 'a');
INSERT INTO people SELECT id, nmae, age FROM people;
INSERT INTO people VALUES (1, 'a', array(1));
INSERT people;
CREATE TABLE people (id INT) USING parquet;
CREATE TABLE twice (id INT, ID INT) USING parquet;
CREATE TABLE copy USING parquet AS SELECT nmae FROM people;
CREATE TABLE nosuch_database.t (id INT) USING parquet;
CREATE TABLE t (id NOSUCH) USING parquet;
CREATE TABLE t id INT;
DROP TABLE pepole;
DROP TABLE seen.x.y.z;
DROP TABLES people;
ALTER TABLE pepole ADD COLUMNS (x INT);
ALTER TABLE people ADD COLUMNS (name STRING);
ALTER TABLE people ADD COLUMNS x INT,;
ALTER TABLE pepole RENAME TO q;
ALTER TABLE people RENAME TO houses;
TRUNCATE TABLE pepole;
TRUNCATE people;
CREATE VIEW v AS SELECT nmae FROM people;
CREATE VIEW v (a, b) AS SELECT id FROM people;
CREATE VIEW people AS SELECT 1 AS a;
CREATE VIEW v AS SELECT 1 AS a, 2 AS a;
CREATE VIEW v SELECT 1;
ALTER VIEW nosuch AS SELECT 1;
DROP VIEW nosuch;
DROP VIEW people;
CREATE TEMPORARY VIEW seen AS SELECT 1;
CREATE TEMPORARY VIEW w AS SELECT nmae FROM people;
CREATE FUNCTION f(x INT) RETURNS INT RETURN y;
CREATE FUNCTION f(x INT, x INT) RETURNS INT RETURN 1;
CREATE FUNCTION f(x INT) RETURN;
CREATE TEMPORARY FUNCTION g(x INT) RETURNS INT RETURN x + nosuch(1);
DROP FUNCTION nosuch;
DROP TEMPORARY FUNCTION nosuch;
DESCRIBE FUNCTION nosuch;
CREATE DATABASE twin_refused;
DROP DATABASE nosuch;
DROP DATABASE twin_refused RESTRICT;
USE nosuch;
USE;
DESCRIBE DATABASE nosuch;
ALTER DATABASE nosuch SET DBPROPERTIES ('a' = 'b');
SHOW TABLES IN nosuch;
SHOW VIEWS IN nosuch;
SHOW COLUMNS IN pepole;
SHOW TBLPROPERTIES pepole;
SHOW CREATE TABLE pepole;
SHOW PARTITIONS people;
SHOW NOSUCH;
DESCRIBE pepole;
DESCRIBE people nmae;
DESCRIBE QUERY SELECT nmae FROM people;
EXPLAIN SELEC 1;
DECLARE VARIABLE total INT DEFAULT nosuch;
DECLARE VARIABLE total NOSUCH;
SET VARIABLE nosuch = 1;
DROP TEMPORARY VARIABLE nosuch;
EXECUTE IMMEDIATE 'SELECT nmae FROM people';
EXECUTE IMMEDIATE 'SELEC 1';
EXECUTE IMMEDIATE 1;
SET spark.sql.ansi.enabled = maybe;
RESET spark.sql.nosuch.setting;
CACHE TABLE pepole;
UNCACHE TABLE pepole;
REFRESH TABLE pepole;
ANALYZE TABLE pepole COMPUTE STATISTICS;
ANALYZE TABLE people COMPUTE STATISTICS FOR COLUMNS nmae;
COMMENT ON TABLE pepole IS 'x';
COMMENT ON DATABASE nosuch IS 'x';
MSCK REPAIR TABLE pepole;
DELETE FROM pepole WHERE id = 1;
DELETE FROM people WHERE;
UPDATE pepole SET id = 1;
MERGE INTO pepole p USING people q ON p.id = q.id WHEN MATCHED THEN DELETE;
SELECT * FROM people TABLESAMPLE (x PERCENT);
SELECT * FROM people PIVOT (sum(nmae) FOR name IN ('a'));
SELECT * FROM people LATERAL VIEW explode(nmae) t AS x;
FROM people |> SELECT nmae;
FROM people |> WHERE nmae > 1;
FROM people |> AGGREGATE sum(nmae);
>>> said(spark, "SELECT nmae FROM people")
>>> said(spark, "SELECT *\nFROM pepole")
>>> said(spark, "SELECT id FROM people, houses")
>>> said(spark, "SELEC 1")
>>> said(spark, "SELECT true + 1")
>>> said(spark, "SELECT nosuch_function(1)")
>>> said(spark, "SELECT *\n  FROM people\n WHERE upper(nmae, 1) = 'a'")
>>> said(spark, "INSERT INTO pepole VALUES (1)")
>>> said(spark, "SELECT name FROM people GROUP BY id")
>>> said(spark, "SELECT 1 / 0")
>>> said(spark, "SELECT cast('a' AS INT)")
>>> said(spark, "VALUES (1, 2), (3)")
>>> said(spark, "SELECT * FROM people ORDER BY 9")
>>> said(spark, "DROP TABLE pepole")
DROP DATABASE twin_refused CASCADE;
USE default;
