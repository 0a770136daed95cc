with recursive r(n) as (select 1 union all select n + 1 from r) select * from r limit 5
with recursive r(n) as (values 0 union all select n + 1 from r) select n * 2 as m, n from r limit 10
with recursive r(n) as (select 1 union all select n + 1 from r) select * from r limit 101
with recursive r(n) as (select 1 union all select n + 1 from r) select * from r limit 100
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select * from r limit 10
with recursive r(n) as (select 1 union all select 6 / (4 - n) from r) select cast(n as int) from r limit 3
with recursive r(n) as (select 1 union all select case when n < 5 then n + 1 else null end from r) select * from r limit 25
with recursive r(n) as (select 1 union all select n + 1 from r) select n, n from r order by 1 limit 10
with recursive r(n) as (select 1 union all select n + 1 from r) select * from r where n < 5 limit 3
with recursive r(n) as (select 1 union all select n + 1 from r) select (select sum(n) from (select * from r limit 5)), (select sum(n) from (select * from r limit 10))
with recursive r(n) as (select 1 union all select n + 1 from r) select * from r limit 5 offset 2
with recursive r(n) as (select 1 union all select n + 1 from r) (select * from r limit 3) union all (select * from r limit 2)
with recursive r(n) as (values 1, 2 union all select n + 2 from r) select * from r limit 5
with recursive r(n) as (select 1 union all select n + 1 from r) select * from r limit 0
with recursive r(n) max recursion level 35 as (values 0 union all select n + 1 from r where n < 30) select count(*), max(n) from r
with recursive r(n) max recursion level 5 as (values 0 union all select n + 1 from r where n < 30) select * from r
with recursive r max recursion level 200 as (select 1 as n union all select n + 1 from r where n < 160) select count(*) from r
with recursive r(n, m) as (select 1, cast(1 as bigint) union all select n + 1, n + 1 from r where n < 5) select * from r
with recursive r(n, m) as (select 1, 1 union all select n + 1, cast(n + 1 as bigint) from r where n < 5) select * from r
with recursive r(n, s, t) as (select 1, '2024-01-15 00:00:00', cast('2024-01-15 00:00:00' as timestamp) union all select n + 1, s, s from r where n < 5) select * from r
with recursive r(n, d) as (select 1, 1D union all select n + 1, n from r where n < 3) select * from r
with recursive r(n, d) as (select 1, 1.5 union all select n + 1, n from r where n < 3) select * from r
with recursive r(n, d) as (select 1, 'a' union all select n + 1, n from r where n < 3) select * from r
with recursive r(n, d) as (select 1, array(1L) union all select n + 1, array(n) from r where n < 3) select * from r
with recursive r(n) as (select 1 union all select null from r where n < 3) select * from r
with recursive r(n) as (select 1 union all select n + 1L from r where n < 3) select * from r
