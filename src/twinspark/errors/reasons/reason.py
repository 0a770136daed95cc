"""Defines a reason for falling back to Spark: a stable code, a sentence, and what the user can write instead."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reason:
    """One kind of cause, in terms that Spark users know; `instead` is what to write so that the query runs natively,
    or empty if nothing is known."""

    code: str
    sentence: str
    instead: str = ""


@dataclass(frozen=True)
class Cause:
    """A reason with the function, option, type or setting of one query that led to it."""

    reason: Reason
    detail: str = ""

    @property
    def text(self) -> str:
        sentence, detail = self.reason.sentence.removesuffix("."), self.detail.removesuffix(".")
        return f"{sentence}: {detail}." if detail else self.reason.sentence

    def __str__(self) -> str:
        return f"[{self.reason.code}] {self.text}"
