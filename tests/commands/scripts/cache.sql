CREATE TEMPORARY VIEW numbers AS SELECT id FROM range(5);
CACHE TABLE numbers;
>>> spark.catalog.isCached("numbers")
CACHE TABLE numbers;
SELECT count(*) FROM numbers;
UNCACHE TABLE numbers;
>>> spark.catalog.isCached("numbers")
UNCACHE TABLE numbers;
UNCACHE TABLE nosuch;
UNCACHE TABLE IF EXISTS nosuch;
CACHE TABLE nosuch;
CACHE LAZY TABLE numbers OPTIONS ('storageLevel' = 'DISK_ONLY');
>>> spark.catalog.isCached("numbers")
CLEAR CACHE;
>>> spark.catalog.isCached("numbers")
CACHE TABLE few AS SELECT id * 2 AS twice FROM range(3);
SELECT * FROM few ORDER BY twice;
>>> spark.catalog.isCached("few")
CACHE TABLE few AS SELECT 1;
>>> spark.catalog.cacheTable("numbers")
>>> spark.catalog.isCached("numbers")
>>> spark.catalog.uncacheTable("numbers")
>>> spark.catalog.isCached("numbers")
>>> spark.catalog.cacheTable("numbers", StorageLevel.DISK_ONLY)
>>> spark.table("numbers").storageLevel
>>> spark.catalog.clearCache()
>>> spark.table("numbers").storageLevel
>>> spark.catalog.isCached("nosuch")
>>> spark.catalog.cacheTable("nosuch")
>>> spark.catalog.refreshTable("numbers")
>>> spark.catalog.refreshTable("nosuch")
>>> spark.catalog.refreshByPath("/tmp/nowhere")
REFRESH TABLE numbers;
REFRESH TABLE nosuch;
REFRESH '/tmp/nowhere';
REFRESH /tmp/nowhere;
REFRESH FUNCTION upper;
REFRESH FUNCTION nosuch;
>>> spark.range(3).cache().count()
>>> spark.range(3).storageLevel
>>> spark.range(3).persist(StorageLevel.MEMORY_ONLY).storageLevel
>>> spark.range(3).unpersist().storageLevel
>>> spark.range(4).localCheckpoint().count()
>>> spark.range(4).localCheckpoint(eager=False).selectExpr("sum(id) as s").collect()
>>> spark.range(4).checkpoint().count()
DROP VIEW few;
DROP VIEW numbers;
