"""The entry point of `python -m twinspark` and of the `twinspark` script."""

import atexit
import gc
import os
import sys
import threading
import traceback
from typing import NoReturn


def main() -> None:
    gc.disable()  # imported modules are never garbage: collecting during imports took a fifth of the start time
    from twinspark.cli.app import app

    try:
        app(prog_name="twinspark")
    except SystemExit as ended:
        exit_at_once(ended.code)
    except Exception as error:  # noqa: BLE001  printed as Python would print it
        traceback.print_exception(error)
        exit_at_once(1)


def exit_at_once(code: str | int | None) -> NoReturn:
    """Ends like Python, but without destroying modules: DuckDB's binding (nanobind) would print a line for each of its
    objects that a daemon thread still references, after the last message of the command."""
    if isinstance(code, str):
        print(code, file=sys.stderr)
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads, as Python does at this point
    atexit._run_exitfuncs()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 0 if code is None else 1)


if __name__ == "__main__":
    main()
