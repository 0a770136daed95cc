select a + b * c - d / e % f
--> ok

select a || b + c
--> ok

select a & b | c ^ d << 1 >> 2 >>> 3
--> ok

select -a * -b
--> ok

select ~a + +b
--> ok

select - - 1
--> ok

select a = b = c
--> ok

select a <=> b, a == b, a <> b, a != b, a !< b, a !> b
--> ok

select a < b < c
--> ok

select not a = b
--> ok

select not not a
--> ok

select ! a
--> ok

select !a and !b
--> ok

select a and b or c and d
--> ok

select a or b or c or d
--> ok

select a and not b
--> ok

select a between 1 and 2 and c
--> ok

select a not between 1 and 2
--> ok

select a between 1 and 2 between 3 and 4
--> PARSE_SYNTAX_ERROR {"error": "'3'", "hint": "", "line": 1, "position": 33}

select a in (1, 2, 3), a not in (select 1)
--> ok

select a in (select 'x', 'y')
--> UNSUPPORTED_TYPED_LITERAL {"fragment": "select 'x'", "supportedTypes": "\"DATE\", \"TIMESTAMP_NTZ\", \"TIMESTAMP_LTZ\", \"TIMESTAMP\", \"INTERVAL\", \"X\", \"TIME\"", "unsupportedType": "\"SELECT\""}

select (select 'x', 'y')
--> UNSUPPORTED_TYPED_LITERAL {"fragment": "select 'x'", "supportedTypes": "\"DATE\", \"TIMESTAMP_NTZ\", \"TIMESTAMP_LTZ\", \"TIMESTAMP\", \"INTERVAL\", \"X\", \"TIME\"", "unsupportedType": "\"SELECT\""}

select a like 'x%', a not like 'y' escape '!', a ilike 'z', a rlike 'q', a regexp 'r'
--> ok

select a like 'x' escape 'ab'
--> INVALID_ESC {"fragment": "like 'x' escape 'ab'", "invalidEscape": "'ab'"}

select a like any ('x', 'y'), a not like all ('z'), a ilike some ('w')
--> ok

select a like any ()
--> _LEGACY_ERROR_TEMP_0064 {"fragment": "like any ()", "msg": "Expected something between '(' and ')'."}

select a is null, a is not null, a is true, a is not false, a is unknown
--> ok

select a is null is null
--> PARSE_SYNTAX_ERROR {"error": "'null'", "hint": ": extra input 'null'", "line": 1, "position": 20}

select a is distinct from b, a is not distinct from b
--> ok

select a !in (1)
--> SYNTAX_DISCONTINUED.BANG_EQUALS_NOT {"clause": "!", "fragment": "!"}

select a ! like 'x'
--> SYNTAX_DISCONTINUED.BANG_EQUALS_NOT {"clause": "!", "fragment": "!"}

select a is ! null
--> SYNTAX_DISCONTINUED.BANG_EQUALS_NOT {"clause": "!", "fragment": "!"}

select case when a then 1 when b then 2 else 3 end
--> ok

select case a when 1 then 'x' end
--> ok

select case a when 1 then 'x'
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": ": extra input end of input", "line": 1, "position": 29}

select case end
--> ok

select case
--> ok

select cast(a as int), try_cast(a as decimal(10, 2)), a::string::int
--> ok

select cast(a as array<struct<x: int, y: map<string, array<double>>>>)
--> ok

select cast(a as foo)
--> UNSUPPORTED_DATATYPE {"fragment": "foo", "typeName": "\"FOO\""}

select cast(a as char)
--> DATATYPE_MISSING_SIZE {"fragment": "char", "type": "\"CHAR\""}

select cast(a as array)
--> INCOMPLETE_TYPE_DEFINITION.ARRAY {"elementType": "<INT>", "fragment": "array"}

select cast(a as struct<>)
--> ok

select cast(a as decimal(39, 2))
--> ok

select cast(a as interval year to month), cast(a as interval day), cast(a as interval second to day)
--> PARSE_SYNTAX_ERROR {"error": "'to'", "hint": ": missing ')'", "line": 1, "position": 93}

select cast(a as timestamp without time zone), cast(a as timestamp with local time zone), cast(a as time(3))
--> ok

select cast(a as string collate UTF8_LCASE)
--> ok

select cast(a, int)
--> ok

select a.b.c, a[0], a['k'], a[0].b[1], f(x).y
--> ok

select a.b.1
--> PARSE_SYNTAX_ERROR {"error": "'.1'", "hint": ": extra input '.1'", "line": 1, "position": 10}

select (a).b, (a.b).c
--> ok

select struct(1, 2 as b, c), named_struct('a', 1)
--> ok

select (1, 2), (1 as a, 2), (1)
--> ok

select (1 as a)
--> PARSE_SYNTAX_ERROR {"error": "')'", "hint": "", "line": 1, "position": 14}

select array(1, 2)[0], map('a', 1)['a']
--> ok

