select 1
--> ok

select distinct a, b from t
--> ok

select all a from t
--> ok

select a, from t
--> ok

select * from a, b, c
--> ok

select a.*, b.x from a join b
--> ok

select * except (a, b) from t
--> ok

select t.* except (a) from t
--> ok

select * from t where x = 1 and y <> 2 or not z
--> ok

select a, count(*) from t group by a having count(*) > 1
--> ok

select a, b, sum(c) from t group by a, b with rollup
--> ok

select a, b, sum(c) from t group by a, b with cube
--> ok

select a, b, sum(c) from t group by rollup (a, (b, c)), cube (d)
--> ok

select a, b, sum(c) from t group by grouping sets ((a, b), a, ())
--> ok

select a, b, sum(c) from t group by a, b grouping sets ((a, b), a, ())
--> ok

select a, b from t group by grouping sets (rollup (a, b), grouping sets ((a), cube (b)))
--> ok

select a from t group by all
--> ok

select a, b from t group by 1, 2 order by 1 desc nulls last, 2 asc nulls first
--> ok

select a from t sort by a desc
--> ok

select a from t distribute by a sort by b
--> ok

select a from t cluster by a
--> ok

select a from t order by a limit 10 offset 5
--> ok

select a from t limit all
--> ok

select a from t offset 3
--> ok

select 1 union select 2
--> ok

select 1 union all select 2 except select 3 intersect select 4
--> ok

select 1 minus all select 2
--> ok

(select 1) union (select 2) order by 1
--> ok

((select 1))
--> ok

select * from (select 1) t
--> ok

select * from ((select 1) union (select 2)) t
--> ok

select * from (a join b on a.x = b.x)
--> ok

select * from (a cross join (b)) c
--> ok

select * from a join b using (x, y)
--> ok

select * from a natural join b
--> ok

select * from a natural left outer join b
--> ok

select * from a left semi join b on a.x = b.x
--> ok

select * from a semi join b on a.x = b.x
--> ok

select * from a left anti join b on true
--> ok

select * from a full join b on a.x = b.x right join c on true
--> ok

select * from a left join b on a.x = b.x join c on b.y = c.y
--> ok

select * from a inner join b join c on true on false
--> PARSE_SYNTAX_ERROR {"error": "'on'", "hint": "", "line": 1, "position": 44}

select * from a, lateral (select a.x)
--> ok

select * from a join lateral explode(a.xs) as t(x)
--> ok

select * from a left join lateral (select 1) on true
--> ok

select * from t lateral view explode(xs) e as x lateral view outer posexplode(ys) as p, q
--> ok

select x from t lateral view explode(xs) e
--> ok

select * from values (1, 'a'), (2, 'b') as t(x, y)
--> ok

values 1, 2, 3
--> ok

values (1, 2), (3, 4) as t(a, b) order by a
--> ok

table t
--> ok

table db.t limit 1
--> ok

from t
--> ok

from t select a where b
--> ok

from t select a select b
--> ok

from t join s on t.a = s.a select *
--> ok

select * from range(10)
--> ok

select * from range(0, 10, step => 2) as r(i)
--> ok

select * from f(table t)
--> INVALID_SQL_SYNTAX.INVALID_TABLE_FUNCTION_IDENTIFIER_ARGUMENT_MISSING_PARENTHESES {"argumentName": "`t`", "fragment": "table t"}

select * from f(table(t) partition by a order by b)
--> ok

select * from f(table(select 1 as a) partition by (a, b) order by (c desc, d))
--> ok

select * from f(x => table(t) with single partition, y => 1)
--> ok

select * from f(table(t) partition by a, b)
--> _LEGACY_ERROR_TEMP_0064 {"fragment": "table(t) partition by a, b", "msg": "The table function call includes a table argument with an invalid partitioning/ordering specification: the PARTITION BY clause included multiple expressions without parentheses surrounding them; please add parentheses around these expressions and then retry the query again"}

select * from t tablesample (10 percent)
--> ok

select * from t tablesample (5 rows) as s
--> ok

select * from t tablesample (bucket 1 out of 4) repeatable (7)
--> ok

select * from t tablesample (101 percent)
--> _LEGACY_ERROR_TEMP_0064 {"fragment": "tablesample (101 percent)", "msg": "Sampling fraction (1.01) must be on interval [0, 1]"}

select * from t tablesample ()
--> _LEGACY_ERROR_TEMP_0014 {"fragment": "tablesample ()"}

