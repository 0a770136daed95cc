"""The commands and their options; each does its work in a file of its own name, imported when it is asked for."""

import logging
from pathlib import Path
from typing import Annotated

import typer

from twinspark.cli.serve import ThriftDoor, serve_until_stopped
from twinspark.cli.version import version_line
from twinspark.session.settings import Settings

EXAMPLES = """
One Spark endpoint, two engines.

Examples:

  twinspark serve                                    sc://localhost:15002, DuckDB first, Spark when needed

  twinspark serve --engine duckdb                    never start a JVM

  twinspark serve --spark-remote sc://cluster:15002  what is not native goes to that Spark

  twinspark serve --thrift-port 10000                BI tools, JDBC, ODBC and dbt as well

  twinspark run pipeline.py --date 2026-01-01        an unchanged PySpark script

  twinspark run report.sql                           every statement, results printed

  twinspark run plan.json --input a.parquet --output b.parquet

  twinspark run --fixture fixture.json               equal, or the first difference

  twinspark explain "select 1 + 1"                   every stage on one screen

  twinspark doctor                                   what is found, what is missing
"""
app = typer.Typer(help=EXAMPLES, no_args_is_help=True, add_completion=False, rich_markup_mode=None)

Engine = Annotated[str, typer.Option(help="auto, duckdb (never a JVM) or spark (everything)")]
Master = Annotated[str, typer.Option(help="master of the Spark that twinspark starts itself")]
Remote = Annotated[str | None, typer.Option(help="sc:// address of a Spark to use instead")]
Memory = Annotated[str, typer.Option(help="heap of the Spark that twinspark starts itself")]
Warehouse = Annotated[str | None, typer.Option(help="directory for tables")]
Conf = Annotated[list[str] | None, typer.Option("--conf", help="key=value for the Spark that twinspark starts")]


def pairs_of(conf: list[str] | None) -> tuple[tuple[str, str], ...]:
    broken = [each for each in conf or [] if "=" not in each]
    if broken:
        raise typer.BadParameter(f"--conf takes key=value, not {broken[0]!r}")
    return tuple((key, value) for key, _, value in (each.partition("=") for each in conf or []))


@app.command()
def serve(
    host: Annotated[str, typer.Option(help="address to listen on")] = "127.0.0.1",
    port: Annotated[int, typer.Option(help="port to listen on")] = 15002,
    engine: Engine = "auto",
    spark_master: Master = "local[*]",
    spark_remote: Remote = None,
    spark_memory: Memory = "4g",
    warehouse: Warehouse = None,
    conf: Conf = None,
    prewarm: Annotated[bool, typer.Option(help="start Spark now instead of when first needed")] = False,
    token: Annotated[str | None, typer.Option(help="pre-shared key that clients must send")] = None,
    metrics_port: Annotated[int | None, typer.Option(help="port for Prometheus counters")] = None,
    thrift_port: Annotated[
        int | None, typer.Option(help="port for Thrift clients (HiveServer2: JDBC, ODBC, dbt)")
    ] = None,
    thrift_host: Annotated[str | None, typer.Option(help="address for Thrift clients, if not --host")] = None,
    thrift_token: Annotated[
        str | None, typer.Option(help="password or token of Thrift clients, if not --token")
    ] = None,
    thrift_certificate: Annotated[Path | None, typer.Option(help="PEM file: Thrift clients then speak TLS")] = None,
    thrift_key: Annotated[Path | None, typer.Option(help="PEM file of the certificate's key, if not in it")] = None,
    thrift_idle_hours: Annotated[float, typer.Option(help="unused Thrift sessions are closed after this")] = 8,
    verbose: Annotated[bool, typer.Option(help="log every operation with its engine and reason")] = True,
) -> None:
    """Open the Spark Connect door and keep it open."""
    log_to_stderr(logging.INFO if verbose else logging.WARNING)
    door = ThriftDoor(
        thrift_port or 0, thrift_host, thrift_token, thrift_certificate, thrift_key, thrift_idle_hours * 3600
    )
    serve_until_stopped(
        Settings(
            engine=engine,
            host=host,
            port=port,
            spark_master=spark_master,
            spark_remote=spark_remote,
            spark_memory=spark_memory,
            spark_config=pairs_of(conf),
            warehouse=warehouse,
            prewarm=prewarm,
            token=token,
            metrics_port=metrics_port,
        ),
        door if thrift_port is not None else None,
    )


@app.command(context_settings={"allow_extra_args": True, "ignore_unknown_options": True})
def run(
    context: typer.Context,
    program: Annotated[
        Path, typer.Argument(help="a .py script, a .sql file or a .json plan", exists=True, dir_okay=False)
    ],
    engine: Engine = "auto",
    spark_master: Master = "local[*]",
    spark_remote: Remote = None,
    spark_memory: Memory = "4g",
    warehouse: Warehouse = None,
    conf: Conf = None,
    fixture: Annotated[bool, typer.Option("--fixture", help="the .json holds input, plan and expectation")] = False,
) -> None:
    """Run an unchanged PySpark script, the statements of a SQL file, or a JSON plan (--input, --output)."""
    from twinspark.cli.run import run_program

    log_to_stderr(logging.WARNING)
    settings = Settings(
        engine=engine,
        spark_master=spark_master,
        spark_remote=spark_remote,
        spark_memory=spark_memory,
        spark_config=pairs_of(conf),
        warehouse=warehouse,
    )
    raise typer.Exit(run_program(settings, program, context.args, fixture))


@app.command()
def explain(sql: str, engine: Engine = "auto") -> None:
    """Show every stage of a query: plan, DuckDB SQL, engine and reason, time of each."""
    from twinspark.cli.explain import explain_sql

    log_to_stderr(logging.WARNING)
    raise typer.Exit(explain_sql(Settings(engine=engine), sql))


@app.command()
def doctor() -> None:
    """Say what is found on this machine and what is missing, in words."""
    from twinspark.cli.doctor import examine

    raise typer.Exit(examine())


def show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(version_line())
        raise typer.Exit


@app.callback()
def everywhere(
    version: Annotated[bool, typer.Option("--version", callback=show_version, is_eager=True)] = False,
) -> None:
    """Options before the command."""


def log_to_stderr(level: int) -> None:
    logging.basicConfig(level=level, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
