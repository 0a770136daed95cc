"""Plans persisted on DuckDB are sent to Spark only before Spark explains a plan."""

from twinspark.plan.relations import Field, Range
from twinspark.sessions.persisted_plans import PersistedPlans
from twinspark.types import LONG

ONE, OTHER = (Range(start=0, end=end, step=1, fields=(Field("id", LONG, False),)) for end in (1, 2))


def test_each_plan_is_sent_once() -> None:
    persisted, sent = PersistedPlans(), list[bytes]()
    persisted.add(ONE, b"one")
    persisted.add(ONE, b"again")
    persisted.send_to_spark(sent.append)
    persisted.add(OTHER, b"other")
    persisted.send_to_spark(sent.append)
    assert sent == [b"one", b"other"]


def test_only_sent_plans_are_unpersisted_on_spark() -> None:
    persisted = PersistedPlans()
    persisted.add(ONE, b"one")
    persisted.send_to_spark(lambda request: None)
    persisted.add(OTHER, b"other")
    assert persisted.remove(ONE)
    assert not persisted.remove(OTHER)
    assert not persisted.remove(OTHER)
