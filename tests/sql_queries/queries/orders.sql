select a from values (1,2,3),(2,1,4),(3,2,2),(4,1,5) t(a,b,c) order by b, c desc
select a, d from (select a, a+1 d, b, c from values (1,2,3),(2,1,4),(3,2,2),(4,1,5) t(a,b,c)) order by b, c desc
select a from values (1,2,3),(2,1,4),(3,2,2),(4,1,5) t(a,b,c) where b < 3 order by c, b desc
select a from (select a, b, c, d from (select a, b+1 as b, c, d from values (1,2,3,4),(2,1,4,4),(3,2,2,9),(4,1,5,1) t(a,b,c,d))) order by d, c desc, b
select a from values (1,2,3),(2,1,4),(3,2,2),(4,1,5) t(a,b,c) order by b + c, c desc, b
select t.a from values (1,2,3),(2,1,4),(3,2,2),(4,1,5) t(a,b,c) join values (1,5),(2,4),(3,3),(4,2) u(a,z) using (a) order by u.a + b, z, c
