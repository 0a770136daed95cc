"""Our parser says to every text case what Spark's parser said."""

import pytest
from sql_cases import Case, all_cases, our_answer

# Same condition, other details: ANTLR names a token that is missing, or stops before the place every reading reaches.
OTHER_DETAILS = frozenset(
    {
        "show nothing",
        "select case a when 1 then 'x'",
        "select cast(a as interval year to month), cast(a as interval day), cast(a as interval second to day)",
        "select * from (select 1",
        "select 1 from t1, lateral view explode(a) b as c",
        "select * from t1 lateral join t2",
        "select 1 from",
        "select 1 where",
        "select 1 and",
        "begin if true then select 1; end; end",
        "begin while true do end while; end",
        "begin select 1;",
    }
)


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: f"{case.file}:{case.line}")
def test_case(case: Case) -> None:
    condition, details = our_answer(case)
    assert condition == case.condition
    same = {key: details.get(key) for key in case.details} == case.details
    assert same == (case.condition == "ok" or case.text not in OTHER_DETAILS), details
