"""Which SQL statements are about tables; what carries them out is imported when the first of them comes."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from twinspark.read.sql import tree

Handler = Callable[..., Any]


def lazily(module: str, name: str) -> Handler:
    """PyIceberg takes a second to import: a session that never names a table does not wait for it."""

    def handler(*arguments: Any) -> Any:
        return getattr(import_module(f"twinspark.session.{module}"), name)(*arguments)

    return handler


# DataFrames' commands, by their names in the protocol: given the message, the context and the session.
write_table = lazily("writes_frames", "write_table")
write_to = lazily("writes_frames", "write_to")
merge_into = lazily("writes_merge_frames", "merge_into")

TABLE_HANDLERS: dict[type, Handler] = {
    tree.CreateTable: lazily("table_commands_create", "create_table"),
    tree.CreateTableLike: lazily("table_commands_create", "create_like"),
    tree.DropTable: lazily("table_commands_alter", "drop_table"),
    tree.AlterTable: lazily("table_commands_alter", "alter_table"),
    tree.TruncateTable: lazily("table_commands_alter", "truncate_table"),
    tree.Insert: lazily("writes_sql", "insert_rows"),
    tree.Delete: lazily("writes_changes", "delete_rows"),
    tree.Update: lazily("writes_changes", "update_rows"),
    tree.Merge: lazily("writes_merge", "merge_rows"),
    tree.Call: lazily("table_commands_call", "call_procedure"),
}
