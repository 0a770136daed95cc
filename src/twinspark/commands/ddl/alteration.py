"""The context of one ALTER TABLE statement: its table, text and session, and the resolution of its columns and
defaults."""

from typing import Any

from twinspark.analysis.context import Context
from twinspark.commands.ddl.create import default_text, literal_text
from twinspark.commands.ddl.targets import Target, quote_name
from twinspark.commands.names import constant
from twinspark.errors import SparkError
from twinspark.read.sql import tree
from twinspark.sessions.services import Services
from twinspark.tables.catalog import Identifier
from twinspark.tables.changes import exact_path
from twinspark.tables.iceberg.catalog import IcebergCatalog
from twinspark.types import quote_identifier


class Alteration:
    """One ALTER TABLE statement while its changes are computed."""

    def __init__(self, target: Target, text: str, context: Context, services: Services) -> None:
        self.target = target
        self.text = text
        self.context = context
        self.services = services

    @property
    def iceberg(self) -> tuple[IcebergCatalog, Identifier]:
        """The table's catalog and identifier, if it is an Iceberg table; raises UNSUPPORTED_FEATURE for others."""
        assert self.target.iceberg
        return self.target.catalog.iceberg, self.target.name.identifier

    def default(self, node: Any, name: str) -> str | None:
        if node.default is None:
            return None
        return default_text(node, self.text, self.context, "ALTER TABLE ADD COLUMNS", name)

    def constant(self, node: Any) -> str | None:
        """The current value of a default, as text that both engines parse alike."""
        if node.default is None:
            return None
        value = constant(node.default, self.text, self.context, self.services)
        made = literal_text(value)
        if made is None and value is not None:
            raise self.target.unsupported_error("ADD COLUMN with such a default")
        return made

    def path(self, name: tree.Name) -> tuple[str, ...]:
        """The column that a change names; Spark resolves it as in a query."""
        try:
            return exact_path(self.target.table.schema, name.parts)
        except SparkError as error:
            proposal = ", ".join(quote_identifier(each) for each in self.target.table.schema.names)
            raise SparkError(
                "UNRESOLVED_COLUMN.WITH_SUGGESTION", objectName=quote_name(name.parts), proposal=proposal
            ) from error
