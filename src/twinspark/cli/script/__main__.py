"""Runs a script as `python script.py` would: `python -m twinspark.cli.script script.py arguments`."""

import sys
import traceback
from functools import partial
from pathlib import Path
from types import ModuleType, TracebackType

from twinspark.cli.script.builder import honour_what_can_be
from twinspark.cli.script.context import stand_in_for_contexts


def main() -> None:
    program, *arguments = sys.argv[1:]
    sys.argv = [program, *arguments]
    sys.path[0] = str(Path(program).resolve().parent)
    honour_what_can_be()
    stand_in_for_contexts()
    run(program)


def run(program: str) -> None:
    """Prints errors without the stack frames of this file."""
    module = sys.modules["__main__"] = ModuleType("__main__")
    module.__file__ = program
    sys.excepthook = partial(show, program)
    exec(compile(Path(program).read_bytes(), program, "exec", dont_inherit=True), module.__dict__)


def show(program: str, kind: type[BaseException], error: BaseException, frames: TracebackType | None) -> None:
    """Prints an error from the script's first stack frame on."""
    inside = frames
    while inside is not None and inside.tb_frame.f_code.co_filename != program:
        inside = inside.tb_next
    traceback.print_exception(kind, error, inside or frames)


main()
