"""What all tests share: where the corpora lie, order and processes; no clock for properties."""

import os
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import settings

from san.cores import usable_cores

REPOSITORY = Path(__file__).resolve().parent.parent
FOLDERS = {"tests/browser": "browser", "tests/model/kernels": "kernels"}
LONGEST = (
    "tests/recipes/test_san.py",
    "tests/model/kernels/test_fine_attention.py",
    "tests/model/kernels/test_training_step.py",
    "tests/training/test_distributed.py",
    "tests/recipes/test_own_hand.py",
)
"""Files of some tests, each of which takes long; begun last, one would run alone at the end."""

settings.register_profile("san", deadline=None)  # how long an example takes is the machine's affair
settings.load_profile("san")


@pytest.fixture(scope="session")
def data_root() -> Path:
    """The folder of the corpora: SAN_DATA, or shared/data beside the checkout."""
    root = Path(os.environ.get("SAN_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (root / "crohme").is_dir():
        pytest.skip("the corpora are not here (set SAN_DATA to their folder)")
    return root


def pytest_xdist_auto_num_workers() -> int:
    """Processes for `-n auto`: a third of the time tests wait, for a browser or for a process."""
    return min(3 * usable_cores() // 2, 6)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whole folders have the marker of their kind; files that take long begin."""
    long: Counter[Path] = Counter({REPOSITORY / name: 1000 for name in LONGEST})
    for item in items:
        for folder, marker in FOLDERS.items():
            if item.path.is_relative_to(REPOSITORY / folder):
                item.add_marker(marker)
        long[item.path] += any(map(item.get_closest_marker, ("slow", "live", *FOLDERS.values())))
    items.sort(key=lambda item: -long[item.path])
