"""GEOMETRY and GEOGRAPHY: points from and to well-known binary; other shapes fall back to Spark.

In DuckDB a value is a struct of its SRID and its bytes. It exists only inside an expression: columns of these types
fall back (compile/passes.py)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import Cause, NotNative, reasons
from twinspark.functions.notation.error_sql import not_native
from twinspark.functions.notation.registry import SPARK, fn
from twinspark.functions.notation.typing import Call, Typed
from twinspark.types import (
    BINARY,
    GEOSPATIAL,
    INT,
    STRING,
    BinaryType,
    DataType,
    GeographyType,
    GeometryType,
    is_integral,
    is_null,
    is_string,
)

GEOSPATIAL_FUNCTIONS = frozenset({"st_asbinary", "st_srid", "st_setsrid"})
MADE_OF_BYTES = frozenset({"st_geogfromwkb", "st_geomfromwkb"})  # the functions that create values
GLOBE = 4326
FLAT = (0, 3857, GLOBE)  # a few of the many SRIDs that Spark knows


def value(srid: str, wkb: str) -> str:
    """Null if the bytes or the SRID are null."""
    return f"(CASE WHEN {srid} IS NOT NULL AND {wkb} IS NOT NULL THEN struct_pack(srid := {srid}, wkb := {wkb}) END)"


def from_bytes(call: Call) -> None:
    if not isinstance(call.types[0], BinaryType):
        raise NotNative(reasons.GEOMETRY, f"{call.name} of {call.types[0].simpleString()}")


def geography(call: Call) -> Typed:
    from_bytes(call)
    return Typed(GeographyType(GLOBE), call.any_nullable, None, value(str(GLOBE), "spark_wkb_point({0}, true)"))


def geometry(call: Call) -> Typed:
    from_bytes(call)
    srid = known_srid(call.arguments[1], FLAT) if len(call.arguments) == 2 else 0
    if srid is None:
        raise NotNative(reasons.GEOMETRY, "the SRID is not a constant")
    return Typed(GeometryType(srid), call.any_nullable, (None, INT), value(str(srid), "spark_wkb_point({0}, false)"))


def known_srid(argument: Any, known: tuple[int, ...]) -> int | None:
    """The SRID if it is a constant; None if it depends on the row."""
    if not is_integral(argument.type):
        raise NotNative(reasons.GEOMETRY, "the SRID is not a whole number")
    if not hasattr(argument, "value"):
        return None
    if argument.value not in known:
        raise NotNative(reasons.GEOMETRY, f"the SRID {argument.value}")
    return int(argument.value)


fn("st_geogfromwkb(any)", "", rule=geography)
fn("st_geomfromwkb(any, any = 0)", "", rule=geometry, shows_defaults=True)


def of_geospatial(result: DataType, writer: str, *others: DataType) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        source, *rest = call.types
        if not isinstance(source, GEOSPATIAL) or not all(is_string(type) or is_null(type) for type in rest):
            raise NotNative(reasons.GEOMETRY, f"{call.name} of {source.simpleString()}")
        return Typed(result, call.any_nullable, (None, *others), writer)

    return rule


fn("st_srid(any)", "", rule=of_geospatial(INT, "({0}).srid"))
AS_BINARY = of_geospatial(BINARY, "spark_wkb_written(({0}).wkb, {1})", STRING)
fn("st_asbinary(any, any = 'NDR')", "", rule=AS_BINARY, shows_defaults=True)


def with_srid(call: Call) -> Typed:
    """The result type has the SRID if it is a constant."""
    geo, srid = call.arguments
    if not isinstance(geo.type, GEOSPATIAL):
        raise NotNative(reasons.GEOMETRY, f"st_setsrid of {geo.type.simpleString()}")
    known = (GLOBE,) if isinstance(geo.type, GeographyType) else FLAT
    constant = known_srid(srid, known)
    far = not_native(reasons.GEOMETRY, "an SRID that only Spark knows")
    listed = ", ".join(map(str, known))
    checked = f"(CASE WHEN {{1}} IN ({listed}) THEN {{1}} WHEN {{1}} IS NOT NULL THEN {far} END)"
    kind = geo.type.__class__("ANY" if constant is None else constant)
    return Typed(kind, call.any_nullable, (None, INT), value(checked, "({0}).wkb"))


fn("st_setsrid(any, any)", "", rule=with_srid)


def more(call: Call) -> Typed:
    raise NotNative(reasons.GEOMETRY, call.name)


MORE = Cause(reasons.GEOMETRY, "columns of geometries, shapes other than points, and most SRIDs")
for name in ("st_geogfromwkb", "st_geomfromwkb", "st_setsrid", "st_asbinary", "st_srid"):
    fn(f"{name}(any...)", SPARK, rule=more, cause=MORE)
