"""The commands and options of `twinspark`; each command is implemented in the module of its name, imported on
demand."""

import logging
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer

from twinspark.cli.configuration import ChosenOptions, check_input, print_options
from twinspark.cli.flags import takes_options, values_of
from twinspark.cli.hidden_secrets import hide_secrets
from twinspark.cli.loading import import_server
from twinspark.cli.log_format import FORMATS, log_to_stderr
from twinspark.cli.options import OF_RUN, OF_SERVE
from twinspark.cli.start_checks import settings_of, usage_error
from twinspark.cli.version import version_line
from twinspark.installed import pyspark_problem
from twinspark.sessions.access.limits import Limits
from twinspark.sessions.access.tls import Tls
from twinspark.sessions.settings import MOST_PORT, UI_PORT, Settings, is_loopback

EXAMPLES = """
One Spark endpoint, two engines.

Examples:

  twinspark serve                                    sc://localhost:15002, DuckDB first, Spark when needed

  twinspark serve --engine duckdb                    never start a JVM

  twinspark serve --spark-remote sc://cluster:15002  other plans run on that Spark

  twinspark serve --thrift-port 10000                BI tools, JDBC, ODBC and dbt as well

  twinspark serve --flight-port 31337                ADBC and JDBC by Arrow Flight SQL as well

  twinspark run pipeline.py --date 2026-01-01        an unchanged PySpark script

  twinspark run report.sql                           every statement, results printed

  twinspark run plan.json --input a.parquet --output b.parquet

  twinspark run --fixture fixture.json               prints whether equal, or the first difference

  twinspark sql                                      a SQL shell; -c "…", -f file.sql, --remote sc://…

  twinspark explain "select 1 + 1"                   plans, SQL, engine and reasons, without running it

  twinspark config                                   the effective options and where each comes from

  twinspark doctor                                   what is installed and what is missing
"""
app = typer.Typer(help=EXAMPLES, no_args_is_help=True, add_completion=True, rich_markup_mode=None)

Options = ChosenOptions


def limits_of(max_connections: int | None, pairs: tuple[str, ...]) -> Limits:
    most = [f"connections={max_connections}"] if max_connections is not None else []
    return check_input(lambda: Limits().with_changes([*most, *pairs]))


def tls_of(options: Mapping[str, Any]) -> Tls | None:
    if options["tls_cert"] is None and (options["tls_key"] or options["tls_client_ca"]):
        raise usage_error("--tls-key and --tls-client-ca go with --tls-cert")
    return Tls(options["tls_cert"], options["tls_key"], options["tls_client_ca"]) if options["tls_cert"] else None


