"""The plans that a session has persisted on DuckDB, so that Spark can persist them too before it explains a plan."""

from collections.abc import Callable
from dataclasses import dataclass, field

from twinspark.plan.relations import Relation


@dataclass
class PersistedPlan:
    """A persisted plan and the request that persisted it; `is_on_spark` once the request was sent to Spark."""

    plan: Relation
    request: bytes
    is_on_spark: bool = False


@dataclass
class PersistedPlans:
    """Requests are sent only when Spark explains a plan: persisting the rows there earlier would be wasted work."""

    plans: list[PersistedPlan] = field(default_factory=list)

    def add(self, plan: Relation, request: bytes) -> None:
        if all(each.plan != plan for each in self.plans):
            self.plans.append(PersistedPlan(plan, request))

    def remove(self, plan: Relation) -> bool:
        """Whether Spark has to unpersist it as well."""
        gone = [each for each in self.plans if each.plan == plan]
        self.plans = [each for each in self.plans if each.plan != plan]
        return any(each.is_on_spark for each in gone)

    def send_to_spark(self, send: Callable[[bytes], object]) -> None:
        for each in self.plans:
            if not each.is_on_spark:
                send(each.request)
                each.is_on_spark = True
