"""Which code a run was trained by: the git commit of this package, where there is one."""

import functools
import os
import subprocess
from pathlib import Path

import san


@functools.cache
def commit() -> str:
    """The short hash, with "-dirty" where files differ from it; empty without a repository."""
    file = Path(san.__file__)
    # An installed copy may lie within someone else's repository, which does not track it.
    if not _git(file.parent, "ls-files", "--error-unmatch", file.name):
        return ""
    return _git(file.parent, "describe", "--always", "--dirty", "--exclude=*")


def _git(folder: Path, *words: str) -> str:
    try:
        done = subprocess.run(
            ["git", "-C", str(folder), *words],
            capture_output=True,
            text=True,
            timeout=20,
            env={**os.environ, "GIT_OPTIONAL_LOCKS": "0"},  # we only look
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
