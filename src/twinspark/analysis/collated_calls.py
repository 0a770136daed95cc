"""Calls over strings with a collation: their arguments brought to one collation, and compared by its keys.

Only functions that are named here take them; how each answers was asked of Spark (tests/sql_queries/collations.sql)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from twinspark.analysis.collations import (
    Strength,
    collation_of,
    common_collation,
    has_strings,
    indeterminate,
    recollated,
    unexpected_collation,
)
from twinspark.analysis.literals import literal
from twinspark.errors import NotNative
from twinspark.functions import canonical
from twinspark.functions.casts import not_native
from twinspark.functions.collations import (
    BARE,
    KEY,
    LOSE_SPACES,
    SIDES,
    TRIMMED,
    UTF8_BINARY,
    check_without_icu,
    collated,
    ignores_spaces,
    is_indeterminate,
    key_sql,
    searching_writer,
    uncollated,
)
from twinspark.functions.registry import Signature, Writer
from twinspark.functions.settings import Settings
from twinspark.functions.spelling import text
from twinspark.functions.typing import ordinal
from twinspark.plan.expressions import Call, Expression, Literal
from twinspark.types import (
    ArrayType,
    DataType,
    MapType,
    StringType,
    has_collation,
    has_inner,
    is_null,
    is_string,
)

Make = Callable[..., Expression]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


# CollationTypeCoercion.apply: whose strings are brought to one collation.
COERCED = words(
    "in array array_join concat greatest least coalesce nvl array_contains array_except concat_ws mask replace "
    "translate trim ltrim rtrim btrim array_append array_intersect array_position array_remove array_union "
    "arrays_overlap contains endswith <=> == = find_in_set > >= < <= startswith instr to_number try_to_number "
    "str_to_map levenshtein split_part lag lead regexp_replace rpad lpad overlay elt substring_index locate if "
    "nullif equal_null"
)
# CollationTypeCoercion.canContainIndeterminateCollation: who refuses strings of no certain collation.
DECISIVE = words(
    "<=> == = > >= < <= in contains startswith endswith upper lower initcap find_in_set instr replace locate "
    "substring_index trim ltrim rtrim btrim translate"
)
# To Spark they are other expressions, and names show their arguments as they were written.
SHOWN_AS_WRITTEN = words("btrim nvl nullif equal_null left")
# They are polymorphic, or do not look at the collation: strings of any go in and come out.
TAKEN_AS_THEY_ARE = words(
    "coalesce nvl if array isnull isnotnull typeof first last any_value first_value last_value nth_value "
    "collect_list array_agg lag lead slice flatten array_repeat array_compact element_at getarrayitem get struct "
    "named_struct size array_size cardinality to_pretty_string transform filter exists forall"
)
COMPARING = words("== = <=> > >= < <= in equal_null array_contains array_position arrays_overlap")
# The answer does not depend on the collation; strings in it are of the first argument's, or of UTF8_BINARY.
KEEPING = words(
    "substring left right overlay lpad rpad repeat concat concat_ws elt make_valid_utf8 validate_utf8 "
    "try_validate_utf8 reverse hex conv array_append array_join trim ltrim rtrim btrim format_string sentences"
)
SETS = words("array_distinct array_union array_intersect array_except")
LETTERS = words("upper lower")  # in other locales than the root's they are others
PLAIN = words(
    "ascii soundex length octet_length bit_length levenshtein is_valid_utf8 luhn_check encode base64 unbase64 "
    "to_binary unhex md5 sha sha1 sha2 crc32 hash xxhash64 url_encode quote sum avg abs round bround sqrt "
    "date_add date_sub datediff year month to_date to_timestamp to_json format_number + - * / % div negative"
)
ACCENTS_WITH_CASE = frozenset(LOSE_SPACES) - {"find_in_set"}  # whose types are StringTypeNonCSAICollation


def is_for_collations(arguments: Sequence[Expression]) -> bool:
    return any(has_collation(argument.type) for argument in arguments)


def collated_call(
    make: Make, name: str, arguments: Sequence[Expression], settings: Settings, **facts: Any
) -> Expression:
    """`make` is calls.call for strings without collations."""
    known = canonical(name)
    if known not in KNOWN:
        raise NotNative(f"{name} of strings with a collation")
    if any(has_collation(a.type) and has_inner(a.type, MapType) for a in arguments):
        raise NotNative(f"{name} of maps of strings with a collation")
    written = arguments
    arguments = [*arguments, *defaults_of(known, arguments)]
    found = common_collation(in_turn(known, arguments)) if known in COERCED else None
    uncertain = found is not None and found.strength == Strength.INDETERMINATE
    if uncertain or any(is_indeterminate(argument.type) for argument in arguments):
        check_takes_uncertain(known, name, arguments, make, settings)
    if found is not None:
        arguments = [recollated(argument, found.collation, settings) for argument in arguments]
    shown = facts.pop("text", None)
    if known in SHOWN_AS_WRITTEN:
        shown = shown or shown_as_written(make, name, written, settings)
    elif known in SIDES or known == "locate":  # TRIM(… FROM …) and POSITION(… IN …) show what their arguments became
        shown = None
    collation = found.collation if found is not None else first_collation(arguments)
    return answered(Answering(make, name, known, settings, {**facts, "text": shown}), arguments, written, collation)


def in_turn(known: str, arguments: Sequence[Expression]) -> Sequence[Expression]:
    """As they are met: of what trims, the text comes first, and then the characters."""
    return arguments[::-1] if known in SIDES and known != "btrim" else arguments


def defaults_of(known: str, arguments: Sequence[Expression]) -> list[Expression]:
    """What Spark fills in before collations are settled."""
    if known in ("lpad", "rpad") and len(arguments) == 2:
        return [literal(" ")]
    return [literal("")] if known == "replace" and len(arguments) == 2 else []


def shown_as_written(make: Make, name: str, written: Sequence[Expression], settings: Settings) -> str:
    return make(name, list(map(bare, written)), settings).text


def first_collation(arguments: Sequence[Expression]) -> str:
    return next((collation_of(a.type) for a in arguments if has_strings(a.type)), UTF8_BINARY)


def check_takes_uncertain(
    known: str, name: str, arguments: Sequence[Expression], make: Make, settings: Settings
) -> None:
    """Strings of no certain collation go through what does not look at it, and stay so."""
    if known in DECISIVE:
        name, arguments = ("trim", arguments[::-1]) if known == "btrim" else (name, arguments)
        raise indeterminate(make(name, list(map(bare, arguments)), settings).text)
    settled = any(is_indeterminate(argument.type) for argument in arguments) and known != "collate"
    if settled or known not in (KEEPING - {"array_append", "array_join"}) | {"levenshtein", "collate"}:
        raise NotNative(f"{name} of strings of no certain collation")


class Answering:
    """A call to be made, once its arguments are of one collation."""

    def __init__(self, make: Make, name: str, known: str, settings: Settings, facts: dict[str, Any]) -> None:
        self.make, self.name, self.known, self.settings, self.facts = make, name, known, settings, facts

    def of(self, arguments: Sequence[Expression]) -> Expression:
        return self.make(self.name, list(arguments), self.settings, **self.facts)

    def spelled(self, arguments: Sequence[Expression], writer: Writer) -> Expression:
        made = self.of(arguments)
        assert isinstance(made, Call)
        return replace(made, signature=with_writer(made.signature, writer))


def answered(
    answering: Answering, arguments: Sequence[Expression], written: Sequence[Expression], collation: str
) -> Expression:
    known = answering.known
    if known in COMPARING:
        return answering.of(compared(arguments, answering.settings))
    if known == "count":
        return answering.of(list(map(key if answering.facts.get("distinct") else bare, arguments)))
    if known == "nullif":
        made = answering.spelled(list(map(bare, arguments)), nullif_writer(collation))
        return replace(made, type=written[0].type)
    if known in ("greatest", "least"):
        made = answering.spelled(list(map(bare, arguments)), extreme_writer(known, collation))
        return replace(made, type=collated(made.type, collation))
    if known in ("min", "max"):
        return extreme(answering, arguments, collation)
    if known in SETS:
        made = answering.spelled(list(map(bare, arguments)), set_writer(known, collation))
        return replace(made, type=collated(made.type, collation))
    if known == "collation":
        return collation_name(answering, arguments)
    if known in ACCENTS_WITH_CASE:
        check_accents(answering, arguments, collation)
    if known in LOSE_SPACES and len(arguments) > 1 and collation != UTF8_BINARY:
        return searched(answering, arguments, collation)
    if known in TAKEN_AS_THEY_ARE:
        return answering.of(arguments)
    if known in LETTERS:
        check_without_icu(collation)
    made = answering.of(list(map(bare, arguments)))
    return replace(made, type=collated(made.type, collation)) if known in KEEPING | LETTERS else made


def compared(arguments: Sequence[Expression], settings: Settings) -> list[Expression]:
    """By keys where strings meet strings; a string that meets something else becomes that (ANSI), or it is Spark's."""
    if all(has_strings(a.type) or is_null(a.type) for a in arguments):
        return list(map(key, arguments))
    if not settings.ansi or any(isinstance(a.type, ArrayType) for a in arguments):
        raise NotNative("strings with a collation beside other types")
    return list(map(bare, arguments))


