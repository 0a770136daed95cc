"""Calendar intervals as show() prints them: what Spark 4.2.1 printed."""

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.query import stream_rows
from twinspark.duck.run import connect
from twinspark.read.proto import read_relation

SHOWN = """\
+---------------------------------------------------------------+---------+
|i                                                              |j        |
+---------------------------------------------------------------+---------+
|100 years 11 months 8 days 12 hours 30 minutes 1.001001 seconds|0 seconds|
+---------------------------------------------------------------+---------+
"""


def test_make_interval_is_shown() -> None:
    text = "SELECT make_interval(100, 11, 1, 1, 12, 30, 1.001001) AS i, make_interval() AS j"
    message = relations_pb2.Relation(show_string={"input": {"sql": {"query": text}}, "num_rows": 20})
    context = Context()
    rows = stream_rows(read_relation(message, context), context, connect().cursor()).read_all()
    assert rows.column(0)[0].as_py() == SHOWN
