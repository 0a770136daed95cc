-- Found by random queries, asked of both engines.
select exists(array(k, 2), x -> x > 1), count(1) from values (1), (3) t(k) group by exists(array(k, 2), x -> x > 1);
select transform(array(k), (y, i) -> y + i), sum(k) from values (1), (3) t(k) group by transform(array(k), (x, j) -> x + j);
select filter(array(k), x -> x > 1) from values (1), (3) t(k) group by filter(array(k), x -> x > 2);
select d from values (-0.0D), (3D) t(d) intersect select d from values (0D), (5D) u(d);
select d from values (-0.0D), (3D) t(d) union select 7D;
select d from values (-0.0D), (1D) t(d) except select 1D;
select distinct d from values (-0.0D), (3D) t(d);
select sum(cast(s as int)) filter (where s rlike '^[0-9]+$') from values ('1'), ('x') t(s);
select sum(distinct cast(s as int)) filter (where s rlike '^[0-9]+$') from values ('1'), ('x') t(s);
select bit_xor(cast(s as int)) filter (where k > 5) from values ('1', 1), ('x', 2) t(s, k);
select ceil(cast(k as decimal(9,0))), floor(bround(cast(k as decimal(10,2)), 0)) from values (1), (3) t(k);
select try_multiply(abs(l), ceil(bround(n, 0))) from values (3L, 1.50) t(l, n);
