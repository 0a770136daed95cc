"""Builds calls over strings with a collation: casts their arguments to one collation and compares by collation keys.

Only the functions listed here take such strings. Their results were recorded from Spark (`collations.sql` in tests)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from twinspark.analysis.collations.coercion import (
    Strength,
    collation_of,
    common_collation,
    has_strings,
    indeterminate,
    unexpected_collation,
    with_collation,
)
from twinspark.analysis.expressions.literals import literal
from twinspark.errors import NotNative, reasons
from twinspark.functions import canonical
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import Signature, Writer
from twinspark.functions.notation.settings import Settings
from twinspark.functions.notation.typing import ordinal
from twinspark.functions.strings.collations import (
    BARE,
    KEY,
    LOSE_SPACES,
    SIDES,
    TRIMMED,
    UTF8_BINARY,
    check_without_icu,
    collated_type,
    ignores_spaces,
    is_indeterminate,
    key_sql,
    searching_writer,
    uncollated_type,
)
from twinspark.plan.expressions import Call, Expression, Literal
from twinspark.types import ArrayType, DataType, MapType, StringType, has_collation, has_inner, is_null, is_string
from twinspark.types.duckdb import duck_text

Make = Callable[..., Expression]


def names_in(text: str) -> frozenset[str]:
    return frozenset(text.split())


# Functions whose string arguments are cast to one collation (CollationTypeCoercion.apply).
COERCED = names_in(
    "in array array_join concat greatest least coalesce nvl array_contains array_except concat_ws mask replace "
    "translate trim ltrim rtrim btrim array_append array_intersect array_position array_remove array_union "
    "arrays_overlap contains endswith <=> == = find_in_set > >= < <= startswith instr to_number try_to_number "
    "str_to_map levenshtein split_part lag lead regexp_replace rpad lpad overlay elt substring_index locate if "
    "nullif equal_null"
)
# Functions that reject strings of indeterminate collation (CollationTypeCoercion.canContainIndeterminateCollation).
DECISIVE = names_in(
    "<=> == = > >= < <= in contains startswith endswith upper lower initcap find_in_set instr replace locate "
    "substring_index trim ltrim rtrim btrim translate"
)
# Spark parses these into expressions of their own, whose column names show the arguments as they were written.
SHOWN_AS_WRITTEN = names_in("btrim nvl nullif equal_null left")
# Functions that are polymorphic or ignore the collation: strings of any collation are passed through.
TAKEN_AS_THEY_ARE = names_in(
    "coalesce nvl if array isnull isnotnull typeof first last any_value first_value last_value nth_value "
    "collect_list array_agg lag lead slice flatten array_repeat array_compact element_at getarrayitem get struct "
    "named_struct size array_size cardinality to_pretty_string transform filter exists forall"
)
COMPARING = names_in("== = <=> > >= < <= in equal_null array_contains array_position arrays_overlap")
# Functions whose result does not depend on the collation; strings in it have that of the first argument, or
# UTF8_BINARY.
KEEPING = names_in(
    "substring left right overlay lpad rpad repeat concat concat_ws elt make_valid_utf8 validate_utf8 "
    "try_validate_utf8 reverse hex conv array_append array_join trim ltrim rtrim btrim format_string sentences"
)
SETS = names_in("array_distinct array_union array_intersect array_except")
LETTERS = names_in("upper lower")  # locales other than the root have other rules
PLAIN = names_in(
    "ascii soundex length octet_length bit_length levenshtein is_valid_utf8 luhn_check encode base64 unbase64 "
    "to_binary unhex md5 sha sha1 sha2 crc32 hash xxhash64 url_encode quote sum avg abs round bround sqrt "
    "date_add date_sub datediff year month to_date to_timestamp to_json format_number + - * / % div negative"
)
# functions whose parameters are StringTypeNonCSAICollation
ACCENTS_WITH_CASE = frozenset(LOSE_SPACES) - {"find_in_set"}


def is_for_collations(arguments: Sequence[Expression]) -> bool:
    return any(has_collation(argument.type) for argument in arguments)


def collated_call(
    make: Make, name: str, arguments: Sequence[Expression], settings: Settings, **facts: Any
) -> Expression:
    """`make` is calls.call for strings without collations."""
    known = canonical(name)
    if known not in KNOWN:
        raise NotNative(reasons.COLLATION_FUNCTION, f"{name} over strings with a collation")
    if any(has_collation(a.type) and has_inner(a.type, MapType) for a in arguments):
        raise NotNative(reasons.COLLATION_FUNCTION, f"{name} over maps that contain strings with a collation")
    written = arguments
    arguments = [*arguments, *defaults_of(known, arguments)]
    found = common_collation(in_trim_order(known, arguments)) if known in COERCED else None
    uncertain = found is not None and found.strength == Strength.INDETERMINATE
    if uncertain or any(is_indeterminate(argument.type) for argument in arguments):
        check_takes_uncertain(known, name, arguments, make, settings)
    if found is not None:
        arguments = [with_collation(argument, found.collation, settings) for argument in arguments]
    shown = facts.pop("text", None)
    if known in SHOWN_AS_WRITTEN:
        shown = shown or text_as_written(make, name, written, settings)
    # TRIM(… FROM …) and POSITION(… IN …) show their arguments after the casts
    elif known in SIDES or known == "locate":
        shown = None
    collation = found.collation if found is not None else first_collation(arguments)
    return build_collated_call(
        CallBuilder(make, name, known, settings, {**facts, "text": shown}), arguments, written, collation
    )


def in_trim_order(known: str, arguments: Sequence[Expression]) -> Sequence[Expression]:
    """The arguments in Spark's order: for the trim functions the text comes first, then the characters to remove."""
    return arguments[::-1] if known in SIDES and known != "btrim" else arguments


