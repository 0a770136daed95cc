"""The AnalyzePlan RPC: what the typed plan knows is answered here, the rest by Spark."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyspark.sql.connect.proto import base_pb2, common_pb2
from pyspark.sql.connect.types import pyspark_types_to_proto_types
from pyspark.version import __version__ as spark_version

from twinspark.analysis.context import no_rows
from twinspark.errors import NotNative
from twinspark.plan.relations import Relation, nameless
from twinspark.read.proto import read_relation
from twinspark.read.proto.streams import STREAMING, check_windows
from twinspark.read.proto.types import read_schema_text
from twinspark.read.sql import parse_ddl
from twinspark.session.carried import names_checkpoint, with_rows
from twinspark.session.choose import engine_wanted
from twinspark.session.native import Query
from twinspark.session.plans import decompressed
from twinspark.session.session import Session
from twinspark.session.sql_explain import explained
from twinspark.types import DataType, StructField, StructType, is_collated, nested_types, quote_if_needed, sql_name

MEMORY_AND_DISK = common_pb2.StorageLevel(use_disk=True, use_memory=True, deserialized=True, replication=1)
NOT_STORED = common_pb2.StorageLevel(replication=1)
LOCAL = ("local_relation", "cached_local_relation", "chunked_cached_local_relation")


def analyze(session: Session, request: Any, data: bytes) -> bytes:
    wanted = engine_wanted(session.config.settings(), session.shared.settings.engine)
    kind = request.WhichOneof("analyze")
    if wanted == "spark" and kind != "spark_version":
        return session.spark.unary("AnalyzePlan", with_rows(request, data, session))
    try:
        answer = natively(session, request, kind, wanted)
    except NotNative:
        if wanted == "duckdb":
            raise
        return on_spark(session, request, kind, data)
    if kind in ("persist", "unpersist") and wanted == "auto":
        note_kept(session, request, kind, data)
    return answer


def on_spark(session: Session, request: Any, kind: str, data: bytes) -> bytes:
    """Of kept rows Spark's plan shows that they are kept."""

    def send(kept: bytes) -> bytes:
        return session.spark.unary(
            "AnalyzePlan", with_rows(base_pb2.AnalyzePlanRequest.FromString(kept), kept, session)
        )

    if kind == "explain":
        session.kept_on_spark.tell(send)
    return session.spark.unary("AnalyzePlan", with_rows(request, data, session))


def note_kept(session: Session, request: Any, kind: str, data: bytes) -> None:
    plan = plain_plan(session, getattr(request, kind).relation)
    if kind == "persist":
        session.kept_on_spark.add(plan, data)
    elif session.kept_on_spark.remove(plan):
        session.spark.unary("AnalyzePlan", with_rows(request, data, session))


def natively(session: Session, request: Any, kind: str, wanted: str) -> bytes:
    alone = wanted == "duckdb" or (kind == "explain" and names_checkpoint(request, session))
    handler = HANDLERS.get(kind) or (ALONE.get(kind) if alone else None)
    if handler is None:
        raise NotNative(f"analysis {kind}")
    answer = base_pb2.AnalyzePlanResponse(
        session_id=session.session_id, server_side_session_id=session.server_session_id
    )
    handler(session, getattr(request, kind), answer)
    return bytes(answer.SerializeToString())


def query_of(session: Session, plan: Any) -> Query:
    opened = decompressed(plan)
    if opened.WhichOneof("op_type") != "root":
        raise NotNative("analysis of a command")
    return session.read(opened.root, session.shared.native.cursor())


def columns_of(session: Session, plan: Any) -> tuple[StructType, bool]:
    """The schema, and whether it is a stream's, which is known though only Spark runs it."""
    try:
        return query_of(session, plan).plan.schema, False
    except NotNative as why:
        if why.reason != STREAMING:
            raise
    context = session.surroundings().context(session.shared.native.cursor())
    context = replace(context, cache=None, streams=True, collect=no_rows)
    found = read_relation(decompressed(plan).root, context).schema
    check_windows(found)
    return found, True


def schema(session: Session, message: Any, answer: Any) -> None:
    answer.schema.schema.CopyFrom(pyspark_types_to_proto_types(columns_of(session, message.plan)[0]))


def tree_string(session: Session, message: Any, answer: Any) -> None:
    found = columns_of(session, message.plan)[0]
    level = message.level if message.HasField("level") else None
    answer.tree_string.tree_string = found.treeString(level)


def is_streaming(session: Session, message: Any, answer: Any) -> None:
    answer.is_streaming.is_streaming = columns_of(session, message.plan)[1]


def is_local(session: Session, message: Any, answer: Any) -> None:
    query_of(session, message.plan)
    answer.is_local.is_local = decompressed(message.plan).root.WhichOneof("rel_type") in LOCAL


