"""Files with malformed records, how they are read, and what is asked of them."""

from dataclasses import dataclass, field

JSON = """\
{"a":1,"b":2}
{bad
{"a":"x","b":3}

[{"a":5,"b":6},{"a":"q","b":7}]
{"a":1} tail
{"a":2,"b":{"c":1}}
"""
CSV = """\
1,2
x,3
4
5,6,7
"q
"8",y

9,10
"""
BOTH = "a int, b int, _corrupt_record string"
# What is asked of the rows, as SQL over the view `rows`.
QUERIES = {
    "all": "SELECT * FROM rows",
    "one column": "SELECT a FROM rows",
    "the other": "SELECT b FROM rows",
    "one, and whether it is corrupt": "SELECT a, _corrupt_record FROM rows",
    "the other, and whether it is corrupt": "SELECT b, _corrupt_record FROM rows",
    "only what is corrupt": "SELECT _corrupt_record FROM rows",
    "how many are corrupt": "SELECT count(*) FROM rows WHERE _corrupt_record IS NOT NULL",
    "how many": "SELECT count(*) FROM rows",
    "constants": "SELECT 1 FROM rows",
    "a column that a projection leaves out": "SELECT b FROM (SELECT a, b, _corrupt_record FROM rows)",
    "sound ones": "SELECT a FROM rows WHERE _corrupt_record IS NULL AND b > 1",
    "groups": "SELECT b, count(*), max(_corrupt_record) FROM rows GROUP BY b ORDER BY b",
    "a window": "SELECT a, row_number() OVER (ORDER BY a, b) AS n FROM rows ORDER BY a, n",
    "a join": "SELECT l.a, r.b FROM rows l JOIN rows r ON l.a = r.a ORDER BY l.a, r.b",
    "a union": "SELECT a FROM (SELECT a, b FROM rows UNION ALL SELECT b, a FROM rows)",
    "distinct": "SELECT DISTINCT a FROM rows ORDER BY a",
}


@dataclass(frozen=True)
class Read:
    format: str
    schema: str | None = None
    options: dict[str, str] = field(default_factory=dict)

    @property
    def text(self) -> str:
        return JSON if self.format == "json" else CSV


READS = {
    "json": Read("json"),
    "json dropping": Read("json", None, {"mode": "DROPMALFORMED"}),
    "json by a schema": Read("json", BOTH),
    "json by a schema, dropping": Read("json", "a int, b int", {"mode": "DROPMALFORMED"}),
    "json by a schema, dropping, with a column": Read("json", BOTH, {"mode": "DROPMALFORMED"}),
    "json by a name": Read("json", None, {"columnNameOfCorruptRecord": "bad"}),
    "csv by a schema": Read("csv", BOTH),
    "csv by a schema, dropping": Read("csv", "a int, b int", {"mode": "DROPMALFORMED"}),
    "csv by a schema, dropping, with a column": Read("csv", BOTH, {"mode": "DROPMALFORMED"}),
    "csv, the column first": Read("csv", "_corrupt_record string, a int, b int"),
    "csv by a name": Read("csv", "a int, b string, _corrupt_record int", {"columnNameOfCorruptRecord": "b"}),
}
