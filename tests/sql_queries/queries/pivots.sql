select a+10 as x from values (1),(2) t(a) qualify row_number() over (order by a desc) = 1
select a+10 as x from values (1),(2) t(a) qualify x > 11
select distinct a from values (1),(2) t(a) qualify row_number() over (order by a) = 1 order by a
select * from (select 1 a, 2 b, null c) unpivot (v for n in (a, b, c))
select * from (select 1 a, 2 b, null c) unpivot include nulls (v for n in (a as x, b, c as `z z`)) as q
select * from values (1,2,3),(1,3,4) t(a,b,c) pivot (sum(c) as s, max(c) for b in (2 as two, 3))
select x from values (1,2,3),(1,3,4) t(a,b,c) pivot (sum(c) for b in (2 as x)) p
select * from values (1,2,3),(1,3,4) t(a,b,c) pivot (sum(c) + 1 for b in (2 as x, null))
select p.a, p.x from values (1,2,3),(1,3,4) t(a,b,c) pivot (sum(c) for b in (2 as x)) p
from values (1,2,3),(1,3,4) t(a,b,c) |> pivot (sum(c) for b in (2 as x, 3 as y))
from values (1,2,3),(1,3,4) t(a,b,c) |> unpivot (v for n in (a, b))
select * from values (1, date'2020-01-01'), (2.5, timestamp'2020-01-01 00:00:00') t(a, b)
select * from values (array(1)), (array(1L)) t(a)
select a, b, grouping__id from values (1,2) t(a,b) group by rollup(a,b) having grouping__id > 0
select a from values (1,2) t(a,b) group by rollup(a,b) order by grouping__id
