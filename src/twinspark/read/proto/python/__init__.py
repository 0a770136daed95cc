"""Reads Python functions, table functions and data sources in Connect messages."""

from twinspark.read.proto.python import functions as functions
from twinspark.read.proto.python import table_functions as table_functions
