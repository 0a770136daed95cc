"""User-defined types: in local rows, in results, in what functions take and return, and where Spark looks into them."""

from typing import Any

from function_cases import case
from pyspark.ml.linalg import Vectors, VectorUDT
from pyspark.sql import Row
from pyspark.sql import functions as F
from pyspark.sql.types import ArrayType, DoubleType, StructType
from pyspark.testing.objects import ExamplePoint, ExamplePointUDT, PythonOnlyPoint, PythonOnlyUDT


def points(spark: Any, kind: Any = PythonOnlyPoint) -> Any:
    return spark.createDataFrame([Row(label=1.0, point=kind(1.0, 2.0)), Row(label=2.0, point=None)])


@case
def user_types_are_kept(spark: Any) -> Any:
    return points(spark).union(points(spark).where("label > 1"))


@case
def user_types_of_a_java_class(spark: Any) -> Any:
    return points(spark, ExamplePoint).select("point", F.struct("point").alias("s"), F.array("point").alias("a"))


@case
def user_types_that_are_vectors(spark: Any) -> Any:
    rows = [(1, Vectors.dense([1.0, 2.0])), (2, Vectors.sparse(3, {1: 2.5}))]
    norm, half = F.udf(lambda v: float(v.norm(2)), "double"), F.udf(lambda v: Vectors.dense([0.5]), VectorUDT())
    return spark.createDataFrame(rows, ["id", "v"]).select("v", norm("v").alias("norm"), half("v").alias("half"))


@case
def user_types_in_and_out_of_functions(spark: Any) -> Any:
    y = F.udf(lambda p: None if p is None else p.y, "double")
    moved = F.udf(lambda p: p and PythonOnlyPoint(p.x + 1, p.y), PythonOnlyUDT())
    both = F.udf(lambda p: [p, p], ArrayType(PythonOnlyUDT()))
    return points(spark).select(y("point"), moved("point").alias("moved"), both("point").alias("both"))


@case
def user_types_in_and_out_of_arrow_functions(spark: Any) -> Any:
    moved = F.udf(lambda p: p and PythonOnlyPoint(p.x + 1, p.y), PythonOnlyUDT(), useArrow=True)
    return points(spark).select(moved("point").alias("moved"))


@case
def user_types_as_texts(spark: Any) -> Any:
    return points(spark).select(F.col("point").cast("string"), F.unwrap_udt("point"))


@case
def user_types_of_two_classes_do_not_meet(spark: Any) -> Any:
    return points(spark).union(points(spark, ExamplePoint))


@case
def user_types_in_nested_rows(spark: Any) -> Any:
    schema = StructType().add("s", StructType().add("p", ExamplePointUDT())).add("a", ArrayType(ExamplePointUDT()))
    return spark.createDataFrame([Row(Row(ExamplePoint(3.0, 4.0)), [ExamplePoint(5.0, 6.0), None])], schema)


@case
def user_types_have_no_fields(spark: Any) -> Any:
    return points(spark).select("point.x")


@case
def user_types_in_no_rows(spark: Any) -> Any:
    return spark.createDataFrame([], StructType().add("p", PythonOnlyUDT()).add("d", DoubleType()))


@case
def user_types_through_batches(spark: Any) -> Any:
    return points(spark).mapInArrow(lambda batches: batches, points(spark).schema)
