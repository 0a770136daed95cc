"""Approximate quantiles as Spark computes them: each task summarizes its values, and the summaries are merged in order.

This is for small inputs whose tasks are known. A summary is a list of (value, number of values it represents, error of
its rank) after Greenwald and Khanna. Which values remain depends on how Spark's QuantileSummaries compresses and merges
them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple


class QuantileSample(NamedTuple):
    value: float
    weight: int
    slack: int


class Summary(NamedTuple):
    samples: list[QuantileSample]
    rows: int


def quantiles(tasks: Sequence[Sequence[float]], shares: Sequence[float], error: float) -> list[float]:
    """The values at these fractions; an empty list without input values."""
    whole = Summary([], 0)
    for values in tasks:
        whole = merge(whole, summary_of(values, error), error)
    return query(whole, shares, error) if whole.samples else []


def summary_of(values: Sequence[float], error: float) -> Summary:
    """The summary of one task. The values fit into QuantileSummaries' head buffer, so they are inserted all at once."""
    last = len(values) - 1
    samples = [
        QuantileSample(value, 1, 0 if at in (0, last) else math.floor(2 * error * (at + 1)))
        for at, value in enumerate(sorted(values))
    ]
    return Summary(compress(samples, 2 * error * len(values)), len(values))


def compress(samples: Sequence[QuantileSample], limit: float) -> list[QuantileSample]:
    """Merges neighbours, from the largest value down, while their combined error stays below the limit."""
    if not samples:
        return []
    kept: list[QuantileSample] = []
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


def merge(one: Summary, other: Summary, error: float) -> Summary:
    """Samples between those of the other summary have their rank error increased by that summary's error."""
    if not one.rows or not other.rows:
        return one if one.rows else other
    ours, theirs = math.floor(2 * error * other.rows), math.floor(2 * error * one.rows)
    samples: list[QuantileSample] = []
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
    return Summary(compress(samples, 2 * error * count), count)


def looser(sample: QuantileSample, more: int) -> QuantileSample:
    return sample._replace(slack=sample.slack + more)


def query(summary: Summary, shares: Sequence[float], error: float) -> list[float]:
    """QuantileSummaries.query for several fractions in ascending order: each search starts where the last one ended."""
    samples = summary.samples
    reach = max(sample.weight + sample.slack for sample in samples) // 2
    found = [0.0] * len(shares)
    at, lowest = 0, samples[0].weight
    for position in sorted(range(len(shares)), key=lambda i: shares[i]):
        share = shares[position]
        if share <= error:
            found[position] = samples[0].value
        elif share >= 1 - error:
            found[position] = samples[-1].value
        else:
            at, lowest = find_sample(summary, share, reach, at, lowest)
            found[position] = samples[at].value
    return found


def find_sample(summary: Summary, share: float, reach: int, at: int, lowest: int) -> tuple[int, int]:
    """The first sample whose rank is close enough, with its lowest possible rank; otherwise the last sample."""
    samples = summary.samples
    rank = math.ceil(share * summary.rows)
    while at < len(samples) - 1:
        if lowest + samples[at].slack - reach <= rank <= lowest + reach:
            return at, lowest
        at += 1
        lowest += samples[at].weight
    return len(samples) - 1, 0
