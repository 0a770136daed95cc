"""Finds the exception class with which Spark throws a condition: the client chooses its Python class by that name.

`throwables.tsv` lists the classes in the sources of Spark 4.2 and Delta Lake, for conditions that are not thrown as
AnalysisException.
"""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

JAVA_PARENTS = {
    "java.lang.ArithmeticException": "java.lang.RuntimeException",
    "java.lang.ArrayIndexOutOfBoundsException": "java.lang.IndexOutOfBoundsException",
    "java.lang.IndexOutOfBoundsException": "java.lang.RuntimeException",
    "java.lang.ClassNotFoundException": "java.lang.ReflectiveOperationException",
    "java.lang.ReflectiveOperationException": "java.lang.Exception",
    "java.lang.IllegalArgumentException": "java.lang.RuntimeException",
    "java.lang.IllegalStateException": "java.lang.RuntimeException",
    "java.lang.NumberFormatException": "java.lang.IllegalArgumentException",
    "java.lang.SecurityException": "java.lang.RuntimeException",
    "java.lang.UnsupportedOperationException": "java.lang.RuntimeException",
    "java.lang.RuntimeException": "java.lang.Exception",
    "java.lang.Exception": "java.lang.Throwable",
    "java.lang.Throwable": "java.lang.Object",
    "java.io.FileNotFoundException": "java.io.IOException",
    "java.io.IOException": "java.lang.Exception",
    "java.sql.SQLException": "java.lang.Exception",
    "java.sql.SQLFeatureNotSupportedException": "java.sql.SQLNonTransientException",
    "java.sql.SQLNonTransientException": "java.sql.SQLException",
    "java.time.DateTimeException": "java.lang.RuntimeException",
    "java.util.ConcurrentModificationException": "java.lang.RuntimeException",
    "java.util.NoSuchElementException": "java.lang.RuntimeException",
    "org.apache.hadoop.fs.FileAlreadyExistsException": "java.io.IOException",
}
SPARK_PARENTS = {
    "org.apache.spark.SparkArithmeticException": "java.lang.ArithmeticException",
    "org.apache.spark.SparkArrayIndexOutOfBoundsException": "java.lang.ArrayIndexOutOfBoundsException",
    "org.apache.spark.SparkClassNotFoundException": "java.lang.ClassNotFoundException",
    "org.apache.spark.SparkConcurrentModificationException": "java.util.ConcurrentModificationException",
    "org.apache.spark.SparkDateTimeException": "java.time.DateTimeException",
    "org.apache.spark.SparkException": "java.lang.Exception",
    "org.apache.spark.SparkFileAlreadyExistsException": "org.apache.hadoop.fs.FileAlreadyExistsException",
    "org.apache.spark.SparkFileNotFoundException": "java.io.FileNotFoundException",
    "org.apache.spark.SparkIllegalArgumentException": "java.lang.IllegalArgumentException",
    "org.apache.spark.SparkIllegalStateException": "java.lang.IllegalStateException",
    "org.apache.spark.SparkNoSuchElementException": "java.util.NoSuchElementException",
    "org.apache.spark.SparkNumberFormatException": "java.lang.NumberFormatException",
    "org.apache.spark.SparkRuntimeException": "java.lang.RuntimeException",
    "org.apache.spark.SparkSQLException": "java.sql.SQLException",
    "org.apache.spark.SparkSQLFeatureNotSupportedException": "java.sql.SQLFeatureNotSupportedException",
    "org.apache.spark.SparkSecurityException": "java.lang.SecurityException",
    "org.apache.spark.SparkUnsupportedOperationException": "java.lang.UnsupportedOperationException",
    "org.apache.spark.SparkUpgradeException": "java.lang.RuntimeException",
    "org.apache.spark.sql.AnalysisException": "java.lang.Exception",
    "org.apache.spark.sql.catalyst.parser.ParseException": "org.apache.spark.sql.AnalysisException",
    "org.apache.spark.sql.connector.catalog.CatalogNotFoundException": "org.apache.spark.SparkException",
    "org.apache.spark.sql.catalyst.analysis.PartitionsAlreadyExistException": "org.apache.spark.sql.AnalysisException",
    "org.apache.spark.sql.hive.execution.InvalidUDFClassException": "org.apache.spark.sql.AnalysisException",
    "org.apache.spark.sql.exceptions.SqlScriptingException": "java.lang.Exception",
    "org.apache.spark.api.python.PythonException": "java.lang.RuntimeException",
    "org.apache.spark.sql.connect.common.InvalidPlanInput": "java.lang.Exception",
}
PARENTS = JAVA_PARENTS | SPARK_PARENTS
QUALIFIED = {name.rsplit(".", 1)[1]: name for name in SPARK_PARENTS}
DEFAULT = "AnalysisException"
DATETIME_TARGETS = ('"DATE"', '"TIMESTAMP', '"TIME(')


def hierarchy_of(condition: str, parameters: Mapping[str, str], thrown: str | None = None) -> list[str]:
    """The class (`thrown`, if it is known) and its superclasses down to Object, like ErrorUtils.allClasses."""
    names = [QUALIFIED[thrown or class_of(condition, parameters)]]
    while names[-1] in PARENTS:
        names.append(PARENTS[names[-1]])
    return names


def class_of(condition: str, parameters: Mapping[str, str]) -> str:
    if condition.startswith("CONNECT_INVALID_PLAN."):
        return "InvalidPlanInput"
    if condition == "CAST_INVALID_INPUT":
        return class_of_cast(parameters.get("targetType", ""))
    return thrown_with().get(condition, DEFAULT)


def class_of_cast(target: str) -> str:
    """QueryExecutionErrors throws the same condition with a class that depends on the target type."""
    if target.startswith(DATETIME_TARGETS):
        return "SparkDateTimeException"
    return "SparkRuntimeException" if target == '"BOOLEAN"' else "SparkNumberFormatException"


@cache
def thrown_with() -> dict[str, str]:
    table = files(__package__).joinpath("throwables.tsv").read_text()
    rows = (line.split("\t") for line in table.splitlines())
    return {row[0]: row[1] for row in rows}
