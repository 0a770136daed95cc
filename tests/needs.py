"""What a machine may lack: tests that need it are skipped there, and fail in CI (TWINSPARK_CI=1)."""

import os

import pytest

from twinspark.duck import native

IS_CI = os.environ.get("TWINSPARK_CI") == "1"


def needs(what: str, is_there: bool) -> pytest.MarkDecorator:
    return pytest.mark.needs(what, is_there=is_there)


def check_needs(item: pytest.Item) -> None:
    missing = [mark.args[0] for mark in item.iter_markers("needs") if not mark.kwargs["is_there"]]
    if missing and IS_CI:
        pytest.fail(f"CI has to have {missing[0]}", pytrace=False)
    if missing:
        pytest.skip(f"this machine lacks {missing[0]}")


EXTENSION = needs("the native extension: a C compiler, and `make setup` after that", native.available())
