select * from (select 1 a) x tablesample (2 rows)
select count(*) from (select * from range(10)) tablesample (4 rows) t
select count(*) from (select * from range(10)) tablesample (-4 rows) t
select count(*) from (select * from range(10)) tablesample (50 percent) t
from range(10) |> tablesample (3 rows) |> aggregate count(*)
SELECT * FROM (SELECT 1 AS c1, 2 AS c1, 3 AS c2) NATURAL JOIN (SELECT 1 AS c1, 3 AS c2)
select sum(v), count(*) from (select 1 v where false) group by grouping sets ((),(),())
select sum(v), count(*) from (select 1 v where false) group by grouping sets (())
select sum(v), count(*) from (select 1 v) group by grouping sets (())
SELECT SUM(b) AS a, a + 1 AS c FROM values (1,2),(2,3) t(x,b) GROUP BY x + 1 ORDER BY 1 + x
SELECT SUM(b) AS a, a + 1 AS c FROM values (1,2),(2,3) t(x,b) GROUP BY x ORDER BY max(b) desc
SELECT SUM(b) AS a, a + 1 AS c FROM values (1,2),(2,3) t(x,b) GROUP BY x having min(b) > 1 ORDER BY max(b) desc
