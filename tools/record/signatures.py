"""Finds out which argument types a function accepts, and the type, nullability and name Spark gives the result."""

import re
from dataclasses import dataclass, field

from pyspark.sql import types as t

from tools.cases.connect import Connection, ServerError, projection, sql_relation
from tools.cases.files import Answer, refusal
from tools.cases.typetext import result_text, schema_text
from tools.record.catalogue import Documented
from tools.record.probes import NULLABLE, TYPES, column_of, probe_schema
from tools.record.seeds import SEEDS

SCHEMA = probe_schema()
TYPE_OF_COLUMN = {f.name: result_text(f.dataType, f.nullable) for f in SCHEMA.fields}
MOST_ARITIES, MOST_ARGUMENTS = 4, 6


@dataclass
class Signature:
    """Everything learnt about one function: accepted calls with their results, refused calls by condition."""

    name: str
    accepted: dict[str, t.StructType] = field(default_factory=dict)
    refused: dict[str, str] = field(default_factory=dict)

    def knows(self, call: str) -> bool:
        return call in self.accepted or call in self.refused


class Prober:
    """Asks one server about calls over the probe relation, by analysis alone."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def probe(self, documented: Documented, thorough: bool = True) -> Signature:
        found = Signature(documented.name)
        for arguments in self.base_calls(documented):
            self.around(found, arguments, thorough)
        if not found.accepted:  # nothing to start from: at least say why
            for arguments, _ in seed_calls(documented):
                self.note(found, arguments)
        return found

    def base_calls(self, documented: Documented) -> list[list[str]]:
        """One known-good call for each documented number of arguments, on columns wherever a column is accepted."""
        bases: dict[int, list[str]] = {}
        for arguments, relation in seed_calls(documented):
            if len(arguments) in bases or len(bases) == MOST_ARITIES or len(arguments) > MOST_ARGUMENTS:
                continue
            lifted = self.on_columns(documented.name, self.on_probe(arguments, relation))
            if lifted is not None:
                bases[len(arguments)] = lifted
        return list(bases.values())

    def on_probe(self, arguments: list[str], relation: str) -> list[str]:
        """What an example takes from its own relation is taken from the probe relation."""
        taken = [a if not relation or self.column_for(a, "") else self.column_for(a, relation) for a in arguments]
        return [column or argument for column, argument in zip(taken, arguments, strict=True)]

    def on_columns(self, name: str, arguments: list[str]) -> list[str] | None:
        """The call with literals replaced by columns of their types, where Spark still accepts it."""
        columns = [self.column_for(argument, "") for argument in arguments]
        lifted = [column or argument for column, argument in zip(columns, arguments, strict=True)]
        if self.accepts(name, lifted):
            return lifted
        kept = list(arguments)
        for position, column in enumerate(columns):
            if column and self.accepts(name, replaced(kept, position, column)):
                kept = replaced(kept, position, column)
        return kept if self.accepts(name, kept) else None

    def column_for(self, argument: str, relation: str) -> str | None:
        if "->" in argument:
            return None
        try:
            kind = self.connection.analyze(sql_relation(f"SELECT {argument} {relation}")).fields[0].dataType
        except ServerError:
            return None
        return column_of(kind)

    def accepts(self, name: str, arguments: list[str]) -> bool:
        return isinstance(self.ask(call_text(name, arguments)), t.StructType)

    def around(self, found: Signature, base: list[str], thorough: bool) -> None:
        """Varies the known-good call: its nulls, its arity, one argument's type at a time, then all alike."""
        for arguments in [base, *with_nullable(base), *other_arities(base)]:
            self.note(found, arguments)
        for position in range(len(base)) if thorough else ():
            self.vary(found, base, position)
        for column in TYPES if thorough and len(base) in (2, 3) else ():
            self.note(found, [column] * len(base))

    def vary(self, found: Signature, base: list[str], position: int) -> None:
        """Every type at one position; the nullable column only where its type is accepted."""
        self.note(found, replaced(base, position, "NULL"))
        for column in TYPES:
            if self.note(found, replaced(base, position, column)):
                self.note(found, replaced(base, position, column + NULLABLE))

    def note(self, found: Signature, arguments: list[str]) -> bool:
        return self.note_call(found, call_text(found.name, arguments))

    def note_call(self, found: Signature, call: str) -> bool:
        if not found.knows(call):
            answer = self.ask(call)
            if isinstance(answer, str):
                found.refused[call] = answer
            else:
                found.accepted[call] = answer
        return call in found.accepted

    def ask_all(self, calls: list[str]) -> dict[str, t.StructType | str]:
        """Many calls in few questions: together while all are accepted and each is one column."""
        if len(calls) <= 1:
            return {call: self.ask(call) for call in calls}
        try:
            schema = self.connection.analyze(projection(columns_of(calls), calls))
        except ServerError:
            schema = t.StructType()
        if len(schema.fields) == len(calls):
            return {call: t.StructType([field]) for call, field in zip(calls, schema.fields, strict=True)}
        middle = len(calls) // 2
        return self.ask_all(calls[:middle]) | self.ask_all(calls[middle:])

    def ask(self, call: str) -> t.StructType | str:
        try:
            return self.connection.analyze(projection(columns_of([call]), [call]))
        except ServerError as error:
            return error.condition


