"""DataFrame.to: the ten tests of the specification, its table of edge cases, nested types, and pairs of types."""

from collections.abc import Iterator
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql.types import (
    ArrayType,
    DataType,
    DoubleType,
    IntegerType,
    LongType,
    MapType,
    StringType,
    StructField,
    StructType,
)

TYPES = ["boolean", "tinyint", "smallint", "int", "bigint", "float", "double", "decimal(5,2)", "decimal(20,0)"]
TYPES += ["string", "binary", "date", "timestamp", "timestamp_ntz"]


def schema_frames(spark: Any) -> Iterator[tuple[str, DataFrame]]:
    for topic in (specified, edges, nested, type_pairs):
        for name, frame in topic(spark).items():
            yield f"to schema, {topic.__name__}: {name}", frame


def target(*fields: tuple[str, DataType] | tuple[str, DataType, bool]) -> StructType:
    return StructType([StructField(*field) for field in fields])


def specified(spark: Any) -> dict[str, DataFrame]:
    three = spark.createDataFrame([(1, "a", 3.0)], "x int, y string, z double")
    one = spark.createDataFrame([(1,)], ["x"])
    ints = one.withColumn("x", F.col("x").cast("int"))
    address = "id int, address struct<street: string, city: string, zip: int>"
    homes = spark.createDataFrame([(1, ("123 Main St", "Boston", 12345))], address)
    shorter = target(("city", StringType()), ("street", StringType()))
    return {
        "1 reorder": three.to(target(("z", DoubleType()), ("x", IntegerType()), ("y", StringType()))),
        "2 widening": ints.to(target(("x", LongType()))),
        "3 missing column, nullable": one.to(target(("x", IntegerType()), ("y", StringType()))),
        "3 missing column, not null": one.to(target(("x", IntegerType()), ("y", StringType(), False))),
        "4 nullability": ints.to(target(("x", IntegerType(), False))),
        "5 projection": three.to(target(("x", IntegerType()), ("z", DoubleType()))),
        "6 nested struct": homes.to(target(("id", IntegerType()), ("address", shorter))),
        "7 empty frame": spark.createDataFrame([], "x int").to(target(("x", LongType()))),
        "8 identical": ints.to(target(("x", IntegerType()))),
        "9 number to text": one.to(target(("x", StringType()))),
        "9 text to number": three.to(target(("y", IntegerType()))),
        "10 overflow": spark.createDataFrame([(2147483648,)], ["x"]).to(target(("x", IntegerType()))),
    }


def edges(spark: Any) -> dict[str, DataFrame]:
    df = spark.createDataFrame([(1, None), (2, None)], "id int, n string")
    noted = StructType([StructField("ID", LongType(), True, {"comment": "the key"})])
    own = df.withMetadata("id", {"comment": "own", "kept": 1})
    return {
        "all nulls": df.to(target(("n", StringType()))),
        "empty target": df.to(StructType([])).groupBy().count(),
        "another spelling": df.to(target(("Id", IntegerType()))),
        "metadata of the target": df.to(noted),
        "metadata of both": own.to(noted),
        "ambiguous": df.select("id", F.col("id").alias("ID")).to(target(("id", IntegerType()))),
        "relaxed": spark.range(2).to(target(("id", LongType(), True))),
        "kept strict": spark.range(2).to(target(("id", LongType(), False))),
        "nothing to suggest": df.select().to(target(("x", IntegerType(), False))),
        "then more": df.to(target(("id", LongType()))).filter("id > 1").select(F.col("id") + 1),
        "decimals round": df.select(F.lit("123.456").cast("decimal(6,3)").alias("d")).to(
            StructType.fromDDL("d decimal(4,1)")
        ),
    }


def nested(spark: Any) -> dict[str, DataFrame]:
    df = spark.createDataFrame(
        [(1, (1, "a"), [(1, "b")], {"k": 1}, [1, 2])],
        "id int, s struct<a: int, b: string>, t array<struct<a: int, b: string>>, m map<string, int>, l array<int>",
    )
    longer = target(("b", StringType()), ("a", LongType()), ("c", DoubleType()))
    strict = target(("a", IntegerType()), ("c", DoubleType(), False))
    return {
        "struct": df.to(target(("s", longer))),
        "struct, missing field": df.to(target(("s", strict))),
        "struct, nullable field": df.to(target(("s", target(("a", IntegerType(), False))))),
        "array of structs": df.to(target(("t", ArrayType(longer)))),
        "array, wider": df.to(target(("l", ArrayType(LongType())))),
        "array, no nulls": df.to(target(("l", ArrayType(IntegerType(), False)))),
        "array, refused": df.to(target(("t", ArrayType(IntegerType())))),
        "map, same": df.to(target(("m", MapType(StringType(), IntegerType())))),
        "map, no nulls": df.to(target(("m", MapType(StringType(), IntegerType(), False)))),
        "map, wider": df.to(target(("m", MapType(StringType(), LongType())))),
        "struct for a number": df.to(target(("id", longer))),
    }


def type_pairs(spark: Any) -> dict[str, DataFrame]:
    """A null of each type, under every other: who may be stored as whom, and under which type."""
    return {
        f"{source} to {wanted}": spark.range(1)
        .select(F.lit(None).cast(source).alias("x"))
        .to(target(("x", StructType.fromDDL(f"x {wanted}")["x"].dataType)))
        for source in TYPES
        for wanted in TYPES
        if source != wanted
    }
