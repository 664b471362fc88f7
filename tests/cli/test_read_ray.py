"""`san read --ray`: what is said before anything is read."""

import importlib.util

import pytest

from tests.cli.console import complaint


def test_options_of_single_pictures_are_refused() -> None:
    assert "[ADDRESS] IN OUT" in complaint("read", "--ray", "in", "out", "--n-best", "3")


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="ray is installed")
def test_without_ray_it_says_what_to_install(tmp_path: object) -> None:
    assert "[ray]" in complaint("read", "--ray", "in", "out")
    assert "[ADDRESS] IN OUT" in complaint("read", "--ray", "in")
