SELECT COUNT(b) AS k FROM values (1,2) t(a,b) GROUP BY k
select a, b, sum(b) + 2 from values (1,2) t(a,b) group by 3
SELECT CASE WHEN true THEN cast(1 as string) ELSE cast('2017-12-11 09:30:00' as date) END
SELECT int('x'), int('5')
SELECT IF(true, cast(1 as string), cast('2017-12-11 09:30:00' as date))
