"""Extracts Python aggregate functions over windows: a worker gets rows by partition, with the bounds of their
frames."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from twinspark.analysis.expressions.build import call
from twinspark.analysis.expressions.literals import literal
from twinspark.analysis.partitions.row_numbers import ranking_call
from twinspark.errors import NotNative, reasons
from twinspark.functions.notation.settings import Settings
from twinspark.plan.expressions import Call, Expression, SortOrder, WindowCall, WindowFrame
from twinspark.plan.python_functions import WINDOW_AGGREGATES
from twinspark.plan.python_relations import FunctionChain, PythonAggregateCall, PythonWindow
from twinspark.plan.relations import Field, Project, Relation
from twinspark.plan.rewrite import map_children, walk
from twinspark.types import INT

Windows = Sequence[WindowCall]
UP_TO_PEERS = WindowFrame(rows=False, lower=None, upper=0)


def is_python(node: Expression) -> bool:
    return isinstance(node, WindowCall) and isinstance(node.function, PythonAggregateCall)


def python_windows(expressions: Iterable[Expression]) -> list[WindowCall]:
    found: list[WindowCall] = []
    for node in (node for each in expressions for node in walk(each)):
        if isinstance(node, WindowCall) and is_python(node) and node not in found:
            found.append(node)
    return found


def extract_windows(relation: Project) -> Project:
    """Adds one relation below for each combination of PARTITION BY and ORDER BY; the projection reads their results."""
    below, order = relation.input, list[WindowCall]()
    for calls in alike(python_windows(relation.expressions)):
        below = one_way(below, calls)
        order += calls
    width = len(relation.input.fields)

    def rule(node: Expression) -> Expression:
        if not isinstance(node, WindowCall) or not is_python(node):
            return map_children(node, rule)
        return replace(below.column(width + order.index(node)), text=node.text)

    return replace(relation, input=below, expressions=tuple(map(rule, relation.expressions)))


def with_more(rows: Relation, more: Sequence[Expression]) -> Project:
    """All columns of the rows, and additional ones after them."""
    own = tuple(map(rows.column, range(len(rows.fields))))
    fields = (Field(f"_{at}", each.type, each.nullable) for at, each in enumerate(more, len(own)))
    return Project(input=rows, expressions=(*own, *more), fields=(*rows.fields, *fields))


def alike(windows: Windows) -> list[list[WindowCall]]:
    """Groups windows with equal PARTITION BY, ORDER BY and kind of function."""
    found: list[list[WindowCall]] = []
    for each in windows:
        for others in found:
            if way_of(others[0]) == way_of(each):
                others.append(each)
                break
        else:
            found.append([each])
    return found


def way_of(window: WindowCall) -> tuple[object, ...]:
    return window.partition, window.ordering, python_of(window).function.eval_type


def python_of(window: WindowCall) -> PythonAggregateCall:
    assert isinstance(window.function, PythonAggregateCall)
    return window.function


def one_way(input: Relation, windows: Windows) -> Relation:
    """The input's columns, then the results of windows with equal PARTITION BY and ORDER BY."""
    for each in map(python_of, windows):
        if each.function.eval_type not in WINDOW_AGGREGATES or each.filter is not None:
            raise NotNative(reasons.PYTHON_FUNCTION_KIND, "over a window")
    settings = python_of(windows[0]).settings
    numbered = numbered_rows(input, windows[0], settings)
    frames: list[WindowFrame] = []
    for frame in map(frame_of, windows):
        if frame is not None and frame not in frames:
            frames.append(frame)
    bounded = with_bounds(numbered, windows[0], frames, settings)
    sent = sent_rows(bounded, len(input.fields), windows, frames, settings)
    results = tuple(Field(each.text, each.type, True) for each in windows)
    width = sent.width
    made = replace(sent, fields=(*sent.input.fields[:width], *results))
    kept = [*range(len(input.fields)), *range(width, width + len(windows))]
    return Project(input=made, expressions=tuple(map(made.column, kept)), fields=(*input.fields, *results))


