select (null, 1) in (select id, id from range(3))
select cast(null as int) in (select id from range(0))
select id from range(3) t where null in (select id from range(2) where id = t.id)
select id from range(3) where not (null in (select id from range(0)))
select id from range(3) where null in (select id from range(2))
select id from range(3) where null not in (select id from range(0))
select id in (select id from range(2)) from range(3) order by id
select id, null in (select id from range(2) where id = t.id) from range(3) t
select id, null in (select id from range(2)) from range(3) order by id
select null in (select id from range(3))
select null not in (select id from range(0))
select null not in (select id from range(3))
