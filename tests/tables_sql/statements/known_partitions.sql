-- a partitioned table of files knows the partitions it was told of; {place} is a directory of the run's own
create table w (i int, k int) using parquet partitioned by (k) location '{place}/w';
insert into w values (1, 1), (2, 2);
select * from w;
-- over the same directory: nothing is known of its partitions yet
create table r (i int, k int) using parquet partitioned by (k) location '{place}/w';
select * from r;
show partitions r;
alter table r recover partitions;
select * from r;
show partitions r;
-- what others write there is not known either
insert into w values (3, 3);
select * from r;
show partitions r;
alter table r add partition (k = 3);
select * from r;
insert into r values (4, 4);
select * from r;
select * from w;
msck repair table w;
select * from w;
show partitions w;
-- an external table forgets a partition, the files stay
alter table r drop partition (k = 1);
select * from r;
show partitions r;
select * from w;
msck repair table r add partitions;
select * from r;
-- emptied partitions are still there
truncate table w partition (k = 4);
insert overwrite r values (5, 5);
select * from r;
show partitions r;
show partitions w;
msck repair table w sync partitions;
show partitions w;
select * from w;
-- a place in the options is a place
create table o (i int) using csv options (header false, path '{place}/o');
insert into o values (1);
create table o2 (i int) using csv location '{place}/o';
select * from o2;
select * from o;
drop table o;
select * from o2;
create table ok (i int, k int) using parquet options (path '{place}/w') partitioned by (k);
select * from ok;
msck repair table ok;
select * from ok;
alter table ok rename to ok2;
select * from ok2;
show partitions ok2;
drop table ok2;
create table ok2 (i int, k int) using parquet partitioned by (k) location '{place}/w';
select * from ok2;
-- managed: truncating keeps the partitions, overwriting does not
create table m (i int, k int) using parquet partitioned by (k);
insert into m values (1, 1), (2, 2);
show partitions m;
insert overwrite m partition (k = 2) values (20);
show partitions m;
select * from m;
insert overwrite m partition (k = 9) select 1 where false;
show partitions m;
insert overwrite m values (3, 3);
show partitions m;
select * from m;
alter table m add partition (k = 4);
show partitions m;
create table both (i int) using csv options (path '{place}/o') location '{place}/o';
create table full using parquet location '{place}/w' as select 1 as i;
