"""What a worker process does besides answering: it is reused, kept apart, killed, and its crash is told."""

import os
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from waiting import until

from twinspark.doors.connect.server import ConnectServer

Open = Callable[[], Any]


@pytest.fixture
def sessions(native_functions_server: ConnectServer) -> Iterator[Open]:
    from pyspark.sql import SparkSession

    opened: list[Any] = []

    def open_session() -> Any:
        opened.append(SparkSession.builder.remote(native_functions_server.url).create())
        type(opened[-1])._active_session.session = opened[-1]  # PySpark asks it for the types of functions
        return opened[-1]

    yield open_session
    for each in opened:
        each.stop()


def pid(spark: Any) -> int:
    return int(spark.range(1).select(F.udf(lambda x: __import__("os").getpid(), "long")("id")).first()[0])


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def gone(process: int) -> bool:
    return until(lambda: not is_alive(process))


def test_a_session_reuses_its_worker_and_shares_it_with_nobody(sessions: Open) -> None:
    one, other = sessions(), sessions()
    first = pid(one)
    assert pid(one) == first
    assert pid(other) != first
    assert first != os.getpid()


def test_workers_end_with_their_session(sessions: Open) -> None:
    spark = sessions()
    process = pid(spark)
    assert is_alive(process)
    spark.stop()
    assert gone(process)


def test_a_worker_that_failed_is_not_used_again(sessions: Open) -> None:
    spark = sessions()
    process = pid(spark)
    with pytest.raises(PySparkException, match="ZeroDivisionError"):
        spark.range(1).select(F.udf(lambda x: 1 // 0, "long")("id")).collect()
    assert gone(process)
    assert pid(spark) != process


def test_a_crash_is_told(sessions: Open) -> None:
    spark = sessions()
    with pytest.raises(PySparkException, match=r"Python worker exited unexpectedly \(crashed\)"):
        spark.range(1).select(F.udf(lambda x: __import__("os")._exit(3), "long")("id")).collect()
    assert spark.range(1).select(F.udf(lambda x: x + 1, "long")("id")).first()[0] == 1


def test_an_interrupt_kills_the_worker(sessions: Open, tmp_path: Path) -> None:
    spark = sessions()
    said = str(tmp_path / "pid")

    def forever(x: int) -> int:
        Path(said).write_text(str(os.getpid()))
        time.sleep(600)
        return x

    # Made here: PySpark asks the thread's active session for "long", and a new thread may have none.
    frame = spark.range(1).select(F.udf(forever, "long")("id"))
    raised: list[Exception] = []

    def run() -> None:
        try:
            frame.collect()
        except PySparkException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    assert until(lambda: Path(said).exists() and Path(said).read_text()) and not raised
    assert spark.interruptAll()
    thread.join(60)
    assert not thread.is_alive()
    assert [error.getCondition() for error in raised] == ["OPERATION_CANCELED"]
    assert gone(int(Path(said).read_text()))


def test_what_functions_print_does_not_stop_them(sessions: Open) -> None:
    spark = sessions()
    talks = F.udf(lambda x: print("." * 100_000) or x, "long")
    assert spark.range(30).select(F.sum(talks("id"))).first()[0] == 435


def test_a_limit_does_not_wait_for_all_rows(sessions: Open) -> None:
    started = time.monotonic()
    frame = sessions().range(10_000_000_000).mapInPandas(lambda batches: batches, "id long").limit(5)
    assert [row.id for row in frame.collect()] == [0, 1, 2, 3, 4]
    assert time.monotonic() - started < 60


def test_uploaded_modules_are_found(sessions: Open, tmp_path: Path) -> None:
    module = tmp_path / "uploaded_to_twinspark.py"
    module.write_text("ANSWER = 42\n")
    spark = sessions()
    spark.addArtifacts(str(module), pyfile=True)
    answer = F.udf(lambda x: __import__("uploaded_to_twinspark").ANSWER, "long")
    assert spark.range(1).select(answer("id")).first()[0] == 42


def test_rows_are_written_and_kept(sessions: Open, tmp_path: Path) -> None:
    spark = sessions()
    frame = spark.range(5).select(F.udf(lambda x: x * 2, "long")("id").alias("a"))
    frame.write.parquet(str(tmp_path / "out"))
    assert spark.read.parquet(str(tmp_path / "out")).agg(F.sum("a")).first()[0] == 20
    assert frame.cache().count() == 5
    assert frame.localCheckpoint().agg(F.sum("a")).first()[0] == 20


def test_an_exception_while_writing_leaves_no_file(sessions: Open, tmp_path: Path) -> None:
    frame = sessions().range(5).select(F.udf(lambda x: 1 // (x - 3), "long")("id").alias("a"))
    with pytest.raises(PySparkException, match="ZeroDivisionError"):
        frame.write.parquet(str(tmp_path / "out"))
    assert not (tmp_path / "out" / "_SUCCESS").exists()


def test_many_rows_at_once_from_several_clients(sessions: Open) -> None:
    """Each answer is right, and none waits for another forever."""
    answers: list[int] = []

    def ask() -> None:
        spark = sessions()
        frame = spark.range(50_000).select(F.udf(lambda x: x + 1, "long")("id").alias("a"))
        answers.append(frame.filter(F.udf(lambda a: a % 2 == 0, "boolean")("a")).agg(F.sum("a")).first()[0])

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
    assert answers == [sum(range(2, 50_001, 2))] * 4


def test_a_fault_handler_tells_what_killed_a_worker(sessions: Open) -> None:
    spark = sessions()
    spark.conf.set("spark.sql.execution.pyspark.udf.faulthandler.enabled", True)
    with pytest.raises(
        PySparkException, match=r"exited unexpectedly \(crashed\): Fatal Python error: Segmentation fault"
    ):
        spark.range(1).select(F.udf(lambda x: __import__("ctypes").string_at(0))("id")).collect()


def test_a_worker_that_says_nothing_for_too_long_is_killed_where_users_ask_for_it(sessions: Open) -> None:
    spark = sessions()
    idle = "spark.sql.execution.pyspark.udf.idleTimeoutSeconds"
    slow = F.udf(lambda x: __import__("time").sleep(2.5) or str(x))
    spark.conf.set(idle, "1s")
    assert spark.range(1).select(slow("id")).first()[0] == "0"
    spark.conf.set("spark.sql.execution.pyspark.udf.killOnIdleTimeout", True)
    with pytest.raises(PySparkException, match=r"terminated due to idle timeout \(timeout: 1 seconds\)"):
        spark.range(1).select(F.udf(lambda x: __import__("time").sleep(600))("id")).collect()
