"""The Spark that a server relays to: started when first needed, supervised, and replaced when it stops answering."""

import logging
import threading
import time
from abc import ABC, abstractmethod
from concurrent.futures import Future
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from twinspark.errors import NotNative, reasons
from twinspark.installed import missing_spark
from twinspark.relay.circuit import Circuit, CircuitState
from twinspark.relay.grpc_calls import CHANNEL_OPTIONS, CONNECT_TIMEOUT, Relay, local_channel
from twinspark.relay.hang_detection import Watch
from twinspark.relay.health import Health, Ping, health
from twinspark.relay.launch import Jvm, LaunchSettings
from twinspark.relay.limits import SparkLimits
from twinspark.relay.log_cause import first_cause
from twinspark.relay.lost_cluster import is_stranded
from twinspark.relay.process_state import process_state
from twinspark.relay.reachable import unreachable_master
from twinspark.sessions.java import JavaNotFound

log = logging.getLogger("twinspark.relay")
HEALTH_SECONDS = 20.0
LOOK_SECONDS = 0.1
END_SECONDS = 1.0
REACH_SECONDS = 5.0


class SparkUnavailable(Exception):
    """Spark could not be started or reached, or was lost; the message says why."""


class SparkState(Enum):
    """The state of the server's Spark, as `doctor`, the log and the metrics report it."""

    STOPPED = "stopped"  # no request has needed it yet, or it ended and no request has needed it since
    STARTING = "starting"
    READY = "ready"
    SILENT = "silent"  # calls wait, and it does not answer the pings of the hang detection
    FAILED = "failed"  # the last start failed; the next request attempts another
    OPEN = "open"  # several starts failed: requests fail at once until the pause is over