select array(1)[0] >> 1
--> PARSE_SYNTAX_ERROR {"error": "'>'", "hint": "", "line": 1, "position": 20}

select count(*), count(distinct a, b), count(all a), sum(distinct a)
--> ok

select f(), f(a => 1, b => 2), f(1, b => 2)
--> ok

select db.f(1), cat.db.f(1)
--> ok

select sum(a) filter (where b > 1)
--> ok

select sum(a) filter (b > 1)
--> PARSE_SYNTAX_ERROR {"error": "'('", "hint": "", "line": 1, "position": 21}

select percentile_cont(0.5) within group (order by a desc)
--> ok

select listagg(distinct a, ',') within group (order by a, b)
--> ok

select first(a), first(a ignore nulls), first(a) ignore nulls, last(a, true), any_value(a) respect nulls
--> ok

select first(a) over (order by b), lead(a) ignore nulls over w from t window w as (order by a)
--> ok

select x -> x + 1
--> ok

select transform(a, x -> x + 1), aggregate(a, 0, (acc, x) -> acc + x)
--> ok

select filter(a, x -> x > 1), exists(a, x -> x is null)
--> ok

select substring('abc' from 2 for 1), substring('abc', 2), substr('abc' from 1)
--> ok

select trim(both 'x' from y), trim(leading from y), trim(y), trim('x' from y), trim(trailing 'x' from y)
--> ok

select position('a' in 'abc'), position('a', 'abc')
--> ok

select overlay('abc' placing 'x' from 2 for 1), overlay('abc', 'x', 2)
--> ok

select extract(year from d), extract(dow from d)
--> ok

select dateadd(day, 1, d), date_add(d, 1), datediff(month, a, b), datediff(a, b), timestampadd(hour, 1, t)
--> ok

select dateadd('day', 1, d)
--> INVALID_PARAMETER_VALUE.DATETIME_UNIT {"fragment": "dateadd('day', 1, d)", "functionName": "`dateadd`", "invalidValue": "'day'", "parameter": "`unit`"}

select timestampdiff(foo, a, b)
--> ok

select current_date, current_timestamp, current_user, user, session_user, current_time
--> ok

select current_date(), current_timestamp()
--> ok

select left('abc', 1), right('abc', 1), if(a, b, c), nullif(a, b)
--> ok

select a collate UTF8_LCASE = b collate UNICODE
--> ok

select v:a.b[0]['c'], v:a::int
--> ok

select v:['a'], v:[0].b
--> ok

select v:*
--> PARSE_SYNTAX_ERROR {"error": "'*'", "hint": "", "line": 1, "position": 9}

select interval + 1, date, timestamp, time
--> ok

select date + 1
--> ok

select a.`b c`.d, `a``b`
--> ok

select `a
--> PARSE_SYNTAX_ERROR {"error": "'`'", "hint": "", "line": 1, "position": 7}

select *
--> ok

select * + 1
--> ok

select t.*
--> ok

select a as b, c as (d, e), f g, h (i, j)
--> ok

select a as
--> ok

select a as `b`
--> ok

select a as 'b'
--> PARSE_SYNTAX_ERROR {"error": "''b''", "hint": ": extra input ''b''", "line": 1, "position": 12}

select a "b"
--> UNSUPPORTED_TYPED_LITERAL {"fragment": "a \"b\"", "supportedTypes": "\"DATE\", \"TIMESTAMP_NTZ\", \"TIMESTAMP_LTZ\", \"TIMESTAMP\", \"INTERVAL\", \"X\", \"TIME\"", "unsupportedType": "\"A\""}

select a div b, a div
--> ok

select exists (select 1), exists
--> ok

select 1 + , 2
--> PARSE_SYNTAX_ERROR {"error": "','", "hint": "", "line": 1, "position": 11}

select (1, )
--> PARSE_SYNTAX_ERROR {"error": "')'", "hint": "", "line": 1, "position": 11}

select ()
--> PARSE_SYNTAX_ERROR {"error": "')'", "hint": "", "line": 1, "position": 8}

select f(,)
--> PARSE_SYNTAX_ERROR {"error": "','", "hint": "", "line": 1, "position": 9}

select f(distinct)
--> ok

select f(distinct distinct)
--> ok

select a b-c
--> INVALID_IDENTIFIER {"ident": "b-c", "line": 1, "position": 10}

select a as b-c
--> INVALID_IDENTIFIER {"ident": "b-c", "line": 1, "position": 13}

select a-b
--> ok

select über
--> INVALID_IDENTIFIER {"ident": "über", "line": 1, "position": 7}

select a @ b
--> PARSE_SYNTAX_ERROR {"error": "'@'", "hint": "", "line": 1, "position": 9}

select a # b
--> PARSE_SYNTAX_ERROR {"error": "'#'", "hint": "", "line": 1, "position": 9}

select a where b
--> ok

select a.b(1).c
--> ok

select 1 in (1), 1 in (select 1) and true
--> ok

select not exists (select 1)
--> ok

select not in (1)
--> ok

select x'1F' || X'ab'
--> ok
