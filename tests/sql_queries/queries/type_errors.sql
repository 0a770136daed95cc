select '1' * true
select '1' + true
select 1 * true
select true * 1
select '1' % true
select '1' - true
select '1' / true
select true / 1
select '1' div true
select 1 % true
select pmod('1', true)
select 1 in (1, binary('x'))
select true in (date'2020-01-01')
select coalesce(1, date'2020-01-01')
select case when true then 1 else date'2020-01-01' end
select if(true, 1, date'2020-01-01')
select greatest(1, date'2020-01-01')
select 1 = date'2020-01-01'
select 1 < binary('x')
select array(1, date'2020-01-01')
select map(1, 2, date'2020-01-01', 3)
select 1 union select date'2020-01-01'
select 1 union select 1, 2
select 1 intersect all select date'2020-01-01'
select 1 except select array(1)
(select 1 union all select 2) union select array(1)
select nullif(1, date'2020-01-01')
select not 1
select 1 and true
select upper(1, 2)
select nosuch(1)
select a.b from values (1) t(a)
select t.nosuch from values (1) t(a)
select a from values (1) t(a), values (2) u(a)
select sum('x' || 1)
select * from nosuchtable
select * from nosuch.nosuchtable where a = 1
select 1 from values (1) t(a) where a
select substring(1)
select a in (select b from values (date'2020-01-01') u(b)) from values (true) t(a)
select (a) not in (1, binary('x')) from values (1) t(a)
select a between 1 and binary('x') from values (1) t(a)
select a like 1 + date'2020-01-01' from values (1) t(a)
select least(1, date'2020-01-01'), if(true, 1, array(1))
select if(1, 1, 2)
select nvl(1, date'2020-01-01')
select coalesce()
select greatest(1)
select nullif(1)
select if(true, 1)
select array(1, array(1))
