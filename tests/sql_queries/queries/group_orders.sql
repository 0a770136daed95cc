select '', sum(a) from values (1,2) t(a,b) group by rollup('')
select 1, 'x', a, sum(b) from values (1,2) t(a,b) group by rollup(a, 'x')
select 'x', sum(b) from values (1,2) t(a,b) group by 'x'
select a, count(*) c from values (1,2),(1,3) t(a,b) group by a having max(b) > 1 order by min(b)
select a, row_number() over (order by a) r from values (1,2),(1,3) t(a,b) group by a order by sum(b)
select a, row_number() over (order by a) r from values (1,2),(1,3) t(a,b) group by a order by count(*)
select a, row_number() over (order by a) r from values (1,2),(1,3) t(a,b) group by a order by sum(a)
select col1, max(col2) as m, rank() over (order by max(col2)) from values (1,100),(2,200) t(col1,col2) group by col1 order by max(col2), col1
select a + 1 as k, k + 1 as l, sum(b) from values (1,2) t(a,b) group by a order by max(b)
SELECT SUM(b) FROM values (1,2) t(a,b) GROUP BY a + 1, b + 2 HAVING 1 + a > 5 ORDER BY 1 + a, 2 + b
WITH w AS (SELECT * FROM VALUES (30,1),(10,1),(20,2) t(v,g) ORDER BY v DESC), u AS (SELECT g, v FROM w) SELECT collect_list(v), last(v) FROM u
WITH w AS (SELECT * FROM VALUES (3),(2),(1) t(a) CLUSTER BY a) SELECT a FROM w