def defaults_of(known: str, arguments: Sequence[Expression]) -> list[Expression]:
    """The default arguments that Spark adds before it resolves collations."""
    if known in ("lpad", "rpad") and len(arguments) == 2:
        return [literal(" ")]
    return [literal("")] if known == "replace" and len(arguments) == 2 else []


def text_as_written(make: Make, name: str, written: Sequence[Expression], settings: Settings) -> str:
    return make(name, list(map(without_collation, written)), settings).text


def first_collation(arguments: Sequence[Expression]) -> str:
    return next((collation_of(a.type) for a in arguments if has_strings(a.type)), UTF8_BINARY)


def check_takes_uncertain(
    known: str, name: str, arguments: Sequence[Expression], make: Make, settings: Settings
) -> None:
    """Only functions that ignore the collation accept strings of indeterminate collation."""
    if known in DECISIVE:
        name, arguments = ("trim", arguments[::-1]) if known == "btrim" else (name, arguments)
        raise indeterminate(make(name, list(map(without_collation, arguments)), settings).text)
    settled = any(is_indeterminate(argument.type) for argument in arguments) and known != "collate"
    if settled or known not in (KEEPING - {"array_append", "array_join"}) | {"levenshtein", "collate"}:
        raise NotNative(reasons.COLLATION_CONFLICT, name)


class CallBuilder:
    """Builds a call once its arguments have one collation."""

    def __init__(self, make: Make, name: str, known: str, settings: Settings, facts: dict[str, Any]) -> None:
        self.make, self.name, self.known, self.settings, self.facts = make, name, known, settings, facts

    def of(self, arguments: Sequence[Expression]) -> Expression:
        return self.make(self.name, list(arguments), self.settings, **self.facts)

    def build_with_writer(self, arguments: Sequence[Expression], writer: Writer) -> Expression:
        made = self.of(arguments)
        assert isinstance(made, Call)
        return replace(made, signature=with_writer(made.signature, writer))


