"""The files in deploy/: checked by the linters that there are, and against the options and metrics of the server."""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from twinspark.cli.options import OPTIONS
from twinspark.doors.connect.server import ConnectServer
from twinspark.sessions.settings import Settings
from twinspark.ui.metrics import Metrics

DEPLOY = Path(__file__).parents[2] / "deploy"
BIN = Path(sys.executable).parent
FLAGS = {option.flag for option in OPTIONS} | {f"--no-{option.flag[2:]}" for option in OPTIONS} | {"--config"}
ENDINGS = ("", "_total", "_sum", "_count", "_bucket")  # of the names of a family's samples
VARIABLES = {option.variable for option in OPTIONS}


def files(*patterns: str) -> list[Path]:
    return sorted(path for pattern in patterns for path in DEPLOY.rglob(pattern))


def test_yaml_is_clean() -> None:
    command = [BIN / "yamllint", "--strict", "-c", DEPLOY / ".yamllint", "."]
    ran = subprocess.run(command, cwd=DEPLOY, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_compose_follows_its_schema() -> None:
    command = [BIN / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout


def test_options_and_variables_exist() -> None:
    for path in files("Dockerfile*", "*.yaml", "*.service"):
        text = path.read_text()
        serves = "\n".join(line for line in text.splitlines() if "serve" in line or re.match(r"\s+- --", line))
        assert set(re.findall(r"--[a-z][a-z-]+", serves)) <= FLAGS, path
        assert set(re.findall(r"\bTWINSPARK_[A-Z_]+", without_comments(text))) <= VARIABLES, path


def without_comments(text: str) -> str:
    return re.sub(r"^\s*#.*", "", text, flags=re.MULTILINE)


def rendered(text: str, values: dict[str, Any]) -> str:
    """The few constructs of Helm that the chart uses; Helm itself is in no registry here."""
    names = list(values["ports"].items())

    def repeat(found: re.Match[str]) -> str:
        one = found[1]
        return "".join(one.replace("{{ $name }}", name).replace("{{ $port }}", str(port)) for name, port in names)

    text = re.sub(r"\{\{- range \$name, \$port := \.Values\.ports \}\}(.*?)\{\{- end \}\}", repeat, text, flags=re.S)
    text = re.sub(r"\{\{- (?:range|with) .*?\{\{- end \}\}", "", text, flags=re.S)
    text = re.sub(
        r"\{\{ add \.Values\.drainSeconds (\d+) \}\}", lambda at: str(values["drainSeconds"] + int(at[1])), text
    )
    text = re.sub(r"\{\{- toYaml \.Values\.(\w+) \| nindent \d+ \}\}", lambda at: json.dumps(values[at[1]]), text)
    text = text.replace("{{ .Release.Name }}", "release")
    return re.sub(r"\{\{ \.Values\.([\w.]+) \}\}", lambda at: str(looked_up(values, at[1])), text)


def looked_up(values: Any, path: str) -> Any:
    for part in path.split("."):
        values = values[part]
    return values


def documents() -> Iterator[tuple[Path, dict[str, Any]]]:
    for path in files("kubernetes/*.yaml"):
        yield from ((path, each) for each in yaml.safe_load_all(path.read_text()))
    values = yaml.safe_load((DEPLOY / "helm/twinspark/values.yaml").read_text())
    for path in files("helm/twinspark/templates/*.yaml"):
        yield path, yaml.safe_load(rendered(path.read_text(), values))


def test_pods_are_probed_drained_and_confined() -> None:
    pods = [(path, each["spec"]["template"]["spec"]) for path, each in documents() if each["kind"] == "Deployment"]
    assert len(pods) == 2
    for _, pod in pods:
        (container,) = pod["containers"]
        assert pod["enableServiceLinks"] is False
        assert container["readinessProbe"]["httpGet"] == {"path": "/readyz", "port": "metrics"}
        assert container["livenessProbe"]["httpGet"] == {"path": "/healthz", "port": "metrics"}
        drained = re.search(r"--drain-seconds\W+(\d+)", " ".join(container["args"]))
        assert drained is not None and pod["terminationGracePeriodSeconds"] > int(drained[1])
        assert container["securityContext"]["readOnlyRootFilesystem"] and pod["securityContext"]["runAsNonRoot"]
        mounted, known = {each["name"] for each in container["volumeMounts"]}, {each["name"] for each in pod["volumes"]}
        assert mounted == known


def test_services_name_ports_of_the_pods() -> None:
    found = list(documents())
    for folder in ("kubernetes", "templates"):
        of_folder = [each for path, each in found if path.parent.name == folder]
        (service,) = [each for each in of_folder if each["kind"] == "Service"]
        (deployment,) = [each for each in of_folder if each["kind"] == "Deployment"]
        ports = deployment["spec"]["template"]["spec"]["containers"][0]["ports"]
        assert {each["targetPort"] for each in service["spec"]["ports"]} == {each["name"] for each in ports}
        labels = deployment["spec"]["template"]["metadata"]["labels"]
        assert service["spec"]["selector"].items() <= labels.items()


def test_the_dashboard_asks_for_metrics_that_exist(tmp_path: Path) -> None:
    server = ConnectServer(Settings(engine="duckdb", port=0, warehouse=str(tmp_path)))
    try:
        families = Metrics(server.shared, server.spark, server.doors, server.sessions.all).registry.collect()
        known = {family.name + end for family in families for end in ENDINGS}
    finally:
        server.stop()
    dashboard = json.loads((DEPLOY / "grafana/twinspark.json").read_text())
    asked = {
        name
        for panel in dashboard["panels"]
        for target in panel["targets"]
        for name in re.findall(r"\b(?:twinspark|process)_\w+", target["expr"])
    }
    assert len(asked) > 10 and asked <= known
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="there is no systemd-analyze")
def test_the_unit_is_valid(tmp_path: Path) -> None:
    """With a program that exists in place of the installed one."""
    text = (DEPLOY / "systemd/twinspark.service").read_text().replace("/opt/twinspark/bin/twinspark", "/bin/true")
    unit = tmp_path / "twinspark.service"
    unit.write_text(text)
    ran = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert "twinspark.service" not in ran.stderr, ran.stderr


@pytest.mark.skipif(shutil.which("hadolint") is None, reason="there is no hadolint")
@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.spark"])
def test_docker_files_are_clean(name: str) -> None:
    ran = subprocess.run(["hadolint", DEPLOY / name], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout
