"""How `make test` distributes the suite over processes: whole files, and all files that ask a real Spark together."""

from functools import cache
from pathlib import Path

from xdist.scheduler import LoadScopeScheduling

ROOT = Path(__file__).parent.parent
SPARK = "spark"


@cache
def scope_of(file: str) -> str:
    """Files that hold a test marked `spark` share one process, and so one JVM."""
    return SPARK if "pytest.mark.spark" in (ROOT / file).read_text() else file


class FilesTogether(LoadScopeScheduling):
    """A file's tests stay in one process and in their order: what its fixtures start is started once."""

    def _split_scope(self, nodeid: str) -> str:
        return scope_of(nodeid.partition("::")[0])
