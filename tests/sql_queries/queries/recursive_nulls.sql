-- Nulls inside of what a recursion gathers.
with recursive t(n,a) as (select 1, array(1) union all select n+1, array_append(a, n) from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, array(1) union all select n+1, array(n) from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, struct(1 as x) union all select n+1, struct(n as x) from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, map('k',1) union all select n+1, map('k',cast(null as int)) from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, array(cast(null as int)) union all select n+1, array(1) from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, array(1) union all select n+1, concat(a, array(n)) from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, 'x' union all select n+1, a || 'y' from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, named_struct('x', array(1)) union all select n+1, named_struct('x', array_append(a.x, null)) from t where n < 3) select * from t;
with recursive t as (select 1 as n union all select n + 1 from t where n < 3) select n + 1, array(n), n is null from t;
with recursive t as (select 1 as n, null as p union all select n + 1, n from t where n < 3) select * from t;
with recursive t as (select 1 as n, cast(null as int) as p union all select n + 1, n from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, array(1) union all select n+1, a from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, struct(1 as x) union all select n+1, a from t where n < 3) select *, a.x from t;
with recursive t(n,a) as (select 1, array(1) union all select n+1, array(a[0]) from t where n < 3) select * from t;
with recursive t(n,a,b) as (select 1, array(1), true union all select n+1, array(5), a[0] is null from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, array(1) union all select n+1, concat(a, array(5)) from t where n < 3) select * from t;
with recursive t(n,a) as (select 1, array(1) union all select n+1, filter(a, x -> x > 0) from t where n < 3) select * from t;
