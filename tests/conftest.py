"""What all tests share: where the corpora lie, if they are there."""

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of the corpora: SAN_DATA, or shared/data beside the checkout."""
    root = Path(os.environ.get("SAN_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (root / "crohme").is_dir():
        pytest.skip("the corpora are not here (set SAN_DATA to their folder)")
    return root
