"""Every name that emitters are known to send resolves, and is refused with the wrong number of arguments."""

import pytest

from twinspark.plans_json import validate_plan
from twinspark.plans_json.known_functions import ALIASES, BESIDES, arities, function_name
from twinspark.plans_json.operators import SPELLINGS

MET = """
call_udf upper lower coalesce when assert_true length char_length character_length trim ltrim rtrim btrim substring
substr concat concat_ws initcap repeat reverse instr position locate ascii format_number overlay char chr base64
unbase64 sha1 sha2 md5 lpad rpad translate substring_index left right replace startswith endswith contains like ilike
rlike regexp soundex levenshtein crc32 xxhash64 regexp_extract regexp_replace regexp_extract_all regexp_like
regexp_count regexp_substr regexp_instr split split_part find_in_set format_string printf lcase ucase mask str_to_map
get_json_object json_tuple isin abs ceil ceiling floor round bround negate negative positive sqrt pow power exp log ln
sin cos tan asin acos atan atan2 degrees radians signum sign cot csc sec e pi pmod factorial hypot cosh sinh tanh cbrt
expm1 log1p log10 log2 rint to_degrees to_radians cast try_cast astype nvl ifnull nullif greatest least typeof
try_divide add + subtract - multiply * divide / mod remainder % try_add try_subtract try_multiply width_bucket
equal_null year month day dayofmonth hour minute second quarter weekofyear dayofweek dayofyear to_date date_format
date_add date_sub datediff date_diff last_day trunc date_trunc add_months months_between next_day unix_timestamp
from_unixtime to_unix_timestamp make_date make_timestamp make_timestamp_ntz timestampadd timestampdiff days hours
minutes months years from_utc_timestamp to_utc_timestamp convert_timezone current_date curdate current_timestamp now
localtimestamp extract date_part datepart dateadd unix_micros unix_millis unix_seconds dayname weekday
timestamp_seconds timestamp_millis timestamp_micros unix_date date_from_unix_date to_char to_varchar to_timestamp
try_to_timestamp to_number try_to_number current_timezone spark_partition_id input_file_name
monotonically_increasing_id current_catalog current_database current_schema current_user user hash shift_left
shift_right version array array_max array_min array_size size cardinality element_at try_element_at array_contains
array_join array_sort array_distinct array_slice array_compact array_remove explode explode_outer inline inline_outer
sequence shuffle array_position array_append array_prepend array_insert array_except array_intersect array_union
arrays_overlap arrays_zip array_agg array_sum create_map createMap map_keys keys map_values get get_field getField
get_item struct named_struct with_field withField nvl2 isnan hex unhex bin getbit bit_and bit_or bit_xor bit_count
bitwise_not bit_length octet_length posexplode struct_ getItem substringIndex getJsonObject jsonTuple
regexpExtractAll dateTrunc toDate formatString explodeOuter
""".split()  # noqa: SIM905


@pytest.mark.parametrize("name", MET)
def test_a_name_that_emitters_send_is_known(name: str) -> None:
    assert function_name(name) or name in SPELLINGS


@pytest.mark.parametrize("name", sorted(name for name in arities() if name not in {*BESIDES, "and", "or"}))
def test_a_call_with_too_many_or_too_few_arguments_is_refused(name: str) -> None:
    fewest, most = arities()[name]
    counts = ([fewest - 1] if fewest and name != "count" else []) + ([most + 1] if most is not None else [])
    for count in counts:
        problems = validate_plan([{"op": "select", "payload": [{"fn": name, "args": [{"lit": None}] * count}]}])
        assert [problem.step for problem in problems] == [0]
        assert problems[0].path == ".payload[0]"


def test_an_alias_never_hides_a_function_of_spark() -> None:
    assert set(ALIASES) & (set(arities()) - set(BESIDES)) == set()
    assert set(ALIASES.values()) <= set(arities())


def test_a_bare_string_is_a_text_where_pyspark_takes_one() -> None:
    from twinspark.plans_json.known_functions import literal_positions

    assert literal_positions("date_format") == {1}
    assert literal_positions("lpad") == {2}
    assert 0 in literal_positions("concat_ws")
    assert literal_positions("upper") == frozenset()
