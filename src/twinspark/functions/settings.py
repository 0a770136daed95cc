"""The session configuration that changes what an expression means."""

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Settings:
    """Equal settings, equal plans."""

    ansi: bool = True
    zone: str = "UTC"
    case_sensitive: bool = False
    timestamp_type: str = "TIMESTAMP_LTZ"
    size_of_null: bool = False
    now_micros: int = field(default=0, compare=False)  # the same query a second later is the same plan
    user: str = ""
    catalog: str = "spark_catalog"
    database: str = "default"
