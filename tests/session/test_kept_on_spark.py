"""Plans kept on the embedded engine are told to Spark only when it is asked to explain something."""

from twinspark.plan.relations import Field, Range
from twinspark.session.kept_on_spark import KeptOnSpark
from twinspark.types import LONG

ONE, OTHER = (Range(start=0, end=end, step=1, fields=(Field("id", LONG, False),)) for end in (1, 2))


def test_each_plan_is_told_once() -> None:
    kept, sent = KeptOnSpark(), list[bytes]()
    kept.add(ONE, b"one")
    kept.add(ONE, b"again")
    kept.tell(sent.append)
    kept.add(OTHER, b"other")
    kept.tell(sent.append)
    assert sent == [b"one", b"other"]


def test_only_what_was_told_is_taken_back() -> None:
    kept = KeptOnSpark()
    kept.add(ONE, b"one")
    kept.tell(lambda request: None)
    kept.add(OTHER, b"other")
    assert kept.remove(ONE)
    assert not kept.remove(OTHER)
    assert not kept.remove(OTHER)
