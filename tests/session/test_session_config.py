"""Configuration as Spark 4.2.1 answered it (recorded in config.tsv; errors noted from the same server)."""

import pytest

from twinspark.errors import SparkError
from twinspark.sessions.config import SessionConfig, is_modifiable, warning_of

REFUSED = [
    ("spark.sql.shuffle.partitions", "abc", "INVALID_CONF_VALUE.TYPE_MISMATCH", "It should be a/an 'int' value."),
    ("spark.sql.shuffle.partitions", "-1", "INVALID_CONF_VALUE.REQUIREMENT", "must be positive"),
    ("spark.sql.ansi.enabled", "x", "INVALID_CONF_VALUE.TYPE_MISMATCH", "'boolean'"),
    ("spark.sql.session.timeZone", "Nowhere", "INVALID_CONF_VALUE.TIME_ZONE", "Cannot resolve the given timezone."),
    ("spark.sql.autoBroadcastJoinThreshold", "10zz", "INVALID_CONF_VALUE.TYPE_MISMATCH", "'bytes in BYTE'"),
    ("spark.sql.storeAssignmentPolicy", "x", "INVALID_CONF_VALUE.OUT_OF_RANGE_OF_OPTIONS", "'ANSI, LEGACY, STRICT'"),
    ("spark.sql.warehouse.dir", "/x", "CANNOT_MODIFY_STATIC_CONFIG", '"spark.sql.warehouse.dir"'),
    ("spark.executor.memory", "1g", "CANNOT_MODIFY_CONFIG", "sql-migration-guide.html#ddl-statements"),
]
ACCEPTED = [
    ("spark.sql.timestampType", "timestamp_ntz"),
    ("spark.sql.files.maxPartitionBytes", "1m"),
    ("spark.sql.session.timeZone", "+01:00"),
    ("spark.sql.session.timeZone", "America/Los_Angeles"),
    ("spark.some.key.of.mine", "anything"),
]


@pytest.fixture
def config() -> SessionConfig:
    return SessionConfig({"spark.master": "local[2]"})


@pytest.mark.parametrize(("key", "value", "condition", "words"), REFUSED)
def test_spark_refuses(config: SessionConfig, key: str, value: str, condition: str, words: str) -> None:
    with pytest.raises(SparkError) as caught:
        config.set(key, value)
    assert caught.value.condition == condition
    assert words in str(caught.value)


@pytest.mark.parametrize(("key", "value"), ACCEPTED)
def test_spark_takes_the_text_as_it_is(config: SessionConfig, key: str, value: str) -> None:
    config.set(key, value)
    assert config.get(key) == value


def test_defaults_unset_and_unknown(config: SessionConfig) -> None:
    assert config.get("spark.sql.shuffle.partitions") == "200"
    config.set("spark.sql.shuffle.partitions", "7")
    assert config.get("spark.sql.shuffle.partitions") == "7"
    config.unset("spark.sql.shuffle.partitions")
    assert config.get("spark.sql.shuffle.partitions") == "200"
    with pytest.raises(SparkError) as caught:
        config.get("nope.nope")
    assert str(caught.value) == (
        '[SQL_CONF_NOT_FOUND] The SQL config "nope.nope" cannot be found. '
        "Please verify that the config exists. SQLSTATE: 42K0I"
    )


def test_the_callers_default_counts_and_must_be_of_the_keys_type(config: SessionConfig) -> None:
    assert config.get_with_default("nope.nope", "d") == "d"
    assert config.get_with_default("spark.sql.shuffle.partitions", "3") == "3"
    assert config.get_with_default("spark.master", "x") == "local[2]"
    with pytest.raises(SparkError, match="boolean"):
        config.get_with_default("spark.sql.ansi.enabled", "zz")


def test_secrets_are_not_told(config: SessionConfig) -> None:
    config.set("my.password", "hunter2")
    assert config.get_option("my.password") is None
    assert "my.password" not in config.get_all()
    with pytest.raises(SparkError, match="SQL_CONF_NOT_FOUND"):
        config.get("my.password")


def test_modifiable_and_warnings() -> None:
    assert is_modifiable("spark.sql.ansi.enabled")
    assert not is_modifiable("spark.sql.warehouse.dir")
    assert not is_modifiable("spark.executor.memory")
    assert not is_modifiable("nope")
    assert "NOT supported in Spark Connect" in (warning_of("spark.sql.execution.arrow.enabled") or "")


def test_what_sql_set_on_spark_is_taken_over(config: SessionConfig) -> None:
    config.set("twinspark.engine", "auto")
    config.set("spark.sql.ansi.enabled", "false")
    config.adopt({"spark.master": "local[2]", "spark.sql.session.timeZone": "Asia/Tokyo", "spark.driver.port": "1"})
    assert config.settings() == {"twinspark.engine": "auto", "spark.sql.session.timeZone": "Asia/Tokyo"}


def test_a_key_that_nobody_set_answers_what_an_older_one_was_set_to() -> None:
    config = SessionConfig({})
    config.set("spark.sql.execution.arrow.enabled", "false")
    assert config.get("spark.sql.execution.arrow.pyspark.enabled") == "false"
    config.set("spark.sql.execution.arrow.pyspark.enabled", "true")
    assert config.get("spark.sql.execution.arrow.pyspark.enabled") == "true"
