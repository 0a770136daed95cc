"""An ordinary PySpark program: a web shop's files in, five reports out.  usage: pipeline.py INPUT OUTPUT

Nothing in it knows twinspark. It prints what it found to stdout, and how long it took to stderr.
"""

import sys
import time

from pyspark.sql import DataFrame, SparkSession, Window
from pyspark.sql import functions as F

CUSTOMERS = "customer_id int, name string, email string, country string, segment string, signed_up date"


def sales(spark: SparkSession, source: str) -> DataFrame:
    """One row per line of a finished order, with its customer, product and amounts."""
    customers = spark.read.option("header", True).schema(CUSTOMERS).csv(f"{source}/customers.csv")
    products = spark.read.json(f"{source}/products.json")
    orders = spark.read.parquet(f"{source}/orders.parquet").where("status = 'done'")
    lines = spark.read.parquet(f"{source}/order_lines.parquet")
    net = F.col("quantity") * F.col("unit_price") * (1 - F.col("discount"))
    return (
        lines.join(orders, "order_id")
        .join(customers, "customer_id")
        .join(products, "product_id")
        .withColumn("category_name", F.col("category.name"))
        .withColumn("day", F.to_date("ordered_at"))
        .withColumn("month", F.trunc("ordered_at", "month"))
        .withColumn("net", net.cast("decimal(14,2)"))
        .withColumn("tax", (net * F.col("category.tax_percent") / 100).cast("decimal(14,2)"))
        .withColumn("channel", F.coalesce("channel", F.lit("unknown")))
    )


def revenue_by_month(sold: DataFrame) -> DataFrame:
    """Revenue of each category and month, its share of the month and its growth."""
    by_month = sold.groupBy("category_name", "month").agg(
        F.sum("net").alias("revenue"),
        F.sum("tax").alias("tax"),
        F.countDistinct("order_id").alias("orders"),
        F.avg("net").alias("mean_line"),
    )
    earlier = F.lag("revenue").over(Window.partitionBy("category_name").orderBy("month"))
    whole = F.sum("revenue").over(Window.partitionBy("month"))
    return (
        by_month.withColumn("growth", F.col("revenue") - earlier)
        .withColumn("share", F.round(F.col("revenue") * 100 / whole, 3))
        .orderBy("month", "category_name")
    )


def best_customers(sold: DataFrame) -> DataFrame:
    """The five customers of each country who spent most."""
    spent = sold.groupBy("country", "customer_id", "name", "email").agg(
        F.sum("net").alias("spent"),
        F.max("ordered_at").alias("last_order"),
        F.count(F.when(F.col("channel") == "app", 1)).alias("app_lines"),
    )
    place = F.row_number().over(Window.partitionBy("country").orderBy(F.desc("spent"), "customer_id"))
    return spent.withColumn("place", place).where("place <= 5").orderBy("country", "place")


def cartons_kept(spark: SparkSession, source: str) -> DataFrame:
    """Products of which no full carton (eight pieces) ever came back, by the pieces sold."""
    lines = spark.read.parquet(f"{source}/order_lines.parquet")
    returned = spark.read.parquet(f"{source}/orders.parquet").where(F.col("status") == "returned")
    back = lines.where("quantity = 8").join(returned, "order_id").select("product_id").distinct()
    totals = lines.groupBy("product_id").agg(F.sum("quantity").alias("pieces"), F.min("unit_price").alias("cheapest"))
    return totals.join(back, "product_id", "left_anti").orderBy(F.desc("pieces"), "product_id")


def tags_by_segment(sold: DataFrame) -> DataFrame:
    """Revenue of every product tag in each customer segment, with subtotals."""
    exploded = sold.select("segment", "net", F.explode("tags").alias("tag"))
    return (
        exploded.rollup("segment", "tag")
        .agg(F.sum("net").alias("revenue"), F.count("*").alias("lines"))
        .orderBy(F.asc_nulls_last("segment"), F.asc_nulls_last("tag"))
    )


def daily_by_channel(sold: DataFrame) -> DataFrame:
    """Revenue of each channel and day, and the mean of the seven days up to it."""
    daily = sold.groupBy("channel", "day").agg(F.sum("net").alias("revenue"), F.count("*").alias("lines"))
    week = Window.partitionBy("channel").orderBy("day").rowsBetween(-6, 0)
    mean = F.avg("revenue").over(week).cast("decimal(16,2)")
    return daily.select(
        "channel", "day", "revenue", "lines", mean.alias("week_mean"), F.dayofweek("day").alias("weekday")
    )


def main(source: str, target: str) -> None:
    """Write the reports; show the head and the schema of each."""
    started = time.perf_counter()
    spark = SparkSession.builder.appName("web shop").config("spark.sql.session.timeZone", "UTC").getOrCreate()
    connected = time.perf_counter()
    sold = sales(spark, source)
    reports = {
        "revenue_by_month": revenue_by_month(sold),
        "best_customers": best_customers(sold),
        "cartons_kept": cartons_kept(spark, source),
        "tags_by_segment": tags_by_segment(sold),
    }
    for name, report in reports.items():
        report.write.mode("overwrite").parquet(f"{target}/{name}")
        print(name)
        report.printSchema()
        report.show(5)
    daily_by_channel(sold).write.mode("overwrite").option("header", True).csv(f"{target}/daily")
    print("lines sold:", sold.count())
    spark.read.parquet(f"{target}/revenue_by_month").createOrReplaceTempView("revenue")
    spark.sql("SELECT category_name, max(growth) AS best FROM revenue GROUP BY category_name ORDER BY best DESC").show()
    finished = time.perf_counter()
    print(f"seconds: connect {connected - started:.3f} work {finished - connected:.3f}", file=sys.stderr)
    spark.stop()


if __name__ == "__main__":
    main(*sys.argv[1:3])
