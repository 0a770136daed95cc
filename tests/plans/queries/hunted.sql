-- Found in users' programs, asked of both engines.
select * from (select x, y from values (1.0D, 1), (double('nan'), 2), (-0.0D, 3), (0.0D, 5) as t(x, y)) pivot (sum(y) for x in (1.0D as a, 0.0D as c));
select * from (select x, y from values (1.0D, 1), (double('nan'), 2), (-0.0D, 3), (0.0D, 5) as t(x, y)) pivot (sum(y), collect_list(y) for x in (1.0D as a, 0.0D as c));
select * from (select 'a' as g, id as k, null as v from range(3)) pivot (sum(v) for k in (1, 2));
with recursive r(n) as (select 1 union all select n + 1 from r where n < 3) select * from r;
with recursive r(n, m) as (select 1, 2 union all select 5, m from r where m < 0) select * from r;
with recursive r(n, m) as (select 1, cast(null as int) union all select 5, 5 from r where m < 0) select * from r;
with recursive h as (select id, parent, 0 as level from values (1, null), (2, 1), (3, 1), (4, 2) t(id, parent) where parent is null union all select c.id, c.parent, h.level + 1 from values (1, null), (2, 1), (3, 1), (4, 2) c(id, parent) join h on c.parent = h.id) select * from h;
select 1, from x;
select id, from x where 1 = 1;
select named_struct('a', 1)['b'];
select named_struct('a', 1)[1];
select named_struct('a', 1).b;
select (id + 1).x from range(1);
select id.x.y from range(1);
select 2147483647 + 1, 1 % 0;
select sort_array(collect_list(x)) from values (0D), (-0.0D), (0D), (-0.0D) as t(x);
select sort_array(collect_list(x), false) from values (0D), (-0.0D), (double('nan')), (0D), (-0.0D) as t(x);
select sort_array(collect_list(x)) from values (0D), (double('nan')), (0D), (-1D) as t(x);
select sort_array(a), array_sort(a) from values (array(0.0D, -0.0D, null, 1D)), (array(-0.0D, 0.0D)) as t(a);
select lpad(element_at(map_keys(map()), -1), 5, '*');
select coalesce(element_at(array(), 2), 1) from range(2);
select concat(array()[1], 'x');
select array(named_struct('p',1,'q','x'),named_struct('p',2,'q',cast(null as string))).p[0] as sq, array(named_struct('p',1),named_struct('p',cast(null as int))).p[0] as n from range(0)
select cast(x as array<struct<p:int>>).p from values (array(named_struct('q', 1))) t(x)
select array(struct(x)).x, array(named_struct('p', cast(1 as string), 'q', -2, 'r', date'2024-01-01')).p, slice(x, 1, 1).q from values (array(named_struct('q', 1))) t(x)
select array(1/x) is null from values (0) t(x)
select struct(1/x) is not null from values (0) t(x)
select array(1/0) is null
select element_at(array(1, 2), 0) is null
select cast(percentile_approx(d, 0.5) as string), percentile_approx(d, array(0.5))[0] || '' from (select cast(x as decimal(7,2)) d from values (1),(2),(3) t(x))
select cast(p as string) from (select percentile_approx(d, 0.5) p from (select cast(x as decimal(7,2)) d from values (1),(2),(3) t(x)))
select percentile_approx(d, 0.5) p, percentile_approx(d, array(0.5, 0.9)) q from (select cast(x as decimal(7,2)) d from values (1),(2),(3) t(x))
select distinct x, y from values (-0.0D, 1) t(x, y)
select x from (select -0.0D x from range(2) limit 1) group by x
select distinct x from values (-0.0D), (1D) t(x)
select x, count(*) from values (-0.0D) t(x) group by x
select x from values (-0.0D) t(x) except select 1D
select nope.* from range(1)
select nope.* from range(1) as r
select c.* from (select struct(1 as a) c, 2 c)
select * from values (cast(1.5 as float)), (2) t(x)
select * from values (2), (cast(1.5 as float)), (3L) t(x)
select * from (select cast(1.5 as float) a, 3 b) unpivot (v for k in (a, b))
