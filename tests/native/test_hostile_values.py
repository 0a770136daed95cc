"""Statements that killed or hung the server once: each gives an answer or an error now, in a process of its own."""

import json
import random
import struct
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import duckdb
import pytest

from twinspark.duck import native

CHILD = Path(__file__).parent / "hostile_child.py"

Statement = dict[str, Any]


def run(statements: Iterable[Statement], seconds: float = 120) -> list[str]:
    """What the child says of each; a crash or a hang fails here and names the statement it happened in."""
    asked = list(statements)
    try:
        done = subprocess.run(
            [sys.executable, str(CHILD)], input=json.dumps(asked), capture_output=True, text=True, timeout=seconds
        )
    except subprocess.TimeoutExpired as hung:
        lines = (hung.stdout or b"").decode().splitlines()
        pytest.fail(f"hung in {asked[len(lines)]}")
    lines = done.stdout.splitlines()
    if done.returncode:
        pytest.fail(f"ended with {done.returncode} in {asked[len(lines)]}: {done.stderr[-500:]}")
    return [json.loads(line) for line in lines]


def variant(value: bytes, metadata: bytes = b"\x01\x00\x00") -> list[str]:
    return [value.hex(), metadata.hex()]


VARIANT = "struct_pack(value := ?::BLOB, metadata := ?::BLOB)"


def array_of(*offsets: int, data: bytes) -> bytes:
    """A variant's array with offsets of four bytes."""
    table = b"".join(struct.pack("<I", offset) for offset in (*offsets, len(data)))
    return bytes([3 << 2 | 3, len(offsets)]) + table + data


def shared_children(depth: int) -> bytes:
    """An array of two elements that are the same array, and so on: two to the power of `depth` values in few bytes."""
    made = b"\x00"
    for _ in range(depth):
        made = array_of(0, 0, data=made)
    return made


def nested(depth: int) -> bytes:
    made = b"\x00"
    for _ in range(depth):
        made = array_of(0, data=made)
    return made


TOP_K_CUT = bytes([4, 1, 10, 3, 3, 0, 0, 0]) + struct.pack("<qqqq", 1, 1, 0, 1) + b"\x09\x00\x00" + bytes(8)
FULL_SET = bytes([3, 1, 7, 12, 3, 0, 0, 9]) + struct.pack("<9I", 8, *(1 << 26 | i for i in range(1, 9)))
FULL_LIST = bytes([2, 1, 7, 12, 3, 0, 8, 8]) + struct.pack("<8I", *(1 << 26 | i for i in range(1, 9)))
COUPONS = 600_000
LARGE_SET = (
    bytes([3, 1, 7, 21, 20, 0, 0, 9])
    + struct.pack("<I", COUPONS)
    + struct.pack(f"<{COUPONS}I", *range(1 << 26 | 1, (1 << 26 | 1) + COUPONS))
    + bytes(4 * ((1 << 20) - COUPONS))
)
REPLACE = "SELECT length(replace(repeat('ab', 1000000) COLLATE UTF8_LCASE, '{}', repeat('b', 1000000)))"
FALLS_BACK = "|FALL_BACK|code="
HLL = "not a small HLL sketch"

