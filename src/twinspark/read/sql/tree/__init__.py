"""The nodes of the syntax tree of Spark SQL, before names are resolved."""

# All nodes are exported here; the files only group them.
from twinspark.read.sql.tree.alterations import *  # noqa: F403
from twinspark.read.sql.tree.base import *  # noqa: F403
from twinspark.read.sql.tree.changes import *  # noqa: F403
from twinspark.read.sql.tree.commands import *  # noqa: F403
from twinspark.read.sql.tree.definitions import *  # noqa: F403
from twinspark.read.sql.tree.expressions import *  # noqa: F403
from twinspark.read.sql.tree.iceberg import *  # noqa: F403
from twinspark.read.sql.tree.literals import *  # noqa: F403
from twinspark.read.sql.tree.queries import *  # noqa: F403
from twinspark.read.sql.tree.scripts import *  # noqa: F403
