--SET spark.sql.ansi.doubleQuotedIdentifiers=true

select "a", "b""c", "t"."x" from "t"
--> ok

select 'a' as "b"
--> ok

select "f"(1)
--> ok

select interval "1" year
--> PARSE_SYNTAX_ERROR {"error": "'\"1\"'", "hint": "", "line": 1, "position": 16}

select date "2020-01-01"
--> PARSE_SYNTAX_ERROR {"error": "'\"2020-01-01\"'", "hint": "", "line": 1, "position": 12}

select * from "db"."t" as "x"("c")
--> ok

select 'a' "b"
--> ok

create table "t" ("a" int) comment "x"
--> PARSE_SYNTAX_ERROR {"error": "'\"x\"'", "hint": "", "line": 1, "position": 35}
