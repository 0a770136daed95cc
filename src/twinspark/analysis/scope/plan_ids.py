"""Plan ids: which DataFrame a column was taken from, and which of its columns can still be referenced from above."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from twinspark.analysis.scope.attributes import Attribute, Attributes


@dataclass(frozen=True)
class PlanNode:
    """The relation with a plan id: its columns, its depth below the reference, and the columns that all relations above
    it still pass on (`shown`, None for all)."""

    attributes: Attributes
    hidden: Attributes
    depth: int
    shown: frozenset[int] | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all its own columns are still available."""
        return all(map(self.shows, self.attributes))

    def shows(self, attribute: Attribute) -> bool:
        return self.shown is None or attribute.id in self.shown

    def seen_from_above(self, shown: frozenset[int] | None, depth: int) -> PlanNode:
        """The same node for references from further up, where only some columns are passed on."""
        if shown is None:
            return self
        return PlanNode(
            self.attributes, self.hidden, self.depth + depth, shown if self.shown is None else self.shown & shown
        )


Nodes = dict[int, tuple[PlanNode, ...]]


class Plans(Mapping[int, tuple[PlanNode, ...]]):
    """Plan ids and their nodes. The nodes below are restricted to the columns that are still visible above (`visible`).
    Everything is computed on demand: most is never used, and chains of projections are long."""

    def __init__(self, make: Callable[[], Nodes], below: Plans | None = None, visible: Attributes = ()) -> None:
        self._make, self.below, self._visible = make, below, visible

    @cached_property
    def own(self) -> Nodes:
        return self._make()

    @cached_property
    def ids(self) -> frozenset[int]:
        return frozenset([a.id for a in self._visible])

    def joined_by(self, plan_id: int, node: PlanNode) -> Plans:
        return Plans(lambda: {**self.own, plan_id: (node,)}, self.below, self._visible)

    def levels(self) -> Iterator[tuple[Nodes, frozenset[int] | None, int]]:
        """For each frame on the way down: its nodes, the columns that are passed on up to the top, and its depth."""
        plans: Plans | None = self
        shown: frozenset[int] | None = None
        depth = 0
        while plans is not None:
            yield plans.own, shown, depth
            shown = plans.ids if shown is None else shown & plans.ids
            plans, depth = plans.below, depth + 1

    def __getitem__(self, plan_id: int) -> tuple[PlanNode, ...]:
        for own, shown, depth in self.levels():
            if plan_id in own:
                return tuple(node.seen_from_above(shown, depth) for node in own[plan_id])
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
                out.setdefault(plan_id, tuple(node.seen_from_above(shown, depth) for node in nodes))
        return out


def deeper(plans: Mapping[int, tuple[PlanNode, ...]], visible: Attributes) -> Mapping[int, tuple[PlanNode, ...]]:
    """The plan ids below a relation, restricted to the columns that it passes on."""
    return Plans(dict, plans_of(plans), visible) if plans else {}


def plans_of(plans: Mapping[int, tuple[PlanNode, ...]]) -> Plans:
    return plans if isinstance(plans, Plans) else Plans(lambda: dict(plans))


def merge_plans(
    sides: Sequence[tuple[Mapping[int, tuple[PlanNode, ...]], Attributes]],
) -> Mapping[int, tuple[PlanNode, ...]]:
    """Merges the plan ids of a join's sides: an id on both sides refers to both, each restricted to what its side
    passes on. The depth does not grow, since the join condition sees both sides directly."""

    def make() -> Nodes:
        out: Nodes = {}
        for plans, visible in sides:
            shown = frozenset([a.id for a in visible])
            for plan_id, nodes in plans_of(plans).all().items():
                out[plan_id] = (*out.get(plan_id, ()), *(node.seen_from_above(shown, 0) for node in nodes))
        return out

    return Plans(make) if any(plans for plans, _ in sides) else {}
