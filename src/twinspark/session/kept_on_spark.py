"""Plans that a session keeps on the embedded engine, for the day when Spark is asked how it would run them."""

from collections.abc import Callable
from dataclasses import dataclass, field

from twinspark.plan.relations import Relation


@dataclass
class Kept:
    """A plan and the request that asked to keep it; `told` once Spark has heard of it."""

    plan: Relation
    request: bytes
    told: bool = False


@dataclass
class KeptOnSpark:
    """Nothing is told before Spark is asked to explain a plan: keeping rows there as well would be waste."""

    kept: list[Kept] = field(default_factory=list)

    def add(self, plan: Relation, request: bytes) -> None:
        if all(each.plan != plan for each in self.kept):
            self.kept.append(Kept(plan, request))

    def remove(self, plan: Relation) -> bool:
        """Whether Spark has to forget it as well."""
        gone = [each for each in self.kept if each.plan == plan]
        self.kept = [each for each in self.kept if each.plan != plan]
        return any(each.told for each in gone)

    def tell(self, send: Callable[[bytes], object]) -> None:
        for each in self.kept:
            if not each.told:
                send(each.request)
                each.told = True
