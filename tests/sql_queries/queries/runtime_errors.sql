select 1/0
select a / b from values (1,0) t(a,b)
select 5 div 0
select 5 % 0
select cast('abc' as int)
select '1.23' :: int
select int('x')
select 'a' + 1
select a + 1 from values ('x') t(a)
select 9223372036854775807L + 1L
select 2147483647 + 1
select 2147483647 * 2
select -(-2147483648)
select cast(1e20 as int)
select cast(300 as tinyint)
select cast(123.456 as decimal(4,2))
select array(1,2)[5]
select element_at(array(1,2), 5)
select element_at(array(1,2), 0)
select (select a from values (1),(2) t(a))
select sum(a) from values (9223372036854775807L),(1L) t(a)
select 1 where 'x' = 1
select date'2020-01-01' + 'x'
select cast('2020-13-01' as date)
select cast(a as timestamp) from values ('x') t(a)
select 127Y + 1Y
select 1e35BD / 0.1
select sum(1/(a-1)) from values (1) t(a) group by a
select case when a > 0 then 1/0 end from values (1) t(a)
select abs(-2147483648)
select to_date('x')
select to_timestamp('x')
select make_date(2020,13,1)
select next_day('2020-01-01','xx')
select bigint('x'), 1/0
