"""The names of all functions of Spark 4.2, and the errors of wrong arguments that match Spark's; both recorded."""

from importlib.resources import files

SPARK_FUNCTIONS = frozenset(files(__package__).joinpath("spark_functions.txt").read_text().split())


def _verified_errors() -> dict[str, frozenset[str]]:
    """For each function, the error conditions of wrong arguments whose messages were compared with Spark's and are
    equal."""
    lines = files(__package__).joinpath("spark_refusals.txt").read_text().splitlines()
    pairs = (line.split(": ") for line in lines)
    return {name: frozenset(conditions.split()) for name, conditions in pairs}


REFUSALS = _verified_errors()
