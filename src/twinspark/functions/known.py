"""The names of all functions of Spark 4.2, recorded from SHOW FUNCTIONS."""

from importlib.resources import files

SPARK_FUNCTIONS = frozenset(files(__package__).joinpath("spark_functions.txt").read_text().split())
