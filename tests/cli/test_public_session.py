"""twinspark.session() opens sessions, before and after the package of the same name was imported."""

import twinspark
import twinspark.session.sessions  # puts the package over the function of the same name


def test_sessions_open_again_and_again() -> None:
    first = twinspark.session(engine="duckdb")
    second = twinspark.session(engine="duckdb")
    assert first.range(3).count() == second.range(3).count() == 3
    first.stop()
    second.stop()
