"""Samples with replacement: Spark's PoissonSampler, which draws from Commons Math's WELL 19937c generator."""

from __future__ import annotations

import math
from collections.abc import Iterator

WORDS = 624  # 19937 bits in 32-bit words
LOW, HIGH = 0x7FFFFFFF, 0x80000000
MASK = 0xFFFFFFFF
MOST_MEAN = 40.0  # larger means use another algorithm (PoissonDistribution.nextPoisson)


def task_seeds(seed: int, tasks: int) -> list[int]:
    """Each task's seed is the next long of a java.util.Random (SampleExec)."""
    state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)
    found = []
    for _ in range(tasks):
        state, high = next_int(state)
        state, low = next_int(state)
        found.append(((high << 32) + low) & ((1 << 64) - 1))
    return found


def next_int(state: int) -> tuple[int, int]:
    state = (state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
    value = state >> 16
    return state, value - (1 << 32) if value & HIGH else value


def first_words(seed: int) -> list[int]:
    """The generator's initial state: AbstractWell.setSeed with the two halves of the seed."""
    words = [seed >> 32 & MASK, seed & MASK]
    for i in range(2, WORDS):
        before = words[i - 2]
        signed = before - (1 << 32) if before & HIGH else before
        words.append((1812433253 * (signed ^ (signed >> 30)) + i) & MASK)
    return words


def words_of(seed: int) -> Iterator[int]:
    """The stream of Well19937c.next(32)."""
    v, index = first_words(seed), 0
    while True:
        last, before = (index + WORDS - 1) % WORDS, (index + WORDS - 2) % WORDS
        v0, m1, m2, m3 = v[index], v[(index + 70) % WORDS], v[(index + 179) % WORDS], v[(index + 449) % WORDS]
        z0 = (HIGH & v[last]) ^ (LOW & v[before])
        z1 = (v0 ^ (v0 << 25 & MASK)) ^ (m1 ^ (m1 >> 27))
        z2 = (m2 >> 9) ^ (m3 ^ (m3 >> 1))
        z3 = z1 ^ z2
        z4 = z0 ^ (z1 ^ (z1 << 9 & MASK)) ^ (z2 ^ (z2 << 21 & MASK)) ^ (z3 ^ (z3 >> 21))
        v[index], v[last], index = z3, z4, last
        v[before] &= HIGH
        z4 ^= (z4 << 7) & 0xE46E1700
        z4 ^= (z4 << 15) & 0x9B868000
        yield z4 & MASK


def doubles_of(seed: int) -> Iterator[float]:
    """The stream of BitsStreamGenerator.nextDouble."""
    words = words_of(seed)
    while True:
        high, low = next(words) >> 6, next(words) >> 6
        yield (high << 26 | low) * 2.0**-52


def counts(seed: int, mean: float, rows: int) -> list[int]:
    """PoissonDistribution.sample for each row of a task."""
    doubles = doubles_of(seed)
    least = math.exp(-mean)
    return [one_count(doubles, mean, least) for _ in range(rows)]


def one_count(doubles: Iterator[float], mean: float, least: float) -> int:
    count, product = 0, 1.0
    while count < 1000 * mean:
        product *= next(doubles)
        if product < least:
            break
        count += 1
    return count
