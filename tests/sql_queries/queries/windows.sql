select a, rank() over (order by cast(a as decimal(15,4)) / b) r from values (1,2),(3,4),(5,1) t(a,b)
select rank() over (partition by a / b order by cast(a as int) + 1) r, sum(a) over (order by a / b) from values (1,2),(3,4),(5,1) t(a,b)
select a, rank() over (order by cast(sum(a) as decimal(15,4)) / sum(b)) r from values (1,2),(3,4),(5,1) t(a,b) group by a
