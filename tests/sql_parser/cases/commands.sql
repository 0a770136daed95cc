use db
--> ok

use namespace a.b
--> ok

use schema s
--> ok

set catalog spark_catalog
--> ok

create database d
--> ok

create schema if not exists a.b comment 'c' location '/x' with dbproperties ('a' = 'b', c = 1)
--> ok

create namespace if ! exists x
--> SYNTAX_DISCONTINUED.BANG_EQUALS_NOT {"clause": "!", "fragment": "!"}

alter database d set dbproperties ('a' = 'b')
--> ok

alter schema d unset properties (a)
--> ok

alter namespace d set location '/y'
--> ok

drop database if exists d cascade
--> ok

drop schema d restrict
--> ok

show databases
--> ok

show schemas in a.b like '*x*'
--> ok

show namespaces from a 'p'
--> ok

create table t (a int, b string not null comment 'x' default 'y') using parquet
--> ok

create table if not exists db.t (a int) using csv options (header 'true', sep = ';') partitioned by (a) comment 'c' location '/x' tblproperties ('k' = 'v')
--> ok

create table t using delta as select 1 as a
--> ok

create table t as select 1 as a
--> ok

create table t select 1 as a
--> ok

create table t partitioned by (years(ts), bucket(4, id), truncate(x, 3)) as select * from s
--> ok

create table t (a int) clustered by (a) sorted by (a asc) into 4 buckets
--> ok

create table t (a int) cluster by (a)
--> ok

create table t (a int) row format delimited fields terminated by ',' stored as textfile
--> ok

create table t (a int) stored as inputformat 'x' outputformat 'y'
--> ok

create table t (id bigint generated always as identity (start with 1 increment by 2), b int generated always as (a + 1))
--> ok

create table t (id bigint generated always as identity (increment by 0))
--> IDENTITY_COLUMNS_ILLEGAL_STEP {"fragment": "id bigint generated always as identity (increment by 0)"}

create table t (id string generated always as identity)
--> IDENTITY_COLUMNS_UNSUPPORTED_DATA_TYPE {"dataType": "StringType", "fragment": "id string generated always as identity"}

create table t (a int primary key, b int references p (x), c int unique not enforced, check (a > 1), constraint fk foreign key (b) references q (y) norely)
--> ok

create table t (a int not null not null)
--> CREATE_TABLE_COLUMN_DESCRIPTOR_DUPLICATE {"columnName": "a", "fragment": "a int not null not null", "optionName": "NOT NULL"}

create table t (a foo)
--> UNSUPPORTED_DATATYPE {"fragment": "foo", "typeName": "\"FOO\""}

create table t (a int,)
--> PARSE_SYNTAX_ERROR {"error": "')'", "hint": "", "line": 1, "position": 22}

create table t ()
--> PARSE_SYNTAX_ERROR {"error": "')'", "hint": "", "line": 1, "position": 16}

create table t (a int) comment 'x' comment 'y'
--> DUPLICATE_CLAUSES {"clauseName": "COMMENT", "fragment": "create table t (a int) comment 'x' comment 'y'"}

create external table t (a int) location '/x'
--> ok

create temporary table t (a int)
--> _LEGACY_ERROR_TEMP_0046 {"fragment": "create temporary table t (a int)"}

create or replace table t (a int) using parquet
--> ok

replace table t as select 1
--> ok

create table t like s
--> ok

create table if not exists t like s using parquet location '/x'
--> ok

drop table if exists t purge
--> ok

alter table t add columns (a int comment 'x' first, b string after a)
--> ok

alter table t add column a.b int not null
--> ok

alter table t rename column a to b
--> ok

alter table t drop columns (a, b.c)
--> ok

alter table t drop column if exists a, b
--> ok

alter table t rename to u
--> ok

alter view v rename to w
--> ok

alter table t set tblproperties ('a' = 'b')
--> ok

alter table t unset tblproperties if exists ('a', 'b')
--> ok

alter table t alter column a type bigint
--> ok

alter table t alter column a comment 'x'
--> ok

alter table t alter column a drop not null
--> ok

