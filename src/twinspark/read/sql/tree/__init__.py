"""The syntax tree of Spark SQL: what the text says, before anything is resolved."""

# Every node is offered here by its own name; the files only group them.
from twinspark.read.sql.tree.alterations import *  # noqa: F403
from twinspark.read.sql.tree.base import *  # noqa: F403
from twinspark.read.sql.tree.changes import *  # noqa: F403
from twinspark.read.sql.tree.commands import *  # noqa: F403
from twinspark.read.sql.tree.definitions import *  # noqa: F403
from twinspark.read.sql.tree.expressions import *  # noqa: F403
from twinspark.read.sql.tree.literals import *  # noqa: F403
from twinspark.read.sql.tree.queries import *  # noqa: F403
from twinspark.read.sql.tree.scripts import *  # noqa: F403
