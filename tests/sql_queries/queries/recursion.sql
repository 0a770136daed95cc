with recursive r(n) as (select 1 union all select n + 1 from r where n < 99) select count(*) from r
with recursive r(n) as (select 1 union all select n + 1 from r where n < 100) select count(*) from r
with recursive r(n) as (select 1 union all select n + 1 from r where n < 101) select count(*) from r
with recursive r(n) as (select 1 union all select n + 1 from r where n < 102) select count(*) from r
with recursive r(n) as (select 1 union all select n + 1 from r where n < 5) select * from r
with recursive r(n, s) as (select 1, 'a' union all select n + 1, concat(s, 'b') from r where n < 4) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r) select * from r
with recursive r(n) as (select 1 union all select r.n + t.x from r join values (1),(2) t(x) on r.n < 3) select * from r
with recursive a as (select 1 x), r(n) as (select x from a union all select n + 1 from r where n < 3) select count(*), sum(n) from r
with recursive r(n) as (select 1 union all select max(n) + 1 from r where n < 3) select * from r
with recursive r(n) as (select 1 where false union all select n + 1 from r where n < 3) select * from r
select * from (with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select * from r) x join values (2) y(z) on n = z
with recursive r(n) as (select cast(1 as int) n union all select null from r where n < 3) select * from r
with recursive t as (select 1 x) select * from t
with recursive r(n) as (select id from range(3) union all select n + 10 from r where n < 20) select * from r
with recursive r(n) as (select 1 union all select n + 1 from r) select * from r limit 5
with recursive r as (select 1 as n union all select n + 1 from r where n < 5) select n, n * 2 from r where n > 2
with recursive r(n, f) as (select 1, 1 union all select n + 1, f * (n + 1) from r where n < 5) select max(f) from r
with recursive r as (select 1 as n union all select n + 1 from r where n < 3) select a.n, b.n from r a join r b on a.n < b.n
with recursive r(n) as (select 1 union all select m + 1 from (select n as m from r where n < 4)) select * from r
with recursive r(a, b) as (select 1, cast(null as string) union all select a + 1, 'x' from r where a < 3) select * from r
with recursive r(n) as (select 1 union all select n + 1L from r where n < 3) select * from r
with recursive r(n) as (select 1 union all select 1, 2 from r where n < 3) select * from r
with recursive t1 as (select 1 as l union all (with t2 as (select 5 as k) select l + 1 from t1 where l < 3)) select * from t1
