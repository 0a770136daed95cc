"""Calls of the topic tables as forms to fuzz: their chosen values among random ones of the same types."""

import random
from collections.abc import Iterator
from itertools import count

from pyspark.sql import types as t

from tools.cases.connect import Connection, ServerError, projection
from tools.fuzz.calls import Form
from tools.fuzz.shapes import Domain, Shape, domains_of, shapes_of

VARIANTS = 6


def topic_forms(oracle: str, function: str, place: int) -> Iterator[Form]:
    """The call on columns; where Spark insists on literals, with only the first hole a column, some times. The place
    among the functions makes names unique: forms of several stand beside each other."""
    chance = random.Random(function)
    serial = count(10_000_000 + 1_000 * place)
    with Connection(oracle) as spark:
        for shape in shapes_of(function):
            for form in shape_forms(spark, shape, domains_of(oracle, shape), chance):
                yield form.renamed(f"v{next(serial)}_")


def shape_forms(spark: Connection, shape: Shape, domains: list[Domain | None], chance: random.Random) -> Iterator[Form]:
    names = [f"v_{place}" for place in range(len(domains))]
    columns = {name: domain for name, domain in zip(names, domains, strict=True) if domain is not None}
    if len(columns) == len(names) and accepted(spark, shape.filled(names), columns):
        yield Form("scalar", shape.filled(names), tuple(columns.items()))
    elif domains[0] is not None and len(names) > 1:
        for _ in range(VARIANTS):
            call = shape.filled(["v_0", *(chance.choice(pool) for pool in shape.pools[1:])])
            if accepted(spark, call, {"v_0": domains[0]}):
                yield Form("scalar", call, (("v_0", domains[0]),))


def accepted(spark: Connection, call: str, columns: dict[str, Domain]) -> bool:
    schema = t.StructType([t.StructField(name, domain.kind) for name, domain in columns.items()])
    try:
        spark.analyze(projection(schema, [call]))
    except ServerError:
        return False
    return True
