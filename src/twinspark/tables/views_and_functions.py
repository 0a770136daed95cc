"""Persistent views and functions of a catalog, stored in the local SQLite file for every kind of catalog."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from twinspark.errors import SparkError
from twinspark.tables.catalog import Identifier, Namespace
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.tables.store import Store

Properties = Mapping[str, str]


@dataclass(frozen=True)
class View:
    """A persistent view: its SQL, and the catalog and namespace in which its names are resolved."""

    identifier: Identifier
    text: str
    schema: str
    catalog: str = "spark_catalog"
    namespace: tuple[str, ...] = ("default",)
    columns: tuple[str, ...] = ()
    comments: tuple[str | None, ...] = ()
    comment: str | None = None
    properties: Properties = field(default_factory=dict)
    config: Properties = field(default_factory=dict)


@dataclass(frozen=True)
class Function:
    """A persistent function: a class with its resources, or an SQL body."""

    identifier: Identifier
    definition: Mapping[str, Any]


class ViewsAndFunctions:
    """The views and functions of a SessionCatalog."""

    name: str
    iceberg: IcebergCatalog
    store: Store

    if TYPE_CHECKING:  # defined by SessionCatalog

        def table_exists(self, identifier: Identifier) -> bool: ...

        def load_namespace(self, namespace: Sequence[str]) -> Namespace: ...

    def create_view(self, view: View, replace: bool = False) -> None:
        self.load_namespace(view.identifier.namespace)
        if self.load_view(view.identifier) is not None and not replace:
            raise self.iceberg.already_exists(view.identifier)
        if self.table_exists(view.identifier):
            raise self.iceberg.already_exists(view.identifier)
        definition = asdict(view)
        del definition["identifier"]
        self.store.put(self.name, "view", *key(view.identifier), definition)

    def load_view(self, identifier: Identifier) -> View | None:
        definition = self.store.get(self.name, "view", *key(identifier))
        if definition is None:
            return None
        lists = {name: tuple(definition[name]) for name in ("namespace", "columns", "comments")}
        return View(identifier, **{**definition, **lists})

    def drop_view(self, identifier: Identifier) -> bool:
        return self.store.remove(self.name, "view", *key(identifier))

    def list_views(self, namespace: Sequence[str]) -> list[Identifier]:
        self.load_namespace(namespace)
        return [Identifier(tuple(namespace), name) for name in self.store.names(self.name, "view", ".".join(namespace))]

    def create_function(self, function: Function, replace: bool = False) -> None:
        self.load_namespace(function.identifier.namespace)
        if self.load_function(function.identifier) is not None and not replace:
            name = self.iceberg.full_name(function.identifier)
            raise SparkError(
                "ROUTINE_ALREADY_EXISTS", routineName=name, newRoutineType="routine", existingRoutineType="routine"
            )
        self.store.put(self.name, "function", *key(function.identifier), dict(function.definition))

    def load_function(self, identifier: Identifier) -> Function | None:
        definition = self.store.get(self.name, "function", *key(identifier))
        return None if definition is None else Function(identifier, definition)

    def drop_function(self, identifier: Identifier) -> bool:
        return self.store.remove(self.name, "function", *key(identifier))

    def list_functions(self, namespace: Sequence[str]) -> list[Identifier]:
        names = self.store.names(self.name, "function", ".".join(namespace))
        return [Identifier(tuple(namespace), name) for name in names]


def key(identifier: Identifier) -> tuple[str, str]:
    return ".".join(identifier.namespace), identifier.name
