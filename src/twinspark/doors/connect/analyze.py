"""The AnalyzePlan RPC: answered from the typed plan where possible, otherwise by Spark."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pyspark.sql.connect.proto import base_pb2, common_pb2, relations_pb2
from pyspark.sql.connect.types import pyspark_types_to_proto_types

from twinspark.analysis.context import no_rows
from twinspark.commands.query.explain import explain_text
from twinspark.compile.query import CompiledQuery
from twinspark.errors import Cause, NotNative, SparkError, reasons
from twinspark.operations.explain import explain_plan
from twinspark.operations.planned_operation import limit_recursion
from twinspark.plan.empty_relations import may_be_reduced
from twinspark.plan.relations import Relation, without_names
from twinspark.read.proto import read_relation
from twinspark.read.proto.streams import check_subqueries, check_windows
from twinspark.read.proto.types import read_schema_text
from twinspark.read.sql import parse_ddl
from twinspark.relay.checkpoint_rows import names_checkpoint, with_rows
from twinspark.relay.session import cause_to_relay
from twinspark.release import SPARK_VERSION
from twinspark.sessions.engine_choice import NATIVE, is_spark_available
from twinspark.sessions.session import Session
from twinspark.types import DataType, StructField, StructType, is_collated, nested_types, quote_if_needed, sql_name
from twinspark.wire.connect.compressed_plans import decompress_plan

MEMORY_AND_DISK = common_pb2.StorageLevel(use_disk=True, use_memory=True, deserialized=True, replication=1)
EXPLAINED = "EXPLAINED"  # the outcome of an operation that was not executed
NOT_STORED = common_pb2.StorageLevel(replication=1)
LOCAL = ("local_relation", "cached_local_relation", "chunked_cached_local_relation")


def analyze(session: Session, request: base_pb2.AnalyzePlanRequest, data: bytes) -> bytes:
    try:
        return answer_of(session, request, data)
    except SparkError:
        session.remember("none", Cause(reasons.PLANNING), "FAILED")
        raise


def answer_of(session: Session, request: base_pb2.AnalyzePlanRequest, data: bytes) -> bytes:
    wanted = session.engine_wanted
    kind = request.WhichOneof("analyze") or ""
    if kind:
        session.check_rights(getattr(request, kind))
    if wanted == "spark" and kind != "spark_version":
        return session.spark.unary("AnalyzePlan", with_rows(request, data, session))
    try:
        answer = limit_recursion(lambda: natively(session, request, kind, wanted))
    except NotNative as why:
        if wanted == "duckdb":
            raise
        cause_to_relay(session.spark, why)
        answer = on_spark(session, request, kind, data)
        return with_engine(session, request, answer) if kind == "explain" else answer
    if kind in ("persist", "unpersist") and wanted == "auto":
        note_kept(session, request, kind, data)
    return answer


def on_spark(session: Session, request: base_pb2.AnalyzePlanRequest, kind: str, data: bytes) -> bytes:
    """Spark's plan shows cached rows, so plans that were persisted natively are persisted on Spark first."""

    def send(kept: bytes) -> bytes:
        return session.spark.unary(
            "AnalyzePlan", with_rows(base_pb2.AnalyzePlanRequest.FromString(kept), kept, session)
        )

    if kind == "explain":
        session.kept_on_spark.send_to_spark(send)
    return session.spark.unary("AnalyzePlan", with_rows(request, data, session))


def with_engine(session: Session, request: base_pb2.AnalyzePlanRequest, answer: bytes) -> bytes:
    """Spark's explanation, and which engine would run the plan: Spark explains plans that DuckDB runs, too."""
    try:
        found = explain_plan(session, decompress_plan(request.explain.plan))
    except SparkError:  # the error of the plan's execution, when it is executed
        return answer
    session.remember(found.engine, found.cause, EXPLAINED)
    response = base_pb2.AnalyzePlanResponse.FromString(answer)
    note = " The plan above is what Spark would run." if found.engine == "duckdb" else ""
    response.explain.explain_string += f"\n== Engine ==\n{found.engine}: {found.cause}{note}\n"
    return bytes(response.SerializeToString())


