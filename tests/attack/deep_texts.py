"""Statements that nest or repeat one thing n times, one kind each: what Spark says to them is recorded beside."""

from collections.abc import Callable

Text = Callable[[int], str]


def nested(before: str, middle: str, after: str) -> Text:
    return lambda n: f"select {before * n}{middle}{after * n} as x"


def joined(separator: str, item: str, template: str = "select {} as x") -> Text:
    return lambda n: template.format(separator.join(item.replace("#", str(i)) for i in range(n)))


def doubling(n: int) -> str:
    """Each name reads the one before twice: 2^n rows of work when every use is planned anew."""
    steps = [f"c{i} as (select a.x from c{i - 1} a join c{i - 1} b on a.x = b.x)" for i in range(1, n)]
    return f"with c0 as (select 1 as x), {', '.join(steps)} select count(*) from c{n - 1}"


def joins(n: int) -> str:
    return "select t0.id as x from range(1) t0" + "".join(f" join range(1) t{i} using (id)" for i in range(1, n))


def commas(n: int) -> str:
    return "select 1 as x from " + ", ".join(f"(select {i} as c{i}) t{i}" for i in range(n))


def nested_with(n: int) -> str:
    openings = "".join(f"with c{i} as (" for i in range(n))
    return f"{openings}select 1 as x{''.join(f') select * from c{i}' for i in reversed(range(n)))}"


def chain_of_names(n: int) -> str:
    steps = "".join(f", c{i} as (select * from c{i - 1})" for i in range(1, n))
    return f"with c0 as (select 1 as x){steps} select * from c{n - 1}"


def nested_joins(n: int) -> str:
    return f"select 1 as x from {'(' * n}range(1){''.join(f' cross join range(1) t{i})' for i in range(n))}"


def lateral_view(n: int) -> str:
    views = "".join(f" lateral view explode(array(1)) t{i} as c{i}" for i in range(n))
    return f"select 1 as x from range(1){views}"


TEXTS: dict[str, Text] = {
    "parentheses": nested("(", "1", ")"),
    "open parentheses": lambda n: f"select {'(' * n}",
    "minus signs": nested("- ", "1", ""),
    "not": nested("not ", "true", ""),
    "array": nested("array(", "1", ")"),
    "open array": lambda n: f"select {'array(' * n}",
    "named_struct": nested("named_struct('a', ", "1", ")"),
    "abs": nested("abs(", "1", ")"),
    "coalesce": nested("coalesce(null, ", "1", ")"),
    "cast": nested("cast(", "1", " as int)"),
    "double colon": nested("", "1", "::int"),
    "case when": nested("case when true then ", "1", " end"),
    "case of case": nested("case ", "1", " when 1 then 1 end"),
    "if": nested("if(true, ", "1", ", 2)"),
    "scalar subquery": nested("(select ", "1", ")"),
    "subquery in from": lambda n: f"{'select * from (' * n}select 1 as x{')' * n}",
    "exists": lambda n: f"select 1 as x where {'exists(select 1 where ' * n}true{')' * n}",
    "in subquery": lambda n: f"select 1 as x where {'1 in (select 1 where ' * n}true{')' * n}",
    "in list": nested("1 in (", "1", ")"),
    "parentheses around queries": lambda n: f"{'(' * n}select 1 as x{')' * n}",
    "parentheses around relations": lambda n: f"select x from {'(' * n}values (1) as t(x){')' * n}",
    "array type": lambda n: f"select cast(null as {'array<' * n}int{'>' * n}) as x",
    "struct type": lambda n: f"select cast(null as {'struct<a:' * n}int{'>' * n}) as x",
    "from_json": lambda n: f"select from_json('1', '{'array<' * n}int{'>' * n}') as x",
    "from_json of struct": lambda n: f"select from_json('1', 'a {'struct<a:' * n}int{'>' * n}') as x",
    "lambda": nested("transform(array(1), y -> ", "1", ")"),
    "subscript": lambda n: f"select {'array(' * n}1{')' * n}{'[0]' * n} as x",
    "with": nested_with,
    "chain of names": chain_of_names,
    "nested joins": nested_joins,
    "plus": joined(" + ", "1"),
    "concat": joined(" || ", "'a'"),
    "equals": joined(" = ", "true"),
    "and": joined(" and ", "id <> #", "select id as x from range(1) where {}"),
    "or": joined(" or ", "id = #", "select id as x from range(1) where {}"),
    "in": joined(", ", "#", "select id as x from range(1) where id in ({})"),
    "in strings": joined(", ", "'a#'", "select id as x from range(1) where cast(id as string) in ({})"),
    "columns": joined(", ", "# as c#", "select {}"),
    "values": joined(", ", "(#)", "select sum(x) as x from values {} as t(x)"),
    "union": joined(" union all ", "select # as x", "{}"),
    "except": joined(" except ", "select # as x", "{}"),
    "case branches": joined(" ", "when id = # then #", "select case {} end as x from range(1)"),
    "coalesce wide": joined(", ", "#", "select coalesce({}) as x"),
    "struct wide": joined(", ", "'c#', #", "select named_struct({}) as x"),
    "like any": joined(", ", "'a#%'", "select 'a' like any ({}) as x"),
    "windows": joined(", ", "sum(id) over (order by id) as c#", "select {} from range(3)"),
    "aggregates": joined(", ", "sum(id + #) as c#", "select {} from range(3)"),
    "joins": joins,
    "comma joins": commas,
    "doubling": doubling,
    "pipes": lambda n: "from range(3)" + " |> where id >= 0" * n,
    "lateral view": lateral_view,
    "grouping sets": joined(", ", "(id, #)", "select id as x from range(1) group by grouping sets ({})"),
    "string": lambda n: f"select length('{'a' * n}') as x",
    "strings": joined(" ", "'a'", "select length({}) as x"),
    "comments": lambda n: f"select 1 as x {'/* a */ ' * n}",
    "nested comments": lambda n: f"select 1 as x {'/* ' * n}{' */' * n}",
    "open comments": lambda n: f"select 1 as x {'/* ' * n}",
    "dots": lambda n: f"select {'.'.join(['a'] * n)} as x",
    "numbers": lambda n: f"select 1{'0' * n} as x",
    "semicolons": lambda n: f"select 1 as x{';' * n}",
    "like pattern": lambda n: f"select repeat('a', 100) like '{'%a' * n}b' as x",
    "json path": lambda n: f"select get_json_object('{{}}', '${'.a' * n}') as x",
    "json path of indexes": lambda n: f"select get_json_object('{{}}', '${'[0]' * n}') as x",
    "xpath": lambda n: f"select xpath_string('<a/>', '{'(' * n}a{')' * n}') as x",
    "date pattern": lambda n: f"select date_format(date'2020-01-01', '{'[' * n}y{']' * n}') as x",
    "format string": lambda n: f"select format_string('{'%s' * n}', 1) as x",
    "number format": lambda n: f"select format_number(1.5, '{'#,' * n}0') as x",
    "to_number": lambda n: f"select to_number('1', '{'9' * n}') as x",
    "regex groups": lambda n: f"select 'a' rlike '{'(' * n}a{')' * n}' as x",
    "regex stars": lambda n: f"select 'aaaaaaaaaaaaaaaaaaaaaaaaaaaab' rlike '^{'(a*)*' * n}$' as x",
    "json text": lambda n: f"select from_json('{'[' * n}{']' * n}', 'array<int>') as x",
    "variant": lambda n: f"select parse_json('{'[' * n}{']' * n}') as x",
    "schema_of_json": lambda n: f"select schema_of_json('{'[' * n}{']' * n}') as x",
}
