"""The names that Spark suggests for an unresolved one (StringUtils.orderSuggestedIdentifiersBySimilarity)."""

from collections.abc import Sequence

from twinspark.types import quote_identifier, quote_if_needed


def suggestions(parts: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[str]:
    """All candidates, the most similar first, without the qualifiers that they have in common."""
    base = ".".join(quote_if_needed(part) for part in parts)
    shown = [".".join(map(quote_identifier, candidate)) for candidate in strip_qualifiers(parts, candidates)]
    return sorted(shown, key=lambda name: distance(name, base))


# Spark's qualifier for a subquery in FROM without an alias: it counts in the distance, but is not shown.
NAMELESS = "__auto_generated_subquery_name"


def order_is_sure(parts: Sequence[str], candidates: Sequence[Sequence[str]]) -> bool:
    """Whether the order stays the same if the candidates without a qualifier came from a subquery without an alias."""
    if len(parts) == 1 or all(len(each) > 1 for each in candidates):
        return True
    named = [each if len(each) > 1 else (NAMELESS, *each) for each in candidates]
    prefix = f"`{NAMELESS}`."
    return [each.removeprefix(prefix) for each in suggestions(parts, named)] == suggestions(parts, candidates)


def strip_qualifiers(parts: Sequence[str], candidates: Sequence[Sequence[str]]) -> list[Sequence[str]]:
    if len(parts) == 1 and len({tuple(c[:-1]) for c in candidates}) == 1:
        return [c[-1:] for c in candidates]
    if len(parts) <= 2 and len({tuple(c[:-2]) for c in candidates}) == 1:
        return [c[-2:] for c in candidates]
    return list(candidates)


def distance(left: str, right: str) -> int:
    """The Levenshtein distance."""
    previous = list(range(len(right) + 1))
    for row, a in enumerate(left, 1):
        current = [row]
        for column, b in enumerate(right, 1):
            change = previous[column - 1] + (a != b)
            current.append(min(previous[column] + 1, current[-1] + 1, change))
        previous = current
    return previous[-1]