def pairs_of(conf: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    broken = [each for each in conf if "=" not in each]
    if broken:
        raise usage_error(f"--conf takes key=value, not {broken[0]!r}")
    return tuple((key, value) for key, _, value in (each.partition("=") for each in conf))


def engine_settings(options: Mapping[str, Any]) -> dict[str, Any]:
    """What a server and a script in this process have in common."""
    same = ("engine", "spark_master", "spark_remote", "spark_memory", "warehouse")
    return {**{name: options[name] for name in same}, "spark_config": pairs_of(options["conf"])}


def ui_port(options: Mapping[str, Any]) -> int | None:
    """Without the option only on loopback, as other machines would reach it."""
    if not options["ui"]:
        return None
    if options["ui_port"] is None:
        return UI_PORT if is_loopback(options["host"]) else None
    return int(options["ui_port"])


def server_settings(options: Mapping[str, Any], token: str | None) -> Settings:
    same = (
        "host",
        "port",
        "memory_limit",
        "java",
        "python",
        "read_only",
        "prewarm",
        "token_file",
        "metrics_port",
        "history",
    )
    port = ui_port(options)
    return settings_of(
        **engine_settings(options),
        **{name: options[name] for name in same},
        ui_port=port,
        allow_paths=options["allow_path"],
        token=token,
        tls=tls_of(options),
        limits=limits_of(options["max_connections"], options["limit"]),
    )


@app.command()
@takes_options(*OF_SERVE)
def serve(chosen: Options) -> None:
    """Start the Spark Connect server and serve until stopped."""
    run_server(chosen)


@app.command()
@takes_options(*OF_SERVE)
def ui(chosen: Options) -> None:
    """Start the server as `serve` does, and open its web UI in a browser."""
    import webbrowser

    if ui_port(values_of(chosen)) is None:
        raise usage_error("the web UI is off: leave out --no-ui, and at another address than loopback give --ui-port")
    run_server(chosen, webbrowser.open)


def run_server(chosen: Options, open_ui: Callable[[str], object] | None = None) -> None:
    options = values_of(chosen)
    if options["log_format"] not in FORMATS:
        raise usage_error(f"--log-format is text or json, not {options['log_format']}")
    log_to_stderr(logging.INFO if options["verbose"] else logging.WARNING, options["log_format"])
    for door in ("thrift", "flight"):
        check_port(door, options[f"{door}_port"])
    hide_secrets()
    settings = server_settings(options, options["token"])
    import_server()
    from twinspark.cli.serve import FlightDoor, ThriftDoor, serve_until_stopped

    thrift = ThriftDoor.of(options) if options["thrift_port"] is not None else None
    reload = partial(limits_again, chosen)
    flight, drain_seconds = FlightDoor.of(options), options["drain_seconds"]
    serve_until_stopped(settings, thrift, options["insecure"], flight, drain_seconds, reload, open_ui)


def limits_again(chosen: Options) -> Limits:
    """The limits of the configuration file as it is now."""
    options = values_of(chosen.chosen_again())
    return limits_of(options["max_connections"], options["limit"])


def check_port(door: str, port: int | None) -> None:
    if not 0 <= (port or 0) <= MOST_PORT:
        raise usage_error(f"a {door.capitalize()} port is a number up to {MOST_PORT}, not {port}")


@app.command()
@takes_options(*OF_SERVE)
def config(chosen: Options) -> None:
    """Print every option, limit and setting that `serve` would use with these flags here, and its origin."""
    print_options(chosen)


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
@takes_options(*OF_RUN)
def run(
    chosen: Options,
    context: typer.Context,
    program: Annotated[
        Path, typer.Argument(help="a .py script, a .sql file or a .json plan", exists=True, dir_okay=False)
    ],
    fixture: Annotated[bool, typer.Option("--fixture", help="the .json has input, plan and expected result")] = False,
) -> None:
    """Run an unchanged PySpark script, the statements of a SQL file, or a JSON plan (--input, --output)."""
    log_to_stderr(logging.WARNING)
    settings = settings_of(**engine_settings(values_of(chosen)))
    import_server()
    from twinspark.cli.run import run_program

    raise typer.Exit(run_program(settings, program, context.args, fixture))


@app.command()
@takes_options(*OF_RUN)
def explain(chosen: Options, sql: str) -> None:
    """Show what the server would do with a statement: plans, DuckDB SQL, engine and reasons. Nothing is executed."""
    log_to_stderr(logging.WARNING)
    settings = settings_of(**engine_settings(values_of(chosen)))
    import_server()
    from twinspark.cli.explain import explain_sql

    raise typer.Exit(explain_sql(settings, sql))


@app.command()
@takes_options(*OF_RUN)
def sql(
    chosen: Options,
    command: Annotated[str | None, typer.Option("-c", "--command", help="statements to run")] = None,
    file: Annotated[
        Path | None, typer.Option("-f", "--file", help="a file of statements to run", exists=True, dir_okay=False)
    ] = None,
    format: Annotated[str, typer.Option(help="table, csv, json or parquet")] = "table",
    output: Annotated[str, typer.Option(help="the file that --format parquet writes")] = "",
    remote: Annotated[str | None, typer.Option(help="sc:// address of a running server")] = None,
    timer: Annotated[bool, typer.Option(help="print time and engine of each statement")] = True,
) -> None:
    """A SQL shell: type statements, or give them with -c, -f or a pipe."""
    import_server()
    from twinspark.cli.shell.display import FORMATS
    from twinspark.cli.shell.main import run_shell
    from twinspark.cli.shell.shell import Output

    if format not in FORMATS or (format == "parquet") != bool(output):
        raise usage_error("--format is table, csv, json, or parquet with --output")
    log_to_stderr(logging.ERROR)
    settings = settings_of(port=0, **engine_settings(values_of(chosen)))
    raise typer.Exit(run_shell(settings, remote, command, file, Output(format, output, timer=timer)))


@app.command()
@takes_options(*OF_RUN)
def verify(chosen: Options, sql: str) -> None:
    """Run a query on both engines and print what differs; the exit code is 1 if anything does."""
    log_to_stderr(logging.WARNING)
    options = values_of(chosen)
    if options["engine"] == "duckdb":
        raise usage_error("verify needs both engines: leave out --engine duckdb")
    settings = settings_of(port=0, **engine_settings(options))
    import_server()
    from twinspark.cli.verify import verify_sql

    raise typer.Exit(verify_sql(settings, sql))


@app.command()
def completion(shell: Annotated[str, typer.Argument(help="bash, zsh or fish")]) -> None:
    """Print the script that completes commands and options of twinspark in a shell."""
    from typer.completion import get_completion_script

    if shell not in ("bash", "zsh", "fish"):
        raise usage_error(f"completion is for bash, zsh and fish, not {shell}")
    typer.echo(get_completion_script(prog_name="twinspark", complete_var="_TWINSPARK_COMPLETE", shell=shell))


@app.command()
def doctor(
    server: Annotated[str | None, typer.Option(help="sc:// address of a running twinspark to check")] = None,
    spark_master: Annotated[str, typer.Option(help="spark:// address of a master to check")] = "",
    spark_remote: Annotated[str | None, typer.Option(help="sc:// address of a Spark to check")] = None,
) -> None:
    """Report what is installed on this machine and what is missing."""
    from twinspark.client_package import without_client_checks

    if not pyspark_problem():
        without_client_checks()
    from twinspark.cli.doctor import examine

    raise typer.Exit(examine(server, spark_master, spark_remote))


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version_line())
        raise typer.Exit


@app.callback()
def everywhere(
    version: Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True)] = False,
) -> None:
    """Options before the command."""
