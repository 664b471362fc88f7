"""`san read --ray`: what is said before anything is read."""

import importlib.util

import pytest

from tests.cli.console import complaint


@pytest.mark.parametrize(
    "option",
    [
        "--clipboard", "--page", "--aligned", "--format json", "--output out.tsv", "--explain out",
        "--n-best 3", "--beam 2", "--threads 2",
    ],
)  # fmt: skip
def test_what_it_does_not_do_is_refused_by_name(option: str) -> None:
    said = complaint("read", "--ray", "in", "out", *option.split())
    assert said == f"san: --ray takes [ADDRESS] IN OUT, and no {option.split()[0]}"


@pytest.mark.parametrize("name", ["out.tsv", "out.CSV", "out.parquet"])
def test_a_table_is_not_made_a_folder(name: str) -> None:
    assert f"{name}: --ray writes a folder of Parquet files" in complaint(
        "read", "--ray", "in", name
    )


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="ray is installed")
def test_without_ray_it_says_what_to_install(tmp_path: object) -> None:
    assert "[ray]" in complaint("read", "--ray", "in", "out")
    assert "[ray]" in complaint("read", "--ray", "in", "out", "--confidence", "--resume")
    assert "[ADDRESS] IN OUT" in complaint("read", "--ray", "in")
