"""The Flight SQL server: Arrow's protocol for ADBC, JDBC and BI tools, over the sessions of Spark Connect."""

from twinspark.doors.flight.server import FlightServer

__all__ = ["FlightServer"]
