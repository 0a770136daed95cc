select x, row_number() over (order by k) from values (1,2),(2,1),(3,2),(4,1),(5,2),(6,1) t(x,k)
select x, ntile(2) over (order by k desc) from values (1,2),(2,1),(3,2),(4,1),(5,2),(6,1) t(x,k)
select x, lag(x) over (partition by g order by k), lead(x, 2, -1) over (partition by g order by k) from values (1,2,0),(2,1,0),(3,2,1),(4,1,1),(5,2,0),(6,1,0),(7,1,1) t(x,k,g)  order by x
select x, first(x) over (order by k), last(x) over (order by k), nth_value(x, 2) over (order by k) from values (1,2),(2,1),(3,2),(4,1),(5,2),(6,1) t(x,k)
select x, first(x) ignore nulls over (order by k desc), last(x) ignore nulls over (order by k desc) from values (null,2),(2,1),(3,2),(4,1),(5,2),(null,1) t(x,k)
select x, collect_list(x) over (partition by g order by k) from values (1,2,0),(2,1,0),(3,2,1),(4,1,1),(5,2,0),(6,1,0),(7,1,1) t(x,k,g) order by x
select x, sum(x) over (order by k rows between 1 preceding and current row) from values (1,2),(2,1),(3,2),(4,1),(5,2),(6,1) t(x,k)
select x, last(x) over (order by k rows between unbounded preceding and current row) from values (1,2),(2,1),(3,2),(4,1),(5,2),(6,1) t(x,k)
select x, rank() over (order by k), row_number() over (order by k) from values (1,2),(2,1),(3,2),(4,1),(5,2),(6,1) t(x,k) where x <> 4
select id, row_number() over (order by id % 3) from range(12) where id > 2
select x, k from values (1,2),(2,1),(3,2),(4,1),(5,2),(6,1) t(x,k) order by k
select x + 1 as y from values (1,2),(2,1),(3,2),(4,1),(5,2),(6,1) t(x,k) where x > 1 order by k desc
