"""What all tests share: where the corpora lie, if they are there; and no clock for properties."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

REPOSITORY = Path(__file__).resolve().parent.parent

settings.register_profile("san", deadline=None)  # how long an example takes is the machine's affair
settings.load_profile("san")


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of the corpora: SAN_DATA, or shared/data beside the checkout."""
    root = Path(os.environ.get("SAN_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (root / "crohme").is_dir():
        pytest.skip("the corpora are not here (set SAN_DATA to their folder)")
    return root


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole folders have the marker of their kind."""
    for folder, marker in (("tests/browser", "browser"), ("tests/model/kernels", "kernels")):
        for item in items:
            if item.path.is_relative_to(REPOSITORY / folder):
                item.add_marker(marker)