alter table t alter column a set default 1
--> ok

alter table t alter column a drop default
--> ok

alter table t alter column a after b
--> ok

alter table t alter column a
--> _LEGACY_ERROR_TEMP_0035 {"fragment": "alter table t alter column a", "message": "ALTER TABLE table ALTER COLUMN requires a TYPE, a SET/DROP, a COMMENT, or a FIRST/AFTER"}

alter table t change column a a bigint comment 'x' first
--> ok

alter table t alter column a type int, b comment 'y'
--> ok

alter table t replace columns (a int)
--> ok

alter table t add partition (p = 1) location '/x' partition (p = 2)
--> ok

alter table t add if not exists partition (p = 1)
--> ok

alter table t drop if exists partition (p = 1), partition (p = 2) purge
--> ok

alter table t partition (p = 1) rename to partition (p = 2)
--> ok

alter table t partition (p = 1) set location '/x'
--> ok

alter table t set serde 'x' with serdeproperties ('a' = 'b')
--> ok

alter table t recover partitions
--> ok

alter table t cluster by (a, b)
--> ok

alter table t cluster by none
--> ok

alter table t add constraint c check (a > 1)
--> ok

alter table t drop constraint if exists c cascade
--> ok

alter table t touch
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "alter table t touch", "operation": "ALTER TABLE TOUCH"}

alter table t exchange partition (p = 1) with table u
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "alter table t exchange partition (p = 1) with table u", "operation": "ALTER TABLE EXCHANGE PARTITION"}

create view v as select 1
--> ok

create or replace view v (a comment 'x', b) comment 'c' tblproperties ('k' = 'v') as select 1, 2
--> ok

create temp view v as select 1
--> ok

create or replace global temporary view v as select 1
--> ok

create temporary view if not exists v as select 1
--> _LEGACY_ERROR_TEMP_0053 {"fragment": "create temporary view if not exists v as select 1"}

create temporary view db.v as select 1
--> INVALID_TEMP_OBJ_QUALIFIER {"fragment": "create temporary view db.v as select 1", "objectName": "`v`", "objectType": "VIEW", "qualifier": "`db`"}

create or replace view if not exists v as select 1
--> CREATE_VIEW_WITH_IF_NOT_EXISTS_AND_REPLACE {"fragment": "create or replace view if not exists v as select 1", "viewName": "v"}

create view v with schema evolution as select 1
--> ok

create temporary view v using csv options (path '/x')
--> ok

create temporary view v (a int, b string) using json
--> ok

create view v partitioned on (a) as select 1
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "create view v partitioned on (a) as select 1", "operation": "CREATE VIEW ... PARTITIONED ON"}

alter view v as select 2
--> ok

alter view v with schema binding
--> ok

drop view if exists v
--> ok

create function f as 'com.x.F' using jar '/x.jar', file '/y'
--> ok

create or replace temporary function f as 'com.x.F'
--> ok

create function f(a int, b string default 'x') returns int return a + 1
--> ok

create function f(a int) returns table (x int, y string) return select a, 'b'
--> ok

create or replace function if not exists f() return 1
--> INVALID_SQL_SYNTAX.CREATE_ROUTINE_WITH_IF_NOT_EXISTS_AND_REPLACE {"fragment": "create or replace function if not exists f() return 1"}

create temporary function a.f() return 1
--> INVALID_TEMP_OBJ_QUALIFIER {"fragment": "create temporary function a.f() return 1", "objectName": "`f`", "objectType": "FUNCTION", "qualifier": "`a`"}

create function f(x int unique) returns int return x
--> INVALID_SQL_SYNTAX.CREATE_FUNC_WITH_COLUMN_CONSTRAINTS {"fragment": "create function f(x int unique) returns int return x"}

create function f() returns int language sql deterministic contains sql comment 'c' return 1
--> ok

drop function if exists f
--> ok

drop temporary function f
--> ok

declare variable v int default 1
--> ok

declare or replace v = 5
--> ok

declare v
--> INVALID_SQL_SYNTAX.VARIABLE_TYPE_OR_DEFAULT_REQUIRED {"fragment": "declare v"}

