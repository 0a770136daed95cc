"""The pool of daemon threads: idle threads end when the pool is shut down, and late work still runs."""

import threading

from waiting import until

from twinspark.sessions.threads import DaemonThreads


def named(name: str) -> list[threading.Thread]:
    return [each for each in threading.enumerate() if each.name == name]


def test_an_idle_thread_is_used_again() -> None:
    pool = DaemonThreads("used again")
    first = pool.submit(threading.get_ident).result()
    assert until(lambda: pool._idle == 1)
    assert pool.submit(threading.get_ident).result() == first
    pool.shutdown()


def test_shutting_down_ends_idle_threads_and_later_work_runs_all_the_same() -> None:
    pool = DaemonThreads("shut down")
    gate = threading.Barrier(3)
    for _ in range(2):
        pool.submit(gate.wait)
    gate.wait()
    assert until(lambda: pool._idle == 2)
    pool.shutdown()
    assert until(lambda: not named("shut down"))
    assert pool.submit(lambda: "done").result() == "done"
    assert until(lambda: not named("shut down"))


def test_a_busy_thread_ends_when_it_is_done() -> None:
    pool, may_end = DaemonThreads("busy"), threading.Event()
    working = pool.submit(may_end.wait)
    pool.shutdown()
    assert len(named("busy")) == 1 and not working.done()
    may_end.set()
    assert until(lambda: not named("busy"))