select * from t tablesample (10k)
--> _LEGACY_ERROR_TEMP_0015 {"fragment": "tablesample (10k)", "msg": "byteLengthLiteral"}

select * from t version as of 3
--> ok

select * from t for system_version as of '3'
--> ok

select * from t timestamp as of '2020-01-01' x
--> ok

select * from t for system_time as of current_timestamp() - interval 1 day
--> ok

with a as (select 1) select * from a
--> ok

with a(x, y) as (select 1, 2), b as (select * from a) select * from b
--> ok

with recursive r(n) as (select 1 union all select n + 1 from r where n < 5) select * from r
--> ok

with recursive r(n) max recursion level 10 as (values 1) select * from r
--> ok

with a as (select 1), a as (select 2) select * from a
--> DUPLICATED_CTE_NAMES {"duplicateNames": "`a`", "fragment": "with a as (select 1), a as (select 2) select * from a"}

with a as (with b as (select 1) select * from b) select * from a
--> ok

select * from t pivot (sum(x) for y in (1, 2, 3))
--> ok

select * from t pivot (sum(x) as s, avg(z) for (y, w) in ((1, 'a') as first, (2, 'b'))) p
--> ok

select * from t unpivot (v for n in (a, b as bb, c))
--> ok

select * from t unpivot include nulls ((v, w) for n in ((a, b) as ab, (c, d)))
--> ok

select * from t unpivot exclude nulls (v for n in (a)) as u
--> ok

select sum(x) over (partition by a order by b rows between unbounded preceding and current row) from t
--> ok

select sum(x) over (order by b range between 1 preceding and 1 following) from t
--> ok

select sum(x) over w, avg(x) over (w) from t window w as (partition by a), v as (order by b)
--> ok

select sum(x) over (cluster by a) from t
--> ok

select sum(x) over (distribute by a sort by b) from t
--> ok

select sum(x) over (order by a rows x preceding) from t
--> _LEGACY_ERROR_TEMP_0064 {"fragment": "x preceding", "msg": "Frame bound value must be a literal."}

select rank() over w from t window w as (order by a), w as (order by b)
--> INVALID_SQL_SYNTAX.REPETITIVE_WINDOW_DEFINITION {"fragment": "window w as (order by a), w as (order by b)", "windowName": "`w`"}

select rank() over w from t window w as v
--> INVALID_SQL_SYNTAX.UNRESOLVED_WINDOW_REFERENCE {"fragment": "window w as v", "windowName": "`v`"}

select a from t qualify row_number() over (order by a) = 1
--> ok

select /*+ broadcast(t), merge(a, b) */ * from t join s
--> ok

select /*+ repartition(3) */ /*+ coalesce(1) */ * from t
--> ok

select /*+ */ 1
--> PARSE_SYNTAX_ERROR {"error": "'*/'", "hint": "", "line": 1, "position": 11}

select /* comment */ 1 -- more
--> ok

select 1 /* nested /* comment */ here */
--> ok

