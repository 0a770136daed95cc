"""DataFrame.mergeInto: MERGE from a MergeIntoTableCommand message."""

from collections.abc import Callable

from pyspark.sql.connect.proto import commands_pb2, expressions_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.scope.frames import Frame
from twinspark.analysis.scope.names import Scope
from twinspark.commands.dml.dataframe_writers import NOTHING, parse_name
from twinspark.commands.dml.delete_update import Changing, cast_assignments, changing, column_path, without_hidden
from twinspark.commands.dml.merge import BY_SOURCE, MATCHED, NOT_MATCHED, Action, Merging, evolved_for
from twinspark.commands.dml.replace_where import filter_condition
from twinspark.commands.dml.source import Source, write_rows_of
from twinspark.commands.results import Answer
from twinspark.plan.expressions import Expression
from twinspark.read.proto import read_frame
from twinspark.read.proto.expressions import read_expression
from twinspark.read.sql import tree
from twinspark.sessions.services import Services

Command = Callable[[], Answer]
KINDS = expressions_pb2.MergeAction.ActionType
STARS = (KINDS.ACTION_TYPE_INSERT_STAR, KINDS.ACTION_TYPE_UPDATE_STAR)


def merge_into(message: commands_pb2.MergeIntoTableCommand, context: Context, services: Services) -> Command:
    name = tree.Name(0, 0, parse_name(message.target_table_name, context))

    def again() -> Changing:
        return changing(name, None, None, "MERGE INTO TABLE", "", context, services)

    found = again()

    def write(source: Frame) -> Command:
        nonlocal found
        if message.with_schema_evolution:
            found = evolved_for(found, without_hidden(source), stars(message), again)
        merging = Merging.of(found, source, lambda sides: read(message.merge_condition, sides, found))
        read_actions = actions(message, merging)
        found.check_changeable()
        return quiet(merging.command(read_actions))

    return write_rows_of(
        services,
        context,
        Source(lambda: read_frame(message.source_table_plan, context), lambda: message.source_table_plan),
        write,
    )


def stars(message: commands_pb2.MergeIntoTableCommand) -> bool:
    merge_action = [*message.match_actions, *message.not_matched_actions, *message.not_matched_by_source_actions]
    return any(each.merge_action.action_type in STARS for each in merge_action)


def quiet(command: Command) -> Command:
    def carry_out() -> Answer:
        command()
        return NOTHING

    return carry_out


def read(expression: expressions_pb2.Expression, frame: Frame, found: Changing) -> Expression:
    return read_expression(expression, Scope(frame, found.context))


def actions(message: commands_pb2.MergeIntoTableCommand, merging: Merging) -> list[Action]:
    kinds = (
        (MATCHED, message.match_actions),
        (NOT_MATCHED, message.not_matched_actions),
        (BY_SOURCE, message.not_matched_by_source_actions),
    )
    return [action(when, each.merge_action, merging) for when, found in kinds for each in found]


def action(when: str, merge_action: expressions_pb2.MergeAction, merging: Merging) -> Action:
    frame = merging.visible_columns(when)
    condition = None
    if merge_action.HasField("condition"):
        condition = filter_condition(frame, read(merge_action.condition, frame, merging.found), merging.found.context)
    return Action(when, condition, values(when, merge_action, merging, frame))


def values(
    when: str, merge_action: expressions_pb2.MergeAction, merging: Merging, frame: Frame
) -> dict[str, Expression] | None:
    kind = merge_action.action_type
    if kind == KINDS.ACTION_TYPE_DELETE:
        return None
    if kind in STARS:
        given = merging.star(when)
        return merging.with_defaults(given) if when == NOT_MATCHED else given
    if kind == KINDS.ACTION_TYPE_UPDATE:
        names = merging.target_of_joined if when == MATCHED else frame
        pairs = [
            (read(each.key, names, merging.found), read(each.value, frame, merging.found))
            for each in merge_action.assignments
        ]
        return cast_assignments(pairs, merging.found, names)
    return merging.with_defaults(inserted_values(merge_action, merging, frame))


def inserted_values(merge_action: expressions_pb2.MergeAction, merging: Merging, frame: Frame) -> dict[str, Expression]:
    found = merging.found
    made = {}
    for each in merge_action.assignments:
        attribute, _ = column_path(read(each.key, found.frame, found), found.frame)
        field = found.field(attribute.name)
        made[field.name] = merging.cast_value(read(each.value, frame, found), field)
    return made