declare a, b int
--> ok

set var v = 1
--> ok

set variable a = 1, b = default
--> ok

set var (a, b) = (select 1, 2)
--> ok

drop temporary variable if exists v
--> ok

drop variable v
--> PARSE_SYNTAX_ERROR {"error": "'variable'", "hint": "", "line": 1, "position": 5}

execute immediate 'select 1'
--> ok

execute immediate 'select ?' into x using 1
--> ok

execute immediate q using (1 as a, 2 as b)
--> ok

execute immediate 'x' using 1 as a, 2 as a
--> EXEC_IMMEDIATE_DUPLICATE_ARGUMENT_ALIASES {"aliases": "`a`", "fragment": "using 1 as a, 2 as a"}

explain select 1
--> ok

explain extended select 1
--> ok

explain formatted insert into t values (1)
--> ok

explain logical select 1
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "explain logical select 1", "operation": "EXPLAIN LOGICAL"}

show tables
--> ok

show tables in db like 'x*'
--> ok

show table extended in db like 'x' partition (a = 1)
--> ok

show table extended
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 19}

show tblproperties t ('k')
--> ok

show columns from t in db
--> ok

show views in db 'x'
--> ok

show partitions t partition (a = 1)
--> ok

show functions
--> ok

show user functions like 'x*'
--> ok

show system functions in db
--> ok

show functions foo.bar
--> ok

show foo functions
--> INVALID_SQL_SYNTAX.SHOW_FUNCTIONS_INVALID_SCOPE {"fragment": "show foo functions", "scope": "`foo`"}

show create table t as serde
--> ok

show current namespace
--> ok

show catalogs like 'x'
--> ok

show collations
--> ok

show procedures in c
--> ok

show nothing
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": ": missing 'FUNCTIONS'", "line": 1, "position": 12}

describe t
--> ok

desc table extended t
--> ok

desc formatted t partition (a = 1)
--> ok

describe t a.b
--> ok

desc extended t as json
--> ok

desc t as json
--> DESCRIBE_JSON_NOT_EXTENDED {"tableName": "t"}

describe function extended abs
--> ok

describe function +
--> ok

describe database extended d
--> ok

describe query select 1
--> ok

desc select 1
--> ok

describe with a as (select 1) select * from a
--> ok

desc from t select a
--> ok

comment on table t is 'x'
--> ok

comment on database d is null
--> ok

refresh table t
--> ok

refresh function f
--> ok

refresh '/path'
--> ok

refresh /path/x
--> ok

cache table t
--> ok

cache lazy table t options ('storageLevel' 'DISK_ONLY') as select 1
--> ok

uncache table if exists t
--> ok

clear cache
--> ok

load data local inpath '/x' overwrite into table t partition (a = 1)
--> ok

truncate table t partition (a = 1)
--> ok

msck repair table t add partitions
--> ok

repair table t
--> ok

add jar /x.jar
--> ok

add jars '/x.jar' '/y.jar'
--> ok

list files
--> ok

add thing x
--> _LEGACY_ERROR_TEMP_0035 {"fragment": "add thing x", "message": "ADD with resource type 'thing'"}

analyze table t compute statistics noscan
--> ok

analyze table t partition (a) compute statistics for columns a, b
--> ok

analyze table t compute statistics for all columns
--> ok

analyze table t compute statistics foo
--> INVALID_SQL_SYNTAX.ANALYZE_TABLE_UNEXPECTED_NOSCAN {"ctx": "FOO", "fragment": "analyze table t compute statistics foo"}

analyze tables in db compute statistics
--> ok

call p(1, x => 2)
--> ok

call
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 4}

insert into t values (1, 2), (3, 4)
--> ok

insert into t (a, b) select 1, 2
--> ok

insert into table t partition (p = 1, q) select 1
--> ok

insert overwrite t select 1
--> ok

insert overwrite table t partition (p = 1) if not exists select 1
--> ok

insert into t by name select 1 as a
--> ok

