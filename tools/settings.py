"""Writes docs/reference/settings.md from the schemas of options, limits and settings: `make settings`."""

from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path

from twinspark.cli.options import OF_RUN, OPTIONS, Option
from twinspark.config.own import OPERATOR, SERVER, SESSION, SETTINGS, OwnSetting
from twinspark.sessions.access.limits import Limits

PAGE = Path(__file__).parent.parent / "docs" / "reference" / "settings.md"
TITLE = """# Every setting

Written by `make settings` from the schemas that the program itself uses.

A flag overrides an environment variable, which overrides `twinspark.toml` (of the working directory, or the file that
`--config` or `TWINSPARK_CONFIG` names), which overrides the default. A session's own settings come last. A name that
does not exist is an error with a suggestion, in all of them. `twinspark config` prints what holds, and why:

```bash
twinspark config --port 15010 | grep -w port
```

A file has the names of the options, with tables for `conf` and `limit`:

```toml
engine = "auto"
port = 15010
allow_path = ["/data"]

[conf]
spark.sql.shuffle.partitions = 8
twinspark.native.maxScanBytes = "50g"

[limit]
connections = 500
```

A session chooses with `spark.conf.set` or `SET`:

```python
spark.conf.set("twinspark.engine", "duckdb")
```
"""
KINDS = {str: "text", int: "number", float: "number", bool: "true, false", list: "list"}


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield from (f"| {' | '.join(cells)} |" for cells in (header, ("---",) * len(header), *rows))
    yield ""


def option_row(option: Option) -> tuple[str, ...]:
    default = "" if option.default in (None, ()) else f"`{str(option.default).lower()}`"
    also = "serve, run, explain" if option.name in OF_RUN else "serve"
    return f"`{option.flag}`", f"`{option.variable}`", KINDS[option.type], default, also, option.help


def setting_row(setting: OwnSetting) -> tuple[str, ...]:
    values = ", ".join(f"`{each}`" for each in setting.options) or setting.kind
    return f"`{setting.key}`", values, f"`{setting.default}`" if setting.default else "", setting.help


def settings_of(chosen_by: str) -> Iterator[str]:
    rows = (setting_row(each) for each in SETTINGS if each.chosen_by == chosen_by)
    return table(("setting", "values", "default", "meaning"), rows)


def limit_rows() -> Iterator[tuple[str, ...]]:
    for each in fields(Limits):
        yield f"`{each.name}`", f"`{each.default:,}`", each.metadata["help"]


def page() -> str:
    lines = [
        *[TITLE, "## Options of the command line"],
        *["The key in the file is the flag without its dashes: `spark_master` or `spark-master`.", ""],
        *table(("flag", "variable", "type", "default", "commands", "meaning"), map(option_row, OPTIONS)),
        *["## Settings of a session", "An operator may fix them with `--conf`; then no session can change them.", ""],
        *settings_of(SESSION),
        *["## Settings of the operator", "`--conf key=value`; a session cannot change them.", ""],
        *settings_of(OPERATOR),
        *["## What a session can read", ""],
        *settings_of(SERVER),
        *["## Limits", "`--limit name=value`; beyond one: [limits.md](../operate/limits.md).", ""],
        *table(("limit", "default", "meaning"), limit_rows()),
    ]
    return "\n".join(lines).rstrip() + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