class SparkEngine(ABC):
    """One Spark at a time; `generation` grows with every new one, so that sessions know when to replay their
    journal."""

    failed_words = "Spark did not start"

    def __init__(self, limits: SparkLimits | None = None) -> None:
        self.limits = limits or SparkLimits()
        self.circuit = Circuit(self.limits.circuit_failures, self.limits.retry_delay, self.limits.retry_limit)
        self._lock = threading.RLock()  # held briefly: a request that waits for a start waits for its Future
        self._checking = threading.Lock()
        self._relay: Relay | None = None
        self._watch: Watch | None = None
        self._starting: Future[Relay] | None = None
        self._closed = threading.Event()
        self.generation = 0
        self.starts = 0
        self.start_failures = 0
        self.losses = 0
        self.loss = ""  # why the last Spark was lost

    @property
    def running(self) -> bool:
        return self._relay is not None and self._present()

    @property
    def state(self) -> SparkState:
        if self._starting is not None:
            return SparkState.STARTING
        if self.running:
            return SparkState.SILENT if self._watch is not None and self._watch.silent_seconds else SparkState.READY
        if self.circuit.failures:
            return SparkState.OPEN if self.circuit.state is CircuitState.OPEN else SparkState.FAILED
        return SparkState.STOPPED

    def status(self) -> dict[str, Any]:
        """For `twinspark doctor --server`."""
        return {
            "state": self.state.value,
            "spark": self.address,
            "circuit": self.circuit.state.value,
            "generation": self.generation,
            "starts": self.starts,
            "startFailures": self.start_failures,
            "losses": self.losses,
            "cause": self.circuit.cause or self.loss,
            "retrySeconds": round(self.circuit.pause, 1),
        }

    def relay(self) -> Relay:
        """The calls of a running Spark, which is started if necessary; concurrent callers wait for the same start."""
        with self._lock:
            if self._relay is not None and self._present():
                return self._relay
            starting = self._starting or self._start()
        return starting.result()

    def replace_if_ill(self, relay: Relay) -> bool:
        """After a failure that suggests a dead or stopped Spark: runs a query on it, and replaces it if that fails."""
        with self._checking:
            if relay is not self._relay or relay.failure:
                return True
            if self._present() and health(relay, HEALTH_SECONDS) is not Health.ILL:
                return False
            self._lose(self._last_words() or "it no longer answers a query")
            return True

    def close(self) -> None:
        """Stops for good; also ends a Spark that is still starting while another thread waits for it."""
        self._closed.set()
        self._end()
        self.stop()

    def stop(self) -> None:
        with self._lock:
            if self._watch is not None:
                self._watch.end()
            if self._relay is not None:
                self._relay.close()
            self._relay, self._watch = None, None
            self._end()

    # ---- starting

    def _start(self) -> "Future[Relay]":
        self._fail_fast()
        self._note_silent_end()
        starting: Future[Relay] = Future()
        self._starting = starting
        threading.Thread(target=self._carry_out, args=(starting,), name="start Spark", daemon=True).start()
        return starting

    def _note_silent_end(self) -> None:
        """Notices a Spark whose process ended between two requests."""
        if self._relay is not None:
            self._lose(self._last_words() or "its process ended")

    def _fail_fast(self) -> None:
        if self._closed.is_set():
            raise SparkUnavailable("this server is stopping")
        if self.missing:
            raise SparkUnavailable(self.missing)
        if self.circuit.state is CircuitState.OPEN:
            pause = self.circuit.pause
            at = (datetime.now().astimezone() + timedelta(seconds=pause)).strftime("%H:%M:%S %Z")
            raise SparkUnavailable(
                f"Spark failed to start {self.circuit.failures} times in a row; the next attempt is in {pause:.0f} s "
                f"(at {at}). Plans that run on DuckDB are not affected. The last cause: {self.circuit.cause}"
            )

    def _carry_out(self, starting: "Future[Relay]") -> None:
        try:
            self._closed.wait(self.circuit.pause)  # the back-off between starts, while the circuit is still closed
            relay = self._begin_counted()
        except Exception as error:  # noqa: BLE001  the callers that wait for the start receive it
            self._starting = None
            starting.set_exception(error)
            return
        with self._lock:
            self._relay, self._starting = relay, None
            self.generation += 1
            self._watch = Watch(relay, self.limits, self.pid, self._useless, lambda why: self._give_up(relay, why))
        starting.set_result(relay)

    def _begin_counted(self) -> Relay:
        self.starts += 1
        started = time.monotonic()
        try:
            relay = self._begin()
        except (SparkUnavailable, JavaNotFound, OSError) as failure:
            self._note_failure(str(failure))
            raise SparkUnavailable(f"{self.failed_words}: {failure}") from failure
        self.circuit.record_success()
        log.info("Spark is ready after %.1f s (generation %d)", time.monotonic() - started, self.generation + 1)
        return relay

    def _note_failure(self, cause: str) -> None:
        if self._closed.is_set():
            return
        self.start_failures += 1
        self.circuit.record_failure(cause)
        state, pause = self.circuit.state.value, self.circuit.pause
        log.warning("%s (circuit %s, next attempt in %.0f s or later): %s", self.failed_words, state, pause, cause)

    # ---- losing

    def _give_up(self, relay: Relay, why: str) -> None:
        with self._lock:
            if self._relay is relay:
                self._lose(why)

    def _lose(self, why: str) -> None:
        with self._lock:
            log.warning("Spark is lost, the next request that needs it starts a new one: %s", why)
            self.losses += 1
            self.loss = why
            if self._relay is not None:
                self._relay.failure = why
            self.stop()

    @property
    def missing(self) -> str:
        """What must be installed before this Spark can start."""
        return ""

    @property
    def pid(self) -> int | None:
        return None

    def _last_words(self) -> str:
        return ""

    def _useless(self) -> str:
        """Why no operation on this Spark will ever end although it answers; empty if that is not so."""
        return ""

    @property
    @abstractmethod
    def address(self) -> str:
        """A description of where this Spark runs, for messages."""

    @abstractmethod
    def _present(self) -> bool: ...

    @abstractmethod
    def _begin(self) -> Relay: ...

    @abstractmethod
    def _end(self) -> None: ...


class LaunchedSpark(SparkEngine):
    """A Spark that twinspark starts: a JVM on this machine, the driver for any master."""

    def __init__(self, settings: LaunchSettings) -> None:
        super().__init__(SparkLimits.of(settings.config))
        self._settings = settings
        self._jvm: Jvm | None = None

    @property
    def address(self) -> str:
        return f"Spark started here, master {self._settings.master}"

    @property
    def missing(self) -> str:
        return "" if self.running else missing_spark()

    @property
    def pid(self) -> int | None:
        return self._jvm.pid if self._jvm else None

    def _present(self) -> bool:
        return self._jvm is not None and self._jvm.alive

    def _begin(self) -> Relay:
        if reason := unreachable_master(self._settings.master, REACH_SECONDS):
            raise SparkUnavailable(reason)
        log.info("starting Spark (%s, %s)", self._settings.master, self._settings.memory)
        jvm = self._jvm = Jvm(self._settings)
        relay = Relay(local_channel(jvm.port))
        try:
            Start(jvm, relay, self.limits, self._closed).wait()
        except SparkUnavailable:
            log.info("the end of its log:\n%s", jvm.log_tail())
            relay.close()
            self._end()
            raise
        return relay

    def _last_words(self) -> str:
        """How the process ended, with the cause that its log of the last minute shows. The connections of a killed
        process are closed a moment before it has ended."""
        if self._jvm is None or not self._jvm.ends_within(END_SECONDS):
            return ""
        cause_in_log = first_cause(self._jvm.log_text(), datetime.now() - timedelta(minutes=1))
        return f"{self._jvm.end_words()}{': ' if cause_in_log else ''}{cause_in_log}"

    def _useless(self) -> str:
        stranded = self._jvm is not None and is_stranded(self._jvm.log_text())
        return "it lost the cluster's master and all its executors" if stranded else ""

    def _end(self) -> None:
        jvm, self._jvm = self._jvm, None
        if jvm is not None:  # a Spark that is lost or still starting is killed at once
            jvm.stop(writes_archive=self._closed.is_set() and self.running)


