"""Plan ids: which DataFrame a column was taken from, and what of it can still be seen from further up."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from twinspark.analysis.attributes import Attributes


@dataclass(frozen=True)
class Node:
    """A plan id's node, as references to it see it from above: its own columns, and how deep it lies."""

    attributes: Attributes
    hidden: Attributes
    depth: int
    whole: bool = True  # all its own columns are still to be seen

    def seen(self, shown: frozenset[int] | None, depth: int) -> Node:
        """From further up, where only some columns are still shown."""
        if shown is None:
            return self
        attributes = tuple(a for a in self.attributes if a.id in shown)
        hidden = tuple(a for a in self.hidden if a.id in shown)
        return Node(attributes, hidden, self.depth + depth, self.whole and len(attributes) == len(self.attributes))


Nodes = dict[int, tuple[Node, ...]]


class Plans(Mapping[int, tuple[Node, ...]]):
    """Plan ids and their nodes. Those of the frame below are seen through what that frame's user shows (`visible`).
    All of it is worked out only when it is asked for: most never is, and chains of projections are long."""

    def __init__(self, make: Callable[[], Nodes], below: Plans | None = None, visible: Attributes = ()) -> None:
        self._make, self.below, self._visible = make, below, visible

    @cached_property
    def own(self) -> Nodes:
        return self._make()

    @cached_property
    def ids(self) -> frozenset[int]:
        return frozenset([a.id for a in self._visible])

    def joined_by(self, plan_id: int, node: Node) -> Plans:
        return Plans(lambda: {**self.own, plan_id: (node,)}, self.below, self._visible)

    def levels(self) -> Iterator[tuple[Nodes, frozenset[int] | None, int]]:
        """The nodes of every frame on the way down, the columns that are shown all the way up, and how deep."""
        plans: Plans | None = self
        shown: frozenset[int] | None = None
        depth = 0
        while plans is not None:
            yield plans.own, shown, depth
            shown = plans.ids if shown is None else shown & plans.ids
            plans, depth = plans.below, depth + 1

    def __getitem__(self, plan_id: int) -> tuple[Node, ...]:
        for own, shown, depth in self.levels():
            if plan_id in own:
                return tuple(node.seen(shown, depth) for node in own[plan_id])
        raise KeyError(plan_id)

    def __contains__(self, plan_id: object) -> bool:
        plans: Plans | None = self
        while plans is not None and plan_id not in plans.own:
            plans = plans.below
        return plans is not None

    def __iter__(self) -> Iterator[int]:
        return iter({plan_id: None for own, _, _ in self.levels() for plan_id in own})

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __bool__(self) -> bool:
        return True

    def all(self) -> Nodes:
        out: Nodes = {}
        for own, shown, depth in self.levels():
            for plan_id, nodes in own.items():
                out.setdefault(plan_id, tuple(node.seen(shown, depth) for node in nodes))
        return out


def deeper(plans: Mapping[int, tuple[Node, ...]], visible: Attributes) -> Mapping[int, tuple[Node, ...]]:
    """The plan ids below a node, seen from above it: only columns that the node still shows count."""
    return Plans(dict, plans_of(plans), visible) if plans else {}


def plans_of(plans: Mapping[int, tuple[Node, ...]]) -> Plans:
    return plans if isinstance(plans, Plans) else Plans(lambda: dict(plans))


def merged(
    sides: Sequence[tuple[Mapping[int, tuple[Node, ...]], Attributes]],
) -> Mapping[int, tuple[Node, ...]]:
    """A plan id found on both sides stands for both; each side first hides what it no longer shows. The sides are
    seen as the condition sees them: as neighbours, not from above."""

    def make() -> Nodes:
        out: Nodes = {}
        for plans, visible in sides:
            shown = frozenset([a.id for a in visible])
            for plan_id, nodes in plans_of(plans).all().items():
                out[plan_id] = (*out.get(plan_id, ()), *(node.seen(shown, 0) for node in nodes))
        return out

    return Plans(make) if any(plans for plans, _ in sides) else {}