def note_kept(session: Session, request: base_pb2.AnalyzePlanRequest, kind: str, data: bytes) -> None:
    plan = plain_plan(session, getattr(request, kind).relation)
    if kind == "persist":
        session.kept_on_spark.add(plan, data)
    elif session.kept_on_spark.remove(plan):
        session.spark.unary("AnalyzePlan", with_rows(request, data, session))


def natively(session: Session, request: base_pb2.AnalyzePlanRequest, kind: str, wanted: str) -> bytes:
    alone = wanted == "duckdb" or not is_spark_available(session.shared.settings)
    alone = alone or (kind == "explain" and names_checkpoint(request, session))
    handler = HANDLERS.get(kind) or (ALONE.get(kind) if alone else None)
    if handler is None:
        raise NotNative(reasons.API_CALL, str(kind or None))
    answer = base_pb2.AnalyzePlanResponse(
        session_id=session.session_id, server_side_session_id=session.server_session_id
    )
    handler(session, getattr(request, kind), answer)
    return bytes(answer.SerializeToString())


def query_of(session: Session, plan: base_pb2.Plan) -> CompiledQuery:
    opened = decompress_plan(plan)
    if opened.WhichOneof("op_type") != "root":
        raise NotNative(reasons.API_CALL, "a command")
    return session.services.read(opened.root, session.shared.native.cursor())


def columns_of(session: Session, plan: base_pb2.Plan) -> tuple[StructType, bool]:
    """The schema, and whether it is a streaming one, which is known though only Spark runs it."""
    try:
        return query_of(session, plan).plan.schema, False
    except NotNative as why:
        if why.cause.reason is not reasons.STREAMING:
            raise
    context = session.services.surroundings().context(session.shared.native.cursor())
    context = replace(context, cache=None, streams=True, collect=no_rows)
    found = read_relation(decompress_plan(plan).root, context)
    check_subqueries(found)
    check_windows(found.schema)
    return found.schema, True


def schema(session: Session, message: base_pb2.AnalyzePlanRequest.Schema, answer: base_pb2.AnalyzePlanResponse) -> None:
    answer.schema.schema.CopyFrom(pyspark_types_to_proto_types(columns_of(session, message.plan)[0]))


def tree_string(
    session: Session, message: base_pb2.AnalyzePlanRequest.TreeString, answer: base_pb2.AnalyzePlanResponse
) -> None:
    found = columns_of(session, message.plan)[0]
    level = (message.level,) if message.HasField("level") else ()
    answer.tree_string.tree_string = found.treeString(*level)


def is_streaming(
    session: Session, message: base_pb2.AnalyzePlanRequest.IsStreaming, answer: base_pb2.AnalyzePlanResponse
) -> None:
    answer.is_streaming.is_streaming = columns_of(session, message.plan)[1]


def is_local(
    session: Session, message: base_pb2.AnalyzePlanRequest.IsLocal, answer: base_pb2.AnalyzePlanResponse
) -> None:
    query_of(session, message.plan)
    answer.is_local.is_local = decompress_plan(message.plan).root.WhichOneof("rel_type") in LOCAL


def input_files(
    session: Session, message: base_pb2.AnalyzePlanRequest.InputFiles, answer: base_pb2.AnalyzePlanResponse
) -> None:
    query = query_of(session, message.plan)
    if may_be_reduced(query.plan):
        raise NotNative(reasons.API_CALL, "inputFiles of a plan that Spark's optimizer may reduce to no rows")
    answer.input_files.files.extend(query.input_files)


def version(
    session: Session, message: base_pb2.AnalyzePlanRequest.SparkVersion, answer: base_pb2.AnalyzePlanResponse
) -> None:
    answer.spark_version.version = SPARK_VERSION


def ddl_parse(
    session: Session, message: base_pb2.AnalyzePlanRequest.DDLParse, answer: base_pb2.AnalyzePlanResponse
) -> None:
    answer.ddl_parse.parsed.CopyFrom(pyspark_types_to_proto_types(parse_ddl(message.ddl_string)))


def json_to_ddl(
    session: Session, message: base_pb2.AnalyzePlanRequest.JsonToDDL, answer: base_pb2.AnalyzePlanResponse
) -> None:
    """StructType.toDDL; comments and defaults, whose texts Spark escapes, fall back to Spark."""
    if not message.json_string.startswith('{"fields":'):  # PySpark's own order
        raise NotNative(reasons.API_CALL, "a DDL text that may not be a schema")
    fields = read_schema_text(message.json_string).fields
    if any(field.metadata or has_collation(field.dataType) for field in (*fields, *inner_fields(fields))):
        raise NotNative(reasons.API_CALL, "a schema with metadata or collations as DDL")
    answer.json_to_ddl.ddl_string = ",".join(map(ddl_of, fields))