REPRODUCTIONS: dict[str, tuple[Statement, str]] = {
    "replace, nothing found": ({"spark": REPLACE.format("zz")}, "value 2000000"),
    "replace, a terabyte": ({"spark": REPLACE.format("A")}, "SparkError [UNABLE_TO_ACQUIRE_MEMORY]"),
    "top-k sketch cut": (
        {"duckdb": "SELECT spark_top_k_counts(?::BLOB, 'v', 5)", "blobs": [TOP_K_CUT.hex()]},
        "not an approx_top_k state",
    ),
    "hll set full": ({"spark": f"SELECT hll_union(X'{FULL_SET.hex()}', X'{FULL_SET.hex()}')"}, HLL),
    "hll list full": ({"spark": f"SELECT hll_union(X'{FULL_LIST.hex()}', X'{FULL_LIST.hex()}')"}, "NotNative"),
    "hll set of 600,000": (
        {"duckdb": "SELECT spark_hll_sketch_estimate(?::BLOB)", "blobs": [LARGE_SET.hex()]},
        FALLS_BACK,
    ),
    "variant, a string of 4 GiB": (
        {"duckdb": f"SELECT spark_variant_string({VARIANT})", "blobs": variant(b"\x40\xff\xff\xff\xffabc")},
        "value None",
    ),
    **{
        f"variant, shared children, {function}": (
            {"duckdb": f"SELECT {function.format(VARIANT)}", "blobs": variant(shared_children(60))},
            "share bytes",
        )
        for function in (
            "spark_is_valid_variant({})",
            "spark_variant_json({}, 'UTC')",
            "spark_schema_of_variants([{}])",
            "spark_variant_get({}, '$', 'variant_get')",
            "spark_variant_members({})",
        )
    },
    "variant, nested": (
        {"duckdb": f"SELECT spark_is_valid_variant({VARIANT})", "blobs": variant(nested(20_000))},
        "nested very deeply",
    ),
    "variant, a string that is no UTF-8": (
        {"duckdb": f"SELECT spark_variant_json({VARIANT}, 'UTC')", "blobs": variant(b"\x09\xf0\x9f")},
        "not valid UTF-8",
    ),
    "top-k of nothing": (
        {"duckdb": "SELECT spark_top_k_counts(spark_top_k_state(x, 8), 'l', 0) FROM range(3) t(x)"},
        "at least one item",
    ),
    "top-k of another type": (
        {"duckdb": "SELECT spark_top_k_items_int(spark_top_k_state(x, 8), 'l', 2) FROM range(3) t(x)"},
        "another type",
    ),
    "decimal of 99 digits": ({"duckdb": "SELECT spark_string_to_decimal_2('1.5', 99)"}, "1 to 38 digits"),
    "decimal of -1 digits": ({"duckdb": "SELECT spark_double_to_decimal_2(1.5, -1)"}, "1 to 38 digits"),
    "search from before the start": ({"duckdb": "SELECT spark_lcase_find('abc', 'B', -2000000000)"}, "value 1"),
    "format of 90 digits": ({"duckdb": f"SELECT spark_to_number_2('12', '{'9' * 90}')"}, FALLS_BACK),
    "format of 90 digits to char": ({"duckdb": f"SELECT spark_to_char(12, '{'9' * 90}')"}, FALLS_BACK),
    **{
        f"schema {letters!r}": (
            {"duckdb": f"SELECT spark_from_json('{{\"a\": 1}}', '{letters}', '')"},
            "letters that are no schema",
        )
        for letters in ("", "[", "(", "(1:a", "(9999999999:ai)", "(-1:ai)", "z", "ii", "[" * 5000)
    },
    "schema of no fields": ({"duckdb": "SELECT spark_from_json('{\"a\": 1}', '()', '')"}, "value {}"),
    "no list": ({"duckdb": "SELECT spark_array_distinct(5)"}, "a list is expected"),
    "lists of different types": (
        {"duckdb": "SELECT spark_array_except([1, 2], ['abcdefghijklmnop', 'x'])"},
        "different types are compared",
    ),
    "histogram of no bins": (
        {"duckdb": "SELECT spark_numeric_histogram([1.0, 2.0], [0, 0], 0)"},
        "a histogram has bins",
    ),
    "histogram of too few tasks": (
        {"duckdb": "SELECT spark_numeric_histogram([1.0, 2.0], [0], 2)"},
        "a histogram has bins",
    ),
    "conv to the least base": ({"duckdb": "SELECT spark_conv('7', 10, -2147483648)"}, "value None"),
    "randstr of -1": ({"duckdb": "SELECT spark_randstr(1, 1, -1)"}, "negative length"),
    "shuffle of -1": ({"duckdb": "SELECT spark_shuffle_order(1, 1, -1)"}, "negative length"),
    "count-min of no width": ({"duckdb": "SELECT spark_count_min_nothing(3, 0, 1)"}, "rows and columns"),
    "count-min of all memory": (
        {"duckdb": "SELECT spark_count_min_nothing(2147483647, 2147483647, 1)"},
        "UNABLE_TO_ACQUIRE_MEMORY",
    ),
    "theta of 2^60": ({"duckdb": "SELECT spark_theta_sketch_agg(x, 60) FROM range(3) t(x)"}, "invalid size"),
    "hll of 2^99": ({"duckdb": "SELECT spark_hll_sketch_agg(x, 99) FROM range(3) t(x)"}, "invalid size"),
    "kll of -5": ({"duckdb": "SELECT spark_kll_sketch_agg_bigint(x, -5) FROM range(3) t(x)"}, "invalid size"),
}


@pytest.fixture(scope="module")
def answers() -> dict[str, str]:
    return dict(zip(REPRODUCTIONS, run(statement for statement, _ in REPRODUCTIONS.values()), strict=True))


@pytest.mark.parametrize("name", REPRODUCTIONS)
def test_what_killed_the_server_is_answered(answers: dict[str, str], name: str) -> None:
    assert REPRODUCTIONS[name][1] in answers[name]


