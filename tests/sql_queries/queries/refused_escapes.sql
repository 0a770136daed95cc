SELECT 'maca' LIKE 'm%aca' ESCAPE '%'
SELECT 'maca' NOT LIKE 'm%aca%' ESCAPE '%'
SELECT s LIKE 'mca%' ESCAPE '%' from values ('a') t(s)
SELECT s LIKE 'm\\aca' from values ('a') t(s)
SELECT s LIKE 'maca\\' from values ('a') t(s)
SELECT s LIKE p from values ('a','a'),('b','x\\y') t(s,p)
SELECT s ILIKE 'm\\Aca' from values ('a') t(s)
SELECT s LIKE 'm''\\aca' from values ('a') t(s)
SELECT s LIKE 'mé\\éca' from values ('a') t(s)
SELECT s LIKE ANY ('a', 'm\\aca') from values ('b') t(s)
SELECT s LIKE ALL ('a', 'm\\aca') from values ('b') t(s)
SELECT s LIKE 'm#aca' ESCAPE '#' from values (null) t(s)
SELECT s LIKE 'm#aca' ESCAPE '#' from values ('b') t(s) where s = 'x'
SELECT 'bear' LIKE 'b_ear' ESCAPE '_'
SELECT 'be_r' NOT LIKE 'b_e__r' ESCAPE '_'
SELECT 'a' LIKE '%SystemDrive%\\Users%'
SELECT s LIKE 'a|b=c%25\\x' from values ('b') t(s)
select to_timestamp('2019-10-06 10:11:12.1234', 'yyyy-MM-dd HH:mm:ss.[SSSSSS]')
select to_timestamp('2019-10-06 10:11:12.', 'yyyy-MM-dd HH:mm:ss.[SSSSSS]')
select to_timestamp('2019-10-06 10:11:12', 'yyyy-MM-dd HH:mm:ss[.SSSSSS]')
select to_timestamp('2019-10-06 10:11:12.1234567', 'yyyy-MM-dd HH:mm:ss.[SSSSSS]')
select to_timestamp('2019-10-06 10:11:12123', 'yyyy-MM-dd HH:mm:ss[SSS]')
select to_timestamp('2019-10-06 10:11:12', 'yyyy-MM-dd HH:mm:ss[SSS]')
select to_timestamp('2019-10-06 10:11:1', 'yyyy-MM-dd HH:mm:s[SSS]')
select to_timestamp('2019-10-06 10:11:123', 'yyyy-MM-dd HH:mm:s[SSS]')
select to_timestamp('2019-10-06 10:11:1.x', 'yyyy-MM-dd HH:mm:s.[SSS]')
select to_timestamp('2019-10-06 10:11:1.12[', 'yyyy-MM-dd HH:mm:s.[SSS]')
select date_format(timestamp'2019-10-06 10:11:12.5', 'ss.[SSS]')
