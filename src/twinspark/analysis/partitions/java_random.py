"""The first number of Spark's XORShiftRandom for a seed, on which round-robin partitioning depends."""

from __future__ import annotations

from functools import cache

ARRAY_SEED = 0x3C074A61  # scala.util.hashing.MurmurHash3.arraySeed
WORD = 0xFFFFFFFF
LONG = 0xFFFFFFFFFFFFFFFF


@cache
def first_int(seed: int, bound: int) -> int:
    """new XORShiftRandom(seed).nextInt(bound)."""
    state = hashed_seed(seed)
    while True:
        state ^= (state << 21) & LONG
        state ^= state >> 35
        state ^= (state << 4) & LONG
        bits = state & 0x7FFFFFFF
        if bound & (bound - 1) == 0:
            return (bound * bits) >> 31
        if bits - bits % bound + bound - 1 <= 0x7FFFFFFF:
            return bits % bound


def hashed_seed(seed: int) -> int:
    data = (seed & LONG).to_bytes(8, "big")
    low = bytes_hash(data, ARRAY_SEED)
    return bytes_hash(data, low) << 32 | low


def bytes_hash(data: bytes, seed: int) -> int:
    """MurmurHash3 of little-endian 32-bit words."""
    found = seed
    for at in range(0, len(data), 4):
        word = int.from_bytes(data[at : at + 4], "little")
        word = word * 0xCC9E2D51 & WORD
        word = (word << 15 | word >> 17) & WORD
        found ^= word * 0x1B873593 & WORD
        found = (found << 13 | found >> 19) & WORD
        found = (found * 5 + 0xE6546B64) & WORD
    found ^= len(data)
    found = (found ^ found >> 16) * 0x85EBCA6B & WORD
    found = (found ^ found >> 13) * 0xC2B2AE35 & WORD
    return found ^ found >> 16
