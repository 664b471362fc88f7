"""Runs `san` as a person does: a process of its own, with its exit code and what it printed.

Imports take seconds. So one process does them once, and has a copy of itself run each
command; where the environment changes Python itself, the command gets a process from the start.
Only onnxruntime is imported by each: it has a thread, for which a copy would wait at its end.
"""

import json
import os
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path

TIMEOUT = 120
PYTHON = {"PYTHONIOENCODING", "PYTHONCOERCECLOCALE"}
SERVER = f"""
import atexit, gc, json, os, signal, sys, threading
from san.cli.main import main
gc.freeze()
for line in sys.stdin:
    request = json.loads(line)
    child = os.fork()
    if not child:
        signal.alarm({TIMEOUT})
        for number, name in enumerate(request["files"]):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY
            os.dup2(os.open(name, flags), number)
        sys.stdin = open(0)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["environment"])
        sys.argv = ["-c", *request["arguments"]]
        code = 0
        try:
            main()
        except SystemExit as end:
            code = int(end.code or 0)
        except BaseException:
            sys.excepthook(*sys.exc_info())
            code = 1
        threading._shutdown()
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)  # to take down a second's imports takes a second, too
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    print(code, flush=True)
"""
MODULES = {"train": "import san.training.start"}
"""What a command imports only when it runs."""


@cache
def _server(modules: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", f"{modules}\n{SERVER}"]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def san(
    *arguments: str | Path,
    stdin: str | bytes = "",
    cwd: Path | None = None,
    environment: dict[str, str] | None = None,
) -> "subprocess.CompletedProcess[str]":
    content = stdin.encode() if isinstance(stdin, str) else stdin
    words = [*map(str, arguments)]
    environment = os.environ | (environment or {})
    if PYTHON.isdisjoint(environment) and all(map(str.isprintable, words)):
        return _copied(words, content, cwd or Path.cwd(), environment)
    done = subprocess.run(
        [sys.executable, "-c", "from san.cli.main import main; main()", *words],
        input=content,
        capture_output=True,
        timeout=TIMEOUT,
        cwd=cwd,
        env=environment,
        check=False,
    )
    return subprocess.CompletedProcess(
        done.args, done.returncode, done.stdout.decode(), done.stderr.decode()
    )


def _copied(
    arguments: list[str], content: bytes, cwd: Path, environment: dict[str, str]
) -> "subprocess.CompletedProcess[str]":
    server = _server(MODULES.get("".join(arguments[:1]), ""))
    assert server.stdin is not None
    assert server.stdout is not None
    with (
        tempfile.NamedTemporaryFile() as given,
        tempfile.NamedTemporaryFile() as said,
        tempfile.NamedTemporaryFile() as complained,
    ):
        given.write(content)
        given.flush()
        request = {
            "arguments": arguments,
            "cwd": str(cwd),
            "environment": environment,
            "files": [given.name, said.name, complained.name],
        }
        print(json.dumps(request), file=server.stdin, flush=True)
        code = int(server.stdout.readline())
        return subprocess.CompletedProcess(
            arguments, code, said.read().decode(), complained.read().decode()
        )


def complaint(*arguments: str | Path, stdin: str | bytes = "", cwd: Path | None = None) -> str:
    """What san says to bad input: exactly one line, exit code 2, nothing on standard output."""
    done = san(*arguments, stdin=stdin, cwd=cwd)
    assert done.returncode == 2, done
    assert done.stderr.startswith("san: "), done.stderr
    assert done.stderr.count("\n") == 1, done.stderr
    assert done.stdout == ""
    return done.stderr.strip()
