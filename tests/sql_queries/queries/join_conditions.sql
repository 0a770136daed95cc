select * from values (1),(3) t0(a) join values (1),(2) t2(x) on a = 1 and a not in (select b from values (2),(null) t1(b))
select * from values (1),(3) t0(a) join values (1),(2) t2(x) on a not in (select b from values (2),(null) t1(b))
select * from values (1),(3) t0(a) join values (1),(2) t2(x) on a not in (select b from values (1) t1(b))
select * from values (1),(3),(null) t0(a) join values (1),(2) t2(x) on a not in (select b from values (1) t1(b))
select * from values (1),(3),(null) t0(a) left join values (1),(2) t2(x) on a not in (select b from values (1) t1(b))
select * from values (1),(3),(null) t0(a) left join values (1),(2) t2(x) on x not in (select b from values (1),(null) t1(b))
select * from values (1),(3) t0(a) join values (1),(2) t2(x) on a = x or a in (select b from values (3),(null) t1(b))
select * from values (1),(3) t0(a) left join values (1),(2) t2(x) on a = x or a in (select b from values (3),(null) t1(b))
select * from values (1),(3) t0(a) join values (1),(2) t2(x) on a = x or a not in (select b from values (3),(null) t1(b))
select * from values (1),(3) t0(a) join values (1),(2) t2(x) on a = x and not exists (select 1 from values (3) t1(b) where b = a)
select * from values (1,1),(2,1),(3,4) x(x1,x2) left join values (0,2),(1,4),(4,11) y(y1,y2) on x1 = y1 and exists (select * from values (4,2),(3,3),(8,1) z(z1,z2) where z2 = y2) order by x1
select * from values (1,1),(2,1),(3,4) x(x1,x2) left join values (0,2),(1,4),(4,11) y(y1,y2) on x1 = y1 and not exists (select * from values (4,2),(3,3),(8,1) z(z1,z2) where z2 = y2) order by x1
select * from values (1,1),(2,1),(3,4) x(x1,x2) right join values (0,2),(1,4),(4,11) y(y1,y2) on x1 = y1 or exists (select * from values (4,2),(3,3),(8,1) z(z1,z2) where z1 = y1) order by y1, x1
