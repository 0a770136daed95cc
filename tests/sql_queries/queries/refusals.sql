SELECT 1 AS one FROM values (0) t(a) WHERE 1/a = 1 HAVING 1 < 2
SELECT 1 AS one FROM values (0) t(a) HAVING 1 < 2
SELECT * FROM values (1,2) t(c1,c2), LATERAL (SELECT c1 + c2 + rand(0) AS c3)
with recursive x(n) as (select 1 union all select x.n + 1 from values (1) y(a) left join x on x.n = y.a where n < 10) select * from x
SELECT max(a) FROM values (1,2),(3,1) v2(a,all) GROUP BY all ORDER BY all
SELECT max(a) FROM values (1,2),(3,1) v2(a,b) GROUP BY b ORDER BY all desc
