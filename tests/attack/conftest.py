"""What attacks share: servers in processes of their own."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from attacked import Attacked, Serve, serving


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """`serve("--engine", "duckdb")` starts a server; `limit=["prlimit", "--as=…"]` starts it under a limit."""
    with ExitStack() as stack:

        def start(*options: str, environment: dict[str, str] | None = None, limit: tuple[str, ...] = ()) -> Attacked:
            return stack.enter_context(serving(tmp_path, list(options), environment or {}, list(limit)))

        yield start
