"""Reading reports to nobody, and leaves nothing behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import REPOSITORY

READ = "import san; print(san.read('samples/euler.inkml').latex)"


@pytest.mark.slow
def test_reading_leaves_nothing_in_the_home_folder(tmp_path: Path) -> None:
    # ONNX Runtime keeps its reports and the number of the device there until it sends them.
    ours = ("ORT_DISABLE_TELEMETRY", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in ours}
    subprocess.run(
        [sys.executable, "-c", READ],
        cwd=REPOSITORY,
        env={**environment, "HOME": str(tmp_path)},
        check=True,
    )
    assert list(tmp_path.rglob("*")) == []


@pytest.mark.slow
def test_who_lets_it_report_is_left_alone() -> None:
    code = "import os, san.model.onnx.runtime; print(os.environ['ORT_DISABLE_TELEMETRY'])"
    told = {**os.environ, "ORT_DISABLE_TELEMETRY": "0"}
    done = subprocess.run([sys.executable, "-c", code], env=told, capture_output=True, text=True)
    assert done.stdout == "0\n"
