"""The registry of reasons: codes that stay, whole sentences, nothing unused, and a page that lists them all."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tools.reasons import PAGE, page
from twinspark.errors import Cause, NotNative, Reason, reasons
from twinspark.errors.reasons.registry import BY_CODE, TOPICS, reasons_in

SOURCE = Path(__file__).parents[2] / "src" / "twinspark"
NATIVE_CODE = re.compile(r"\b(?:end_)?fall_back\((?:[\w>-]+, )?\"([A-Z0-9_]+)\"")
ALL = [(topic, reason) for topic in TOPICS for reason in reasons_in(topic)]


def codes_in_python() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "reasons":
                yield node.attr


def codes_in_c() -> Iterator[str]:
    for path in sorted(SOURCE.rglob("*.[ch]")):
        yield from NATIVE_CODE.findall(path.read_text())


def test_the_page_is_as_the_registry_is() -> None:
    assert PAGE.read_text() == page(), "make reasons"


def test_codes_are_unique() -> None:
    assert len(BY_CODE) == len(ALL)


@pytest.mark.parametrize(("topic", "reason"), ALL, ids=[reason.code for _, reason in ALL])
def test_a_reason_has_the_name_of_its_code_and_whole_sentences(topic: object, reason: Reason) -> None:
    assert getattr(topic, reason.code) is reason and getattr(reasons, reason.code) is reason
    assert re.fullmatch(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*", reason.code)
    for sentence in filter(None, (reason.sentence, reason.instead)):
        assert sentence[-1] == "." and (sentence[0].isupper() or sentence.startswith(("twinspark ", "spark.")))
        assert len(sentence.split()) >= 3 and "  " not in sentence


def test_every_reason_is_used_and_every_code_of_the_extension_is_known() -> None:
    in_c = set(codes_in_c())
    assert in_c and in_c <= set(BY_CODE)
    assert set(BY_CODE) - in_c - set(codes_in_python()) == set()


def test_a_cause_shows_its_code_and_its_detail_after_the_sentence() -> None:
    error = NotNative(reasons.FUNCTION_OPTION, "from_csv: sep")
    assert str(error) == "The native engine does not support this option of the function: from_csv: sep."
    assert str(error.cause) == f"[FUNCTION_OPTION] {error}"
    assert Cause(reasons.STREAMING).text == reasons.STREAMING.sentence
