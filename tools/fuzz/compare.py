"""Asks calls of both servers over the same rows and finds the units (rows, groups, partitions) answered otherwise.

Questions to Spark are dear, so many calls are asked in one projection, each over its own columns and only over the
units that we answer; what we refuse is asked one by one, and only some of it. Rows that fail are told apart first."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from tools.cases.connect import Connection
from tools.cases.files import Answer, refusal
from tools.fuzz.asking import Asked, answers
from tools.fuzz.failing import Failing
from tools.replay.run import NOT_NATIVE

OWN_QUESTIONS, SPARK_QUESTIONS, FAILURES_ASKED, FAILURES_TRIED = 150, 24, 2, 40
Answers = dict[int, Answer]


@dataclass(frozen=True)
class Difference:
    """A unit for which the two servers disagree."""

    unit: int
    spark: Answer
    ours: Answer


@dataclass
class Compared:
    """What came of one call."""

    asked: Asked
    own: Answers = field(default_factory=dict)
    equal: int = 0
    errors: int = 0
    differences: list[Difference] = field(default_factory=list)
    own_questions: int = OWN_QUESTIONS
    spark_questions: int = SPARK_QUESTIONS
    failing: list[int] | None = None

    @cached_property
    def weights(self) -> Counter[int]:
        """How many inputs a unit has."""
        return Counter(self.asked.rows.column(self.asked.unit).to_pylist())

    @property
    def hopeful(self) -> list[int]:
        return sorted(set(self.asked.units) - set(self.failing or ()))

    @property
    def fine(self) -> list[int]:
        return [unit for unit, answer in self.own.items() if not answer.failed]

    @property
    def elsewhere(self) -> int:
        return sum(answer.failed and answer.value == NOT_NATIVE for answer in self.own.values())

    def hold(self, unit: int, spark: Answer) -> None:
        own = self.own[unit]
        if (spark.kind, spark.value) == (own.kind, own.value):
            self.equal += self.weights[unit]
            self.errors += own.failed
        else:
            self.differences.append(Difference(unit, spark, own))


class Comparison:
    """Both servers in one mode."""

    def __init__(self, spark: Connection, ours: Connection, failing: Failing) -> None:
        self.spark, self.ours, self.failing = spark, ours, failing

    def compare(self, asked: Sequence[Asked]) -> list[Compared]:
        """Calls of one kind over tables of as many rows."""
        compared = [Compared(one) for one in asked]
        self.answer(compared)
        self.hold([one for one in compared if one.fine])
        for one in compared:
            for unit in refused(one.own):
                one.hold(unit, self.alone(one, unit))
        return compared

    # ---- our own answers

    def answer(self, compared: list[Compared]) -> None:
        """Together where all are answered; else each alone."""
        if compared[0].asked.kind == "scalar":
            for one, failing in zip(compared, self.failing.units([one.asked for one in compared]), strict=True):
                one.failing = failing
        self.answer_hopeful([one for one in compared if one.hopeful])
        for one in compared:
            tried = (one.failing or [])[:: len(one.failing or []) // FAILURES_TRIED + 1]
            one.own |= {unit: self.own_alone(one, unit) for unit in tried}

    def answer_hopeful(self, compared: list[Compared]) -> None:
        if len(compared) <= 1:
            for one in compared:
                one.own |= self.halved(one, one.hopeful)
            return
        found = answers(self.ours, Asked.together([one.asked.cycled(one.hopeful) for one in compared]))
        if isinstance(found, list):
            for one, own in zip(compared, found, strict=True):
                one.own |= {unit: own[place] for place, unit in one.asked.places(one.hopeful) if place in own}
        else:
            self.answer_hopeful(compared[: len(compared) // 2])
            self.answer_hopeful(compared[len(compared) // 2 :])

    def own_alone(self, one: Compared, unit: int) -> Answer:
        found = answers(self.ours, one.asked.only([unit]))
        return found[0].get(unit, refusal("no rows")) if isinstance(found, list) else found

    def halved(self, one: Compared, units: list[int]) -> Answers:
        """A block that fails is halved down to the units that fail, as long as questions are left."""
        if not units or one.own_questions <= 0:
            return {}
        one.own_questions -= 1
        found = answers(self.ours, one.asked.only(units))
        if isinstance(found, list):
            return found[0]
        if len(units) == 1 or self.always(one, found):
            return dict.fromkeys(units, found)
        middle = len(units) // 2
        return self.halved(one, units[:middle]) | self.halved(one, units[middle:])

    def always(self, one: Compared, found: Answer) -> bool:
        """Whether the call is refused for whatever rows: told by no rows at all."""
        return one.own_questions == OWN_QUESTIONS - 1 and answers(self.ours, one.asked.only([])) == found

    # ---- Spark's answers to what we answered

    def hold(self, compared: list[Compared]) -> None:
        """All calls together; where that fails, half of them, down to one call, and then by halves of its units."""
        if len(compared) <= 1:
            for one in compared:
                self.hold_units(one, one.fine)
            return
        found = answers(self.spark, Asked.together([one.asked.cycled(one.fine) for one in compared]))
        if isinstance(found, list):
            for one, spark in zip(compared, found, strict=True):
                self.hold_cycled(one, spark)
        else:
            self.hold(compared[: len(compared) // 2])
            self.hold(compared[len(compared) // 2 :])

    def hold_cycled(self, one: Compared, spark: Answers) -> None:
        """Rows were put in the places of those we refuse: the answers are those of the units put there."""
        fine = one.fine
        for place, unit in one.asked.places(fine):
            one.hold(unit, spark.get(place, refusal("no rows")))

    def hold_units(self, one: Compared, units: list[int]) -> None:
        if not units or one.spark_questions <= 0:
            return
        one.spark_questions -= 1
        found = answers(self.spark, one.asked.only(units))
        if isinstance(found, list):
            for unit in units:
                one.hold(unit, found[0].get(unit, refusal("no rows")))
        elif len(units) == 1:
            one.hold(units[0], found)
        else:
            self.hold_units(one, units[: len(units) // 2])
            self.hold_units(one, units[len(units) // 2 :])

    def alone(self, one: Compared, unit: int) -> Answer:
        found = answers(self.spark, one.asked.only([unit]))
        return found[0].get(unit, refusal("no rows")) if isinstance(found, list) else found


def refused(own: Answers) -> Iterator[int]:
    """Units that we refuse with an error of Spark's: some of each condition."""
    by_condition: dict[str, list[int]] = {}
    for unit, answer in own.items():
        if answer.failed and answer.value != NOT_NATIVE:
            by_condition.setdefault(answer.value, []).append(unit)
    for units in by_condition.values():
        yield from units[:: len(units) // FAILURES_ASKED + 1]
