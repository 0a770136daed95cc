"""Makes the flags of a command from the options' schema, and hands the command the values that hold."""

import inspect
from collections.abc import Callable
from typing import Annotated, Any, get_type_hints

import typer

from twinspark.cli.configuration import Chosen, choose_options
from twinspark.cli.options import BY_NAME, Option
from twinspark.cli.start_checks import require_pyspark

Command = Callable[..., None]
CONFIG = Annotated[str | None, typer.Option(help="TOML file of options, without it twinspark.toml if there is one")]


def takes_options(*names: str) -> Callable[[Command], Command]:
    """The command's first parameter is the options by name; its others stay as they are written."""

    def decorate(command: Command) -> Command:
        _, *others = inspect.signature(command).parameters.values()
        hints = get_type_hints(command, include_extras=True)

        def run_command(**given: Any) -> None:
            require_pyspark()
            flags = {name: given.pop(name) for name in names}
            command(choose_options(names, flags, given.pop("config")), **given)

        made = [parameter("config", CONFIG), *(parameter(name, annotation(BY_NAME[name])) for name in names)]
        every = [*(each.replace(annotation=hints[each.name]) for each in others), *made]
        run_command.__name__, run_command.__doc__ = command.__name__, command.__doc__
        run_command.__signature__ = inspect.Signature(  # type: ignore[attr-defined]  # typer reads it
            [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in every]
        )
        run_command.__annotations__ = {each.name: each.annotation for each in every}
        return run_command

    return decorate


def parameter(name: str, kind: Any) -> inspect.Parameter:
    """None stands for a flag that was not given: then the environment or the file decides."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=kind)


def annotation(option: Option) -> Any:
    if option.type is bool:
        flags = f"{option.flag}/--no-{option.flag[2:]}"
        return Annotated[bool | None, typer.Option(flags, help=help_text(option))]
    kind = list[str] if option.type is list else option.type
    return Annotated[kind | None, typer.Option(option.flag, help=help_text(option))]


def help_text(option: Option) -> str:
    default = str(option.default).lower() if option.type is bool else option.default
    return f"{option.help} [default: {default}]" if option.default not in (None, ()) else option.help


def values_of(chosen: dict[str, Chosen]) -> dict[str, Any]:
    return {name: each.value for name, each in chosen.items()}
