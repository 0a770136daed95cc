select u.a from values (1,2) t(a,b) join values (1,3) u(a,c) using (a)
select u.a, t.a, a from values (1,2) t(a,b) full join values (1,3) u(a,c) using (a)
select u.a + 1 x, u.a as y from values (1,2) t(a,b) join values (1,3) u(a,c) using (a) where u.a > 0
select x.* from (select u.a from values (1,2) t(a,b) join values (1,3) u(a,c) using (a)) x
select (1, a+1, b) in ((1,2,2)) from values (1,2) t(a,b)
select struct(1,2) in (struct(1,2)), (1,2) = (1,2), (a,b) = (1,2) from values (1,2) t(a,b)
select max(x) from values (1,5),(2,6) u(k,x) group by k having k = 1
select a, (select max(x) from values (1,5),(2,6) u(k,x) group by k having k = a) m from values (1,2) t(a,b)
select a, (select max(x) from values (1,5),(2,6) u(k,x) where k = a having max(x) > a) m from values (1,2) t(a,b)
select a, (select k from values (1,5),(2,6) u(k,x) where k = a group by k, a) m from values (1,2) t(a,b)
select a, (select u.x from values (1,5),(2,6) u(k,x) join values (1,7) v(k,y) on u.k = v.k and u.k = a) m from values (1,2) t(a,b)
select a, (select x from values (1,5) u(k,x) where k = a union all select 3) from values (1,2) t(a,b)
select a, (select sum(x) over () from values (1,5) u(k,x) where k = a) from values (1,2) t(a,b)
select a, (select x from values (1,5) u(k,x) order by a limit 1) from values (1,2) t(a,b)
select a, (select explode(array(a))) from values (1,2) t(a,b)
select a, exists(select 1 from values (1,5) u(k,x) where k > a and x < 3 or k = 1) from values (1,2) t(a,b)
select * from values (1,2) t(a,b), lateral (select max(x) m from values (1,5),(2,6) u(k,x) where k = a)
select * from values (1,2),(9,9) t(a,b) left join lateral (select x from values (1,5),(2,6) u(k,x) where k = a) on true
select * from values (1,2),(9,9) t(a,b), lateral (select x from values (1,5),(2,6) u(k,x) where k = a limit 1)
select * from values (1,2),(9,9) t(a,b), lateral (select count(*) c from values (1,5),(2,6) u(k,x) where k = a)
select * from values (1,array(1,2)) t(a,b), lateral explode(b) x(e)
select * from values (1,array(1,2)) t(a,b), lateral (select e + a from explode(b) x(e))
select * from values (1,array(1,2)) t(a,b) join lateral explode(b) on true
