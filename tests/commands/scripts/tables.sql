CREATE DATABASE twin_t;
USE twin_t;
CREATE TABLE plain (id INT NOT NULL COMMENT 'the id', name STRING, amount DECIMAL(10,2)) USING parquet COMMENT 'a table' TBLPROPERTIES (k = 'v', a = 'b');
CREATE TABLE parted (id INT, p INT, q STRING) USING parquet PARTITIONED BY (p, q);
INSERT INTO parted VALUES (1, 1, 'x'), (2, 2, 'y'), (3, 1, 'x z');
DESCRIBE plain;
DESCRIBE TABLE parted;
DESCRIBE EXTENDED plain;
DESCRIBE FORMATTED parted;
DESCRIBE plain id;
DESCRIBE TABLE plain nope;
DESCRIBE EXTENDED plain name;
SHOW CREATE TABLE plain;
SHOW CREATE TABLE parted;
SHOW TBLPROPERTIES plain;
SHOW TBLPROPERTIES plain (k);
SHOW TBLPROPERTIES plain (zz);
SHOW COLUMNS IN parted;
SHOW PARTITIONS parted;
SHOW PARTITIONS parted PARTITION (p = 1);
SHOW PARTITIONS plain;
SHOW TABLES;
SHOW TABLE EXTENDED LIKE 'plain';
SHOW VIEWS;
>>> spark.catalog.listTables()
>>> spark.catalog.getTable("plain")
>>> spark.catalog.listColumns("parted")
>>> spark.catalog.listColumns("plain")
>>> spark.catalog.tableExists("twin_t.plain")
>>> spark.catalog.getTableProperties("plain")
>>> spark.catalog.getCreateTableString("plain")
>>> [x.partition for x in spark.catalog.listPartitions("parted")]
>>> spark.catalog.listPartitions("plain")
>>> spark.catalog.analyzeTable("plain")
>>> spark.catalog.isCached("plain")
>>> spark.catalog.cacheTable("parted")
>>> spark.catalog.isCached("parted")
>>> spark.table("parted").count()
INSERT INTO parted VALUES (4, 5, 'w');
>>> spark.catalog.isCached("parted")
SELECT count(*) FROM parted;
UNCACHE TABLE parted;
SELECT count(*) FROM parted;
ANALYZE TABLE plain COMPUTE STATISTICS NOSCAN;
REFRESH TABLE plain;
COMMENT ON TABLE plain IS 'another';
>>> spark.catalog.getTable("plain")
CREATE VIEW over_plain AS SELECT id, name FROM plain;
SELECT * FROM over_plain;
>>> spark.catalog.listTables()
DROP VIEW plain;
DROP TABLE over_plain;
ALTER VIEW plain AS SELECT 1 AS a;
CREATE VIEW plain AS SELECT 1 AS a;
CREATE OR REPLACE VIEW plain AS SELECT 1 AS a;
MSCK REPAIR TABLE plain;
MSCK REPAIR TABLE parted;
>>> spark.catalog.recoverPartitions("parted")
>>> spark.catalog.recoverPartitions("plain")
>>> spark.catalog.truncateTable("parted")
SELECT count(*) FROM parted;
>>> spark.catalog.dropTable("plain")
>>> spark.catalog.tableExists("plain")
DROP DATABASE twin_t;
DROP DATABASE twin_t CASCADE;
USE default;
CREATE TABLE twin_defaults (a STRING DEFAULT 'de', b INT DEFAULT 42, c INT) USING parquet;
DESCRIBE twin_defaults;
DROP TABLE twin_defaults;
