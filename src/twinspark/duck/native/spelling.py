"""Moved to twinspark.functions.native_spelling, since functions stand below duck: add spellings THERE."""

from twinspark.functions.native_spelling import *  # noqa: F403
