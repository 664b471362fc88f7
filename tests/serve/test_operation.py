"""The systemd unit and the Kubernetes manifest of docs/operation.md, held to the code."""

import configparser
import inspect
import re
import shlex
from typing import Any

import pytest
from typer.main import get_command

from san.cli.main import app
from san.cli.serve import TOKEN, serve
from san.serve.app import create_app
from san.serve.defaults import MAX_CONNECTIONS
from san.serve.processes import STOP_DEADLINE
from san.serve.server import OTHER_DESCRIPTORS
from tests.conftest import REPOSITORY
from tests.serve.conftest import recognizer

PAGE = (REPOSITORY / "docs" / "operation.md").read_text("utf-8")
PROMISED_MEMORY = 1 << 30
"""Bytes of a process at most: docs/security.md."""


def block(language: str) -> str:
    found = re.search(rf"^```{language}$(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found.group(1)


def options(words: list[str]) -> dict[str, str]:
    """Of a command line `san serve --option value ...`."""
    begin = words.index("serve") + 1
    return dict(zip(words[begin::2], words[begin + 1 :: 2], strict=True))


def check_options(given: dict[str, str]) -> None:
    command: Any = get_command(app)
    known = {name for option in command.commands["serve"].params for name in option.opts}
    assert set(given) <= known
    assert int(given["--port"]) == inspect.signature(serve).parameters["port"].default


def check_memory(memory: str, workers: str) -> None:
    number, unit = re.fullmatch(r"(\d+)([MG])i?", memory).groups()  # type: ignore[union-attr]
    assert int(number) << {"M": 20, "G": 30}[unit] >= int(workers) * PROMISED_MEMORY


def test_the_systemd_unit() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(block("ini"))
    service = unit["Service"]
    given = options(shlex.split(service["ExecStart"]))
    check_options(given)
    check_memory(service["MemoryMax"], given["--workers"])
    assert float(service["TimeoutStopSec"]) > STOP_DEADLINE
    assert int(service["LimitNOFILE"]) >= MAX_CONNECTIONS + OTHER_DESCRIPTORS


def test_the_kubernetes_manifest() -> None:
    yaml = pytest.importorskip("yaml")
    deployment, service = yaml.safe_load_all(block("yaml"))
    pod = deployment["spec"]["template"]
    (container,) = pod["spec"]["containers"]
    given = options(container["args"])
    check_options(given)
    (port,) = container["ports"]
    assert port["containerPort"] == int(given["--port"])
    assert service["spec"]["ports"][0]["targetPort"] == port["name"]
    paths = {route.path for route in create_app(recognizer()).routes}  # type: ignore[attr-defined]
    probes = {name: container[f"{name}Probe"] for name in ("startup", "readiness", "liveness")}
    for probe in probes.values():
        assert probe["httpGet"]["path"] in paths
        assert probe["httpGet"]["port"] == port["name"]
    assert probes["readiness"]["httpGet"]["path"] == "/readyz"  # overload takes it from the pool
    assert probes["liveness"]["httpGet"]["path"] == "/healthz"  # and does not restart it
    assert pod["spec"]["terminationGracePeriodSeconds"] > STOP_DEADLINE
    resources = container["resources"]
    check_memory(resources["limits"]["memory"], given["--workers"])
    assert int(resources["limits"]["cpu"]) >= int(given["--workers"])
    assert TOKEN in [variable["name"] for variable in container["env"]]
    labels = pod["metadata"]["labels"]
    assert labels == deployment["spec"]["selector"]["matchLabels"] == service["spec"]["selector"]
