select * from values (1, array(1, 2)), (2, array()), (3, null), (1, array(1, 2)) t(a, b) left join lateral explode(b) u(x) on true
select * from values (1, array(1, 2)), (2, array()), (3, null) t(a, b) left join lateral explode(b) u(x) on a = x
select * from values (1, array(1, 2)), (2, array()), (3, null) t(a, b) left join lateral (select explode(b)) u(x) on a = x
select * from values (1, array(1, 2)), (2, array()), (3, null) t(a, b) left join lateral explode_outer(b) u(x) on a = x
select * from values (1, array(1, 2)), (2, array()), (3, null) t(a, b) left join lateral posexplode(b) u(p, x) on p = 0
select * from values (1, map('a', 2)), (2, map()), (3, null) t(a, b) left join lateral explode(b) u(k, v)
select * from values (1, array(struct(1, 'x'))), (2, array(struct(7, 'y'))) t(a, b) left join lateral inline(b) u(k, v) on a = k
select * from values (1, '{"f1": "1", "f2": "z"}'), (2, '{"f1": "1"}'), (3, null) t(a, b) left join lateral json_tuple(b, 'f1', 'f2') u(f1, f2) on a = cast(f1 as int)
select a, x + 1 as y from values (1, array(1, 2)), (2, array()) t(a, b) left join lateral (select x from explode(b) u(x) where x > 1) on true
select a, s from values (1, array(1, 2)), (2, array()) t(a, b) left join lateral (select sum(x) s from explode(b) u(x)) on true
select * from values (1, array(1, 2)), (2, array()) t(a, b) left join lateral stack(2, a, a + 1) u(x) on x > 1
select a, u.x, v.y from values (1, array(1, 2), array(5)), (2, array(), array(6)) t(a, b, c) left join lateral explode(b) u(x) on true left join lateral explode(c) v(y) on true
select count(*), sum(x) from values (1, array(1, 2)), (2, array()), (3, null) t(a, b) left join lateral explode(b) u(x) on x > a
select * from range(3) t left join lateral explode(sequence(0, id)) u(x) on x % 2 = 0 order by id, x
select * from values (1, array(1, 2)), (2, array()) t(a, b) join lateral explode(b) u(x) on a = x
select * from values (0, 1), (1, 2) t1(c1, c2) join lateral (select c1, min(c2) as m from values (0, 2), (0, 3) t2(c1, c2) where t1.c1 = t2.c1 and t1.c2 < t2.c2 group by t2.c1 order by m)
select * from lateral (select * from values (1) t(a))
select * from lateral (select * from values (1) t(a)), lateral (select * from values (2) u(b))
select * from lateral (select * from values (1) t(a)) join lateral (select a + 1 as b)
select * from lateral explode(array(1, 2))
select * from lateral posexplode(array(1, 2)) t(p, x), lateral (select p + x)
select * from lateral (select nosuch)
select * from values (1, array(1)), (2, null) t(k, d) left join lateral (select * from explode(t.d))
select * from values (1, array(1)), (2, null) t(k, d) left join lateral (select e.c + 1 from explode(t.d) e(c))
select * from values (1, array(1)), (2, null) t(k, d) left join lateral (select explode(t.d) c)
select * from values (array(struct(1, 'a'))), (null), (array()) t(d) left join lateral inline(d)
select * from values (1, array(1)), (2, null) t(k, d) left join lateral explode_outer(d)
select * from values (1, array(1)), (2, null) t(k, d) left join lateral (select max(c) from explode(t.d) e(c))
select cast(id as int) + 1, explode(array(1)) from range(1)
select to_json(struct(1 as a)) as q, explode(array(1))
select struct(1 as a), explode(array(1))
select to_json(struct(1 as a)), json_tuple('{"a":1}', 'a')
