"""Python functions that eat, fork, loop, lie and kill: the server lives, the client gets Spark's Python error."""

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from attacked import Attacked, serving
from pyspark import cloudpickle
from pyspark.errors import PySparkException
from pyspark.sql import functions as F
from waiting import until

LIMITS = {"memory": "700m", "processes": "32", "files": "64", "fileSize": "16m", "seconds": "20"}
OPTIONS = [
    "--engine",
    "duckdb",
    *(word for key in LIMITS for word in ("--conf", f"twinspark.python.{key}={LIMITS[key]}")),
]
SECRET = "a-secret-that-is-nobodys"
CRASHED = r"Python worker exited unexpectedly \(crashed\)"
Count = Callable[[str, int], None]
cloudpickle.register_pickle_by_value(sys.modules[__name__])  # workers have no such module


@pytest.fixture(scope="module")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Attacked]:
    environment = {"SECRET_OF_THE_SERVER": SECRET, "TWINSPARK_TEST_SECRET": SECRET}
    with serving(tmp_path_factory.mktemp("attacked"), OPTIONS, environment, []) as server:
        yield server


@pytest.fixture
def spark(attacked: Attacked) -> Iterator[Any]:
    session = attacked.session()
    type(session)._active_session.session = session
    yield session
    session.stop()


def answer_of(spark: Any, function: Callable[[int], Any], type: str = "string") -> Any:
    return spark.range(1).select(F.udf(function, type)("id")).first()[0]


def eat_memory(x: int) -> str:
    eaten = [bytearray(64 << 20) for _ in range(100)]
    return str(len(eaten))


def eat_memory_in_children(x: int) -> str:
    for _ in range(8):
        if os.fork() == 0:
            eaten = b"x" * (200 << 20)
            time.sleep(60)
            os._exit(len(eaten) % 2)
    time.sleep(60)
    return "not killed"


def fork_without_end(x: int) -> str:
    while True:
        if os.fork() == 0:
            time.sleep(600)


def loop_forever(x: int) -> str:
    while True:
        pass


def sleep_forever(x: int) -> str:
    time.sleep(3600)
    return "not killed"


def close_everything(x: int) -> str:
    os.closerange(3, 1000)
    return "closed"


def write_garbage(x: int) -> str:
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, os.urandom(100_000))
        except OSError:
            continue
    return "written"


def write_huge_length(x: int) -> str:
    for descriptor in range(3, 64):
        try:
            os.write(descriptor, b"\x7f\xff\xff\xff" * 10)
        except OSError:
            continue
    return "written"


def kill_itself(x: int) -> str:
    os.kill(os.getpid(), 9)
    return "not killed"


def kill_its_parent(x: int) -> str:
    os.kill(os.getppid(), 9)
    time.sleep(5)
    return "not killed"


def kill_its_group(x: int) -> str:
    os.killpg(os.getpgid(0), 9)
    return "not killed"


def print_without_end(x: int) -> str:
    for _ in range(3000):
        print("." * 10_000)
        print("." * 10_000, file=sys.stderr)
    return "printed"


def write_a_huge_file(x: int) -> str:
    with open("huge", "wb") as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    return "written"


def open_many_files(x: int) -> str:
    return str(len([open(os.devnull) for _ in range(1000)]))


def recurse(x: int) -> str:
    def deeper() -> Any:
        return deeper()

    sys.setrecursionlimit(10**9)
    return str(deeper())


def exit_now(x: int) -> str:
    raise SystemExit(3)


FATES = {  # what the client sees of it
    eat_memory: "MemoryError|bytes of memory, .* allowed",
    eat_memory_in_children: "bytes of memory, .* allowed",
    fork_without_end: "processes, 32 allowed|bytes of memory, .* allowed|BlockingIOError",
    loop_forever: "20 seconds are over",
    sleep_forever: "20 seconds are over",
    close_everything: CRASHED,
    write_garbage: CRASHED,
    write_huge_length: CRASHED,
    kill_itself: CRASHED,
    kill_its_parent: CRASHED,
    kill_its_group: CRASHED,
    write_a_huge_file: "File too large",
    open_many_files: "Too many open files",
    recurse: f"{CRASHED}|RecursionError|MemoryError|bytes of memory, .* allowed",
    exit_now: f"{CRASHED}|SystemExit",
}
QUICK = (eat_memory, fork_without_end, kill_its_parent, write_garbage)


def suffer(attacked: Attacked, spark: Any, function: Callable[[int], Any], fate: str) -> None:
    bystander = attacked.session()
    type(bystander)._active_session.session = bystander
    process = answer_of(bystander, lambda x: os.getpid(), "long")
    type(spark)._active_session.session = spark
    with pytest.raises(PySparkException, match=fate):
        answer_of(spark, function)
    attacked.check_alive()
    assert spark.range(3).count() == 3
    type(spark)._active_session.session = spark
    assert answer_of(spark, lambda x: "alive") == "alive"
    type(bystander)._active_session.session = bystander
    assert answer_of(bystander, lambda x: os.getpid(), "long") == process, "another session's worker was harmed"
    bystander.stop()


