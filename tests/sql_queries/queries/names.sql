select * from (select 1 a, 2 a) x join (select 1 a) y using (a)
select a from (select a, a from values (1) t(a))
select a from (select a, a as a from values (1) t(a))
select A from (select a, A from values (1) t(a))
select * from (select a, a from values (1) t(a)) where a = 1
select count(t.*, t.*) from values (1) t(a)
select t1.a, t2.a from (select a, a as b from values (1) t(a)) t1 join (select 1 a) t2 on t1.a = t2.a
select x.a, y.a from (select a, a from values (1) t(a)) x join (select a, a from values (1) t(a)) y on x.a = y.a
with c as (select a, a from values (1) t(a)) select x.a, y.a from c x join c y on x.a = y.a
SELECT id, posexplode(array('a')) AS (index, value), index, value FROM values (1) t(id)
SELECT 2 AS col1, 3 AS col1 FROM values (1) v1(col1) GROUP BY ALL HAVING col1 > 50
select c1 from values (1,2) t(c1,c2) group by grouping sets (())
select 1 as x, 2 as y |> drop x, x
from values (1) t(a) |> union all values (1,2)
select 1 limit true
select nosuch from values (1) t(a) limit 1
select t.a from (select a from values (1) t(a))
select nosuch from (select a, b from values (1,2) t(a,b))
select x.t.a from (select a from values (1) t(a)) x
select t.a from (select t.a from values (1) t(a) join values (1) u(b) on a = b)