def build_collated_call(
    builder: CallBuilder, arguments: Sequence[Expression], written: Sequence[Expression], collation: str
) -> Expression:
    known = builder.known
    if known in COMPARING:
        return builder.of(comparison_arguments(arguments, builder.settings))
    if known == "count":
        return builder.of(list(map(collation_key if builder.facts.get("distinct") else without_collation, arguments)))
    if known == "nullif":
        made = builder.build_with_writer(list(map(without_collation, arguments)), nullif_writer(collation))
        return replace(made, type=written[0].type)
    if known in ("greatest", "least"):
        made = builder.build_with_writer(list(map(without_collation, arguments)), extreme_writer(known, collation))
        return replace(made, type=collated_type(made.type, collation))
    if known in ("min", "max"):
        return build_extreme_call(builder, arguments, collation)
    if known in SETS:
        made = builder.build_with_writer(list(map(without_collation, arguments)), set_writer(known, collation))
        return replace(made, type=collated_type(made.type, collation))
    if known == "collation":
        return collation_name(builder, arguments)
    if known in ACCENTS_WITH_CASE:
        check_accents(builder, arguments, collation)
    if known in LOSE_SPACES and len(arguments) > 1 and collation != UTF8_BINARY:
        return build_search_call(builder, arguments, collation)
    if known in TAKEN_AS_THEY_ARE:
        return builder.of(arguments)
    if known in LETTERS:
        check_without_icu(collation)
    made = builder.of(list(map(without_collation, arguments)))
    return replace(made, type=collated_type(made.type, collation)) if known in KEEPING | LETTERS else made


def comparison_arguments(arguments: Sequence[Expression], settings: Settings) -> list[Expression]:
    """Compares strings by collation keys. A string beside a value of another type is cast to that type in ANSI mode;
    otherwise the plan falls back to Spark."""
    if all(has_strings(a.type) or is_null(a.type) for a in arguments):
        return list(map(collation_key, arguments))
    if not settings.ansi or any(isinstance(a.type, ArrayType) for a in arguments):
        raise NotNative(reasons.COLLATION_FUNCTION, "strings with a collation beside values of other types")
    return list(map(without_collation, arguments))


def build_search_call(builder: CallBuilder, arguments: Sequence[Expression], collation: str) -> Expression:
    check_without_icu(collation)
    losing = LOSE_SPACES[builder.known] if ignores_spaces(collation) else ()
    plain = [unary_call(TRIMMED, a) if i in losing else without_collation(a) for i, a in enumerate(arguments)]
    writer = searching_writer(builder.known, collation)
    made = builder.of(plain) if writer is None else builder.build_with_writer(plain, writer)
    return replace(made, type=collated_type(made.type, collation))


def check_accents(builder: CallBuilder, arguments: Sequence[Expression], collation: str) -> None:
    """Raises Spark's type mismatch for an accent-insensitive, case-sensitive collation (AI without CI). For trim
    functions the message shows the expression that Spark builds, whose first child is the text."""
    attributes = collation.split("_")
    if "AI" not in attributes or "CI" in attributes:
        return
    name, shown = builder.name, arguments
    if builder.known == "btrim":
        name, shown = "trim", arguments[::-1]
    mismatch = builder.make(name, list(map(without_collation, shown)), builder.settings)
    index = next(i for i, a in enumerate(arguments) if is_string(a.type))
    source = shown[-1] if builder.known in SIDES else arguments[index]
    raise unexpected_collation(mismatch.text, ordinal(index), source)


def build_extreme_call(builder: CallBuilder, arguments: Sequence[Expression], collation: str) -> Expression:
    if not isinstance(arguments[0].type, StringType):
        raise NotNative(
            reasons.COLLATION_FUNCTION, f"{builder.name} over nested values that contain strings with a collation"
        )
    check_without_icu(collation)
    made = builder.build_with_writer(
        list(map(without_collation, arguments)), extreme_aggregate_writer(builder.known, collation)
    )
    return replace(made, type=arguments[0].type)


def collation_name(builder: CallBuilder, arguments: Sequence[Expression]) -> Expression:
    (value,) = arguments
    if not isinstance(value.type, StringType):
        raise NotNative(reasons.FUNCTION_ARGUMENT_TYPE, "collation() of a value that is not a string")
    return builder.build_with_writer([without_collation(value)], duck_text(f"SYSTEM.BUILTIN.{value.type.collation}"))


# ---- arguments


def unary_call(signature: Signature, value: Expression, type: DataType | None = None) -> Expression:
    return Call(
        name=signature.function,
        signature=signature,
        arguments=(value,),
        type=type or uncollated_type(value.type),
        nullable=value.nullable,
        text=value.text,
        settings=Settings(),
    )