def columns_of(calls: list[str]) -> t.StructType:
    """The probe columns that calls mention: an engine need not know the types of the others."""
    words = {word for call in calls for word in re.findall(r"[a-z]\w*", call)}
    return t.StructType([field for field in SCHEMA.fields if field.name in words])


def seed_calls(documented: Documented) -> list[tuple[list[str], str]]:
    """Argument lists to start from, each with the relation its columns come from."""
    own = [(arguments, "") for arguments in SEEDS.get(documented.name, [])]
    shown = [(call, relation_of(example)) for example in documented.examples for call in calls_in(documented, example)]
    return own + shown


def calls_in(documented: Documented, example: str) -> list[list[str]]:
    return Documented(documented.name, "", (example,)).calls()


def relation_of(example: str) -> str:
    found = re.search(r"\bFROM\s+(VALUES|\().*$", example, re.IGNORECASE | re.DOTALL)
    return re.sub(r"\bGROUP BY\b.*$", "", found[0], flags=re.IGNORECASE | re.DOTALL) if found else ""


WINDOW_ONLY = {"cume_dist", "dense_rank", "lag", "lead", "nth_value", "ntile", "percent_rank", "rank", "row_number"}
WITHIN_GROUP = {"percentile_cont", "percentile_disc"}


def call_text(name: str, arguments: list[str]) -> str:
    if name in WITHIN_GROUP and arguments:
        return f"{name}({', '.join(arguments[:-1])}) WITHIN GROUP (ORDER BY {arguments[-1]})"
    call = f"{name}({', '.join(arguments)})"
    return f"{call} OVER (ORDER BY i)" if name in WINDOW_ONLY else call


def is_column(argument: str) -> bool:
    return argument in TYPE_OF_COLUMN


def is_nullable_column(argument: str) -> bool:
    return is_column(argument) and argument.endswith(NULLABLE)


def replaced(arguments: list[str], position: int, new: str) -> list[str]:
    return [*arguments[:position], new, *arguments[position + 1 :]]


def with_nullable(base: list[str]) -> list[list[str]]:
    places = [p for p, argument in enumerate(base) if is_column(argument) and not is_nullable_column(argument)]
    singly = [replaced(base, place, base[place] + NULLABLE) for place in places]
    together = [argument + NULLABLE if place in places else argument for place, argument in enumerate(base)]
    return [*singly, together] if len(places) > 1 else singly


def other_arities(base: list[str]) -> list[list[str]]:
    return [[], base[:-1], [*base, base[-1] if base else "i"]]


def otherwise(prober: Prober, found: Signature) -> Signature:
    """The same calls asked of another server or mode: what differs."""
    known = {call: answer_of(schema) for call, schema in found.accepted.items()}
    return otherwise_than(prober, known | {call: refusal(condition) for call, condition in found.refused.items()})


def otherwise_than(prober: Prober, known: dict[str, Answer]) -> Signature:
    changed = Signature("")
    answers = prober.ask_all([call for call, answer in known.items() if not answer.failed])
    answers |= {call: prober.ask(call) for call, answer in known.items() if answer.failed}
    for call, answer in answers.items():
        if isinstance(answer, str):
            if refusal(answer) != known[call]:
                changed.refused[call] = answer
        elif answer_of(answer) != known[call]:
            changed.accepted[call] = answer
    return changed


def answer_of(schema: t.StructType) -> Answer:
    return Answer(schema_text(schema), "", schema.fields[0].name if len(schema.fields) == 1 else "")


def lines_of(found: Signature) -> list[str]:
    """The text of one function: a line for each accepted call, one for each condition of refused calls."""
    accepted = [accepted_line(call, schema) for call, schema in found.accepted.items()]
    conditions = sorted(set(found.refused.values()))
    refused = [
        f"!{condition} <- " + " ; ".join(call for call, known in found.refused.items() if known == condition)
        for condition in conditions
    ]
    return accepted + refused


def accepted_line(call: str, schema: t.StructType) -> str:
    name = schema.fields[0].name if len(schema.fields) == 1 else None
    named = [] if name is None or name == call else [f"as {escape_line(name)}"]
    return " | ".join([f"{in_types(call)} -> {schema_text(schema)}", call, *named])


def in_types(call: str) -> str:
    """The call with its columns written as their types: `abs(i_n)` is `abs(int?)`."""
    opening = call.find("(")
    inside = re.sub(r"(?<![\w'>.])[a-z]\w*(?![\w'(])", lambda m: TYPE_OF_COLUMN.get(m[0], m[0]), call[opening:])
    return call[:opening] + inside


def escape_line(text: str) -> str:
    return text.replace("\\", "\\\\").replace("\n", "\\n")
