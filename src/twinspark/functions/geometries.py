"""GEOMETRY and GEOGRAPHY: points made of well-known binary and told as it; other shapes are left to Spark.

In DuckDB a value is its SRID beside its bytes. It lives inside of one expression only: no column holds it (duck.run).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from twinspark.errors import NotNative
from twinspark.functions.casts import not_native
from twinspark.functions.registry import SPARK, fn
from twinspark.functions.typing import Call, Typed
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
GLOBE = 4326
FLAT = (0, 3857, GLOBE)  # of the many that Spark knows


def value(srid: str, wkb: str) -> str:
    """Null where its bytes are, or its SRID is."""
    return f"(CASE WHEN {srid} IS NOT NULL AND {wkb} IS NOT NULL THEN struct_pack(srid := {srid}, wkb := {wkb}) END)"


def from_bytes(call: Call) -> None:
    if not isinstance(call.types[0], BinaryType):
        raise NotNative(f"{call.name} of {call.types[0].simpleString()}")


def geography(call: Call) -> Typed:
    from_bytes(call)
    return Typed(GeographyType(GLOBE), call.any_nullable, None, value(str(GLOBE), "spark_wkb_point({0}, true)"))


def geometry(call: Call) -> Typed:
    from_bytes(call)
    srid = known_srid(call.arguments[1], FLAT) if len(call.arguments) == 2 else 0
    if srid is None:
        raise NotNative("a geometry whose SRID is no constant")
    return Typed(GeometryType(srid), call.any_nullable, (None, INT), value(str(srid), "spark_wkb_point({0}, false)"))


def known_srid(argument: Any, known: tuple[int, ...]) -> int | None:
    """A constant one; None for one that only a row knows."""
    if not is_integral(argument.type):
        raise NotNative("an SRID that is no whole number")
    if not hasattr(argument, "value"):
        return None
    if argument.value not in known:
        raise NotNative(f"the SRID {argument.value}")
    return int(argument.value)


fn("st_geogfromwkb(any)", "", rule=geography)
fn("st_geomfromwkb(any, any = 0)", "", rule=geometry, shows_defaults=True)


def of_geospatial(result: DataType, writer: str, *others: DataType) -> Callable[[Call], Typed]:
    def rule(call: Call) -> Typed:
        source, *rest = call.types
        if not isinstance(source, GEOSPATIAL) or not all(is_string(type) or is_null(type) for type in rest):
            raise NotNative(f"{call.name} of {source.simpleString()}")
        return Typed(result, call.any_nullable, (None, *others), writer)

    return rule


fn("st_srid(any)", "", rule=of_geospatial(INT, "({0}).srid"))
AS_BINARY = of_geospatial(BINARY, "spark_wkb_written(({0}).wkb, {1})", STRING)
fn("st_asbinary(any, any = 'NDR')", "", rule=AS_BINARY, shows_defaults=True)


def with_srid(call: Call) -> Typed:
    """The type tells the SRID where it is a constant."""
    geo, srid = call.arguments
    if not isinstance(geo.type, GEOSPATIAL):
        raise NotNative(f"st_setsrid of {geo.type.simpleString()}")
    known = (GLOBE,) if isinstance(geo.type, GeographyType) else FLAT
    constant = known_srid(srid, known)
    far = not_native("an SRID that only Spark knows")
    listed = ", ".join(map(str, known))
    checked = f"(CASE WHEN {{1}} IN ({listed}) THEN {{1}} WHEN {{1}} IS NOT NULL THEN {far} END)"
    kind = geo.type.__class__("ANY" if constant is None else constant)
    return Typed(kind, call.any_nullable, (None, INT), value(checked, "({0}).wkb"))


fn("st_setsrid(any, any)", "", rule=with_srid)


def more(call: Call) -> Typed:
    raise NotNative(f"{call.name}: {MORE}")


MORE = "columns of geometries, shapes other than points, and most SRIDs"
for name in ("st_geogfromwkb", "st_geomfromwkb", "st_setsrid", "st_asbinary", "st_srid"):
    fn(f"{name}(any...)", SPARK, rule=more, reason=MORE)
