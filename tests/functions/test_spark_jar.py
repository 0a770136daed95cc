"""What was written down from Spark's jars is what the installed Spark's jars say."""

from tools import spark_jar
from twinspark.release import SPARK_REVISION, SPARK_VERSION


def test_recorded_files_equal_the_jars() -> None:
    changed = [
        str(path) for path, text in spark_jar.contents().items() if (spark_jar.PACKAGE / path).read_text() != text
    ]
    assert changed == [], "make record-jar"


def test_the_release_is_that_of_the_jars() -> None:
    assert spark_jar.spark_build() == f"{SPARK_VERSION} {SPARK_REVISION}"