select 1 /* not closed
--> UNCLOSED_BRACKETED_COMMENT {}

select a from t where exists (select 1 from s where s.x = t.x)
--> ok

select a from t where (a, b) in (select c, d from s)
--> ok

select (select max(x) from s) as m
--> ok

select a from t where a = (select 1)
--> ok

select 1 from t1 approx nearest 3 by distance x
--> PARSE_SYNTAX_ERROR {"error": "'approx'", "hint": "", "line": 1, "position": 17}

select * from a join b approx nearest 3 by distance abs(a.x - b.x)
--> ok

select * from a left join b exact nearest by similarity a.x * b.x
--> ok

select * from a right join b exact nearest 2 by similarity a.x
--> NEAREST_BY_JOIN.UNSUPPORTED_JOIN_TYPE {"fragment": "right join b exact nearest 2 by similarity a.x", "joinType": "RIGHT OUTER", "supported": "'INNER', 'LEFT OUTER'"}

select * from a join b exact nearest 0 by distance a.x
--> NEAREST_BY_JOIN.NUM_RESULTS_OUT_OF_RANGE {"fragment": "join b exact nearest 0 by distance a.x", "max": "100000", "min": "1", "numResults": "0"}

select transform(a, b) using 'cat' as (x int, y string) from t
--> ok

select transform(a, b) using 'cat' as x, y from t
--> ok

select transform(distinct a) using 'cat' from t
--> UNSUPPORTED_FEATURE.TRANSFORM_DISTINCT_ALL {"fragment": "select transform(distinct a) using 'cat' from t"}

map a, b using 'cat' from t
--> ok

reduce a using 'cat' from t
--> ok

select transform(xs, x -> x + 1) from t
--> ok

from t |> where a > 1 |> select a, b |> order by a |> limit 3
--> ok

table t |> extend a + 1 as b |> set b = b * 2 |> drop a |> as u
--> ok

table t |> aggregate sum(x) as s, count(*) group by a, b as c
--> ok

table t |> aggregate group by a
--> ok

table t |> aggregate
--> _LEGACY_ERROR_TEMP_0035 {"fragment": "table t |> aggregate", "message": "The AGGREGATE clause requires a list of aggregate expressions or a list of grouping expressions, or both"}

table t |> aggregate sum(x) group by rollup(a)
--> UNSUPPORTED_FEATURE.PIPE_OPERATOR_AGGREGATE_UNSUPPORTED_CASE {"case": "GROUP BY ROLLUP", "fragment": "table t |> aggregate sum(x) group by rollup(a)"}

table t |> join s on t.a = s.a |> left join u using (a)
--> ok

table t |> union all table s |> except (select 1)
--> ok

table t |> pivot (sum(x) for y in (1, 2)) |> unpivot (v for n in (a, b))
--> ok

table t |> tablesample (50 percent)
--> ok

table t |> select distinct a |> window w as (order by a)
--> UNSUPPORTED_FEATURE.CLAUSE_WITH_PIPE_OPERATORS {"clauses": "the WINDOW clause", "fragment": "window w as (order by a)"}

table t |> order by a limit 1
--> MULTIPLE_QUERY_RESULT_CLAUSES_WITH_PIPE_OPERATORS {"clause1": "ORDER BY", "clause2": "LIMIT", "fragment": "order by a limit 1"}

table t |> where a window w as (order by b)
--> NOT_ALLOWED_IN_PIPE_OPERATOR_WHERE.WINDOW_CLAUSE {"fragment": "table t |> where a window w as (order by b)"}

table t |> from s
--> PARSE_SYNTAX_ERROR {"error": "'from'", "hint": "", "line": 1, "position": 11}

table t | where a = 1 | select b
--> ok

select 1 | select a
--> ok

select identifier('a') from identifier('t')
--> ok

select identifier('a b') from t
--> ok

select * from identifier('db.' || 'range')(1)
--> ok

select * from parquet.`/data/x.parquet`
--> ok

select * from file:///tmp/x
--> INVALID_IDENTIFIER {"ident": "file:///tmp/x", "line": 1, "position": 14}

select * from t where a in ()
--> INVALID_SQL_SYNTAX.EMPTY_IN_PREDICATE {"fragment": "in ()"}

select * from t x y
--> PARSE_SYNTAX_ERROR {"error": "'y'", "hint": ": extra input 'y'", "line": 1, "position": 18}

select * from
--> ok

select * from t where
--> ok

select * from t group
--> ok

select * from t group by
--> PARSE_SYNTAX_ERROR {"error": "'by'", "hint": ": extra input 'by'", "line": 1, "position": 22}

select * from t order by
--> PARSE_SYNTAX_ERROR {"error": "'by'", "hint": ": extra input 'by'", "line": 1, "position": 22}

select a b c from t
--> PARSE_SYNTAX_ERROR {"error": "'c'", "hint": "", "line": 1, "position": 11}

select from t
--> ok

select * from t join
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 20}

select * from t left
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": "", "line": 1, "position": 20}

select * from (select 1
--> PARSE_SYNTAX_ERROR {"error": "end of input", "hint": ": missing ')'", "line": 1, "position": 23}

select * from select 1
--> PARSE_SYNTAX_ERROR {"error": "'select'", "hint": "", "line": 1, "position": 14}

select 1 from t1, lateral view explode(a) b as c
--> PARSE_SYNTAX_ERROR {"error": "'b'", "hint": "", "line": 1, "position": 42}

select * from t1 lateral join t2
--> PARSE_SYNTAX_ERROR {"error": "'join'", "hint": ": missing 'VIEW'", "line": 1, "position": 25}

select 1;
--> ok

select 1;;
--> ok

select 1; select 2
--> PARSE_SYNTAX_ERROR {"error": "'select'", "hint": ": extra input 'select'", "line": 1, "position": 10}
