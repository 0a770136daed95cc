select rank() OVER (PARTITION BY four, ORDER BY ten) FROM tenk1
--> PARSE_SYNTAX_ERROR {"error": "'BY'", "hint": ": extra input 'BY'", "line": 1, "position": 45}

select rank() OVER (PARTITION BY four, ORDER BY ten desc)
--> PARSE_SYNTAX_ERROR {"error": "'BY'", "hint": ": extra input 'BY'", "line": 1, "position": 45}

select rank() OVER (PARTITION BY four, ORDER BY)
--> PARSE_SYNTAX_ERROR {"error": "'BY'", "hint": ": extra input 'BY'", "line": 1, "position": 45}

select rank() OVER (PARTITION BY ORDER BY ten)
--> PARSE_SYNTAX_ERROR {"error": "'BY'", "hint": "", "line": 1, "position": 39}

select rank() OVER (PARTITION BY four, SORT BY ten)
--> PARSE_SYNTAX_ERROR {"error": "'BY'", "hint": ": extra input 'BY'", "line": 1, "position": 44}

select rank() OVER (PARTITION BY four ORDER BY a, b c)
--> PARSE_SYNTAX_ERROR {"error": "'c'", "hint": ": extra input 'c'", "line": 1, "position": 52}

select rank() OVER (PARTITION BY four ORDER BY a c)
--> PARSE_SYNTAX_ERROR {"error": "'c'", "hint": ": extra input 'c'", "line": 1, "position": 49}

select rank() OVER (PARTITION BY four, five six)
--> PARSE_SYNTAX_ERROR {"error": "'six'", "hint": ": extra input 'six'", "line": 1, "position": 44}

select rank() OVER (PARTITION BY four, five + )
--> PARSE_SYNTAX_ERROR {"error": "')'", "hint": "", "line": 1, "position": 46}

select rank() OVER (DISTRIBUTE BY four, five six)
--> PARSE_SYNTAX_ERROR {"error": "'six'", "hint": ": extra input 'six'", "line": 1, "position": 45}

select rank() OVER (CLUSTER BY four, five six)
--> PARSE_SYNTAX_ERROR {"error": "'six'", "hint": ": extra input 'six'", "line": 1, "position": 42}

select rank() OVER (PARTITION BY four, five, rows x)
--> PARSE_SYNTAX_ERROR {"error": "'x'", "hint": ": extra input 'x'", "line": 1, "position": 50}

select rank() OVER (PARTITION BY four, 1 2)
--> PARSE_SYNTAX_ERROR {"error": "'2'", "hint": ": extra input '2'", "line": 1, "position": 41}

select rank() OVER (PARTITION BY four, ) from t
--> PARSE_SYNTAX_ERROR {"error": "')'", "hint": "", "line": 1, "position": 39}

select rank() OVER (ORDER BY a b) + 1 from t where a b
--> PARSE_SYNTAX_ERROR {"error": "'b'", "hint": ": extra input 'b'", "line": 1, "position": 31}

select rank() OVER w from t window w as (PARTITION BY four, ten)
--> ok

