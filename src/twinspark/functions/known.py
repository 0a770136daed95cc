"""The names of all functions of Spark 4.2, and which of their refusals are known; both recorded."""

from importlib.resources import files

SPARK_FUNCTIONS = frozenset(files(__package__).joinpath("spark_functions.txt").read_text().split())


def _refusals() -> dict[str, frozenset[str]]:
    """Function: the error conditions of wrong arguments in which our words were compared with Spark's, and equal."""
    lines = files(__package__).joinpath("spark_refusals.txt").read_text().splitlines()
    pairs = (line.split(": ") for line in lines)
    return {name: frozenset(conditions.split()) for name, conditions in pairs}


REFUSALS = _refusals()
