"""A replacement for SparkContext and RDDs, which Spark Connect does not have: it implements what it can, and its errors
name an alternative for the rest."""

import os
from typing import Any

import pyspark
from pyspark.errors import PySparkAttributeError, PySparkNotImplementedError
from pyspark.sql import SparkSession
from pyspark.sql.connect.dataframe import DataFrame
from pyspark.sql.connect.session import SparkSession as ConnectSession

INSTEAD = {
    "parallelize": "spark.createDataFrame(rows, schema)",
    "emptyRDD": "spark.createDataFrame([], schema)",
    "range": "spark.range(start, end)",
    "textFile": "spark.read.text(path)",
    "wholeTextFiles": "spark.read.text(path, wholetext=True)",
    "binaryFiles": 'spark.read.format("binaryFile").load(path)',
    "pickleFile": "spark.read.parquet(path)",
    "sequenceFile": "spark.read.parquet(path)",
    "union": "DataFrame.union",
    "broadcast": "the value itself in a Python function, or pyspark.sql.functions.broadcast(df) in a join",
    "accumulator": "DataFrame.observe, or an aggregate",
    "setJobGroup": "spark.addTag(name)",
    "setJobDescription": "spark.addTag(name)",
    "setLocalProperty": "spark.conf.set(key, value)",
    "cancelJobGroup": "spark.interruptTag(name)",
    "cancelAllJobs": "spark.interruptAll()",
    "getConf": "spark.conf.getAll",
    "getCheckpointDir": "spark.conf",
    "setCheckpointDir": 'spark.conf.set("spark.checkpoint.dir", path)',
    "uiWebUrl": "the web UI of twinspark serve (--ui-port)",
}
RDD_INSTEAD = (
    "df.select with a Python function (udf) or df.mapInPandas for map, flatMap and mapPartitions, "
    "df.groupBy(...).agg or applyInPandas for reduceByKey and groupByKey, df.filter, df.collect() and df.count()"
)


class Context:
    """The `spark.sparkContext` of a session."""

    def __init__(self, session: Any) -> None:
        self._session = session

    @property
    def version(self) -> str:
        return str(self._session.version)

    @property
    def appName(self) -> str:
        return str(self._session.conf.get("spark.app.name"))

    def setLogLevel(self, level: str) -> None:
        """Does nothing: the log is the server's, and Spark's log messages do not appear in the script's output."""

    def addPyFile(self, path: str) -> None:
        self._session.addArtifacts(path, pyfile=True)

    def addFile(self, path: str, recursive: bool = False) -> None:
        self._session.addArtifacts(path, file=True)

    def stop(self) -> None:
        self._session.stop()

    def __getattr__(self, name: str) -> Any:
        raise not_here(f"sparkContext.{name}", INSTEAD.get(name, "the methods of SparkSession and DataFrame"))


class SparkContext(Context):
    """The SparkContext that scripts import from pyspark: opens a session, ignoring master and name."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(SparkSession.builder.getOrCreate())

    @classmethod
    def getOrCreate(cls, conf: Any = None) -> "SparkContext":
        return cls()


def not_here(name: str, instead: str) -> PySparkAttributeError:
    return PySparkAttributeError(
        f"[JVM_ATTRIBUTE_NOT_SUPPORTED] {name} needs a JVM inside this program, and there is none: use {instead}."
    )


def no_rdd(frame: Any) -> Any:
    raise PySparkNotImplementedError(f"[NOT_IMPLEMENTED] RDDs are not part of Spark Connect: use {RDD_INSTEAD}.")


def new_session(session: Any) -> Any:
    return ConnectSession.builder.remote(os.environ["SPARK_REMOTE"]).create()


def stand_in_for_contexts() -> None:
    """Installs the replacements in this process."""
    ConnectSession.sparkContext = property(Context)
    ConnectSession.newSession = new_session
    DataFrame.rdd = property(no_rdd)
    pyspark.SparkContext = SparkContext
