select (select 1,2) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) union select 1, 2
select (select nosuch), y from (select substring('a') as y, i, s, a, d from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) t
select * from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) join (select abs(array(nosuch)) as k) u on i between 1 and array(1) = k
select * from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) join (select array_contains(i, 1) as k) u on transform(i, x -> x) = k
select * from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) join (select bround(a) as k) u on upper(nosuch) = k
select * from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) join (select cast(i as nosuchtype) as k) u on 1 = k
select * from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) join (select sum(sum(i)) as k) u on to_json(i) = k
select * from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) left join (select 1 k) u on t.i = u.k and if(1,2,3) = 1 where s and true = 1
select * from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) pivot (sum(nosuch.*) for s in ('a','b')) where i in (select 1,2) = 1
select * from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) pivot (sum(sum(nosuch)) for s in ('a','b')) where i in (select 1,2) = 1
select -a from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where substring('a')
select abs(array(1)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i having 1 > 1
select abs(array(1), nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by sum(i) filter (where nosuch)
select abs(array(1), nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where abs(array(1), nosuch)
select abs(case when true then 2 else array(1) end), abs(t.nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select abs(i + sum(i)), abs(coalesce(1, array(1))) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select array(cast(i as nosuchtype), extract(foo from d)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select array(size(i), i between 1 and array(1)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select array(sum(nosuch), if(1,2,3)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select case when case when true then 2 else array(1) end = 1 then sum(i) over (order by nosuch) end from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select case when true then 2 else array(1) end from (select i between 1 and array(1) as y, i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) t
select cast(abs(array(nosuch)) as int), cast(sum(i) over (order by nosuch) as date) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select cast(i as nosuchtype) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i having split(a, 'x') > 1
select cast(i as nosuchtype) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by transform(a, x -> x + array(1))
select cast(split(a, 'x') as int), cast(date_add(a, 1) as date) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select coalesce(1, array(1)) as z from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by 1 desc
select coalesce(1, array(1)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) except select max() from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select coalesce(1, array(1)) from values (sum(nosuch)), (2) t(i)
select coalesce(make_date(1), greatest(1, array(1))) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select concat(coalesce(1, array(1)), date_add(d)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select concat(date_trunc('x'), upper(nosuch, 1)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select count(distinct *) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) union select 1, 2
select count(distinct *) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where case when 1 then 2 end > 0
select current_timestamp() + nosuch as z from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by zz.i desc
select date_add(a, 1) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by 1
select date_add(d) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) lateral view explode(s and true) e as y
select date_add(d) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) sort by 1
select date_add(d), y from (select case when 1 then 2 end as y, i, s, a, d from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) t
select distinct abs(array(1), nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by case when true then 2 else array(1) end
select distinct abs(array(1), nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by transform(a, x -> x + array(1))
select distinct map_keys(i) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by nosuch
select exists(select nosuch) from range(percentile(i, 2))
select explode(a) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) union select 1, 2
select explode(a), y from (select i in (1, array(1)) as y, i, s, a, d from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) t
select explode(i) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) union select 1, 2
select filter(a, x -> i = array(1) = x), -s from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select filter(a, x -> if(1,2,3) = x), 1 from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select filter(a, x -> interval 1 day + i = x), t.nosuch from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select first(i, 1) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) lateral view explode(1) e as y
select from_json(s, 'nosuch type') from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) lateral view explode(greatest(1)) e as y
select greatest(1) as z, z + 1, case when 1 then 2 end from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select greatest(1, array(1)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by s and true
select greatest(1, array(1)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) lateral view explode(upper(nosuch, 1)) e as y
select greatest(1, array(1)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where abs(array(1)) > 0
select i + sum(i) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where i in (1, array(1))
select i between 1 and array(1) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) union select 1, 2
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i having greatest(1) = abs(array(1), nosuch)
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by greatest(1), d + a
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where -s and greatest(1)
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where coalesce(1, array(1)) = 1 and upper() = 2
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where coalesce(1, array(1)) and date_add(a, 1)
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where d + a and i + array(1)
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where i = array(1) = current_timestamp() + nosuch
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where i = array(1) and abs(array(1))
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where i between 1 and array(1) = 1 and nosuch = 2
select i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where make_date(1) and abs(array(1))
select i in (1, array(1)) from range(date_add(d))
select i in (select 1,2) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where transform(a, x -> x + array(1))
select i in (select nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) join (select 1 as k) u on 1 = 1
select i in (select nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) limit date_add(d)
select i, count(*) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i order by interval 1 day + i, array(1, array(1))
select i, if(1,2,3) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i, date_trunc('x')
select i, map_keys(i) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i, current_date(1)
select i, not s from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i, sum(i) over (order by nosuch)
select i, sum(i) + nosuch from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i, 1
select i, sum(i) filter (where nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by all order by transform(a, x -> upper())
select i, sum(i) over (order by nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by all order by array(1, array(1))
select i, t.* from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i, greatest(1, array(1))
select i, t.* from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i, i = array(1)
select if(1,2,3) + max() from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select if(coalesce(1, array(1)) = 1, -s, 3) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select if(i in (select 1,2) = 1, s.a.b, 3) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select interval 1 day + i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i having i in (select 1,2) > 1
select max() as z, z + 1, abs(array(1), nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select max() from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i having cast(i as nosuchtype) > 1
select max(coalesce(1, array(1))) over (order by 1) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select max(current_timestamp() + nosuch) over (partition by sum(i) over (order by nosuch)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select max(greatest(1)) over (partition by cast(i as nosuchtype)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select max(t.nosuch) over (order by 1) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select max(zz.i) over (order by transform(a, x -> x + array(1))) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select nosuch from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d), lateral (select cast(i as nosuchtype) as q) l
select nosuch.*, y from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) lateral view explode(array(greatest(1))) e as y
select not s as z from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by case when true then 2 else array(1) end desc
select regexp_extract(s) from (select 1 as y, i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) t
select size(i) as z from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by s and true desc
select split(a, 'x') from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) group by i having transform(a, x -> upper()) > 1
select struct(current_timestamp() + nosuch, array(1, array(1))) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select struct(t.nosuch, sum(i) over (order by nosuch)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select sum(array(1)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) union select 1, 2
select sum(d + a), case when true then 2 else array(1) end from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select sum(exists(select nosuch)), i + sum(i) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select sum(i + array(1)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where map_keys(i) = 1
select sum(i) filter (where nosuch) from range(first(i, 1))
select sum(i) filter (where nosuch) from range(lag(i, s) over (order by i))
select sum(i) over (order by nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) except select upper(nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select sum(if(1,2,3)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where -a = 1
select sum(nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) lateral view explode(nosuch) e as y
select sum(nosuch) over (partition by i) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) union select 1, 2
select sum(nosuch.*) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where i + array(1) = 1
select sum(upper(distinct s)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where interval 1 day + i = 1
select sum(~s) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) where d + a = 1
select t.nosuch from (select struct(1 as q).w as y, i from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) t
select t.nosuch from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) lateral view explode(date_trunc('x')) e as y
select transform(a, x -> map_keys(i)), d + a from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select transform(a, x -> map_keys(i)), i between 1 and array(1) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select transform(a, x -> upper()) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) lateral view explode(i between 1 and array(1)) e as y
select transform(a, x -> upper()) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) lateral view explode(not s) e as y
select upper(abs(array(1))) as z from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by zz.i desc
select upper(abs(array(1))) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d) order by -s
select upper(abs(array(1))), sum(i) over (order by nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select upper(array(1, array(1))), (select nosuch) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select upper(sum(nosuch) over (partition by i), date_add(d)) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select upper(sum(nosuch)), get_json_object(s) from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
select upper(t.nosuch), upper() from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)
with c as (select current_date(1) as y from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) select i in (select nosuch) from c
with c as (select nosuch as y from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) select 1 from c
with c as (select nosuch as y from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) select i between 1 and array(1) from c
with c as (select transform(a, x -> x, 1) as y from values (1,'a',array(1),date'2024-01-01') t(i,s,a,d)) select i + array(1) from c
