"""Python data sources, one case each: read with partitions, options and schemas, written, and what fails of them."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from function_cases import case
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceWriter, InputPartition, WriterCommitMessage


def numbers(columns: Any = "n int, t string not null") -> Any:
    class Reader(DataSourceReader):
        def __init__(self, options: Any) -> None:
            self.count = int(options.get("Count", "2"))

        def partitions(self) -> list[InputPartition]:
            return [InputPartition(place) for place in range(self.count)]

        def read(self, partition: InputPartition) -> Iterator[Any]:
            yield partition.value, f"{partition.value}"
            yield [None, "none"]

    class Numbers(DataSource):
        @classmethod
        def name(cls) -> str:
            return "Numbers"

        def schema(self) -> Any:
            return columns

        def reader(self, schema: Any) -> DataSourceReader:
            return Reader(self.options)

    return Numbers


@case
def data_source(spark: Any) -> Any:
    spark.dataSource.register(numbers())
    return spark.read.format("numbers").option("count", 3).load()


@case
def data_source_filtered_and_counted(spark: Any) -> Any:
    spark.dataSource.register(numbers())
    return spark.read.format("NUMBERS").load().where("n > 0").groupBy("t").count()


@case
def data_source_of_a_schema(spark: Any) -> Any:
    spark.dataSource.register(numbers())
    return spark.read.format("numbers").schema("a double, b string").load()


@case
def data_source_of_another_width(spark: Any) -> Any:
    spark.dataSource.register(numbers())
    return spark.read.format("numbers").schema("a int").load()


@case
def data_source_of_a_struct_type(spark: Any) -> Any:
    from pyspark.sql.types import LongType, StringType, StructType

    spark.dataSource.register(numbers(StructType().add("n", LongType()).add("t", StringType(), True, {"k": 1})))
    return spark.read.format("numbers").load().selectExpr("n + 1 as m", "t")


@case
def data_source_under_a_view(spark: Any) -> Any:
    spark.dataSource.register(numbers())
    spark.read.format("numbers").load().createOrReplaceTempView("of_numbers")
    return spark.sql("select a.n, b.t from of_numbers a join of_numbers b on a.n = b.n")


@case
def data_source_whose_rows_fail(spark: Any) -> Any:
    class Reader(DataSourceReader):
        def read(self, partition: InputPartition) -> Iterator[Any]:
            raise ValueError("no rows")

    class Failing(DataSource):
        def schema(self) -> str:
            return "a int"

        def reader(self, schema: Any) -> DataSourceReader:
            return Reader()

    spark.dataSource.register(Failing)
    return spark.read.format("Failing").load()


@case
def data_source_of_wrong_rows(spark: Any) -> Any:
    class Reader(DataSourceReader):
        def read(self, partition: InputPartition) -> Iterator[Any]:
            return iter([1])

    class Wrong(DataSource):
        def schema(self) -> str:
            return "a int"

        def reader(self, schema: Any) -> DataSourceReader:
            return Reader()

    spark.dataSource.register(Wrong)
    return spark.read.format("Wrong").load()


def lines() -> Any:
    class Writer(DataSourceWriter):
        def __init__(self, path: str, overwrite: bool) -> None:
            self.path, self.overwrite = path, overwrite

        def write(self, iterator: Any) -> WriterCommitMessage:
            self.text = "\n".join(str(row.asDict()) for row in iterator)
            assert "'id': 9" not in self.text, "nine is not written"
            message = WriterCommitMessage()
            message.text = self.text
            return message

        def commit(self, messages: Any) -> None:
            texts = [message.text for message in messages if message.text]
            Path(self.path).write_text("\n".join([f"overwrite {self.overwrite}", *texts]))

        def abort(self, messages: Any) -> None:
            Path(self.path).write_text("aborted")

    class Lines(DataSource):
        def writer(self, schema: Any, overwrite: bool) -> DataSourceWriter:
            return Writer(self.options["path"], overwrite)

    return Lines


def written(spark: Any, mode: str, rows: Any) -> Any:
    """What a writer left behind, as rows."""
    from pyspark.errors import PySparkException

    spark.dataSource.register(lines())
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory, "written")
        try:
            rows.coalesce(1).write.format("Lines").mode(mode).save(str(path))
            failure = ""
        except PySparkException as error:
            failure = f"{type(error).__name__} {error.getCondition()}"
        text = path.read_text().splitlines()
    return spark.createDataFrame([(line, failure) for line in text], "line string, failure string")


@case
def data_source_written(spark: Any) -> Any:
    return written(spark, "append", spark.sql("select id, cast(id as string) as t from range(3)"))


@case
def data_source_overwritten(spark: Any) -> Any:
    return written(spark, "overwrite", spark.range(2))


@case
def data_source_written_in_vain(spark: Any) -> Any:
    return written(spark, "append", spark.range(20))
