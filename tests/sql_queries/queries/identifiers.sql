VALUES(IDENTIFIER(CAST(NULL AS STRING)))
VALUES(IDENTIFIER(1))
SELECT * FROM IDENTIFIER((SELECT 't'))
SELECT IDENTIFIER((SELECT 'col1')) FROM VALUES(1)
VALUES(IDENTIFIER(1)())
SELECT IDENTIFIER('a b') FROM VALUES(1) t(a)
SELECT IDENTIFIER('`a b`') FROM VALUES(1) t(`a b`)
SELECT IDENTIFIER('') FROM VALUES(1) t(a)
select lag(a) over (order by a), lead(a, 2, 0) over (order by a) from values (1),(2),(3) t(a)
select sum(a) over (partition by b), b from values (1,1),(2,1),(3,2) t(a,b) order by b, 1
select * from values (1,2),(3,4) t(a,b) where (a, b) in (select 1, 2)
select * from values (1,2),(3,4) t(a,b) where (a, b) not in (select 1, cast(null as int))
select * from values (1,2),(3,4) t(a,b) where exists (select 1 from values (1) u(x) where x = a) or b = 4
select a, (select count(*) from values (1),(2) u(x) where x < a) c from values (1),(3) t(a) order by c desc
