"""Runs `san` as a person does: a process of its own, with its exit code and what it printed."""

import os
import subprocess
import sys
from pathlib import Path


def san(
    *arguments: str | Path,
    stdin: str | bytes = "",
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    content = stdin.encode() if isinstance(stdin, str) else stdin
    done = subprocess.run(
        [sys.executable, "-c", "from san.cli.main import main; main()", *map(str, arguments)],
        input=content,
        capture_output=True,
        timeout=120,
        cwd=cwd,
        env=os.environ | (environment or {}),
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def complaint(*arguments: str | Path, stdin: str | bytes = "", cwd: Path | None = None) -> str:
    """What san says to bad input: exactly one line, exit code 2, nothing on standard output."""
    done = san(*arguments, stdin=stdin, cwd=cwd)
    assert done.returncode == 2, done
    assert done.stderr.startswith("san: "), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stdout == ""
    return done.stderr.strip()