@pytest.mark.parametrize("function", QUICK, ids=lambda each: each.__name__)
def test_a_hostile_function_gets_an_error(attacked: Attacked, spark: Any, function: Callable[[int], Any]) -> None:
    suffer(attacked, spark, function, FATES[function])


@pytest.mark.attack
@pytest.mark.parametrize("function", FATES, ids=lambda each: each.__name__)
def test_every_hostile_function_gets_an_error(
    attacked: Attacked, spark: Any, function: Callable[[int], Any], count: Count
) -> None:
    suffer(attacked, spark, function, FATES[function])
    count("workers: hostile functions", 1)


def test_nothing_outlives_a_worker(attacked: Attacked, spark: Any, tmp_path: Path) -> None:
    """Also what left its session and its parent."""

    def leave_a_daemon(x: int) -> int:
        reading, writing = os.pipe()
        if os.fork() == 0:
            os.setsid()
            if (grandchild := os.fork()) == 0:
                time.sleep(600)
            os.write(writing, str(grandchild).encode())
            os._exit(0)
        return int(os.read(reading, 20))

    left = answer_of(spark, leave_a_daemon, "long")
    assert Path(f"/proc/{left}").exists()
    spark.stop()
    until(lambda: not Path(f"/proc/{left}").exists(), 20)


def test_printing_without_end_does_not_fill_the_log(attacked: Attacked, spark: Any) -> None:
    before = attacked.log.stat().st_size
    assert answer_of(spark, print_without_end) == "printed"  # 60 MB
    time.sleep(1)
    assert attacked.log.stat().st_size - before < 10 << 20


def test_a_worker_sees_little_of_the_server(attacked: Attacked, spark: Any) -> None:
    def look(x: int) -> dict[str, str]:
        opened = [f"/proc/self/fd/{each}" for each in os.listdir("/proc/self/fd") if int(each) > 2]
        files = {os.readlink(each) for each in opened if os.path.lexists(each)}
        status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
        return {
            "environment": " ".join(sorted(os.environ)) + Path("/proc/self/environ").read_text(),
            "arguments": Path("/proc/self/cmdline").read_text(),
            "files": " ".join(sorted(files)),
            "here": str(os.getcwd() in [os.path.abspath(each) for each in sys.path]),
            "mine": str(os.stat(".").st_mode & 0o777),
            "privileges": status["NoNewPrivs"].strip(),
            "oom": Path("/proc/self/oom_score_adj").read_text().strip(),
            "core": str(__import__("resource").getrlimit(4)[0]),
        }

    found = answer_of(spark, look, "map<string,string>")
    assert "SECRET" not in found["environment"] and SECRET not in found["environment"] + found["arguments"]
    others = {each.partition(":")[0] for each in found["files"].split() if not each.startswith("/proc/")}
    assert others <= {"socket"}
    assert (found["here"], found["mine"], found["privileges"], found["oom"]) == ("False", str(0o700), "1", "1000")


def test_files_are_found_by_relative_names_and_modules_are_not_made_of_what_is_written(
    spark: Any, tmp_path: Path
) -> None:
    (tmp_path / "told.txt").write_text("by a client")
    spark.addArtifacts(str(tmp_path / "told.txt"), file=True)

    def read_and_write(x: int) -> str:
        Path("written_here.py").write_text("ANSWER = 42")
        return Path("told.txt").read_text()

    assert answer_of(spark, read_and_write) == "by a client"
    with pytest.raises(PySparkException, match="No module named 'written_here'"):
        answer_of(spark, lambda x: str(__import__("written_here").ANSWER))


def test_clients_cannot_lift_limits(spark: Any) -> None:
    with pytest.raises(PySparkException, match="CANNOT_MODIFY"):
        spark.conf.set("twinspark.python.memory", "100g")


@pytest.mark.attack
def test_many_hostile_functions_at_once(attacked: Attacked, count: Count) -> None:
    """Eight clients, again and again: others are answered meanwhile, and memory comes back."""
    attacked.check_alive()
    before, raised, stop = attacked.resident_kib(), [], time.monotonic() + 60
    shortlived = [kill_itself, kill_its_parent, close_everything, write_garbage, exit_now, eat_memory]

    def attack(number: int) -> None:
        session = attacked.session()
        while time.monotonic() < stop:
            type(session)._active_session.session = session
            function = shortlived[(number + len(raised)) % len(shortlived)]
            try:
                answer_of(session, function)
            except PySparkException as error:
                raised.append(type(error).__name__)
        session.stop()

    threads = [threading.Thread(target=attack, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    attacked.check_alive()
    assert attacked.resident_kib() - before < 300 * 1024
    count("workers: hostile functions at once", len(raised))
