-- HAVING says which groups there are before windows look at them.
select a, sum(count(*)) over () x from values (1),(1),(2) t(a) group by a having count(*) > 1;
select a, rank() over (order by a desc) x from values (1),(1),(2) t(a) group by a having count(*) > 1;
select a, count(*) c, rank() over (order by a desc) x from values (1),(1),(2) t(a) group by a having c > 1;
select a, sum(count(*)) over () x from values (1),(1),(2) t(a) group by a having a = 1;
select a, sum(count(*)) over () x from values (1),(1),(2) t(a) group by a having x > 1;
select a, sum(count(*)) over () x from values (1),(1),(2) t(a) group by cube(a) having count(*) > 1;
select a, sum(count(*)) over () x from values (1),(1),(2) t(a) group by cube(a) having a = 1;
select a, sum(count(*)) over () x from values (1),(1),(2) t(a) group by rollup(a) having grouping(a) = 0;
select a, sum(count(distinct b)) over () x from values (1,1),(1,2),(2,2) t(a,b) group by a having count(*) > 1;
select a, sum(max(b)) over (order by a) x from values (1,1),(1,2),(2,2),(3,1),(3,1) t(a,b) group by a having max(b) > 1 order by x;
select a, sum(max(b)) over (order by a) x, max(b) as m from values (1,1),(1,2),(2,2),(3,1),(3,1) t(a,b) group by a having m > 1 order by x;
select a+1 as q, sum(max(b)) over (order by a+1) x from values (1,1),(1,2),(2,2),(3,1),(3,1) t(a,b) group by a having q > 2 order by x;
select count(*) c, sum(count(*)) over () x from values (1),(1),(2) t(a) having count(*) > 5;
select a, sum(count(*)) over () x from values (1),(1),(2) t(a) group by all having count(*) > 1;
select a, sum(count(*)) over () x from values (1),(1),(2) t(a) group by a having count(*) > 1 qualify x > 1;
