from values (1,2),(3,4) t(a,b) |> select a, b + 1 as c
from values (1,2),(3,4) t(a,b) |> where a > 1 |> extend a + b as s, s * 2 as d
from values (1,2),(3,4) t(a,b) |> set a = a + 10, b = a + b
from values (1,2),(3,4) t(a,b) |> drop b
from values (1,2),(3,4) t(a,b) |> as u |> select u.a
from values (1,2),(3,4) t(a,b) |> select a |> where t.b > 1
from values (1,2),(3,4) t(a,b) |> extend 1 as z |> where t.b > 1
from values (1,2),(3,4),(1,5) t(a,b) |> aggregate sum(b) as s, count(*) group by a
from values (1,2),(3,4),(1,5) t(a,b) |> aggregate sum(b) as s group by a + 1 as k |> order by k desc
from values (1,2),(3,4),(1,5) t(a,b) |> aggregate sum(b) group by 1
from values (1,2),(3,4),(1,5) t(a,b) |> aggregate count(*)
from values (1,2),(3,4),(1,5) t(a,b) |> aggregate a group by a
from values (1,2),(3,4),(1,5) t(a,b) |> aggregate group by a
from values (1,2),(3,4) t(a,b) |> select sum(a)
from values (1,2),(3,4) t(a,b) |> extend sum(a)
from values (1,2),(3,4) t(a,b) |> order by a desc |> limit 1
from values (1,2),(3,4) t(a,b) |> join values (1,9) u(a,c) using (a)
from values (1,2),(3,4) t(a,b) |> join values (1,9) u(x,c) on t.a = u.x |> select c, b
from values (1,2),(3,4) t(a,b) |> union all values (5,6)
from values (1,2),(3,4) t(a,b) |> select a |> order by b
from values (1,2),(3,4) t(a,b) |> set nosuch = 1
from values (1,2),(3,4) t(a,b) |> drop nosuch
from values (1,2),(3,4) t(a,b) |> select distinct b % 2 m
from values (1,array(2,3)) t(a,b) |> extend explode(b) as e
from values (1,2),(3,4) t(a,b) |> extend row_number() over (order by a desc) r |> where r = 1
from values (1,2),(3,4) t(a,b) |> select a, sum(b) over w window w as (order by a)
values (1,2),(3,4) |> select col1
select 1 as x |> extend 2 as y |> set x = x + y
table values (1)
from values (1,2),(3,4) t(a,b)
from values (1,2) t(a,b), values (3) u(c) |> where c = 3
from values (1,2) t(a,b) |> extend t.a as q |> extend t.b
from values (1,2) t(a,b) |> select a as a2 |> select t.a
from values (1,2),(3,4),(1,3) t(a,b) |> select a, sum(b) s group by a |> order by s
from values (1,2),(3,4) t(a,b) |> select sum(a), count(*) |> extend 1 as x
from values (1,2),(3,4) t(a,b) |> select all
from values (1,2),(3,4) t(a,b) |> offset 1
from values (1,2),(3,4) t(a,b) |> where sum(a) > 1
from values (1,2),(3,4) t(a,b) |> where row_number() over (order by a) = 1
from values (1,2),(3,4) t(a,b) |> extend (select max(x) from values (5) u(x)) m
