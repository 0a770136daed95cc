"""TPC-H's 22 queries written with PySpark's DataFrame API, with the parameters of the validation runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.functions import col, lit

Tables = Mapping[str, DataFrame]
Query = Callable[[Tables], DataFrame]


def revenue() -> F.Column:
    """A function, since a column can be made only when it is known whether the session is remote."""
    return col("l_extendedprice") * (1 - col("l_discount"))


def day(text: str) -> F.Column:
    """A date literal."""
    return lit(text).cast("date")


def within(column: str, first: str, end: str) -> F.Column:
    """From the first day, up to but not including the end."""
    return (col(column) >= day(first)) & (col(column) < day(end))


def q01(t: Tables) -> DataFrame:
    return (
        t["lineitem"]
        .where(col("l_shipdate") <= day("1998-12-01") - F.expr("INTERVAL 90 DAYS"))
        .groupBy("l_returnflag", "l_linestatus")
        .agg(
            F.sum("l_quantity").alias("sum_qty"),
            F.sum("l_extendedprice").alias("sum_base_price"),
            F.sum(revenue()).alias("sum_disc_price"),
            F.sum(revenue() * (1 + col("l_tax"))).alias("sum_charge"),
            F.avg("l_quantity").alias("avg_qty"),
            F.avg("l_extendedprice").alias("avg_price"),
            F.avg("l_discount").alias("avg_disc"),
            F.count("*").alias("count_order"),
        )
        .orderBy("l_returnflag", "l_linestatus")
    )


def q02(t: Tables) -> DataFrame:
    europe = t["region"].where(col("r_name") == "EUROPE")
    offers = (
        t["partsupp"]
        .join(t["supplier"], col("ps_suppkey") == col("s_suppkey"))
        .join(t["nation"], col("s_nationkey") == col("n_nationkey"))
        .join(europe, col("n_regionkey") == col("r_regionkey"))
    )
    wanted = t["part"].where((col("p_size") == 15) & col("p_type").endswith("BRASS"))
    cheapest = offers.groupBy(col("ps_partkey").alias("best_partkey")).agg(F.min("ps_supplycost").alias("best_cost"))
    best = (col("ps_partkey") == col("best_partkey")) & (col("ps_supplycost") == col("best_cost"))
    return (
        wanted.join(offers, col("p_partkey") == col("ps_partkey"))
        .join(cheapest, best)
        .select("s_acctbal", "s_name", "n_name", "p_partkey", "p_mfgr", "s_address", "s_phone", "s_comment")
        .orderBy(F.desc("s_acctbal"), "n_name", "s_name", "p_partkey")
        .limit(100)
    )


def q03(t: Tables) -> DataFrame:
    customers = t["customer"].where(col("c_mktsegment") == "BUILDING")
    orders = t["orders"].where(col("o_orderdate") < day("1995-03-15"))
    lines = t["lineitem"].where(col("l_shipdate") > day("1995-03-15"))
    return (
        customers.join(orders, col("c_custkey") == col("o_custkey"))
        .join(lines, col("o_orderkey") == col("l_orderkey"))
        .groupBy("l_orderkey", "o_orderdate", "o_shippriority")
        .agg(F.sum(revenue()).alias("revenue"))
        .select("l_orderkey", "revenue", "o_orderdate", "o_shippriority")
        .orderBy(F.desc("revenue"), "o_orderdate")
        .limit(10)
    )


def q04(t: Tables) -> DataFrame:
    late = t["lineitem"].where(col("l_commitdate") < col("l_receiptdate"))
    return (
        t["orders"]
        .where(within("o_orderdate", "1993-07-01", "1993-10-01"))
        .join(late, col("o_orderkey") == col("l_orderkey"), "left_semi")
        .groupBy("o_orderpriority")
        .agg(F.count("*").alias("order_count"))
        .orderBy("o_orderpriority")
    )


def q05(t: Tables) -> DataFrame:
    asia = t["region"].where(col("r_name") == "ASIA")
    orders = t["orders"].where(within("o_orderdate", "1994-01-01", "1995-01-01"))
    local_supplier = (col("l_suppkey") == col("s_suppkey")) & (col("c_nationkey") == col("s_nationkey"))
    return (
        t["customer"]
        .join(orders, col("c_custkey") == col("o_custkey"))
        .join(t["lineitem"], col("o_orderkey") == col("l_orderkey"))
        .join(t["supplier"], local_supplier)
        .join(t["nation"], col("s_nationkey") == col("n_nationkey"))
        .join(asia, col("n_regionkey") == col("r_regionkey"))
        .groupBy("n_name")
        .agg(F.sum(revenue()).alias("revenue"))
        .orderBy(F.desc("revenue"))
    )


def q06(t: Tables) -> DataFrame:
    return (
        t["lineitem"]
        .where(within("l_shipdate", "1994-01-01", "1995-01-01"))
        .where(F.expr("l_discount BETWEEN 0.06 - 0.01 AND 0.06 + 0.01") & (col("l_quantity") < 24))
        .agg(F.sum(col("l_extendedprice") * col("l_discount")).alias("revenue"))
    )


def q07(t: Tables) -> DataFrame:
    supplier_nation = t["nation"].select(col("n_nationkey").alias("supp_nationkey"), col("n_name").alias("supp_nation"))
    customer_nation = t["nation"].select(col("n_nationkey").alias("cust_nationkey"), col("n_name").alias("cust_nation"))

    def pair(seller: str, buyer: str) -> F.Column:
        return (col("supp_nation") == seller) & (col("cust_nation") == buyer)

    return (
        t["supplier"]
        .join(t["lineitem"], col("s_suppkey") == col("l_suppkey"))
        .where(col("l_shipdate").between(day("1995-01-01"), day("1996-12-31")))
        .join(t["orders"], col("l_orderkey") == col("o_orderkey"))
        .join(t["customer"], col("o_custkey") == col("c_custkey"))
        .join(supplier_nation, col("s_nationkey") == col("supp_nationkey"))
        .join(customer_nation, col("c_nationkey") == col("cust_nationkey"))
        .where(pair("FRANCE", "GERMANY") | pair("GERMANY", "FRANCE"))
        .groupBy("supp_nation", "cust_nation", F.year("l_shipdate").alias("l_year"))
        .agg(F.sum(revenue()).alias("revenue"))
        .orderBy("supp_nation", "cust_nation", "l_year")
    )


def q08(t: Tables) -> DataFrame:
    american = t["nation"].join(
        t["region"].where(col("r_name") == "AMERICA"), col("n_regionkey") == col("r_regionkey"), "left_semi"
    )
    customers = t["customer"].join(american, col("c_nationkey") == col("n_nationkey"), "left_semi")
    seller_nation = t["nation"].select(col("n_nationkey").alias("seller_nationkey"), col("n_name").alias("nation"))
    volumes = (
        t["part"]
        .where(col("p_type") == "ECONOMY ANODIZED STEEL")
        .join(t["lineitem"], col("p_partkey") == col("l_partkey"))
        .join(t["supplier"], col("l_suppkey") == col("s_suppkey"))
        .join(t["orders"], col("l_orderkey") == col("o_orderkey"))
        .where(col("o_orderdate").between(day("1995-01-01"), day("1996-12-31")))
        .join(customers, col("o_custkey") == col("c_custkey"))
        .join(seller_nation, col("s_nationkey") == col("seller_nationkey"))
        .select(F.year("o_orderdate").alias("o_year"), revenue().alias("volume"), "nation")
    )
    brazil = F.when(col("nation") == "BRAZIL", col("volume")).otherwise(0)
    return volumes.groupBy("o_year").agg((F.sum(brazil) / F.sum("volume")).alias("mkt_share")).orderBy("o_year")


def q09(t: Tables) -> DataFrame:
    same_offer = (col("l_suppkey") == col("ps_suppkey")) & (col("l_partkey") == col("ps_partkey"))
    profit = revenue() - col("ps_supplycost") * col("l_quantity")
    return (
        t["part"]
        .where(col("p_name").contains("green"))
        .join(t["lineitem"], col("p_partkey") == col("l_partkey"))
        .join(t["supplier"], col("l_suppkey") == col("s_suppkey"))
        .join(t["partsupp"], same_offer)
        .join(t["orders"], col("l_orderkey") == col("o_orderkey"))
        .join(t["nation"], col("s_nationkey") == col("n_nationkey"))
        .groupBy(col("n_name").alias("nation"), F.year("o_orderdate").alias("o_year"))
        .agg(F.sum(profit).alias("sum_profit"))
        .orderBy("nation", F.desc("o_year"))
    )


def q10(t: Tables) -> DataFrame:
    orders = t["orders"].where(within("o_orderdate", "1993-10-01", "1994-01-01"))
    returned = t["lineitem"].where(col("l_returnflag") == "R")
    return (
        t["customer"]
        .join(orders, col("c_custkey") == col("o_custkey"))
        .join(returned, col("o_orderkey") == col("l_orderkey"))
        .join(t["nation"], col("c_nationkey") == col("n_nationkey"))
        .groupBy("c_custkey", "c_name", "c_acctbal", "c_phone", "n_name", "c_address", "c_comment")
        .agg(F.sum(revenue()).alias("revenue"))
        .select("c_custkey", "c_name", "revenue", "c_acctbal", "n_name", "c_address", "c_phone", "c_comment")
        .orderBy(F.desc("revenue"))
        .limit(20)
    )


def q11(t: Tables) -> DataFrame:
    german = (
        t["partsupp"]
        .join(t["supplier"], col("ps_suppkey") == col("s_suppkey"))
        .join(t["nation"].where(col("n_name") == "GERMANY"), col("s_nationkey") == col("n_nationkey"))
    )
    value = F.sum(col("ps_supplycost") * col("ps_availqty"))
    threshold = german.agg((value * F.expr("0.0001")).alias("threshold"))
    return (
        german.groupBy("ps_partkey")
        .agg(value.alias("value"))
        .crossJoin(threshold)
        .where(col("value") > col("threshold"))
        .select("ps_partkey", "value")
        .orderBy(F.desc("value"))
    )


def q12(t: Tables) -> DataFrame:
    urgent = col("o_orderpriority").isin("1-URGENT", "2-HIGH")
    return (
        t["lineitem"]
        .where(col("l_shipmode").isin("MAIL", "SHIP") & within("l_receiptdate", "1994-01-01", "1995-01-01"))
        .where((col("l_commitdate") < col("l_receiptdate")) & (col("l_shipdate") < col("l_commitdate")))
        .join(t["orders"], col("l_orderkey") == col("o_orderkey"))
        .groupBy("l_shipmode")
        .agg(
            F.sum(F.when(urgent, 1).otherwise(0)).alias("high_line_count"),
            F.sum(F.when(~urgent, 1).otherwise(0)).alias("low_line_count"),
        )
        .orderBy("l_shipmode")
    )


def q13(t: Tables) -> DataFrame:
    ordinary = t["orders"].where(~col("o_comment").like("%special%requests%"))
    return (
        t["customer"]
        .join(ordinary, col("c_custkey") == col("o_custkey"), "left")
        .groupBy("c_custkey")
        .agg(F.count("o_orderkey").alias("c_count"))
        .groupBy("c_count")
        .agg(F.count("*").alias("custdist"))
        .orderBy(F.desc("custdist"), F.desc("c_count"))
    )


def q14(t: Tables) -> DataFrame:
    promotion = F.when(col("p_type").startswith("PROMO"), revenue()).otherwise(0)
    share = F.expr("100.00") * F.sum(promotion) / F.sum(revenue())
    return (
        t["lineitem"]
        .where(within("l_shipdate", "1995-09-01", "1995-10-01"))
        .join(t["part"], col("l_partkey") == col("p_partkey"))
        .agg(share.alias("promo_revenue"))
    )


def q15(t: Tables) -> DataFrame:
    earned = (
        t["lineitem"]
        .where(within("l_shipdate", "1996-01-01", "1996-04-01"))
        .groupBy(col("l_suppkey").alias("supplier_no"))
        .agg(F.sum(revenue()).alias("total_revenue"))
    )
    most = earned.agg(F.max("total_revenue").alias("most"))
    return (
        t["supplier"]
        .join(earned, col("s_suppkey") == col("supplier_no"))
        .join(most, col("total_revenue") == col("most"))
        .select("s_suppkey", "s_name", "s_address", "s_phone", "total_revenue")
        .orderBy("s_suppkey")
    )


def q16(t: Tables) -> DataFrame:
    complained = t["supplier"].where(col("s_comment").like("%Customer%Complaints%"))
    parts = (
        t["part"]
        .where((col("p_brand") != "Brand#45") & ~col("p_type").startswith("MEDIUM POLISHED"))
        .where(col("p_size").isin(49, 14, 23, 45, 19, 3, 36, 9))
    )
    return (
        t["partsupp"]
        .join(parts, col("ps_partkey") == col("p_partkey"))
        .join(complained, col("ps_suppkey") == col("s_suppkey"), "left_anti")
        .groupBy("p_brand", "p_type", "p_size")
        .agg(F.countDistinct("ps_suppkey").alias("supplier_cnt"))
        .orderBy(F.desc("supplier_cnt"), "p_brand", "p_type", "p_size")
    )


def q17(t: Tables) -> DataFrame:
    parts = t["part"].where((col("p_brand") == "Brand#23") & (col("p_container") == "MED BOX"))
    lines = t["lineitem"].join(parts, col("l_partkey") == col("p_partkey"))
    small = (
        t["lineitem"]
        .groupBy(col("l_partkey").alias("mean_partkey"))
        .agg((F.expr("0.2") * F.avg("l_quantity")).alias("small_quantity"))
    )
    return (
        lines.join(small, col("p_partkey") == col("mean_partkey"))
        .where(col("l_quantity") < col("small_quantity"))
        .agg((F.sum("l_extendedprice") / F.expr("7.0")).alias("avg_yearly"))
    )


def q18(t: Tables) -> DataFrame:
    large = t["lineitem"].groupBy("l_orderkey").agg(F.sum("l_quantity").alias("pieces")).where(col("pieces") > 300)
    return (
        t["orders"]
        .join(large.select(col("l_orderkey").alias("large_orderkey")), col("o_orderkey") == col("large_orderkey"))
        .join(t["customer"], col("o_custkey") == col("c_custkey"))
        .join(t["lineitem"], col("o_orderkey") == col("l_orderkey"))
        .groupBy("c_name", "c_custkey", "o_orderkey", "o_orderdate", "o_totalprice")
        .agg(F.sum("l_quantity"))
        .orderBy(F.desc("o_totalprice"), "o_orderdate")
        .limit(100)
    )


def q19(t: Tables) -> DataFrame:
    def kind(brand: str, containers: list[str], pieces: int, size: int) -> F.Column:
        return (
            (col("p_brand") == brand)
            & col("p_container").isin(containers)
            & col("l_quantity").between(pieces, pieces + 10)
            & col("p_size").between(1, size)
        )

    by_air = col("l_shipmode").isin("AIR", "AIR REG") & (col("l_shipinstruct") == "DELIVER IN PERSON")
    return (
        t["lineitem"]
        .where(by_air)
        .join(t["part"], col("l_partkey") == col("p_partkey"))
        .where(
            kind("Brand#12", ["SM CASE", "SM BOX", "SM PACK", "SM PKG"], 1, 5)
            | kind("Brand#23", ["MED BAG", "MED BOX", "MED PKG", "MED PACK"], 10, 10)
            | kind("Brand#34", ["LG CASE", "LG BOX", "LG PACK", "LG PKG"], 20, 15)
        )
        .agg(F.sum(revenue()).alias("revenue"))
    )


def q20(t: Tables) -> DataFrame:
    forest = t["part"].where(col("p_name").startswith("forest"))
    shipped = (
        t["lineitem"]
        .where(within("l_shipdate", "1994-01-01", "1995-01-01"))
        .groupBy("l_partkey", "l_suppkey")
        .agg((F.expr("0.5") * F.sum("l_quantity")).alias("half"))
    )
    same_offer = (col("ps_partkey") == col("l_partkey")) & (col("ps_suppkey") == col("l_suppkey"))
    surplus = (
        t["partsupp"]
        .join(forest, col("ps_partkey") == col("p_partkey"), "left_semi")
        .join(shipped, same_offer)
        .where(col("ps_availqty") > col("half"))
    )
    return (
        t["supplier"]
        .join(t["nation"].where(col("n_name") == "CANADA"), col("s_nationkey") == col("n_nationkey"))
        .join(surplus, col("s_suppkey") == col("ps_suppkey"), "left_semi")
        .select("s_name", "s_address")
        .orderBy("s_name")
    )


def q21(t: Tables) -> DataFrame:
    late = t["lineitem"].where(col("l_receiptdate") > col("l_commitdate")).alias("late")
    other = t["lineitem"].alias("other")
    another_supplier = (col("late.l_orderkey") == col("other.l_orderkey")) & (
        col("late.l_suppkey") != col("other.l_suppkey")
    )
    other_late = other.where(col("other.l_receiptdate") > col("other.l_commitdate"))
    return (
        late.join(other, another_supplier, "left_semi")
        .join(other_late, another_supplier, "left_anti")
        .join(t["orders"].where(col("o_orderstatus") == "F"), col("l_orderkey") == col("o_orderkey"))
        .join(t["supplier"], col("l_suppkey") == col("s_suppkey"))
        .join(t["nation"].where(col("n_name") == "SAUDI ARABIA"), col("s_nationkey") == col("n_nationkey"))
        .groupBy("s_name")
        .agg(F.count("*").alias("numwait"))
        .orderBy(F.desc("numwait"), "s_name")
        .limit(100)
    )


def q22(t: Tables) -> DataFrame:
    code = F.substring("c_phone", 1, 2)
    chosen = t["customer"].where(code.isin("13", "31", "23", "29", "30", "18", "17"))
    mean = chosen.where(col("c_acctbal") > F.expr("0.00")).agg(F.avg("c_acctbal").alias("mean"))
    return (
        chosen.crossJoin(mean)
        .where(col("c_acctbal") > col("mean"))
        .join(t["orders"], col("c_custkey") == col("o_custkey"), "left_anti")
        .groupBy(code.alias("cntrycode"))
        .agg(F.count("*").alias("numcust"), F.sum("c_acctbal").alias("totacctbal"))
        .orderBy("cntrycode")
    )


QUERIES: dict[int, Query] = dict(
    enumerate(
        (q01, q02, q03, q04, q05, q06, q07, q08, q09, q10, q11, q12, q13, q14, q15, q16, q17, q18, q19, q20, q21, q22),
        1,
    )
)


def tables(spark: SparkSession, directory: str, names: tuple[str, ...]) -> Tables:
    """The eight tables, read from one Parquet file each."""
    return {name: spark.read.parquet(f"{directory}/{name}.parquet") for name in names}
