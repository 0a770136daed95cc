"""Reads from the kernel whether a signal has stopped a process, and how much CPU time it has used."""

from dataclasses import dataclass
from pathlib import Path

STOPPED = ("T", "t")  # proc(5): by a signal, or by a debugger


@dataclass(frozen=True)
class ProcessState:
    letter: str
    ticks: int

    @property
    def is_stopped(self) -> bool:
        return self.letter in STOPPED


def process_state(pid: int) -> ProcessState | None:
    """None if there is no such process, or no /proc."""
    try:
        text = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = text.rpartition(")")[2].split()  # the process name before it may contain anything
    return ProcessState(fields[0], int(fields[11]) + int(fields[12]))
