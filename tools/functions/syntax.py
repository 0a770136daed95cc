"""What Spark lists among its functions but SQL writes in words and signs: one example each, tried on our engine."""

from functools import cache

from pyspark.sql.connect.proto import relations_pb2

from twinspark.analysis.context import Context
from twinspark.compile.pipeline import compile_rows
from twinspark.errors import NotNative
from twinspark.read.proto import read_relation

CAST_NAMES = "bigint binary boolean date decimal double float int smallint string time timestamp tinyint"
EXAMPLES = {
    **{sign: f"SELECT id {sign} 2 FROM range(3)" for sign in ("!=", "<>")},
    **{sign: f"SELECT id {sign} 2 FROM range(3)" for sign in ("<<", ">>", ">>>")},
    "||": "SELECT string(id) || 'a' FROM range(3)",
    "between": "SELECT id BETWEEN 1 AND 2 FROM range(3)",
    "case": "SELECT CASE id WHEN 1 THEN 'one' ELSE 'more' END FROM range(3)",
    "when": "SELECT CASE WHEN id > 1 THEN 'more' END FROM range(3)",
    "cast": "SELECT CAST(id AS STRING) FROM range(3)",
    "range": "SELECT id FROM range(3)",
    "sql_keywords": "SELECT * FROM sql_keywords()",
    "collations": "SELECT * FROM collations()",
    "monotonically_increasing_id": "SELECT monotonically_increasing_id() FROM range(0, 3, 1, 1)",
    "spark_partition_id": "SELECT spark_partition_id() FROM range(0, 3, 1, 1)",
    "input_file_name": "SELECT input_file_name() FROM range(3)",
    **{name: f"SELECT {name}(7) FROM range(0, 3, 1, 1)" for name in ("rand", "random", "randn")},
    "uniform": "SELECT uniform(0, 10, 7) FROM range(0, 3, 1, 1)",
    "randstr": "SELECT randstr(5, 7) FROM range(0, 3, 1, 1)",
    "shuffle": "SELECT shuffle(array(1, 2, 3), 7) FROM range(0, 3, 1, 1)",
    **{name: f"SELECT {name}(string(id)) FROM range(3)" for name in CAST_NAMES.split()},
}
EVERYTHING_ON = {"spark.sql.timeType.enabled": "true"}


@cache
def is_native_syntax(name: str) -> bool:
    """Whether the example becomes DuckDB's SQL."""
    if name not in EXAMPLES:
        return False
    try:
        context = Context(EVERYTHING_ON)
        message = relations_pb2.Relation(sql=relations_pb2.SQL(query=EXAMPLES[name]))
        compile_rows(read_relation(message, context), context)
    except NotNative:
        return False
    return True
