"""Automatic names: how Spark shows the arguments of a Python function, for functions that show nothing else."""

from typing import Any

from function_cases import case
from pyspark.sql import functions as F

ROWS = """select 'ab' as s, 'c' as t, 5 as i, 3L as l, 2.5D as d, 1.25BD as m, date'2020-01-02' as dt,
    timestamp'2020-01-02 03:04:05' as ts, array(1, 2) as a, map('k', 1) as mp, X'01' as b, true as bo"""
TEXTS = """ascii(s); base64(b); bit_length(s); btrim(s); chr(i); concat_ws('-', s, t); crc32(s); encode(s, 'utf-8');
    format_number(d, 2); format_string('%s', s); hex(i); initcap(s); instr(s, 'a'); left(s, 1); locate('a', s); md5(s);
    octet_length(s); regexp_extract(s, 'a', 0); regexp_replace(s, 'a', 'b'); repeat(s, i); replace(s, 'a', 'b');
    right(s, 1); sha1(s); sha2(s, 256); soundex(s); split_part(s, 'a', 1); translate(s, 'a', 'b'); upper(left(s, 1))"""
NUMBERS = """bin(i); bround(d); cbrt(d); ceil(d); ceiling(d); degrees(d); factorial(i); floor(d); greatest(i, 3);
    isnan(d); least(i, 3); mod(i, 3); nanvl(d, 1); pmod(i, 3); pow(d, 2); power(d, 2); radians(d); rint(d);
    shiftleft(i, 1); sign(d); signum(d); sqrt(d); try_add(i, 1); try_divide(i, 2); width_bucket(d, 1, 5, 2); i & 3;
    i | 3; i ^ 3; sqrt(i); pow(i + 1, cast(l as double)); greatest(i, l)"""
OTHERS = """add_months(dt, 1); date_from_unix_date(i); datediff(dt, dt); day(dt); dayofweek(dt); dayofyear(dt);
    quarter(dt); last_day(dt); weekday(dt); weekofyear(dt); timestamp_seconds(l); trunc(dt, 'MM'); unix_date(dt);
    nullif(s, t); nvl2(s, t, 'x'); typeof(i); array_contains(a, 1);
    array_max(a); array_min(a); array_position(a, 1); array_size(a);
    get(a, 0); map_keys(mp); map_concat(mp, map('z', 2)); sort_array(a); try_element_at(a, 1);
    get_json_object(s, '$.a'); json_array_length(s); array_contains(sort_array(a), i + 1)"""


def named(spark: Any, texts: str) -> Any:
    count = F.udf(lambda value: 1, "int")
    return spark.sql(ROWS).select(*(count(F.expr(text.strip())) for text in texts.split(";")))


@case
def names_of_texts(spark: Any) -> Any:
    return named(spark, TEXTS)


@case
def names_of_numbers(spark: Any) -> Any:
    return named(spark, NUMBERS)


@case
def names_of_others(spark: Any) -> Any:
    return named(spark, OTHERS)