def without_collation(value: Expression) -> Expression:
    """The same value as a string of collation UTF8_BINARY."""
    if not has_collation(value.type):
        return value
    return replace(value, type=uncollated_type(value.type)) if isinstance(value, Literal) else unary_call(BARE, value)


def collation_key(value: Expression) -> Expression:
    return unary_call(KEY, value) if has_collation(value.type) else value


# ---- SQL writers


@cache
def with_writer(signature: Signature, writer: Writer) -> Signature:
    """Cached, so that equal calls have one signature: plans compare signatures by identity."""
    return replace(signature, writer=writer)


@cache
def nullif_writer(collation: str) -> Writer:
    def write(call: Any, value: str, other: str) -> str:
        left, right = (key_sql(sql, StringType(collation)) for sql in (value, other))
        return f"(CASE WHEN {left} = {right} THEN NULL ELSE {value} END)"

    return write


@cache
def extreme_writer(name: str, collation: str) -> Writer:
    """The first of equal strings wins (Least, Greatest)."""
    operator = "<" if name == "least" else ">"

    def write(call: Any, *values: str) -> str:
        known = f"list_filter([{', '.join(values)}], lambda e_: e_ IS NOT NULL)"
        new, best = (key_sql(sql, StringType(collation)) for sql in ("e_", "best_"))
        chosen = f"CASE WHEN {new} {operator} {best} THEN e_ ELSE best_ END"
        return f"(CASE WHEN len({known}) > 0 THEN list_reduce({known}, lambda best_, e_: {chosen}) END)"

    return write


@cache
def extreme_aggregate_writer(name: str, collation: str) -> Writer:
    """Among strings that are equal but differ in their bytes, Spark returns the first one of the group."""

    def write(call: Any, value: str, distinct: str = "", suffix: str = "", order: str = "") -> str:
        if " OVER " in suffix:
            raise NotNative(reasons.COLLATION_FUNCTION, f"{name} over a window of strings with a collation")
        values = f"list(DISTINCT {value}){suffix}"
        best = f"list_{name}(list_transform({values}, lambda e_: {key_sql('e_', StringType(collation))}))"
        found = f"list_filter({values}, lambda e_: {key_sql('e_', StringType(collation))} = {best})"
        several = not_native(reasons.COLLATION_GROUPS, name)
        return f"(CASE WHEN len({found}) > 1 THEN {several} ELSE ({found})[1] END)"

    return write


def unique_text(sql: str, collation: str) -> str:
    """SQL of a collation key that is never null."""
    return f"coalesce('=' || {key_sql(sql, StringType(collation))}, '')"


def distinct_sql(values: str, collation: str) -> str:
    """SQL of a list with each value once, the first of those that are equal."""
    keys = f"list_transform({values}, lambda each_: {unique_text('each_', collation)})"
    return f"list_filter({values}, lambda e_, i_: list_position({keys}, {unique_text('e_', collation)}) = i_)"


@cache
def set_writer(name: str, collation: str) -> Writer:
    def filter_by_keys(left: str, right: str, test: str) -> str:
        keys = f"list_transform({right}, lambda each_: {unique_text('each_', collation)})"
        return f"list_filter({left}, lambda e_: {test}list_contains({keys}, {unique_text('e_', collation)}))"

    def write(call: Any, left: str, right: str = "") -> str:
        if name == "array_distinct":
            return distinct_sql(left, collation)
        if name == "array_union":
            both = f"list_concat({left}, {right})"
        else:
            both = filter_by_keys(left, right, "NOT " if name == "array_except" else "")
        return f"(CASE WHEN {left} IS NOT NULL AND {right} IS NOT NULL THEN {distinct_sql(both, collation)} END)"

    return write


KNOWN = (
    (
        TAKEN_AS_THEY_ARE
        | COMPARING
        | KEEPING
        | LETTERS
        | PLAIN
        | frozenset(LOSE_SPACES)
        | {"nullif", "greatest", "least"}
    )
    | {"collation", "collate", "count", "min", "max"}
    | SETS
)
