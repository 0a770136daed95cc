"""Answers the cleanup requests of PySpark ML's model cache in sessions without models, so that no Spark is started.

PySpark sends `clean_cache` from an exit handler, and `delete` when a model is garbage collected.
"""

from collections.abc import Callable

from pyspark.sql.connect.proto import base_pb2, ml_pb2

from twinspark.sessions.services import Services
from twinspark.wire.connect.proto_fields import bytes_field

ML_RESULT = base_pb2.ExecutePlanResponse.DESCRIPTOR.fields_by_name["ml_command_result"].number


def is_model_housekeeping(plan: base_pb2.Plan, services: Services) -> bool:
    """Models are created on Spark: a session that the running Spark does not know has none."""
    if services.spark.open or plan.WhichOneof("op_type") != "command":
        return False
    command = plan.command
    return command.WhichOneof("command_type") == "ml_command" and command.ml_command.WhichOneof("command") in ANSWERS


def empty_cache_response(command: ml_pb2.MlCommand) -> tuple[bytes, ...]:
    """Spark's response with an empty cache: no model removed, listed or deleted."""
    answer = ml_pb2.MlCommandResult()
    ANSWERS[command.WhichOneof("command") or ""](answer)
    return (bytes_field(ML_RESULT, answer.SerializeToString()),)


def none_removed(answer: ml_pb2.MlCommandResult) -> None:
    answer.param.integer = 0


def none_there(answer: ml_pb2.MlCommandResult) -> None:
    answer.param.array.element_type.string.SetInParent()


def none_deleted(answer: ml_pb2.MlCommandResult) -> None:
    answer.operator_info.obj_ref.SetInParent()


ANSWERS: dict[str, Callable[[ml_pb2.MlCommandResult], None]] = {
    "clean_cache": none_removed,
    "get_cache_info": none_there,
    "delete": none_deleted,
}
