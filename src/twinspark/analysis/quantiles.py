"""Quantiles as Spark's tasks find them: each keeps a summary of its values, and the summaries are merged in turn.

For small data whose tasks are known. A summary is a list of (value, how many it stands for, by how much its rank may
be off) after Greenwald and Khanna; Spark's way of compressing and merging it decides which values are left."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class Sample(NamedTuple):
    value: float
    weight: int
    slack: int


class Summary(NamedTuple):
    samples: list[Sample]
    rows: int


def quantiles(tasks: Sequence[Sequence[float]], shares: Sequence[float], error: float) -> list[float]:
    """The values at those shares; none where there are no values."""
    whole = Summary([], 0)
    for values in tasks:
        whole = merged(whole, summary_of(values, error), error)
    return asked(whole, shares, error) if whole.samples else []


def summary_of(values: Sequence[float], error: float) -> Summary:
    """Fewer values than a task gathers before it looks at them: all come in at once."""
    last = len(values) - 1
    samples = [
        Sample(value, 1, 0 if at in (0, last) else math.floor(2 * error * (at + 1)))
        for at, value in enumerate(sorted(values))
    ]
    return Summary(compressed(samples, 2 * error * len(values)), len(values))


def compressed(samples: Sequence[Sample], limit: float) -> list[Sample]:
    """From the largest down, neighbours become one as long as together they are precise enough."""
    if not samples:
        return []
    kept: list[Sample] = []
    head = samples[-1]
    for sample in reversed(samples[1:-1]):
        if sample.weight + head.weight + head.slack < limit:
            head = head._replace(weight=head.weight + sample.weight)
        else:
            kept.append(head)
            head = sample
    kept.append(head)
    if len(samples) > 1 and samples[0].value <= head.value:
        kept.append(samples[0])
    return kept[::-1]


def merged(one: Summary, other: Summary, error: float) -> Summary:
    """Samples among those of the other side lose as much precision as that side has lost."""
    if not one.rows or not other.rows:
        return one if one.rows else other
    ours, theirs = math.floor(2 * error * other.rows), math.floor(2 * error * one.rows)
    samples: list[Sample] = []
    a = b = 0
    while a < len(one.samples) and b < len(other.samples):
        if one.samples[a].value < other.samples[b].value:
            samples.append(looser(one.samples[a], ours if b else 0))
            a += 1
        else:
            samples.append(looser(other.samples[b], theirs if a else 0))
            b += 1
    samples += one.samples[a:] + other.samples[b:]
    count = one.rows + other.rows
    return Summary(compressed(samples, 2 * error * count), count)


def looser(sample: Sample, more: int) -> Sample:
    return sample._replace(slack=sample.slack + more)


def asked(summary: Summary, shares: Sequence[float], error: float) -> list[float]:
    """The shares in their order; each is sought from where the one before was found."""
    samples = summary.samples
    reach = max(sample.weight + sample.slack for sample in samples) // 2
    found = [0.0] * len(shares)
    at, lowest = 0, samples[0].weight
    for place in sorted(range(len(shares)), key=lambda i: shares[i]):
        share = shares[place]
        if share <= error:
            found[place] = samples[0].value
        elif share >= 1 - error:
            found[place] = samples[-1].value
        else:
            at, lowest = sought(summary, share, reach, at, lowest)
            found[place] = samples[at].value
    return found


def sought(summary: Summary, share: float, reach: int, at: int, lowest: int) -> tuple[int, int]:
    """The first sample whose rank is near enough, and the least that rank can be; else the last."""
    samples = summary.samples
    rank = math.ceil(share * summary.rows)
    while at < len(samples) - 1:
        if lowest + samples[at].slack - reach <= rank <= lowest + reach:
            return at, lowest
        at += 1
        lowest += samples[at].weight
    return len(samples) - 1, 0
