"""Looks up a table or view name in twinspark's own catalogs."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from twinspark.analysis.context import Context

if TYPE_CHECKING:
    from twinspark.tables.catalogs import Catalogs, Name
    from twinspark.tables.session_catalog import AnyTable, View


@dataclass(frozen=True)
class CatalogEntry:
    """A table or view that a name resolved to, and its full name; exactly one of view and table is set."""

    name: "Name"
    view: "View | None" = None
    table: "AnyTable | None" = None


def find_in_own_catalogs(parts: Sequence[str], context: Context, catalogs: "Catalogs") -> CatalogEntry | None:
    name = catalogs.resolve(parts, context.catalog, [context.database])
    catalog = catalogs.get(name.catalog)
    if (view := catalog.load_view(name.identifier)) is not None:
        return CatalogEntry(name, view=view)
    if catalog.table_exists(name.identifier):
        return CatalogEntry(name, table=catalog.load_table(name.identifier))
    return None