def searched(answering: Answering, arguments: Sequence[Expression], collation: str) -> Expression:
    check_without_icu(collation)
    losing = LOSE_SPACES[answering.known] if ignores_spaces(collation) else ()
    plain = [wrapped(TRIMMED, a) if i in losing else bare(a) for i, a in enumerate(arguments)]
    writer = searching_writer(answering.known, collation)
    made = answering.of(plain) if writer is None else answering.spelled(plain, writer)
    return replace(made, type=collated(made.type, collation))


def check_accents(answering: Answering, arguments: Sequence[Expression], collation: str) -> None:
    """AI without CI is refused; trimming in the words of what Spark makes of it, whose first child is the text."""
    told = collation.split("_")
    if "AI" not in told or "CI" in told:
        return
    name, shown = answering.name, arguments
    if answering.known == "btrim":
        name, shown = "trim", arguments[::-1]
    refused = answering.make(name, list(map(bare, shown)), answering.settings)
    index = next(i for i, a in enumerate(arguments) if is_string(a.type))
    source = shown[-1] if answering.known in SIDES else arguments[index]
    raise unexpected_collation(refused.text, ordinal(index), source)


def extreme(answering: Answering, arguments: Sequence[Expression], collation: str) -> Expression:
    if not isinstance(arguments[0].type, StringType):
        raise NotNative(f"{answering.name} of strings with a collation inside of others")
    check_without_icu(collation)
    made = answering.spelled(list(map(bare, arguments)), extreme_of_group(answering.known, collation))
    return replace(made, type=arguments[0].type)