insert into t partition (p = default) select 1
--> REF_DEFAULT_VALUE_IS_NOT_ALLOWED_IN_PARTITION {"fragment": "partition (p = default)"}

insert into t if not exists values (1)
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "insert into t if not exists", "operation": "INSERT INTO ... IF NOT EXISTS"}

insert into t replace where a > 1 select 1
--> ok

insert overwrite directory '/x' using parquet options (a 'b') select 1
--> ok

insert overwrite local directory '/x' row format delimited fields terminated by ',' stored as textfile select 1
--> ok

insert into t
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 13}

with a as (select 1) insert into t select * from a
--> ok

from s insert into t select a insert overwrite u select b where c
--> ok

update t set a = 1, b.c = b.c + 1 where d
--> ok

update t as x set a = 1
--> ok

update t x (a) set a = 1
--> COLUMN_ALIASES_NOT_ALLOWED {"fragment": "update t x (a) set a = 1", "op": "UPDATE"}

delete from t where a
--> ok

delete from t
--> ok

merge into t using s on t.a = s.a when matched then update set * when not matched then insert *
--> ok

merge into t as x using (select 1 as a) as y on x.a = y.a when matched and y.b then delete when matched then update set x.a = 1 when not matched then insert (a, b) values (1, 2) when not matched by source then delete
--> ok

merge into t using s on true
--> MERGE_WITHOUT_WHEN {"fragment": "merge into t using s on true"}

merge into t using s on true when not matched then insert (a, b) values (1)
--> MERGE_INSERT_VALUE_COUNT_MISMATCH {"actualCount": "1", "expectedCount": "2", "fragment": "merge into t using s on true when not matched then insert (a, b) values (1)"}

merge into t using s on true when matched then delete when matched then update set *
--> NON_LAST_MATCHED_CLAUSE_OMIT_CONDITION {"fragment": "merge into t using s on true when matched then delete when matched then update set *"}

set
--> ok

set -v
--> ok

set a.b.c
--> ok

set a.b.c = d e f
--> ok

set a.b=c;
--> ok

set `a b` = c
--> ok

set a b = c
--> INVALID_SET_SYNTAX {"fragment": "set a b = c"}

set a = `b c`
--> ok

set time zone 'UTC'
--> ok

set time zone local
--> ok

set time zone interval 10 hours
--> ok

set time zone interval 30 hours
--> INVALID_INTERVAL_FORMAT.TIMEZONE_INTERVAL_OUT_OF_RANGE {"fragment": "set time zone interval 30 hours", "input": "30"}

set time zone
--> _LEGACY_ERROR_TEMP_0045 {"fragment": "set time zone"}

set role admin
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "set role admin", "operation": "SET ROLE"}

reset
--> ok

reset a.b
--> ok

reset a b
--> INVALID_RESET_COMMAND_FORMAT {"fragment": "reset a b"}

reset `a b`
--> ok

grant select on t to u
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "grant select on t to u", "operation": "GRANT"}

lock table t
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "lock table t", "operation": "LOCK TABLE"}

start transaction
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "start transaction", "operation": "START TRANSACTION"}

commit
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "commit", "operation": "COMMIT"}

create role r
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "create role r", "operation": "CREATE ROLE"}

show grant
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "show grant", "operation": "SHOW GRANT"}

dfs -ls /
--> INVALID_STATEMENT_OR_CLAUSE {"fragment": "dfs -ls /", "operation": "DFS"}

create materialized view v as select 1
--> ok

create streaming table t as select * from stream s
--> ok

create flow f as insert into t by name select 1
--> ok

create
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 6}

create foo
--> PARSE_SYNTAX_ERROR {"error": "'foo'", "hint": "", "line": 1, "position": 7}

alter
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 5}

alter table
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 11}

drop
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 4}

drop table
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 10}

show
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 4}

describe
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 8}

explain
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 7}

insert
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 6}

use
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 3}

selec 1
--> PARSE_SYNTAX_ERROR {"error": "'selec'", "hint": "", "line": 1, "position": 0}

with a select 1
--> PARSE_SYNTAX_ERROR {"error": "'select'", "hint": "", "line": 1, "position": 7}
