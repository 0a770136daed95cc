"""Keeps tokens that came in environment variables from other processes."""

import ctypes
import os
import sys

from twinspark.cli.options import OPTIONS

PR_SET_DUMPABLE = 4


def hide_secrets() -> None:
    """Removes tokens from the environment: child processes do not inherit them, and on Linux only root can read the
    original environment."""
    secrets = [os.environ.pop(option.variable, None) for option in OPTIONS if option.is_secret]
    if any(secrets) and sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)  # /proc/PID/environ is then readable by root only
