"""The Spark a server relays to: started when first needed, replaced when it no longer answers a query."""

import logging
import threading
import time
import uuid
from abc import ABC, abstractmethod
from enum import Enum

import grpc
from pyspark.sql.connect.proto import base_pb2

from twinspark.spark.launch import Jvm, LaunchSettings
from twinspark.spark.relay import CHANNEL_OPTIONS, Relay, local_channel

log = logging.getLogger("twinspark.spark")
START_SECONDS = 600.0  # a JVM that lives is given time: a busy machine takes minutes
HEALTH_SECONDS = 20.0
LATE = (grpc.StatusCode.CANCELLED, grpc.StatusCode.DEADLINE_EXCEEDED)
HEALTH_USER = "twinspark-health"


class SparkUnavailable(Exception):
    """Spark could not be started or reached; says why."""


class SparkEngine(ABC):
    """One Spark at a time; `generation` grows with every new one, so sessions know when to replay their journal."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._relay: Relay | None = None
        self._closed = False
        self.generation = 0

    @property
    def running(self) -> bool:
        return self._relay is not None and self._present()

    def relay(self) -> Relay:
        """The calls of a Spark that is up, started first if it has to be."""
        with self._lock:
            if self._relay is None or not self._present():
                self._replace()
            assert self._relay is not None
            return self._relay

    def replace_if_ill(self, generation: int) -> bool:
        """After a failure that smells of a dead or zombie Spark: ask it a query, and start anew if none comes back."""
        with self._lock:
            if generation != self.generation or self._relay is None:
                return True
            if self._present() and health(self._relay, HEALTH_SECONDS) is not Health.ILL:
                return False
            log.warning("Spark does not answer a query any more: it is replaced")
            self.stop()
            return True

    def close(self) -> None:
        """For good: also ends a Spark that is still starting, for which another thread holds the lock."""
        self._closed = True
        self._end()
        self.stop()

    def stop(self) -> None:
        with self._lock:
            if self._relay is not None:
                self._relay.close()
                self._relay = None
            self._end()

    def _replace(self) -> None:
        if self._closed:
            raise SparkUnavailable("this server is stopping")
        self.stop()
        started = time.monotonic()
        self._relay = self._begin()
        self.generation += 1
        log.info("Spark is ready after %.1f s (generation %d)", time.monotonic() - started, self.generation)

    @property
    @abstractmethod
    def address(self) -> str:
        """Where this Spark is, for people to read."""

    @abstractmethod
    def _present(self) -> bool: ...

    @abstractmethod
    def _begin(self) -> Relay: ...

    @abstractmethod
    def _end(self) -> None: ...


class LaunchedSpark(SparkEngine):
    """A Spark of our own: a JVM on this machine, the driver of any master."""

    def __init__(self, settings: LaunchSettings) -> None:
        super().__init__()
        self._settings = settings
        self._jvm: Jvm | None = None

    @property
    def address(self) -> str:
        return f"Spark started here, master {self._settings.master}"

    @property
    def pid(self) -> int | None:
        return self._jvm.pid if self._jvm else None

    def _present(self) -> bool:
        return self._jvm is not None and self._jvm.alive

    def _begin(self) -> Relay:
        log.info("starting Spark (%s, %s)", self._settings.master, self._settings.memory)
        self._jvm = Jvm(self._settings)
        relay = Relay(local_channel(self._jvm.port))
        deadline = time.monotonic() + START_SECONDS
        while health(relay, START_SECONDS) is not Health.WELL:
            self._give_up_if(self._closed or not self._present() or time.monotonic() > deadline)
            time.sleep(0.1)
        return relay

    def _give_up_if(self, hopeless: bool) -> None:
        if hopeless:
            last_words = self._jvm.log_tail() if self._jvm else "(stopped)"
            self._end()
            raise SparkUnavailable(f"Spark did not start. Its last words:\n{last_words}")

    def _end(self) -> None:
        jvm, self._jvm = self._jvm, None
        if jvm is not None:
            jvm.stop()


class RemoteSpark(SparkEngine):
    """A Spark somewhere else, reached at an sc:// address with its token and TLS as PySpark would."""

    def __init__(self, url: str) -> None:
        super().__init__()
        self._url = url

    @property
    def address(self) -> str:
        return f"Spark at {self._url.split(';')[0]}"

    def _present(self) -> bool:
        return True

    def _begin(self) -> Relay:
        # It brings a whole client with it, and pandas: a server that never comes here listens the sooner.
        from pyspark.sql.connect.client import DefaultChannelBuilder

        builder = DefaultChannelBuilder(self._url, channelOptions=CHANNEL_OPTIONS)
        relay = Relay(builder.toChannel(), tuple(builder.metadata()))
        if health(relay, START_SECONDS) is not Health.WELL:
            relay.close()
            raise SparkUnavailable(f"no Spark answers at {self._url.split(';')[0]}")
        return relay

    def _end(self) -> None:
        """Somebody else's Spark is left running."""


class Health(Enum):
    WELL = "it answered a query"
    BUSY = "it did not answer in time, which a long queue explains"
    ILL = "it refused a query that cannot fail"


def health(relay: Relay, seconds: float) -> Health:
    """Health is a query that answers: a Spark whose context has stopped still has its port open."""
    request = base_pb2.ExecutePlanRequest(session_id=str(uuid.uuid4()))
    request.user_context.user_id = HEALTH_USER
    request.plan.root.range.start, request.plan.root.range.end, request.plan.root.range.step = 0, 1, 1
    request.plan.root.range.num_partitions = 1
    call = relay.stream("ExecutePlan", request.SerializeToString())
    timer = threading.Timer(seconds, call.cancel)
    timer.start()
    try:
        responses = [base_pb2.ExecutePlanResponse.FromString(each) for each in call]
        release_health_session(relay, request.session_id)
    except grpc.RpcError as failure:
        return Health.BUSY if failure.code() in LATE else Health.ILL
    finally:
        timer.cancel()
    return Health.WELL if any(response.HasField("arrow_batch") for response in responses) else Health.ILL


def release_health_session(relay: Relay, session_id: str) -> None:
    release = base_pb2.ReleaseSessionRequest(session_id=session_id)
    release.user_context.user_id = HEALTH_USER
    relay.unary("ReleaseSession", release.SerializeToString(), timeout=5.0)
