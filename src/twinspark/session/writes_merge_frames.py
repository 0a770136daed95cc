"""df.mergeInto: the same MERGE, said by a DataFrame's messages."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pyspark.sql.connect.proto import expressions_pb2

from twinspark.analysis.context import Context
from twinspark.analysis.names import Scope
from twinspark.analysis.scope import Frame
from twinspark.plan.expressions import Expression
from twinspark.read.proto import read_frame
from twinspark.read.proto.expressions import read_expression
from twinspark.read.sql import tree
from twinspark.session.sql_results import Answer
from twinspark.session.writes_changes import Changing, changing, place_of, stored, without_hidden
from twinspark.session.writes_frames import NOTHING, parsed
from twinspark.session.writes_merge import BY_SOURCE, MATCHED, NOT_MATCHED, Action, Merging, evolved_for
from twinspark.session.writes_source import Source, written
from twinspark.session.writes_where import checked

if TYPE_CHECKING:
    from twinspark.session.session import Session

Command = Callable[[], Answer]
KINDS = expressions_pb2.MergeAction.ActionType
STARS = (KINDS.ACTION_TYPE_INSERT_STAR, KINDS.ACTION_TYPE_UPDATE_STAR)


def merge_into(message: Any, context: Context, session: "Session") -> Command:
    name = tree.Name(0, 0, parsed(message.target_table_name, context))

    def again() -> Changing:
        return changing(name, None, None, "MERGE INTO TABLE", "", context, session)

    found = again()

    def write(source: Frame) -> Command:
        nonlocal found
        if message.with_schema_evolution:
            found = evolved_for(found, without_hidden(source), stars(message), again)
        merging = Merging.of(found, source, lambda sides: read(message.merge_condition, sides, found))
        read_actions = actions(message, merging)
        found.check_changeable()
        return quiet(merging.command(read_actions))

    return written(
        session,
        Source(lambda: read_frame(message.source_table_plan, context), lambda: message.source_table_plan),
        write,
    )


def stars(message: Any) -> bool:
    told = [*message.match_actions, *message.not_matched_actions, *message.not_matched_by_source_actions]
    return any(each.merge_action.action_type in STARS for each in told)


def quiet(command: Command) -> Command:
    def carry_out() -> Answer:
        command()
        return NOTHING

    return carry_out


def read(expression: Any, frame: Frame, found: Changing) -> Expression:
    return read_expression(expression, Scope(frame, found.context))


def actions(message: Any, merging: Merging) -> list[Action]:
    kinds = (
        (MATCHED, message.match_actions),
        (NOT_MATCHED, message.not_matched_actions),
        (BY_SOURCE, message.not_matched_by_source_actions),
    )
    return [action(when, each.merge_action, merging) for when, found in kinds for each in found]


def action(when: str, told: Any, merging: Merging) -> Action:
    frame = merging.seen(when)
    condition = None
    if told.HasField("condition"):
        condition = checked(frame, read(told.condition, frame, merging.found), merging.found.context)
    return Action(when, condition, values(when, told, merging, frame))


def values(when: str, told: Any, merging: Merging, frame: Frame) -> dict[str, Expression] | None:
    kind = told.action_type
    if kind == KINDS.ACTION_TYPE_DELETE:
        return None
    if kind in STARS:
        given = merging.star(when)
        return merging.filled(given) if when == NOT_MATCHED else given
    if kind == KINDS.ACTION_TYPE_UPDATE:
        names = merging.target_of_joined if when == MATCHED else frame
        pairs = [
            (read(each.key, names, merging.found), read(each.value, frame, merging.found)) for each in told.assignments
        ]
        return stored(pairs, merging.found, names)
    return merging.filled(inserted(told, merging, frame))


def inserted(told: Any, merging: Merging, frame: Frame) -> dict[str, Expression]:
    found = merging.found
    made = {}
    for each in told.assignments:
        attribute, _ = place_of(read(each.key, found.frame, found), found.frame)
        field = found.field(attribute.name)
        made[field.name] = merging.stored(read(each.value, frame, found), field)
    return made
