"""One recorded plan: the bytes a client sent, and what Spark answered; and the same plan asked of the native engine."""

import base64
import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyspark.sql.connect.proto import Plan
from pyspark.sql.types import StructType

from tools.cases.render import render_column
from twinspark.doors.connect.depth import lift_depth_limit

lift_depth_limit()

HERE = Path(__file__).parent
KINDS = (
    *("queries", "frames", "relations", "schemas", "documents", "document_queries", "function_queries", "nearest"),
    "parameters",
    *("kinds", "names", "found", "hidden", "hunted", "hunted_queries"),
)
FILES = {name: HERE / "recorded" / f"{name}.jsonl" for name in KINDS}
ORDERS = HERE / "recorded" / "orders.jsonl"  # rows as they came, from a Spark at local[2] with 4 shuffle partitions
PARTITIONS = HERE / "recorded" / "partitions.jsonl"  # likewise


@dataclass(frozen=True)
class Recorded:
    """`schema` and `rows`, or `condition` and `parameters`; rows are sorted unless the plan sorts."""

    name: str
    plan: str
    schema: dict[str, Any] | None = None
    rows: list[list[str]] | None = None
    condition: str | None = None
    parameters: dict[str, str] | None = None

    def message(self) -> Plan:
        plan = Plan()
        plan.ParseFromString(base64.b64decode(self.plan))
        return plan

    def line(self) -> str:
        return json.dumps({k: v for k, v in asdict(self).items() if v is not None}, ensure_ascii=False)


def read(path: Path) -> list[Recorded]:
    return [Recorded(**json.loads(line)) for line in path.read_text().splitlines()]


def rows_of(table: pa.Table, schema: StructType, ordered: bool) -> list[list[str]]:
    columns = [render_column(c, f.dataType) for c, f in zip(table.columns, schema.fields, strict=True)]
    rows = [list(row) for row in zip(*columns, strict=True)]
    return rows if ordered else sorted(rows)


def is_ordered(plan: Plan) -> bool:
    """A sort on top, under projections and limits at most; a query says it in its text."""
    relation = plan.root
    while relation.WhichOneof("rel_type") in ("limit", "offset", "project", "to_df", "tail"):
        relation = getattr(relation, relation.WhichOneof("rel_type")).input
    if relation.HasField("sql"):
        return "order by" in relation.sql.query.lower().rpartition(")")[2]
    return relation.WhichOneof("rel_type") == "sort" and relation.sort.is_global