def test_memory_is_limited_and_given_back() -> None:
    large = "SELECT length(spark_lcase_replace(repeat('ab', 1000000), 'A', 'xyz'))"
    in_use = {"duckdb": "SELECT spark_memory_in_use(0)"}
    before, limit, refused, less, limit_off, fine, after = run(
        [
            in_use,
            {"duckdb": "SELECT spark_memory_limit('8 MiB')"},
            {"duckdb": large},
            in_use,
            {"duckdb": "SELECT spark_memory_limit('8 GiB')"},
            {"duckdb": large},
            in_use,
        ]
    )
    assert (limit, limit_off) == ("value 4194304", "value 4294967296")
    assert "|UNABLE_TO_ACQUIRE_MEMORY|requestedBytes=" in refused
    assert fine == "value 4000000"
    assert before == less == after


def test_a_time_zone_without_memory_leaves_no_lock() -> None:
    """It once left the lock of all time zones: every later query that named one waited for ever."""
    zone = {"duckdb": "SELECT spark_instant_to_local(TIMESTAMPTZ '2020-01-01 00:00:00+00', 'Antarctica/Troll')"}
    answers = run([{"duckdb": "SELECT spark_memory_limit('40 KiB')"}, zone, zone])
    assert all("UNABLE_TO_ACQUIRE_MEMORY" in answer for answer in answers[1:])


def test_names_of_no_zones_do_not_fill_the_cache() -> None:
    call = "spark_instant_to_local(TIMESTAMPTZ '2020-01-01 00:00:00+00', 'zone/'{})"
    names = [{"duckdb": f"SELECT {call.format(f' || {number}')}"} for number in range(800)]
    known = {"duckdb": "SELECT spark_instant_to_local(TIMESTAMPTZ '2020-01-01 00:00:00+00', 'Asia/Kathmandu')"}
    assert run([*names, known])[-1].startswith("value 2020-01-01 05:45:00")


def test_an_aggregate_without_memory_is_an_error() -> None:
    groups = "SELECT count(s) FROM (SELECT spark_hll_sketch_agg(x, 12) s FROM range(200000) t(x) GROUP BY x // 4)"
    in_use = {"duckdb": "SELECT spark_memory_in_use(0)"}
    before, _, refused, after = run(
        [in_use, {"duckdb": "SELECT spark_memory_limit('2 MiB')"}, {"duckdb": groups}, in_use]
    )
    assert "|UNABLE_TO_ACQUIRE_MEMORY" in refused
    assert before == after


# --- sketches and variants with bytes changed ---

HLL_QUESTIONS = ["spark_hll_sketch_estimate(s)", "spark_hll_union(s, s, true)", "spark_hll_union_agg(s)"]
THETA_QUESTIONS = [
    "spark_theta_sketch_estimate(s)",
    "spark_theta_union(s, s, 12)",
    "spark_theta_intersection(s, s)",
    "spark_theta_difference(s, s)",
    "spark_theta_union_agg(s, 12)",
    "spark_theta_intersection_agg(s)",
]
TUPLE_QUESTIONS = [
    "spark_tuple_sketch_estimate_double(s)",
    "spark_tuple_union_double(s, s, 12, 0)",
    "spark_tuple_intersection_agg_double(s, 0)",
]
KLL_QUESTIONS = [
    "spark_kll_sketch_get_n_double(s)",
    "spark_kll_sketch_get_n_float(s)",
    "spark_kll_sketch_get_quantile_double(s, 0.5)",
    "spark_kll_sketch_to_string_double(s)",
    "spark_kll_sketch_merge_double(s, s)",
    "spark_kll_merge_agg_double(s, 0)",
]
TOP_K_QUESTIONS = [
    *(f"spark_top_k_counts(s, '{kind}', 3)" for kind in "btilv"),
    "spark_top_k_items_string(s, 'v', 3)",
    "spark_top_k_items_bigint(s, 'l', 3)",
    "spark_top_k_join(s, 'v', 8)",
]
BITMAP_QUESTIONS = ["spark_bitmap_or_agg(s)", "spark_bitmap_and_agg(s)"]
SEEDS = {
    "hll list": ("SELECT spark_hll_sketch_agg(x, 12) FROM range(5) t(x)", HLL_QUESTIONS),
    "hll set": ("SELECT spark_hll_sketch_agg(x, 12) FROM range(100) t(x)", HLL_QUESTIONS),
    "theta single": ("SELECT spark_theta_sketch_agg(x, 12) FROM range(1) t(x)", THETA_QUESTIONS),
    "theta packed": ("SELECT spark_theta_sketch_agg(x, 12) FROM range(50) t(x)", THETA_QUESTIONS),
    "theta estimating": ("SELECT spark_theta_sketch_agg(x, 4) FROM range(500) t(x)", THETA_QUESTIONS),
    "tuple": ("SELECT spark_tuple_sketch_agg_double(x, 1.5, 12, 0) FROM range(20) t(x)", TUPLE_QUESTIONS),
    "kll": ("SELECT spark_kll_sketch_agg_double(x, 200) FROM range(20) t(x)", KLL_QUESTIONS),
    "top-k of numbers": ("SELECT spark_top_k_state(x % 5, 8) FROM range(40) t(x)", TOP_K_QUESTIONS),
    "top-k of texts": ("SELECT spark_top_k_state('text ' || x % 5, 8) FROM range(40) t(x)", TOP_K_QUESTIONS),
    "top-k of booleans": ("SELECT spark_top_k_state(x % 5 = 0, 8) FROM range(40) t(x)", TOP_K_QUESTIONS),
    "wkb": (
        "SELECT unhex('0101000000000000000000F03F0000000000000040')",
        ["spark_wkb_point(s, true)", "spark_wkb_written(s, 'NDR')"],
    ),
    "bitmap": ("SELECT spark_bitmap_or_agg(unhex('0102')) FROM range(9) t(x)", BITMAP_QUESTIONS),
}


