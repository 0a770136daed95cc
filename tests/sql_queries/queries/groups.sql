SELECT 1 AS a, 2 AS a ORDER BY a
SELECT col1 AS c, 2 AS col1, 3 AS col1 FROM values (7),(8) v1 ORDER BY col1
select a, sum(b) as b from values (1,2),(1,3) t(a,b) group by a order by sum(b)
select a, max(b) as b from values (1,2),(1,3) t(a,b) group by a having sum(b) > 3
select a, max(b) as b from values (1,2),(1,3) t(a,b) group by a having b > 1
select a+1 as a from values (1,2),(1,3) t(a,b) group by a having a > 1
select a, count(*) c from values (1,2),(1,3) t(a,b) group by a having max(b) > 1 order by min(b)
select a, count(*) c, max(b) from values (1,2),(1,3) t(a,b) group by a having max(b) > 1 order by min(b)
select a, row_number() over (order by a) r from values (1,2),(1,3) t(a,b) group by a order by sum(b)
select a, row_number() over (order by a) r from values (1,2),(1,3) t(a,b) group by a order by r, a
select i, (select max((select u from values (1,2) x(k,u) where k = o.i))) from values (1) o(i)
select count(t.*) from values (1) t(a)
select a as b, b+1 as c from values (1) t(a) group by a, c
select 1 as a, 2 as a, a + 1
select * except (a,a) from values (1,2) t(a,b)
select *, 1 from values (1,2) t(a,b) group by 1, 2
SELECT a FROM values (1,2) t(a,b) GROUP BY ALL HAVING b>0
SELECT sum(a) FROM values (1,2) t(a,b) GROUP BY b ORDER BY a
SELECT a+sum(b) FROM values (1,2) t(a,b) GROUP BY ALL
SELECT a+sum(b), a FROM values (1,2) t(a,b) GROUP BY ALL
select a from values (1,2) t(a,b) order by exists(select 1)
select nosuch.* from values (1,2) t(a,b)
select a from values (1) t(a) where max(a) > 1
select x from (select 1 x) where y = 1
select a,b from values (1,2) t(a,b) order by 3
SELECT count(1) FROM VALUES(1), (2), (3) AS T(all) GROUP BY all
SELECT a AS all, b FROM values (1,2) t(a,b) GROUP BY all
SELECT 1 FROM range(10) HAVING true
SELECT 1 FROM range(10) HAVING MAX(id) > 0
SELECT id FROM range(10) HAVING id > 0
SELECT a + b, b, sum(c) FROM (VALUES (1,1,1),(2,2,2)) AS t(a,b,c) GROUP BY GROUPING SETS ( (a + b), (b + a), (b))
select b + a, count(*) from values (1,2),(2,1) t(a,b) group by a + b
select a > b, count(*) from values (1,2),(2,1) t(a,b) group by b < a
select a, b, c, count(d) from values (1,2,3,4) t(a,b,c,d) group by a, b, c grouping sets ((a))
select a, b, c, count(d) from values (1,2,3,4) t(a,b,c,d) group by a, b, c grouping sets (())
select 2 as col1 from values (1) v(col1) group by all order by col1
SELECT NAMED_STRUCT('a', 1) AS col1 FROM VALUES ('a') t (col1) GROUP BY col1 ORDER BY col1.a
SELECT NAMED_STRUCT('a', 1) AS col1 FROM VALUES ('a') t (col1) GROUP BY col1 HAVING col1.a > 0
SELECT 'a' AS col1 FROM VALUES (ARRAY(1)) t (col1) GROUP BY col1 HAVING col1[0] > 0 ORDER BY col1[0]
SELECT col1.field, field FROM VALUES(named_struct('field', 1))
SELECT col1 AS a FROM VALUES (NAMED_STRUCT('f1', 1)) GROUP BY a.f1
select a from values (1,2) t(a,b) order by 2, b
select a from values (1,2) t(a,b) order by b, 2
select a, (select max(x) from values (1,5),(2,6) u(k,x) where u.k = t.a) m from values (1,2),(2,3),(1,4) t(a,b) group by a order by a
select a from values (1,2),(2,3),(1,4) t(a,b) group by a having max(b) <= (select max(x) from values (1,5),(2,6) u(k,x) where u.k = t.a) order by a
select a from values (1,2),(2,3),(1,4) t(a,b) group by a having a not in (select k from values (1,5) u(k,x) where u.k = t.a) order by a
select a from values (1,2),(2,3),(1,4) t(a,b) group by a having exists (select 1 from values (3) u(k) where u.k = max(b))
SELECT 1 AS a, 2 AS a FROM VALUES (1) t (col1) GROUP BY a HAVING a > 1 ORDER BY a
SELECT SUM(b) + 1 FROM values (1,2) t(a,b) HAVING SUM(b) + 1
select sum(b) as s from values (1,2) t(a,b) group by a having s > 1 and s + a > 2 order by s + a
select a as b, b as a, sum(a) from values (1,2) t(a,b) group by a, b order by a, b
select sum(distinct a) from values (1,2) t(a,b) order by sum(distinct a)
select distinct a from values (1,2),(3,4) t(a,b) order by b
select distinct a, b + 1 c from values (1,2),(3,4) t(a,b) order by c desc
select a from values (1,2),(3,4) t(a,b) order by a + b desc, t.b
select t.a from values (1,2),(3,4) t(a,b) order by t.a desc
select max(a) from values (1,2),(3,4) t(a,b) group by b order by b desc
select max(a) x from values (1,2),(3,4) t(a,b) group by b order by b + 1 desc, x + 1
select nosuch, sum(a) from values (1,2) t(a,b) group by b
select a, b from values (1,2) t(a,b) group by a
select a, b + 1 from values (1,2) t(a,b) group by a
select b, sum(a) from values (1,2) t(a,b)
select a, sum(sum(b)) from values (1,2) t(a,b) group by a
select grouping(a), a from values (1,2) t(a,b) group by a
select a, sum(b) from values (1,2) t(a,b) group by a, sum(b)
select a, sum(b) from values (1,2) t(a,b) group by 1, 2
select a, sum(b) from values (1,2) t(a,b) group by 3
select a, sum(b) from values (1,2) t(a,b) group by a order by nosuch
select a, sum(b) s from values (1,2) t(a,b) group by a having nosuch > 1