def frame_of(window: WindowCall) -> WindowFrame | None:
    """None for the whole partition (UnboundedWindowFunctionFrame)."""
    frame = window.frame or (UP_TO_PEERS if window.ordering else None)
    return None if frame is None or (frame.lower is None and frame.upper is None) else frame


def numbered_rows(input: Relation, window: WindowCall, settings: Settings) -> Project:
    """The input's columns, the partition keys, the sort keys, and the number of each row in its partition."""
    keyed = with_more(input, [*window.partition, *(order.child for order in window.ordering)])
    return with_more(keyed, [ranking_call("row_number", *key_columns(keyed, len(input.fields), window), settings)])


def key_columns(rows: Relation, width: int, window: WindowCall) -> tuple[tuple[Expression, ...], tuple[SortOrder, ...]]:
    """PARTITION BY and ORDER BY as columns of the rows."""
    first = width + len(window.partition)
    partition = tuple(rows.column(width + place) for place in range(len(window.partition)))
    ordering = tuple(replace(each, child=rows.column(first + at)) for at, each in enumerate(window.ordering))
    return partition, ordering


def with_bounds(numbered: Project, window: WindowCall, frames: Sequence[WindowFrame], settings: Settings) -> Relation:
    """Adds the row numbers of the first and the last row of each frame; NULL for an empty frame. Ties in a ROWS frame
    are ordered by row number."""
    place = numbered.column(len(numbered.fields) - 1)
    width = len(numbered.fields) - 1 - len(window.partition) - len(window.ordering)
    partition, ordering = key_columns(numbered, width, window)
    bounds: list[Expression] = []
    for frame in frames:
        order = (SortOrder(child=place),) if frame.rows else ordering
        for name in ("min", "max"):
            function = call(name, [place], settings)
            assert isinstance(function, Call)
            bounds.append(
                WindowCall(type=INT, nullable=True, function=function, partition=partition, ordering=order, frame=frame)
            )
    return with_more(numbered, bounds)


def sent_rows(
    rows: Relation, width: int, windows: Windows, frames: Sequence[WindowFrame], settings: Settings
) -> PythonWindow:
    """The columns that are not sent (input, keys, row number), then the frames' bounds and the arguments, each once."""
    keys = len(windows[0].partition)
    place = width + keys + len(windows[0].ordering)
    arguments: list[Expression] = []
    for frame_place in range(len(frames)):
        first, last = (rows.column(place + 1 + 2 * frame_place + side) for side in (0, 1))
        arguments += [begin_of(first, settings), call("coalesce", [last, literal(0, INT)], settings)]
    chains = tuple(chain_of(each, frames, arguments) for each in windows)
    waiting = [*range(width + keys), place]
    expressions = (*map(rows.column, waiting), *arguments)
    fields = tuple(Field(f"_{at}", each.type, each.nullable) for at, each in enumerate(expressions))
    return PythonWindow(
        input=Project(input=rows, expressions=expressions, fields=fields),
        width=len(waiting),
        chains=chains,
        partition=tuple(range(width, width + keys)),
        bounds=tuple("unbounded" if frame_of(each) is None else "bounded" for each in windows),
        fields=fields,
        workers=python_of(windows[0]).workers,
    )


def begin_of(first: Expression, settings: Settings) -> Expression:
    before = call("-", [first, literal(1, INT)], settings)
    return call("coalesce", [before, literal(0, INT)], settings)


def chain_of(window: WindowCall, frames: Sequence[WindowFrame], arguments: list[Expression]) -> FunctionChain:
    """The offsets of the frame's bounds, then those of the arguments (ArrowWindowPythonEvaluatorFactory)."""
    python, frame = python_of(window), frame_of(window)
    bounds = () if frame is None else (2 * frames.index(frame), 2 * frames.index(frame) + 1)
    for each in python.arguments:
        if each not in arguments:
            arguments.append(each)
    places = tuple(arguments.index(each) for each in python.arguments)
    return FunctionChain((python.function,), (*bounds, *places), (*(None for _ in bounds), *python.keys))