def changed(image: bytes, source: random.Random, count: int) -> list[bytes]:
    """The image cut short, with a byte of its head set to what often matters, and with bytes changed at random."""
    heads = [
        image[:at] + bytes([value]) + image[at + 1 :] for at in range(min(12, len(image))) for value in (0, 127, 255)
    ]
    cuts = [image[: source.randrange(len(image))] for _ in range(count // 4)]
    return [*heads, *cuts, *(scribbled(image, source) for _ in range(count))]


def scribbled(image: bytes, source: random.Random) -> bytes:
    made = bytearray(image)
    for _ in range(source.choice((1, 1, 2, 4))):
        made[source.randrange(len(made))] = source.choice((0, 1, 3, 127, 128, 255, source.randrange(256)))
    return bytes(made)


def asked_of(images: Iterable[bytes], questions: list[str]) -> list[Statement]:
    return [
        {"duckdb": f"SELECT {question} FROM (SELECT ?::BLOB s), range(2)", "blobs": [image.hex()]}
        for image in images
        for question in questions
    ]


@pytest.fixture(scope="module")
def said_of_sketches() -> dict[str, list[str]]:
    """All in one child: starting one is what takes the time."""
    connection = duckdb.connect(config=native.CONFIG)
    native.load(connection)
    asked = {}
    for seed, (query, questions) in SEEDS.items():
        ((image,),) = connection.execute(query).fetchall()
        asked[seed] = asked_of([image, *changed(image, random.Random(seed), 40)], questions)
    said = iter(run(statement for statements in asked.values() for statement in statements))
    return {seed: [next(said) for _ in statements] for seed, statements in asked.items()}


@pytest.mark.parametrize("seed", SEEDS)
def test_changed_sketches_are_answered_or_refused(said_of_sketches: dict[str, list[str]], seed: str) -> None:
    said = said_of_sketches[seed]
    assert any(answer.startswith("value") for answer in said)
    assert [answer for answer in said if not answer.startswith("value") and "SPARK|" not in answer] == []


VARIANT_QUESTIONS = [
    "spark_is_valid_variant(v)",
    "spark_variant_json(v, 'UTC')",
    "spark_schema_of_variants([v])",
    "spark_variant_get(v, '$.a[1]', 'variant_get')",
    "spark_variant_get(v, '$.bc.d', 'variant_get')",
    "spark_variant_members(v)",
    "spark_variant_keys(v)",
]


def test_changed_variants_are_answered_or_refused() -> None:
    connection = duckdb.connect(config=native.CONFIG)
    native.load(connection)
    document = '{"a":[1,2.5,"xyz",null,true],"bc":{"d":12345678901,"e":"longer than sixty-four bytes' + "x" * 64 + '"}}'
    ((made,),) = connection.execute("SELECT spark_parse_json(?)", [document]).fetchall()
    source = random.Random(7)
    parts = [(value, made["metadata"]) for value in changed(made["value"], source, 150)]
    parts += [(made["value"], metadata) for metadata in changed(made["metadata"], source, 80)]
    said = run(
        {"duckdb": f"SELECT {question} FROM (SELECT {VARIANT} v)", "blobs": [value.hex(), metadata.hex()]}
        for value, metadata in parts
        for question in VARIANT_QUESTIONS
    )
    assert any(answer.startswith("value") for answer in said)
    assert [answer for answer in said if not answer.startswith("value") and "SPARK|" not in answer] == []
