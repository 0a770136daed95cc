select explode(collect_list(id)) as val from range(5)
select explode(collect_list(id)) as val, count(*) as cnt from range(3)
select k, explode(collect_list(v)) from values (1, 2), (1, 3), (2, 5) t(k, v) group by k
select k, posexplode(array_sort(collect_list(v))) as (p, x), sum(v) s from values (1, 2), (1, 3), (2, 5) t(k, v) group by k order by k, p
select stack(2, 'first', count(*), 'second', 0L) as (x1, x2), k from values (1, 2), (1, 3), (2, 5) t(k, v) group by k
select explode(array(1, 2, 3)), count(*) from range(4)
select explode(array(k, k + 1)) as e, max(v) from values (1, 2), (1, 3), (2, 5) t(k, v) group by k order by 1, 2
select explode_outer(filter(collect_list(v), x -> x > 3)) as e, k from values (1, 2), (1, 3), (2, 5) t(k, v) group by k
select inline(collect_list(struct(k, v))), count(*) from values (1, 2), (1, 3) t(k, v)
select distinct explode(collect_list(v % 2)) from values (1, 2), (1, 4), (2, 5) t(k, v) group by k
select explode(map(k, count(*))) as (a, b) from values (1, 2), (1, 4), (2, 5) t(k, v) group by k
select explode(array(v)) from values (1, 2), (1, 4) t(k, v) group by k
select k, explode(array(1, 2)) as e from values (1), (2) t(k) group by k, e
select explode(array(1, 2)), explode(array(3, 4)), count(*)
select explode(collect_list(a)) as p from values ('a'), ('b') t(a) group by all
select explode(collect_list(id)) + 1 from range(5)
select a, sum(b) as total from values (1, 2), (1, 3), (2, 5), (3, 1) t(a, b) group by a having sum(b) > 2 qualify row_number() over (order by a desc) = 1
select a, sum(b) as total, row_number() over (order by a) as rn from values (1, 2), (1, 3), (2, 5), (3, 1) t(a, b) group by a qualify total > 1 order by a
select a, sum(b) as total, row_number() over (order by a) as rn from values (1, 2), (1, 3), (2, 5), (3, 1) t(a, b) group by a qualify rn <= 2 order by a
select a from values (1, 2), (1, 3), (2, 5), (3, 1) t(a, b) group by a qualify rank() over (order by sum(b) desc) = 1
select a, max(b) from values (1, 2), (1, 3), (2, 5), (3, 1) t(a, b) group by all qualify row_number() over (order by max(b)) = 1
select sum(b) s from values (1, 2), (1, 3) t(a, b) qualify row_number() over (order by sum(b)) = 1
select a, b, sum(c) s from values (1, 2, 3), (1, 3, 4), (2, 3, 9) t(a, b, c) group by a, b qualify row_number() over (partition by a order by sum(c) desc) = 1 order by s
select a from values (1, 2), (1, 3) t(a, b) group by a qualify b > 1
select a from values (1, 2), (1, 3) t(a, b) group by a qualify sum(b) > 1
select a, count(*) over (partition by sum(b)) c from values (1, 2), (2, 2), (3, 1) t(a, b) group by a qualify c > 1 order by a desc
select distinct a % 2 from values (1, 2), (2, 2), (3, 1) t(a, b) group by a qualify row_number() over (order by a) < 3
