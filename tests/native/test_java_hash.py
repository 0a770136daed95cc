"""String.hashCode stands once in C and once in Python: both are Java's, and agree on every text."""

import ctypes
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from twinspark.duck.native import build
from twinspark.workers.inside.java_maps import text_hash

# As the JVM answered.
ANSWERS = {
    "": 0,
    "a": 97,
    "hello world": 1794106052,
    "Ä": 196,
    "日本": 835047,
    "😀a": 54959966,
    "a😀\uffff": 57915131,
    "x" * 40: 847293440,
    "\u07ff\u0800": 65505,
}
SOURCE = """
#include "core/java_hash.h"
__attribute__((visibility("default"))) int32_t hash_of(const char *bytes, uint32_t length) {
    return java_text_hash(bytes, length);
}
"""


@pytest.fixture(scope="module")
def in_c(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], int]:
    folder = tmp_path_factory.mktemp("java_hash")
    (folder / "hash.c").write_text(SOURCE)
    here = Path(build.__file__).parent
    compiler = build.compiler_for(build.duckdb_platform())
    subprocess.run(
        [*compiler, *build.FLAGS, f"-I{here}", str(folder / "hash.c"), "-o", str(folder / "hash.so")], check=True
    )
    function = ctypes.CDLL(str(folder / "hash.so")).hash_of
    function.restype = ctypes.c_uint32
    return lambda text: function(text.encode(), len(text.encode()))


@pytest.mark.parametrize("text", ANSWERS)
def test_both_are_javas(text: str, in_c: Callable[[str], int]) -> None:
    assert in_c(text) == text_hash(text) == ANSWERS[text]


@settings(max_examples=500, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_both_agree(in_c: Callable[[str], int], text: str) -> None:
    assert in_c(text) == text_hash(text)
