select date'2020-01-01' - timestamp_ntz'2019-10-06 10:11:12.345678'
select timestamp_ntz'2019-10-06 10:11:12.345678' - date'2020-01-01'
select timestamp_ntz'2011-11-11 11:11:11' - '2011-11-11 11:11:10'
select '2011-11-11 11:11:11' - timestamp_ntz'2011-11-11 11:11:10'
select timestamp_ntz'2011-11-11 11:11:11' - 'abc'
select timestamp_ntz'2011-11-11 11:11:11' - s from values ('2011-11-11 11:11:10'), (null) as t(s)
select timestamp_ntz'2011-11-11 11:11:11' - null
select d - n, n - d from values (date'2020-01-01', timestamp_ntz'2019-10-06 10:11:12') as t(d, n)