def input_files(session: Session, message: Any, answer: Any) -> None:
    answer.input_files.files.extend(query_of(session, message.plan).input_files)


def version(session: Session, message: Any, answer: Any) -> None:
    answer.spark_version.version = spark_version


def ddl_parse(session: Session, message: Any, answer: Any) -> None:
    answer.ddl_parse.parsed.CopyFrom(pyspark_types_to_proto_types(parse_ddl(message.ddl_string)))


def json_to_ddl(session: Session, message: Any, answer: Any) -> None:
    """StructType.toDDL; texts behind a type (comments, defaults) are escaped by Spark."""
    if not message.json_string.startswith('{"fields":'):  # PySpark's own order
        raise NotNative("a text that may be no schema as DDL")
    fields = read_schema_text(message.json_string).fields
    if any(field.metadata or has_collation(field.dataType) for field in (*fields, *inner_fields(fields))):
        raise NotNative("a schema with metadata or collations as DDL")
    answer.json_to_ddl.ddl_string = ",".join(map(ddl_of, fields))


def inner_fields(fields: list[StructField]) -> list[StructField]:
    types = [part for field in fields for part in nested_types(field.dataType)]
    return [inner for part in types if isinstance(part, StructType) for inner in part.fields]


def has_collation(type: DataType) -> bool:
    return any(map(is_collated, nested_types(type)))


def ddl_of(field: StructField) -> str:
    return f"{quote_if_needed(field.name)} {sql_name(field.dataType)}{'' if field.nullable else ' NOT NULL'}"


def same_semantics(session: Session, message: Any, answer: Any) -> None:
    """Equal typed plans mean the same; whether unequal ones do, only Spark's canonical forms can tell."""
    plans = (query_of(session, each).plan for each in (message.target_plan, message.other_plan))
    one, other = map(nameless, plans)
    same = one == other
    if not same and engine_wanted(session.config.settings(), session.shared.settings.engine) != "duckdb":
        raise NotNative("plans that differ may still mean the same")
    answer.same_semantics.result = same


def persist(session: Session, message: Any, answer: Any) -> None:
    level = message.storage_level if message.HasField("storage_level") else MEMORY_AND_DISK
    session.shared.cache.add(plain_plan(session, message.relation), level.SerializeToString())
    answer.persist.SetInParent()


def unpersist(session: Session, message: Any, answer: Any) -> None:
    session.shared.cache.remove(plain_plan(session, message.relation))
    answer.unpersist.SetInParent()


def storage_level(session: Session, message: Any, answer: Any) -> None:
    kept = session.shared.cache.find(plain_plan(session, message.relation))
    answer.get_storage_level.storage_level.CopyFrom(NOT_STORED)
    if kept is not None:
        answer.get_storage_level.storage_level.ParseFromString(kept.level)


def plain_plan(session: Session, relation: Any) -> Relation:
    """The plan as it is written, whatever of it is kept."""
    context = session.surroundings().context(session.shared.native.cursor())
    return read_relation(relation, replace(context, cache=None))


def plan_key(session: Session, relation: Any) -> Any:
    plan = nameless(session.read(relation, session.shared.native.cursor()).plan)
    try:
        hash(plan)
    except TypeError as error:
        raise NotNative("a plan that has no key") from error
    return plan


def semantic_hash(session: Session, message: Any, answer: Any) -> None:
    """Equal plans, equal hashes; the number itself is nobody's business. 32 bits, signed, as Java's."""
    plan = decompressed(message.plan).root
    answer.semantic_hash.result = (hash(plan_key(session, plan)) & 0xFFFFFFFF) - 0x80000000


def explain(session: Session, message: Any, answer: Any) -> None:
    """Without Spark there is no physical plan of Spark's to show: DuckDB's SQL is what will run."""
    mode = base_pb2.AnalyzePlanRequest.Explain.ExplainMode.Name(message.explain_mode).removeprefix("EXPLAIN_MODE_")
    answer.explain.explain_string = explained(query_of(session, message.plan), mode)


Handler = Callable[[Session, Any, Any], None]
HANDLERS: dict[str, Handler] = {
    "schema": schema,
    "tree_string": tree_string,
    "is_streaming": is_streaming,
    "is_local": is_local,
    "input_files": input_files,
    "spark_version": version,
    "ddl_parse": ddl_parse,
    "json_to_ddl": json_to_ddl,
    "same_semantics": same_semantics,
    "persist": persist,
    "unpersist": unpersist,
    "get_storage_level": storage_level,
}
# In engine=duckdb only: with a Spark at hand, its own plan and its own hash are the answer; but for rows that are here.
ALONE: dict[str, Handler] = {"explain": explain, "semantic_hash": semantic_hash}