def inner_fields(fields: list[StructField]) -> list[StructField]:
    types = [part for field in fields for part in nested_types(field.dataType)]
    return [inner for part in types if isinstance(part, StructType) for inner in part.fields]


def has_collation(type: DataType) -> bool:
    return any(map(is_collated, nested_types(type)))


def ddl_of(field: StructField) -> str:
    return f"{quote_if_needed(field.name)} {sql_name(field.dataType)}{'' if field.nullable else ' NOT NULL'}"


def same_semantics(
    session: Session, message: base_pb2.AnalyzePlanRequest.SameSemantics, answer: base_pb2.AnalyzePlanResponse
) -> None:
    """Equal typed plans have the same semantics; for unequal ones only Spark's canonical forms can decide."""
    plans = (query_of(session, each).plan for each in (message.target_plan, message.other_plan))
    one, other = map(without_names, plans)
    same = one == other
    if not same and session.engine_wanted != "duckdb":
        raise NotNative(reasons.API_CALL, "two plans that differ may still have the same semantics")
    answer.same_semantics.result = same


def persist(
    session: Session, message: base_pb2.AnalyzePlanRequest.Persist, answer: base_pb2.AnalyzePlanResponse
) -> None:
    level = message.storage_level if message.HasField("storage_level") else MEMORY_AND_DISK
    session.shared.cache.add(plain_plan(session, message.relation), level.SerializeToString())
    answer.persist.SetInParent()


def unpersist(
    session: Session, message: base_pb2.AnalyzePlanRequest.Unpersist, answer: base_pb2.AnalyzePlanResponse
) -> None:
    session.shared.cache.remove(plain_plan(session, message.relation))
    answer.unpersist.SetInParent()


def storage_level(
    session: Session, message: base_pb2.AnalyzePlanRequest.GetStorageLevel, answer: base_pb2.AnalyzePlanResponse
) -> None:
    kept = session.shared.cache.find(plain_plan(session, message.relation))
    answer.get_storage_level.storage_level.CopyFrom(NOT_STORED)
    if kept is not None:
        answer.get_storage_level.storage_level.ParseFromString(kept.level)


def plain_plan(session: Session, relation: relations_pb2.Relation) -> Relation:
    """The plan without the use of cached rows."""
    context = session.services.surroundings().context(session.shared.native.cursor())
    return read_relation(relation, replace(context, cache=None))


def plan_key(session: Session, relation: relations_pb2.Relation) -> Any:
    plan = without_names(session.services.read(relation, session.shared.native.cursor()).plan)
    try:
        hash(plan)
    except TypeError as error:
        raise NotNative(reasons.API_CALL, "semanticHash of a plan that twinspark cannot normalize") from error
    return plan


def semantic_hash(
    session: Session, message: base_pb2.AnalyzePlanRequest.SemanticHash, answer: base_pb2.AnalyzePlanResponse
) -> None:
    """Equal plans have equal hashes, but not Spark's numbers: 32 bits, signed, as in Java."""
    plan = decompress_plan(message.plan).root
    answer.semantic_hash.result = (hash(plan_key(session, plan)) & 0xFFFFFFFF) - 0x80000000


def explain(
    session: Session, message: base_pb2.AnalyzePlanRequest.Explain, answer: base_pb2.AnalyzePlanResponse
) -> None:
    """Without Spark there is no physical plan of Spark: prints the DuckDB SQL that will run."""
    mode = base_pb2.AnalyzePlanRequest.Explain.ExplainMode.Name(message.explain_mode).removeprefix("EXPLAIN_MODE_")
    answer.explain.explain_string = explain_text(query_of(session, message.plan), mode)
    session.remember("duckdb", NATIVE, EXPLAINED)


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
# Where there is no Spark: otherwise Spark's own plan and hash are returned, except for rows that are cached natively.
ALONE: dict[str, Handler] = {"explain": explain, "semantic_hash": semantic_hash}