class Start:
    """Waits until a new JVM runs its first query, or until it is clear that it will not."""

    def __init__(self, jvm: Jvm, relay: Relay, limits: SparkLimits, closed: threading.Event) -> None:
        self._jvm, self._relay, self._limits, self._closed = jvm, relay, limits, closed
        self._begun = self._moved = time.monotonic()
        self._ticks = 0
        self._well = threading.Event()

    def wait(self) -> None:
        threading.Thread(target=self._ask_until_well, name="first query", daemon=True).start()
        while not self._well.wait(LOOK_SECONDS):
            if reason := self._hopeless():
                self._jvm.kill()  # which ends the pending query
                raise SparkUnavailable(reason)

    def _ask_until_well(self) -> None:
        """One attempt may take minutes; attempts before the port is open fail at once."""
        while self._jvm.alive and not self._closed.is_set():
            if health(self._relay, self._limits.start_limit) is Health.WELL:
                self._well.set()
                return
            time.sleep(LOOK_SECONDS)

    def _hopeless(self) -> str:
        seconds = time.monotonic() - self._begun
        if self._closed.is_set():
            return "this server is stopping"
        if not self._jvm.alive:
            return self._cause() or f"{self._jvm.end_words()}. The end of its log:\n{self._jvm.log_tail()}"
        if seconds > self._limits.start_timeout and (cause := self._cause()):
            return f"{cause} (no query ran within {seconds:.0f} s)"
        if self._still() > self._limits.hang_timeout:
            return f"its process {self._jvm.pid} has been stopped by a signal for {self._still():.0f} s"
        return "" if seconds < self._limits.start_limit else f"no query ran within {seconds:.0f} s"

    def _cause(self) -> str:
        return first_cause(self._jvm.log_text())

    def _still(self) -> float:
        """For how many seconds a signal has stopped the process."""
        state = process_state(self._jvm.pid)
        if state is None or not state.is_stopped:
            self._moved = time.monotonic()
        return time.monotonic() - self._moved


class RemoteSpark(SparkEngine):
    """A remote Spark, connected to by an sc:// address with token and TLS as in PySpark."""

    failed_words = "Spark was not reached"

    def __init__(self, url: str, limits: SparkLimits | None = None) -> None:
        super().__init__(limits)
        self._url = url

    @property
    def address(self) -> str:
        return f"Spark at {self._url.split(';')[0]}"

    def _present(self) -> bool:
        return True

    def _begin(self) -> Relay:
        # This import loads PySpark's whole client and pandas: a server that never needs it starts faster.
        from pyspark.sql.connect.client import DefaultChannelBuilder

        patience = (CONNECT_TIMEOUT, int(self.limits.remote_timeout * 1000))
        builder = DefaultChannelBuilder(self._url, channelOptions=[*CHANNEL_OPTIONS, patience])
        relay = Relay(builder.toChannel(), tuple(builder.metadata()))
        if reason := self._unfit(relay):
            relay.close()
            raise SparkUnavailable(f"no Spark answers at {self._url.split(';')[0]}: {reason}")
        return relay

    def _unfit(self, relay: Relay) -> str:
        """A remote Spark must answer soon; its first query may wait in a queue."""
        if reason := Ping(relay).failure(self.limits.remote_timeout):
            return reason
        return "it rejects queries" if health(relay, self.limits.start_timeout) is Health.ILL else ""

    def _end(self) -> None:
        """A remote Spark is left running."""


class NoSparkEngine(SparkEngine):
    """The engine of a server that never uses Spark (--engine duckdb, --no-java): every request for Spark raises an
    error."""

    @property
    def address(self) -> str:
        return "no Spark"

    def _present(self) -> bool:
        return False

    def _begin(self) -> Relay:
        raise NotNative(reasons.SPARK_DISABLED)

    def _end(self) -> None:
        """There is nothing to stop."""