def collation_name(answering: Answering, arguments: Sequence[Expression]) -> Expression:
    (value,) = arguments
    if not isinstance(value.type, StringType):
        raise NotNative("the collation of what is no string")
    return answering.spelled([bare(value)], text(f"SYSTEM.BUILTIN.{value.type.collation}"))


# ---- arguments


def wrapped(signature: Signature, value: Expression, type: DataType | None = None) -> Expression:
    return Call(
        name=signature.function,
        signature=signature,
        arguments=(value,),
        type=type or uncollated(value.type),
        nullable=value.nullable,
        text=value.text,
        settings=Settings(),
    )


def bare(value: Expression) -> Expression:
    """The same value as a string of UTF8_BINARY."""
    if not has_collation(value.type):
        return value
    return replace(value, type=uncollated(value.type)) if isinstance(value, Literal) else wrapped(BARE, value)


def key(value: Expression) -> Expression:
    return wrapped(KEY, value) if has_collation(value.type) else value


# ---- right halves


@cache
def with_writer(signature: Signature, writer: Writer) -> Signature:
    """One for equal calls: plans compare signatures by identity."""
    return replace(signature, writer=writer)


@cache
def nullif_writer(collation: str) -> Writer:
    def write(call: Any, value: str, other: str) -> str:
        left, right = (key_sql(sql, StringType(collation)) for sql in (value, other))
        return f"(CASE WHEN {left} = {right} THEN NULL ELSE {value} END)"

    return write


@cache
def extreme_writer(name: str, collation: str) -> Writer:
    """Of equal ones the first (Least, Greatest)."""
    operator = "<" if name == "least" else ">"

    def write(call: Any, *values: str) -> str:
        known = f"list_filter([{', '.join(values)}], lambda e_: e_ IS NOT NULL)"
        new, best = (key_sql(sql, StringType(collation)) for sql in ("e_", "best_"))
        chosen = f"CASE WHEN {new} {operator} {best} THEN e_ ELSE best_ END"
        return f"(CASE WHEN len({known}) > 0 THEN list_reduce({known}, lambda best_, e_: {chosen}) END)"

    return write


@cache
def extreme_of_group(name: str, collation: str) -> Writer:
    """Of several that are equal and yet differ Spark gives the one that it met first."""

    def write(call: Any, value: str, distinct: str = "", suffix: str = "", order: str = "") -> str:
        if " OVER " in suffix:
            raise NotNative(f"{name} of strings with a collation over a window")
        values = f"list(DISTINCT {value}){suffix}"
        best = f"list_{name}(list_transform({values}, lambda e_: {key_sql('e_', StringType(collation))}))"
        found = f"list_filter({values}, lambda e_: {key_sql('e_', StringType(collation))} = {best})"
        several = not_native(f"a {name} of strings that are equal under their collation and yet differ")
        return f"(CASE WHEN len({found}) > 1 THEN {several} ELSE ({found})[1] END)"

    return write


def unique_text(sql: str, collation: str) -> str:
    """A key that is never null."""
    return f"coalesce('=' || {key_sql(sql, StringType(collation))}, '')"


def first_ones(values: str, collation: str) -> str:
    """Each value once, the first of those that are equal."""
    keys = f"list_transform({values}, lambda each_: {unique_text('each_', collation)})"
    return f"list_filter({values}, lambda e_, i_: list_position({keys}, {unique_text('e_', collation)}) = i_)"


@cache
def set_writer(name: str, collation: str) -> Writer:
    def kept(left: str, right: str, test: str) -> str:
        keys = f"list_transform({right}, lambda each_: {unique_text('each_', collation)})"
        return f"list_filter({left}, lambda e_: {test}list_contains({keys}, {unique_text('e_', collation)}))"

    def write(call: Any, left: str, right: str = "") -> str:
        if name == "array_distinct":
            return first_ones(left, collation)
        if name == "array_union":
            both = f"list_concat({left}, {right})"
        else:
            both = kept(left, right, "NOT " if name == "array_except" else "")
        return f"(CASE WHEN {left} IS NOT NULL AND {right} IS NOT NULL THEN {first_ones(both, collation)} END)"

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
