select interval 2 second * '2'
select interval 2 second / '2.5'
select cast('2' * interval 2 year as string)
select interval 2 second * 'a'
select cast(interval 2 year / null as string)
select interval 2 hour + null, date'2020-01-01' + null, null + timestamp'2020-01-01', null - date'2020-01-01', timestamp'2020-01-01' - null
select date'2001-10-01' - '2001-09-28', '2001-10-01' - date'2001-09-28', timestamp'2001-10-01' - '2001-09-28 01:02:03', '2001-10-01' - timestamp'2001-09-28 01:02:03'
select date'2001-10-01' - 'x'
select 'x' - timestamp'2001-10-01'
select interval 2 second * s, date'2001-10-01' - d, d - date'2001-10-01', d - timestamp'2001-10-01' from values ('2.5', '2020-01-01'), ('-1', '1999-12-31') v(s, d)
select interval 2 second * s from values ('2.5'), ('x') v(s)
select interval 1 hour / '0'
select date'2020-01-01' + 1.5D + 1
select true - date'2020-01-01'
select interval 1 hour * interval 1 hour
select a + interval 1 hour from values (1) t(a)
select 2 / interval '2' year
