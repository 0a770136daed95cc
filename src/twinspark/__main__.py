"""The entry point of `python -m twinspark` and of the `twinspark` script."""

import atexit
import gc
import os
import sys
import threading
import traceback
from typing import NoReturn

COMPLETION = "_TWINSPARK_COMPLETE"  # set while a shell completes a command line, which has to be fast


def main() -> None:
    gc.disable()  # imported modules are never garbage: collecting during imports took a fifth of the start time
    from twinspark.installed import pyspark_problem

    if not pyspark_problem() and COMPLETION not in os.environ:
        import_server()
    from twinspark.cli.app import app

    gc.freeze()
    gc.set_threshold(20_000, 20, 20)  # a plan is many small short-lived objects: collect less often
    gc.enable()
    try:
        app(prog_name="twinspark")
    except SystemExit as ended:
        exit_at_once(ended.code)
    except Exception as error:  # noqa: BLE001  printed as Python would print it
        traceback.print_exception(error)
        exit_at_once(1)


def import_server() -> None:
    """Imports what every command but `--version` and `doctor` needs; those also work with an incompatible PySpark."""
    from twinspark.client_package import without_client_checks

    without_client_checks()
    import twinspark.cli.serve  # noqa: F401


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
