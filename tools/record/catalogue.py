"""What Spark itself says about its functions: their names, and the calls in their documented examples."""

import re
from dataclasses import dataclass

from tools.cases.calls import find_call
from tools.cases.connect import Connection, sql_relation

EXAMPLE = re.compile(r"^\s*> (SELECT .*?);?\s*$", re.MULTILINE | re.IGNORECASE)
OPERATOR_NAMES = {"and", "or", "not", "in", "between", "like", "ilike", "rlike", "regexp", "div", "case", "when"}


@dataclass(frozen=True)
class Documented:
    """A function's name, implementing class (aliases share it) and the statements of its examples."""

    name: str
    implementation: str
    examples: tuple[str, ...]

    def calls(self) -> list[list[str]]:
        """The argument lists of its documented calls, without named arguments and keyword forms."""
        found = [call[0] for text in self.examples if (call := find_call(text, self.name)) is not None]
        return [arguments for arguments in found if not any(special_form(a) for a in arguments)]


def special_form(argument: str) -> bool:
    return bool(re.search(r"=>|\bFROM\b|\bFOR\b|\bIN\b|^DISTINCT\b|^\*$|\bORDER BY\b", argument, re.IGNORECASE))


def is_operator(name: str) -> bool:
    return not re.match(r"[a-z_]", name) or name in OPERATOR_NAMES


def function_names(connection: Connection) -> list[str]:
    return sorted(connection.execute(sql_relation("SHOW FUNCTIONS")).rows.column(0).to_pylist())


def describe(connection: Connection, name: str) -> Documented:
    rows = connection.execute(sql_relation(f"DESCRIBE FUNCTION EXTENDED `{name}`")).rows.column(0).to_pylist()
    text = "\n".join(rows)
    implementation = re.search(r"^Class: (\S+)", text, re.MULTILINE)
    return Documented(name, implementation[1] if implementation else "", tuple(EXAMPLE.findall(text)))
