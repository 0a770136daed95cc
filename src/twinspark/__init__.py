"""One Spark endpoint, two engines."""

from typing import Any


def session(engine: str = "auto", **options: Any) -> Any:
    """A PySpark SparkSession on a server inside this process; options are those of `twinspark serve`."""
    # Here and not above: `import twinspark.errors` must not bring gRPC and PySpark with it.
    from twinspark.doors.connect.embedded import open_session

    return open_session(engine=engine, **options)
