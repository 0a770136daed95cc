SELECT count(*) FROM VALUES (ARRAY(MAP(1, 2, 2, 3))), (ARRAY(MAP(2, 3, 1, 2))) as t(a) GROUP BY a
select t.*, u.*, v.* from values (1,2) t(k,a) natural join values (1,3) u(k,b) natural join values (1,4) v(k,c)
select t.k, u.k, v.k, k from values (1,2) t(k,a) join values (1,3) u(k,b) using (k) left join values (1,4) v(k,c) using (k)
SELECT 1 AS (pos, val)
SELECT SUM(b) FROM values (1,2) t(a,b) GROUP BY a + 1, b + 2 HAVING 1 + a > 5 ORDER BY 1 + a, 2 + b
select * from values (1,1) x(x1,x2) join values (1,1) y(y1,y2) on x1 = y1 and exists (select * from values (1) z(z2) where z2 = x2 and z2 = y2)
select * from values (1,1) x(x1,x2) join values (1,1) y(y1,y2) on x1 = y1 and exists (select * from values (1) z(z2) where z2 = x2)
select *, (select count(*) from values (1,1) y(y1,y2) where x1 = y1 group by y1) from values (1,1) x(x1,x2)
select *, (select count(*) from values (1,1) y(y1,y2) where x1 = y1 group by y2) from values (1,1) x(x1,x2)
select *, (select count(*) from values (1,1) y(y1,y2) where x1 = y1 and y2 + 10 = x1 + 1 group by y2) from values (1,1) x(x1,x2)
select count(a) over (rows between unbounded following and 1 following) from values (1) t(a)
select sum(a) over (order by a rows between 1 following and 2 following), sum(a) over (order by a rows between 2 preceding and 1 preceding) from values (1),(2),(3) t(a)
select sum(a) over (order by a rows between 2 following and 1 following) from values (1),(2),(3) t(a)
select * from values (1) t(a) join lateral (select sum(x) s from values (1),(5) u(x) where x > a) on true
select * from values (1) t(a) left join lateral (select x from values (1),(5) u(x) left join values (5) v(y) on x = y where x > a) on true
