"""Creates the Spark engine of a server: one it starts, a remote one, or none."""

from twinspark.relay.engine import LaunchedSpark, NoSparkEngine, RemoteSpark, SparkEngine
from twinspark.relay.launch import LaunchSettings
from twinspark.relay.limits import SparkLimits
from twinspark.sessions.settings import Settings


def spark_engine(settings: Settings) -> SparkEngine:
    """The Spark engine that the server's settings select."""
    if settings.never_spark:
        return NoSparkEngine()
    if settings.spark_remote:
        return RemoteSpark(settings.spark_remote, SparkLimits.of(dict(settings.spark_config)))
    launch = LaunchSettings(
        settings.spark_master, settings.spark_memory, settings.warehouse, dict(settings.spark_config)
    )
    return LaunchedSpark(launch)
