"""Reads operators and keyword syntax: arithmetic, comparison, logic, CASE, CAST, LIKE, EXTRACT and others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from itertools import repeat

from twinspark.analysis.collations.default_collation import with_default_collation
from twinspark.analysis.expressions import build
from twinspark.analysis.relations.basics import Named
from twinspark.analysis.scope.frames import as_expression, resolve_name
from twinspark.analysis.scope.names import Scope, is_literal_function, named_hit, resolve
from twinspark.errors import NotNative, reasons
from twinspark.plan.expressions import Cast, Expression, Literal
from twinspark.read.sql import tree
from twinspark.read.walk.expressions import Walk, walks
from twinspark.read.walk.functions import like_row
from twinspark.types import DateType, StructType, TimestampNTZType, TimestampType

NAMES = {"=": "==", "||": "concat", "<<": "shiftleft", ">>": "shiftright", ">>>": "shiftrightunsigned", "DIV": "div"}


@walks(tree.Binary)
def walk_binary(node: tree.Binary, scope: Scope, walk: Walk) -> Expression:
    left = walk.read(node.left, scope)
    right = walk.read(node.right, scope)
    if node.operator == "-" and walk.context.flag(LEGACY_INTERVALS):
        check_not_moments(left, right)
    if node.operator in ("<>", "!="):
        return build.call("not", [build.call("==", [left, right], walk.settings)], walk.settings)
    text = f"({left.text} {node.operator} {right.text})" if node.operator in SHIFTS else None
    return build.call(NAMES.get(node.operator, node.operator), [left, right], walk.settings, text=text)


LEGACY_INTERVALS = "spark.sql.legacy.interval.enabled"


def check_not_moments(left: Expression, right: Expression) -> None:
    moments = (DateType, TimestampType, TimestampNTZType)
    if isinstance(left.type, moments) or isinstance(right.type, moments):
        raise NotNative(reasons.SETTING_VALUE, f"{LEGACY_INTERVALS} = true")


SHIFTS = ("<<", ">>", ">>>")


@walks(tree.Unary)
def walk_unary(node: tree.Unary, scope: Scope, walk: Walk) -> Expression:
    child = walk.read(node.child, scope)
    if node.operator == "~":
        return build.call("~", [child], walk.settings)
    name = "negative" if node.operator == "-" else "positive"
    return build.call(name, [child], walk.settings, text=f"({node.operator} {child.text})")


@walks(tree.Logical)
def walk_logical(node: tree.Logical, scope: Scope, walk: Walk) -> Expression:
    return build.call(node.operator.lower(), [walk.read(node.left, scope), walk.read(node.right, scope)], walk.settings)


@walks(tree.Not)
def walk_not(node: tree.Not, scope: Scope, walk: Walk) -> Expression:
    if isinstance(node.child, tree.InSubquery):
        return walk.read(replace(node.child, negated=not node.child.negated), scope)
    shown = negate_if(walk.read(node.child, scope), True, walk)
    inner = push_not(node)
    return shown if inner is node else replace(walk.read(inner, scope), text=shown.text)


def push_not(node: tree.Expression) -> tree.Expression:
    """Pushes NOT down to IN subqueries, whose unknown result counts as false (BooleanSimplification)."""
    if not isinstance(node, tree.Not) or not isinstance(node.child, tree.Logical | tree.Not):
        return node
    if not has_in_subquery(node.child):
        return node
    child = node.child
    if isinstance(child, tree.Not):
        return push_not(child.child)
    operator = "OR" if child.operator == "AND" else "AND"
    left, right = (push_not(tree.Not(side.start, side.stop, side)) for side in (child.left, child.right))
    return replace(child, operator=operator, left=left, right=right)


def has_in_subquery(node: tree.Expression) -> bool:
    if isinstance(node, tree.Not):
        return has_in_subquery(node.child)
    if isinstance(node, tree.Logical):
        return has_in_subquery(node.left) or has_in_subquery(node.right)
    return isinstance(node, tree.InSubquery)


def negate_if(made: Expression, is_negated: bool, walk: Walk) -> Expression:
    return build.call("not", [made], walk.settings) if is_negated else made


@walks(tree.Between)
def walk_between(node: tree.Between, scope: Scope, walk: Walk) -> Expression:
    child, lower, upper = walk.reads((node.child, node.lower, node.upper), scope)
    text = f"between({child.text}, {lower.text}, {upper.text})"
    first = build.call(">=", [child, lower], walk.settings, text=f"(commonexpressionref() >= {lower.text})")
    second = build.call("<=", [child, upper], walk.settings, text=f"(commonexpressionref() <= {upper.text})")
    return negate_if(build.call("and", [first, second], walk.settings, text=text), node.negated, walk)


@walks(tree.In)
def walk_in(node: tree.In, scope: Scope, walk: Walk) -> Expression:
    child = walk.read(node.child, scope)
    options = walk.reads(node.options, scope)
    rows = [like_row(option, child) for option in options]
    parts = rows if all(map(have_same_names, rows, repeat(child))) else options  # an error shows them as written
    return negate_if(build.call("in", [child, *parts], walk.settings), node.negated, walk)


def have_same_names(row: Expression, model: Expression) -> bool:
    one, other = row.type, model.type
    return not (isinstance(one, StructType) and isinstance(other, StructType)) or one.names == other.names


@walks(tree.IsNull)
def walk_is_null(node: tree.IsNull, scope: Scope, walk: Walk) -> Expression:
    return build.call("isnotnull" if node.negated else "isnull", [walk.read(node.child, scope)], walk.settings)


@walks(tree.IsTruth)
def walk_is_truth(node: tree.IsTruth, scope: Scope, walk: Walk) -> Expression:
    child = walk.read(node.child, scope)
    if node.value == "UNKNOWN":
        name, word = ("isnotnull", "IS NOT UNKNOWN") if node.negated else ("isnull", "IS UNKNOWN")
        # Spark does not show UNKNOWN once it has resolved something inside (IsUnknown is copied as IsNull).
        text = f"({child.text} {word})" if isinstance(child, Literal) else None
        return build.call(name, [child], walk.settings, text=text)
    made = build.call("<=>", [child, build.literal(node.value == "TRUE")], walk.settings)
    return negate_if(made, node.negated, walk)


@walks(tree.IsDistinct)
def walk_is_distinct(node: tree.IsDistinct, scope: Scope, walk: Walk) -> Expression:
    same = build.call("<=>", walk.reads((node.left, node.right), scope), walk.settings)
    return negate_if(same, not node.negated, walk)


LIKES = {"LIKE": "like", "ILIKE": "ilike", "RLIKE": "rlike"}


@walks(tree.Like)
def walk_like(node: tree.Like, scope: Scope, walk: Walk) -> Expression:
    parts = walk.reads((node.child, node.pattern), scope)
    if node.escape is not None:
        parts.append(build.literal(node.escape))
    text = f"ilike({parts[0].text}, {parts[1].text})" if node.kind == "ILIKE" else None
    return negate_if(build.call(LIKES[node.kind], parts, walk.settings, text=text), node.negated, walk)


@walks(tree.LikeQuantified)
def walk_like_quantified(node: tree.LikeQuantified, scope: Scope, walk: Walk) -> Expression:
    """Constant patterns become one nullable predicate (LikeAny, LikeAll), others a chain of conditions."""
    child, patterns = walk.read(node.child, scope), walk.reads(node.patterns, scope)
    if node.kind == "ILIKE":
        child = build.call("lower", [child], walk.settings)
        patterns = [lower_pattern(pattern, walk) for pattern in patterns]
    tests: Sequence[Expression] = [
        negate_if(build.call("like", [child, pattern], walk.settings), node.negated, walk) for pattern in patterns
    ]
    joined = "or" if node.quantifier == "ANY" else "and"
    chain = reduce(lambda a, b: build.call(joined, [a, b], walk.settings), tests)
    if not all(isinstance(pattern, Literal) for pattern in patterns):
        if any(isinstance(pattern, Cast) and isinstance(pattern.child, Literal) for pattern in patterns):
            raise NotNative(reasons.REGEX, "LIKE ANY or LIKE ALL with a pattern that only Spark evaluates")
        return chain
    name = ("not" if node.negated else "") + "like" + node.quantifier.lower()
    return replace(chain, nullable=True, text=f"{name}({child.text})")


def lower_pattern(pattern: Expression, walk: Walk) -> Expression:
    if not isinstance(pattern, Literal):
        return build.call("lower", [pattern], walk.settings)
    return build.literal(pattern.value.lower()) if isinstance(pattern.value, str) else pattern


@walks(tree.Case)
def walk_case(node: tree.Case, scope: Scope, walk: Walk) -> Expression:
    value = walk.read(node.value, scope) if node.value is not None else None
    branches = []
    for when, then in node.branches:
        condition = walk.read(when, scope)
        if value is not None:
            condition = build.call("==", [value, condition], walk.settings)
        branches.append((condition, walk.read(then, scope)))
    otherwise = walk.read(node.otherwise, scope) if node.otherwise is not None else None
    return build.case_when(branches, otherwise, walk.settings)


@walks(tree.Cast)
def walk_cast(node: tree.Cast, scope: Scope, walk: Walk) -> Expression | Named:
    mode = "try" if node.form == "TRY_CAST" else None
    type = with_default_collation(node.type, walk.context.default_collation)
    made = build.cast(walk.read(node.child, scope), type, walk.settings, mode)
    named = isinstance(node.child, tree.SemiStructuredExtract) and node.child.name
    return Named(made, named) if named else made


@walks(tree.CurrentLike)
def walk_current(node: tree.CurrentLike, scope: Scope, walk: Walk) -> Expression | Named:
    """CURRENT_USER and its synonyms are one function; except for current_path its name is not marked as automatic."""
    name = node.name.lower()
    if node.written and is_literal_function((name,)):
        return resolve(scope, (node.written,))
    column = frame_column(node.written, scope)
    if column is not None:
        return column
    made = build.call("current_user" if name in ("user", "session_user") else name, [], walk.settings)
    return made if name == "current_path" else Named(made, made.text)


def frame_column(name: str, scope: Scope) -> Named | None:
    """A column of that name takes precedence over the function."""
    hit = resolve_name(scope.frame, (name,), scope.settings.case_sensitive) if name else None
    return named_hit(as_expression(scope.frame, hit[0]), hit, scope) if hit is not None else None


@walks(tree.Extract)
def walk_extract(node: tree.Extract, scope: Scope, walk: Walk) -> Expression:
    source = walk.read(node.source, scope)
    text = f"extract({node.field} FROM {source.text})"
    return build.call("extract", [build.literal(node.field), source], walk.settings, text=text)


@walks(tree.Position)
def walk_position(node: tree.Position, scope: Scope, walk: Walk) -> Expression:
    parts = walk.reads((node.substring, node.string), scope)
    return build.call("locate", parts, walk.settings, text=f"locate({parts[0].text}, {parts[1].text}, 1)")


@walks(tree.Substring)
def walk_substring(node: tree.Substring, scope: Scope, walk: Walk) -> Expression:
    parts = walk.reads((node.string, node.position), scope)
    if node.length is not None:
        parts.append(walk.read(node.length, scope))
    return build.call("substring", parts, walk.settings)


TRIMS = {"BOTH": "trim", "": "trim", "LEADING": "ltrim", "TRAILING": "rtrim"}


@walks(tree.Trim)
def walk_trim(node: tree.Trim, scope: Scope, walk: Walk) -> Expression:
    name = TRIMS[node.option]
    source = walk.read(node.source, scope)
    if node.characters is None:
        return build.call(name, [source], walk.settings)
    characters = walk.read(node.characters, scope)
    text = f"TRIM({node.option or 'BOTH'} {characters.text} FROM {source.text})"
    return build.call(name, [characters, source], walk.settings, text=text)


@walks(tree.Overlay)
def walk_overlay(node: tree.Overlay, scope: Scope, walk: Walk) -> Expression:
    parts = walk.reads((node.input, node.replace, node.position), scope)
    if node.length is not None:
        parts.append(walk.read(node.length, scope))
    return build.call("overlay", parts, walk.settings)


@walks(tree.TimestampAdd)
def walk_timestamp_add(node: tree.TimestampAdd, scope: Scope, walk: Walk) -> Expression:
    parts = [build.literal(node.unit), *walk.reads((node.quantity, node.timestamp), scope)]
    text = f"timestampadd({node.unit}, {parts[1].text}, {parts[2].text})"
    return build.call("timestampadd", parts, walk.settings, text=text)


@walks(tree.TimestampDiff)
def walk_timestamp_diff(node: tree.TimestampDiff, scope: Scope, walk: Walk) -> Expression:
    parts = [build.literal(node.unit), *walk.reads((node.begin, node.end), scope)]
    text = f"timestampdiff({node.unit}, {parts[1].text}, {parts[2].text})"
    return build.call("timestampdiff", parts, walk.settings, text=text)


@walks(tree.Collate)
def walk_collate(node: tree.Collate, scope: Scope, walk: Walk) -> Expression:
    name = build.literal(".".join(node.collation.parts))
    return build.call("collate", [walk.read(node.child, scope), name], walk.settings)
