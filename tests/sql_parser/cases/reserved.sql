--SET spark.sql.ansi.enforceReservedKeywords=true

select a from t
--> ok

select 1 from
--> PARSE_SYNTAX_ERROR {"error": "'from'", "hint": "", "line": 1, "position": 9}

select 1 where
--> PARSE_SYNTAX_ERROR {"error": "'where'", "hint": "", "line": 1, "position": 9}

select select
--> PARSE_SYNTAX_ERROR {"error": "'select'", "hint": "", "line": 1, "position": 7}

select case
--> PARSE_SYNTAX_ERROR {"error": "'case'", "hint": "", "line": 1, "position": 7}

select a as order
--> PARSE_SYNTAX_ERROR {"error": "'order'", "hint": "", "line": 1, "position": 12}

select user
--> ok

select current_date
--> ok

select table from t
--> PARSE_SYNTAX_ERROR {"error": "'table'", "hint": "", "line": 1, "position": 7}

select a.table
--> PARSE_SYNTAX_ERROR {"error": "'table'", "hint": "", "line": 1, "position": 9}

select date from t
--> ok

select left('a', 1), left
--> PARSE_SYNTAX_ERROR {"error": "'left'", "hint": "", "line": 1, "position": 21}

select * from t left
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 20}

select * from t semi
--> ok

select * from t semi join s
--> ok

select day, year, month from t
--> ok

select 1 and
--> PARSE_SYNTAX_ERROR {"error": "'and'", "hint": "", "line": 1, "position": 9}

select 1 as `select`
--> ok

select f(distinct)
--> PARSE_SYNTAX_ERROR {"error": "'distinct'", "hint": "", "line": 1, "position": 9}

select all from t
--> PARSE_SYNTAX_ERROR {"error": "'from'", "hint": "", "line": 1, "position": 11}

select any from t
--> PARSE_SYNTAX_ERROR {"error": "'any'", "hint": "", "line": 1, "position": 7}

select time '10:00'
--> ok

select time
--> PARSE_SYNTAX_ERROR {"error": "'time'", "hint": "", "line": 1, "position": 7}
