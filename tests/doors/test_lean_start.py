"""A server listens before it has imported what only tables and clients need."""

import ast
import subprocess
import sys
from importlib.util import find_spec

from twinspark.client_package import PACKAGE
from twinspark.commands.warm_up import import_tables

HEAVY = ("pandas", "pyiceberg", "sqlalchemy", "pydantic", "pyarrow.dataset")


def printed_by(program: str) -> str:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=True)
    return done.stdout.strip()


def test_what_is_heavy_is_not_imported_before_a_server_listens() -> None:
    program = f"""
import sys
from twinspark.client_package import without_client_checks
without_client_checks()
import twinspark.cli.app
print([name for name in {HEAVY} if name in sys.modules])
"""
    assert printed_by(program) == "[]"


def test_a_client_in_the_same_process_finds_its_package_whole() -> None:
    program = """
from twinspark.client_package import without_client_checks
without_client_checks()
import pyspark.sql.connect
from pyspark.sql.connect.session import SparkSession
import pyspark.sql.connect.proto as proto
print(pyspark.sql.connect.session.SparkSession is SparkSession, proto.Plan.DESCRIPTOR.full_name)
"""
    assert printed_by(program) == "True spark.connect.Plan"


def test_the_package_whose_init_is_left_out_only_checks_dependencies() -> None:
    found = find_spec(PACKAGE)
    assert found is not None
    assert found.origin is not None
    with open(found.origin) as file:
        docstring, imported, called = ast.parse(file.read()).body
    assert isinstance(docstring, ast.Expr)
    assert ast.unparse(imported) == "from pyspark.sql.connect.utils import check_dependencies"
    assert ast.unparse(called) == "check_dependencies()"


def test_what_tables_need_is_imported_while_nobody_waits() -> None:
    import_tables()
    needed = ("commands.handlers", "commands.catalog_api.calls", "commands.dml.merge_into", "tables.named_relations")
    assert [name for name in needed if f"twinspark.{name}" not in sys.modules] == []
