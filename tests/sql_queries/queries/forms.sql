select identifier('a') from values (1) t(a)
select identifier('a' || 'b') from values (1) t(ab)
select identifier('t.a') from values (1) t(a)
select * from identifier('range')(3)
select identifier('abs')(-1)
select identifier('nosuch') from values (1) t(a)
select sum(a) within group (order by a) from values (1,2) t(a,b)
select * from stack(2, 1, 2, 3, 4) t(x, y)
select * from explode(array(1,2))
select * from posexplode(array(1,2)) as t(p, v)
select * from inline(array(struct(1 as a,2 as b)))
select stack(2, 1, 2, 3)
select k, v from values (1, map('a',1)) t(id, m) lateral view explode(m) x as k, v
select x.* from values (1, array(1)) t(id, m) lateral view outer explode(array()) x as v
select explode(array(1,2)) as (x)
select posexplode(array(1,2)) as (p, x)
select a, explode(array(1,2)) + 1 from values (1) t(a)
select explode(array(1,2)), explode(array(3))
select explode(array(1,2)) as x, x + 1
select * from range(1, 10, 3)
select * from range(-5, 0)
select * from range('3')
select * from range(1, null)
select * from range(0, 10, 2, 3)
select id, count(*) from range(3) group by id having count(*) > 0 order by id
select * from values (1, 2), (3) t(a, b)
select * from values (1), ('a')
select * from values (1), (date'2020-01-01')
select * from (values (1, 2)) as t(a)
values (1,'a'),(2,null)
select a ilike any ('A%', 'b'), a ilike all ('A%'), a not ilike any ('z'), a like some ('x') from values ('abc') t(a)
select a rlike 'b', a regexp 'z' from values ('abc') t(a)
select x'1F', 1L, 1S, 1Y, 1.0F, 1.0D, 1e3, 1.5BD, 'a' 'b', r'\n', "dq"
select * from (select 1 a, 2 b) pivot (sum(b) for a in (1, 2))
select * from (select 1 a, 2 b, 3 c) unpivot (v for n in (a, b))
select /*+ broadcast(t) */ a from values (1) t(a)
select /*+ repartition(3) */ a from values (1) t(a)
select * from values (1),(2),(3) t(a) tablesample (100 percent)
select * from values (1),(2),(3) t(a) tablesample (2 rows)
select a from values (1),(2) t(a) limit all
select a from values (1),(2) t(a) limit 1 + 0
select a from values (1),(2) t(a) limit -1
select a from values (1),(2) t(a) limit 'x'
select a from values (1),(2) t(a) order by a offset 1
select all a from values (1),(1) t(a)
select * from values (1,2) t(a,b) join values (1,3) u(a,c) on t.a = u.a where c > 1
select * from values (1,2) t(a,b) left semi join values (1,3) u(a,c) on t.a = u.a
select * from values (1,2) t(a,b) anti join values (1,3) u(a,c) using (a)
select * from values (1,2) t(a,b) cross join values (1,3) u(a,c)
select * from values (1,2) t(a,b) join values (1,3) u(a,c) using (nosuch)
select a from values (1,2) t(a,b) group by a with rollup
select a, b, grouping(a), grouping_id(a,b) from values (1,2) t(a,b) group by cube(a,b)
select a, b, grouping__id from values (1,2) t(a,b) group by rollup(a,b)
select sum(a) over (partition by b order by a rows 1 preceding) from values (1,2) t(a,b)
select rank() over (order by a), dense_rank() over (order by a), percent_rank() over (order by a), ntile(2) over (order by a), cume_dist() over (order by a) from values (1,2),(1,3),(2,2) t(a,b)
select first_value(a) ignore nulls over (order by b), last(a) over (order by b), nth_value(a, 2) over (order by b) from values (null,1),(1,2),(2,3) t(a,b)
select sum(a) over w, avg(a) over w from values (1,2),(1,3),(2,2) t(a,b) window w as (partition by b)
select a from values (1,2) t(a,b) where row_number() over (order by a) = 1
select a, row_number() over (order by a) r from values (1,2),(2,3) t(a,b) qualify r = 1
select count(distinct a), sum(distinct b), count(distinct a, b) filter (where a > 0) from values (1,2),(1,2),(2,2) t(a,b)
